"""Saved models: what is loaded is what was saved, and a file that is not whole is refused."""

import io
import os
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cases.problems import PROBLEMS
from model_files import edited, members, only, rewrite
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.datasets import dump_svmlight_file
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from toy_problems import Multilabel, multilabel_data

import structsvm
from structsvm import (
    ArchiveError,
    Checkpoint,
    OneSlackCuttingPlane,
    PassWriter,
    Status,
    StructuredSVM,
    load,
    save,
)
from structsvm.problems import MMC, Multiclass, MulticlassSVM
from structsvm.problems.by_task import ByTask
from structsvm.saving.archive import Content, read
from structsvm.saving.names import PLACES, find, name_of

DATA = Multiclass.example_data()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


@pytest.mark.parametrize("name", [*PLACES])
def test_every_name_for_files_is_that_of_a_class(name):
    kind = find(name)
    assert isinstance(kind, type) and find(name_of(kind)) is kind


@pytest.mark.parametrize(
    "name", ["programs.search:milp", "sequences.chain.problem:np", "..os:path", "absent:A", "a:b:C"]
)
def test_of_problems_that_list_no_name_classes_alone_are_found(name):
    of_file = "structsvm.problems:by_task:ByTask"
    assert name_of(ByTask) == of_file and find(of_file) is ByTask
    assert find(f"structsvm.problems:{name}") is None
    assert find(f"structsvm:{name}") is None


def test_a_class_that_has_no_name_is_not_saved(path):
    with pytest.raises(ArchiveError, match="C, the type Content, has no name for files"):
        save(MulticlassSVM(C=Content), path)


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", PROBLEMS)
def test_results_of_all_problems_are_verified_after_loading(name, path):
    problem, X, Y = PROBLEMS[name](0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        svm = StructuredSVM(problem, C=1.0, max_iter=20).fit(X, Y)
    save(svm, path, certificate=True)
    again = load(path)
    assert_array_equal(again.w_, svm.w_)
    assert repr(again.result_.history) == repr(svm.result_.history)
    found, expected = again.verify(X, Y), svm.verify(X, Y)
    assert repr(found) == repr(expected)


def test_an_estimator_is_saved_without_its_planes(path):
    X, y = DATA
    svm = MulticlassSVM(warm_start=True).fit(X, y)
    save(svm, path, certificate=True)
    whole = path.stat().st_size
    save(svm, path)
    assert path.stat().st_size < whole
    again = load(path)
    assert_array_equal(again.predict(X), svm.predict(X))
    assert str(again.result_) == str(svm.result_)
    assert again.result_.support is None
    with pytest.raises(ValueError, match=r"structsvm.save\(model, path, certificate=True\)"):
        again.verify(X, y)
    assert again.fit(X, y).result_.status is Status.CONVERGED  # from its w
    save(make_pipeline(StandardScaler(), svm), path)
    assert load(path)[-1].result_.support is None
    with pytest.raises((TypeError, ValueError), match="certificate must be"):
        save(svm, path, certificate="no")


def test_a_result_and_a_problem_alone(path):
    result = OneSlackCuttingPlane().solve(Multiclass(), *DATA)
    save(result, path)
    again = load(path)
    assert again.status is Status.CONVERGED and str(again) == str(result)
    assert again.verify(Multiclass(), *DATA).matches
    save(Multiclass(cost=[[0, 1], [2, 0]]), path)
    assert load(path).cost == [[0, 1], [2, 0]]


def test_values_of_all_kinds(path):
    values = [
        None, True, -3, 10**30, 0.1, -0.0, np.inf, -np.inf, "ü", b"\x00\xff", (1, (2,)), {3, 4},
        frozenset({5}), {"a": [6], 7: None, (8, 9): "b"}, slice(1, None, 2), np.float32(0.1),
        np.int64(-1), np.bool_(True), np.str_("c"), np.bytes_(b"d"), np.dtype("f4"), np.float32,
        np.array([], dtype="i2"), np.arange(6.0).reshape(2, 3).T,
        np.array(["e", None, (1, 2)], object),
        np.array("2020-01-01", "M8[D]"), np.random.default_rng(1), np.random.RandomState(2),
        [np.arange(3), np.arange(0), np.arange(2)], Status.STALLED, MulticlassSVM,
        Path("a") / "b.csv", np.ma.masked_array([1.0, 2.0], [True, False]),
    ]  # fmt: skip
    model = MulticlassSVM(C=values)
    save(model, path)
    again = load(path).C
    for value, other in zip(values, again, strict=True):
        assert type(other) is type(value)
        if hasattr(value, "normal"):  # the same numbers follow
            assert value.normal() == other.normal()
        else:
            assert repr(other) == repr(value)
    assert (
        np.isnan(_again(np.nan, path))
        and _again(np.arange(6.0).reshape(2, 3).T, path).flags.f_contiguous
    )


def _again(value, path):
    save(MulticlassSVM(C=value), path)
    return load(path).C


def test_what_is_reached_twice_is_one_object(path):
    shared = [1]
    shared.append(shared)
    again = _again([shared, shared, np.ones(2)], path)
    assert again[0] is again[1] and again[0][1] is again[0]


def test_a_problem_of_ones_own_is_loaded_where_it_is_trusted(path):
    X, Y = multilabel_data()
    svm = StructuredSVM(Multilabel()).fit(X, Y)
    save(svm, path)
    with pytest.raises(ArchiveError, match=r"toy_problems:Multilabel.*trusted=\[Multilabel\]"):
        load(path)
    again = load(path, trusted=[Multilabel])
    assert_array_equal(np.array(again.predict(X)), np.array(svm.predict(X)))
    moved = type("Multilabel", (Multilabel,), {"__module__": "elsewhere"})
    moved.__qualname__ = "Multilabel"
    assert type(load(path, trusted=[moved]).problem_) is moved
    with pytest.raises(TypeError, match="trusted must be a list of classes and functions"):
        load(path, trusted=[Multilabel()])


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (lambda: 0, r"C, the function <lambda>, is code"),
        ([1, {"a": open}], r"C\[1\]\['a'\], the builtin_function_or_method open, is code"),
        (np, "the module numpy, is code"),
        (np.exp, "the ufunc exp, is code"),
        (np.zeros(1, [("a", object)]), "fields of objects"),
        (np.complex128(1), "of a kind that no file holds"),
        (type("Count", (dict,), {})(a=1), "dict of a class of its own"),
        ((i for i in [1]), "the generator <genexpr>, has a state"),
        (type("Text", (str,), {})("a"), "the Text, has a state"),
    ],
)
def test_what_cannot_be_saved_is_named_and_leaves_no_file(value, named, path):
    with pytest.raises(ArchiveError, match=named):
        save(MulticlassSVM(C=value), path)
    assert list(path.parent.iterdir()) == []


def test_other_objects_and_places_are_refused(path):
    with pytest.raises(TypeError, match="must be an estimator, a Result or a Problem"):
        save([1], path)
    with pytest.raises(FileNotFoundError):
        save(MulticlassSVM(), path.parent / "nowhere" / "model.npz")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(path)


# ---------------------------------------------------------------------- files that are not whole


@pytest.fixture
def saved(path):
    save(MulticlassSVM().fit(*DATA), path)
    return path


def test_a_truncated_file_is_refused_wherever_it_ends(saved):
    whole = saved.read_bytes()
    for end in np.linspace(0, len(whole) - 1, 60).astype(int):
        saved.write_bytes(whole[:end])
        with pytest.raises(ArchiveError, match=r"model\.npz"):
            load(saved)


def test_a_file_that_may_not_be_read_is_no_broken_one(saved, monkeypatch):
    def refused(*arguments, **options):
        raise PermissionError("not allowed")

    monkeypatch.setattr(zipfile, "ZipFile", refused)
    with pytest.raises(PermissionError, match="not allowed"):
        load(saved)


@pytest.mark.parametrize("kind", ["model", "checkpoint"])
def test_a_changed_bit_changes_nothing_or_is_refused(kind, path):
    if kind == "model":
        save(MulticlassSVM().fit(*DATA), path)
    else:
        solver = OneSlackCuttingPlane(max_iter=3)
        solver.solve(Multiclass(), *DATA, checkpoint=Checkpoint(path, 0))
    whole, counts = path.read_bytes(), {"equal": 0, "refused": 0}
    expected = described(path)
    for bit in [50, *np.random.default_rng(0).integers(8 * len(whole), size=299).tolist()]:
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            assert described(path) == expected
            counts["equal"] += 1
        except ArchiveError:
            counts["refused"] += 1
    assert counts["refused"] > 200 and counts["equal"] > 0  # bit 50 is one that no reader uses
    path.write_bytes(whole + bytes(20))
    assert described(path) == expected


def described(path):
    """All that a file holds."""
    content = read(path)
    arrays = [(array.dtype.str, array.shape, array.tobytes()) for array in content.arrays]
    return content.header, content.root, content.table, arrays


class Evil:
    """Executes something where it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


def test_pickles_are_not_read(saved):
    found = members(saved)
    np.save(saved.parent / "evil.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    found["0.npy"] = (saved.parent / "evil.npy").read_bytes()
    rewrite(saved, found)
    with pytest.raises(ArchiveError):
        load(saved)


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (only({"instance": ["os:system", ["a"], [1]]}), "os:system, not part of"),
        (only({"instance": ["structsvm.nowhere:A", [], []]}), "does not have"),
        (only({"instance": ["structsvm:Nothing", [], []]}), "does not have"),
        (only({"instance": ["structsvm.contract.problem:Problem", [], []]}), "does not have"),
        (only({"instance": ["structsvm.problems.graphs:Graph", [], []]}), "does not have"),
        (only({"instance": ["structsvm:save", [], []]}), "is a function"),
        (only({"instance": ["structsvm.saving:os.system", [], []]}), "does not have"),
        (only({"instance": ["structsvm:Status", [], []]}), "has no attributes"),
        (only({"instance": [5, [], []]}), "names a class as 5"),
        (only({"enum": ["structsvm:Problem", "CONVERGED"]}), "no enumeration"),
        (only({"enum": ["structsvm:Status", "NOTHING"]}), "KeyError"),
        (only({"tuple of": ["structsvm:Guarantee", [True]]}), "1 fields"),
        (only({"tuple of": ["structsvm:Problem", []]}), "0 fields"),
        (only({"nothing": []}), "AttributeError"),
        (only({"list": [{"unknown": 1}]}), "described as"),
        (only({"list": [{"object": 10**6}]}), "IndexError"),
        (only({"list": [{"external": "X"}]}), "described as"),
        (only({"tuple": [{"float": "zero"}]}), "described as"),
        (only({"array": 10**6}), "array 1000000 is missing"),
        (only({"objects": [[2], [1]]}), "1 objects for an array of shape"),
        (only({"random": ["Generator", "None", 0]}), "KeyError"),
        (only({"list": [{"name": "structsvm.datasets:SHAPES"}]}), "does not have"),
        (
            only({"list": [{"name": "sklearn.utils.validation:np"}]}),
            "not an estimator of scikit-learn",
        ),
        (only({"instance": ["sklearn.utils:nothing", [], []]}), "not an estimator of scikit-learn"),
        (only({"instance": ["sklearn.utils._bunch:Bunch", [], []]}), r"trusted=\[Bunch\]"),
        (only({"list": [{"scalar": ["O", 1]}]}), "a scalar of object"),
        (only({"list": []}), "no model but a list"),
        (lambda content: content.update(version=2), "reads up to 1: install a newer"),
        (lambda content: content.update(version="1"), "TypeError"),
        (lambda content: content.update(format="other"), "not a file of structsvm"),
        (lambda content: content.update(kind="checkpoint"), "training with checkpoint=path"),
        (lambda content: content.pop("table"), "KeyError"),
    ],
)  # fmt: skip
def test_descriptions_that_save_does_not_write_are_refused(edit, named, saved):
    edited(saved, edit)
    with pytest.raises(ArchiveError, match=named):
        load(saved)


@pytest.mark.parametrize("lengths", [[3, 3], [5, -5, 5], [5.5, -0.5]])
def test_arrays_of_other_lengths_are_refused(lengths, path):
    save(MulticlassSVM(C=[[np.arange(3), np.arange(2)], np.array(lengths)]), path)

    def edit(content):
        (entry,) = (entry for entry in content["table"] if "arrays" in entry)
        (other,) = (entry for entry in content["table"] if "array" in entry)
        entry["arrays"][1] = other.pop("array")
        other["list"] = []

    edited(path, edit)
    with pytest.raises(ArchiveError, match="do not make arrays of the lengths"):
        load(path)


# ------------------------------------------------------- files that would take more than their size


def refused_within(path, named, most=2**20):
    """Loading the file fails, and takes at most so many bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match=named):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["0.npy", "content.json"])
def test_members_that_inflate_are_refused_before_they_are_read(name, saved):
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(4_000_000))
    found = members(saved) | {name: zeros.getvalue()}
    del zeros
    rewrite(saved, found, zipfile.ZIP_DEFLATED)
    del found
    assert saved.stat().st_size < 100_000
    refused_within(saved, r"members have 320\d{5} bytes, .* without compression \(zip -0\)")


def test_a_size_that_the_file_does_not_have_is_refused(saved):
    array = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (4_000_000,)}
    np.lib.format.write_array_header_1_0(array, header)
    rewrite(saved, members(saved) | {"0.npy": array.getvalue()})
    with pytest.raises(ArchiveError):
        load(saved)
    whole, size = saved.read_bytes(), len(array.getvalue())
    place = whole.index(b"PK\x01\x02") + 24  # the size of the first in the list of members
    assert whole[place : place + 4] == size.to_bytes(4, "little")
    size += 32_000_000
    saved.write_bytes(whole[:place] + size.to_bytes(4, "little") + whole[place + 4 :])
    refused_within(saved, "save does not compress")


def test_an_array_of_objects_has_as_many_as_are_described(saved):
    edited(saved, only({"objects": [[500_000_000], [1]]}))
    refused_within(saved, r"1 objects for an array of shape \[500000000\]")


def test_an_array_is_read_for_one_object(saved):
    def edit(content):
        n = len(content["table"])
        content["table"] += [{"array": 0}, {"array": 0}]
        only({"list": [{"object": n}, {"object": n + 1}]})(content)

    edited(saved, edit)
    with pytest.raises(ArchiveError, match="its array 0 is missing, or belongs to two"):
        load(saved)


def test_large_arrays_that_could_be_compressed_are_loaded(path):
    save(MulticlassSVM(C=np.zeros(1_000_000)), path)
    assert path.stat().st_size > 8_000_000
    assert load(path).C.shape == (1_000_000,)
    found = members(path)
    rewrite(path, found, zipfile.ZIP_DEFLATED)
    with pytest.raises(ArchiveError, match="zip -0"):
        load(path)
    rewrite(path, found)
    assert load(path).C.shape == (1_000_000,)


def test_other_archives_are_refused(path):
    np.savez(path, X=np.arange(3))
    with pytest.raises(ArchiveError, match="is not a file of structsvm"):
        load(path)
    path.write_text("text")
    with pytest.raises(ArchiveError, match="not a file of structsvm"):
        load(path)


def test_another_version_warns(saved):
    edited(saved, lambda content: content.update(structsvm="0.0.1"))
    with pytest.warns(UserWarning, match=r"was saved by structsvm 0\.0\.1"):
        assert isinstance(load(saved), BaseEstimator)


def test_a_file_is_replaced_as_a_whole(saved, monkeypatch):
    before = saved.read_bytes()

    def broken(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(structsvm.saving.archive.os, "fsync", broken)
    with pytest.raises(OSError, match="no space"):
        save(MulticlassSVM(), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def scored(estimator, X):
    return 0.0


def closeness(x, z):
    return np.exp(-np.abs(x - z).sum())


def test_searches_and_callbacks_are_saved(path):
    X, y = DATA
    search = GridSearchCV(MulticlassSVM(), {"C": [1.0, 10.0]}, cv=2, scoring="accuracy").fit(X, y)
    save(search, path)
    again = load(path)
    assert again.best_params_ == search.best_params_
    assert_array_equal(again.predict(X), search.predict(X))
    assert again.score(X, y) == search.score(X, y)
    save(MulticlassSVM(callback=[PassWriter(path.parent / "passes.csv")]).fit(X, y), path)
    assert load(path).callback[0].path.name == "passes.csv"


def test_functions_of_scikit_learn_need_trust_too(path):
    save(MulticlassSVM(callback=dump_svmlight_file), path)
    with pytest.raises(ArchiveError, match=r"not an estimator of .*trusted=\[dump_svmlight_file\]"):
        load(path)
    assert load(path, trusted=[dump_svmlight_file]).callback is dump_svmlight_file


@pytest.mark.parametrize(
    "value", [StratifiedKFold(3), RBF(2.0), accuracy_score, f_classif, make_scorer(f1_score)]
)
def test_what_estimators_hold_needs_none(value, path):
    assert repr(_again(value, path)) == repr(value)


def test_pipelines_are_saved_but_no_forests(path):
    X, y = DATA
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=1), MulticlassSVM()).fit(X, y)
    save(pipeline, path)
    assert_array_equal(load(path).predict(X), pipeline.predict(X))
    with pytest.raises(ArchiveError, match="the Tree, has a state that cannot be read"):
        save(RandomForestClassifier(2, random_state=0).fit(X, y), path)


def test_all_that_needs_trust_is_listed_at_once(path):
    search = GridSearchCV(MMC(kernel=closeness), {"C": [1.0]}, scoring=scored)
    save(search, path)
    with pytest.raises(
        ArchiveError,
        match=r"it holds .*:scored, .*:closeness, not part of structsvm\. .* pass them: .*"
        r"trusted=\[scored, closeness\]",
    ):
        load(path)
    assert load(path, trusted=[closeness, scored]).scoring is scored


def test_a_folder_that_cannot_be_written_is_named(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: place != path.parent)
    with pytest.raises(PermissionError, match="cannot be written: its folder is read-only"):
        save(Multilabel(), path)


def test_a_link_stands_for_the_file_that_it_leads_to(path):
    link = path.with_name("link.npz")
    link.symlink_to(path)
    save(MulticlassSVM(), link)
    assert link.is_symlink() and not path.is_symlink()
    assert isinstance(load(link), MulticlassSVM)


def test_places_where_no_file_can_be(saved):
    for path in (saved.parent, saved.parent / "a" / "model.npz"):
        with pytest.raises(OSError, match=str(path)) as caught:
            save(MulticlassSVM(), path)
        assert ".part" not in str(caught.value)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        load(saved.parent)


def test_a_checkpoint_is_no_model(path):
    OneSlackCuttingPlane().solve(Multiclass(), *DATA, checkpoint=Checkpoint(path, 0))
    with pytest.raises(ArchiveError, match="training with checkpoint=path"):
        load(path)
