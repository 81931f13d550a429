"""Data that numpy cannot convert, or would convert without a word, are refused by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
from cases.estimators import MODELS, model_of
from sklearn.base import clone

from structsvm import StructuredSVM
from structsvm.data.conversion import converted
from structsvm.data.matrices import checked_numbers, one_array
from structsvm.problems import (
    MMC,
    ChainSVM,
    Multiclass,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateSVM,
)

ROWS, LABELS = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2
ON_ROWS = (MulticlassSVM(), MultivariateSVM(), MMC())


class Strange(Exception):
    """An error of a type that nobody expects."""


class Unreadable:
    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


class UnreadableNumber:
    def __float__(self):
        raise Strange("planted")


@pytest.mark.parametrize(
    "error", [ValueError("planted"), RuntimeError("planted"), Strange("planted")]
)
@pytest.mark.parametrize("put", [lambda one: one, lambda one: [one], lambda one: [[1.0], one]])
@pytest.mark.parametrize("convert", [checked_numbers, one_array])
def test_whatever_a_conversion_raises_becomes_a_ValueError_by_name(error, put, convert):
    given = put(Unreadable(error))
    with pytest.raises(
        ValueError, match=r"weights must .*cannot convert this .*: pass an"
    ) as caught:
        convert("weights", given)
    assert type(given).__name__ in str(caught.value)
    assert f"{type(error).__name__}: planted" in str(caught.value)
    assert caught.value.__cause__ is error


def test_numbers_that_cannot_be_read_one_by_one():
    numbers = np.full((12, 3), UnreadableNumber())
    for estimator in ON_ROWS:
        with pytest.raises(ValueError, match=r"X must hold real numbers.*Strange: planted"):
            estimator.fit(numbers, LABELS)
    with pytest.raises(ValueError, match=r"sample_weight must hold real numbers.*Strange"):
        MulticlassSVM().fit(ROWS, LABELS, sample_weight=numbers[:, 0])


def test_what_can_be_converted_is():
    class Readable:
        def __array__(self, dtype=None, copy=None):
            return ROWS

    assert converted("X", Readable(), "be an array") is ROWS
    assert checked_numbers("X", ROWS) is ROWS
    found = MulticlassSVM().fit(Readable(), LABELS).coef_
    np.testing.assert_array_equal(found, MulticlassSVM().fit(ROWS, LABELS).coef_)


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("name", ["MulticlassSVM", "MultiLabelSVM", "ChainSVM", "SupervisedKMeans"])
def test_estimators_name_the_argument_that_cannot_be_read(name, which):
    model, data = MODELS[name]()
    n, data = len(data[1]), [*data, None]
    data[which] = [Unreadable(RuntimeError("planted"))] * n
    with pytest.raises(ValueError, match=("X", "[yY]", "sample_weight")[which]):
        clone(model).fit(*data[:2], sample_weight=data[2])


@pytest.mark.parametrize("kind", ["X", "y", "sample_weight"])
def test_read_only_files_are_data_like_any_other(kind, tmp_path):
    given = {"X": ROWS, "y": LABELS, "sample_weight": np.arange(12.0)}
    given[kind].tofile(tmp_path / "file")
    array = given[kind]
    mapped = np.memmap(tmp_path / "file", array.dtype, mode="r", shape=array.shape)
    expected = MulticlassSVM().fit(**given).coef_
    found = MulticlassSVM().fit(**{**given, kind: mapped}).coef_
    np.testing.assert_array_equal(found, expected)


TEXTS = {
    "array": ROWS.astype(str),
    "bytes": ROWS.astype("S9"),
    "list": ROWS.astype(str).tolist(),
    "objects": ROWS.astype(str).astype(object),
    "one among numbers": np.where(np.arange(36).reshape(12, 3) == 5, "3", ROWS.astype(object)),
    "documents": ["a word", "two words"] * 6,
}


@pytest.mark.parametrize("what", TEXTS)
def test_text_is_no_features_even_where_it_spells_numbers(what):
    for estimator in ON_ROWS:
        with pytest.raises(ValueError, match=r"X must hold real numbers; got .*Vectorizer"):
            clone(estimator).fit(TEXTS[what], LABELS)
    if what != "documents":
        model = MulticlassSVM().fit(ROWS, LABELS)
        with pytest.raises(ValueError, match=r"X must hold real numbers; got .*Vectorizer"):
            model.predict(TEXTS[what])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((12, 3), "M8[D]"), r"got dtype datetime64\[D\]: subtract a date"),
        (np.zeros((12, 3), "m8[s]"), r"got dtype timedelta64\[s\]: divide durations"),
        (1j * ROWS, "got dtype complex128: Complex data not supported, pass real"),
        ((1j * ROWS).tolist(), "got dtype complex128: Complex data not supported, pass real"),
        (np.zeros((12, 1), [("a", float)]), r"got dtype .*: pass its fields as columns"),
    ],
)
def test_other_kinds_of_data_are_refused_with_a_remedy(X, message):
    for estimator in (*ON_ROWS, StructuredSVM(Multiclass())):
        if isinstance(X, list) and isinstance(estimator, StructuredSVM):
            continue  # it takes any list of inputs
        with pytest.raises(ValueError, match=f"X must hold real numbers; {message}") as caught:
            clone(estimator).fit(X, LABELS)
        assert len(str(caught.value)) < 200, "the message shows no rows"


def test_columns_of_a_DataFrame_are_refused_by_name():
    pd = pytest.importorskip("pandas")
    numbers = pd.DataFrame(ROWS, columns=list("abc"))
    wrong = {
        "got text": ["3", "4"] * 6,
        "got text ": pd.Categorical(["3", "4"] * 6),
        "got dtype datetime64": np.zeros(12, "M8[ns]"),
        "cannot convert this": [{}] * 12,
    }
    for message, column in wrong.items():
        frame = numbers.assign(site=column)
        with pytest.raises(ValueError, match=rf"column 'site' of X must .*{message.strip()}"):
            MulticlassSVM().fit(frame, LABELS)
    whole = pd.DataFrame({"day": np.arange(12).astype("M8[ns]")})
    with pytest.raises(ValueError, match="column 'day' of X must hold real numbers"):
        MulticlassSVM().fit(whole, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MulticlassSVM().fit(numbers.assign(whole=pd.array([1, 2] * 6, dtype="Int64")), LABELS)


def test_lists_of_masked_arrays_are_masked():
    masked = list(np.ma.masked_array(ROWS, ROWS > 1))
    with pytest.raises(ValueError, match="X must not be masked"):
        MulticlassSVM().fit(masked, LABELS)
    with pytest.raises(ValueError, match="sample_weight must not be masked"):
        MulticlassSVM().fit(ROWS, LABELS, sample_weight=[np.ma.masked, *np.ones(11)])


SWAPPED = ["MulticlassSVM", "MultivariateSVM", "RankingSVM", "ChainSVM", "SupervisedKMeans"]


@pytest.mark.parametrize("name", SWAPPED)
def test_inputs_and_labels_that_are_swapped_are_called_so(name):
    model, (X, Y), options = model_of(name)
    with pytest.raises(ValueError, match=r"X and y look swapped: X.* shape of labels"):
        clone(model).fit(Y, X, **options)


def test_data_that_would_not_fit_if_they_were_swapped_are_not_called_so():
    for X, y in [(LABELS, LABELS), (LABELS[:5], ROWS), (list("abc"), [1, 2, 3])]:
        with pytest.raises(ValueError, match="X must hold") as caught:
            MulticlassSVM().fit(X, y)
        assert "swapped" not in str(caught.value)
    sequences = [[{"word": "a"}, {"word": "b"}]] * 2, [["x", "y"]] * 2
    assert ChainSVM().fit(*sequences).score(*sequences) == 1


@pytest.mark.parametrize("estimator", [MulticlassSVM(), ChainSVM()])
def test_columns_of_one_name_are_an_error(estimator):
    X = pd.DataFrame(np.eye(4), columns=list("abab"))
    groups = {"groups": [0, 0, 1, 1]} if isinstance(estimator, ChainSVM) else {}
    with pytest.raises(ValueError, match="X has 2 columns with the name 'a'; rename them"):
        estimator.fit(X, [0, 1, 0, 1], **groups)


def test_parameters_that_can_be_read_once_are_an_error():
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="structure is an iterator"):
        MultiLabelSVM(structure=zip([0], [1], strict=True)).fit(X, np.eye(4, 2, dtype=int))
    with pytest.raises(ValueError, match="allowed_transitions is an iterator"):
        ChainSVM(allowed_transitions=(pair for pair in [(0, 1)])).fit([X], [y])
