"""Checkpoints: a run that was killed goes on to the same bits, and no other run is continued."""

import errno
import importlib
import os
import signal
import subprocess
import sys
import time

import killed_run
import numpy as np
import pytest
from cases.solvers import assert_same, blobs
from killed_run import SOLVERS
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import (
    ArchiveError,
    Checkpoint,
    DualCoordinateAscent,
    EarlyStopping,
    LatentSVM,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedLBFGS,
    Status,
    save,
)
from structsvm.problems import Multiclass, MulticlassSVM
from structsvm.saving import archive
from structsvm.solvers.dual_ascent import solver as ascending
from structsvm.solvers.one_slack import OneSlack
from structsvm.solvers.shared import checkpoint as checkpoint_module
from structsvm.solvers.shared.checkpoint import HEADER
from structsvm.solvers.shared.code import source_hashes

X, Y = blobs(n=60, d=8)
C = 50.0
TASK = Multiclass(), X, Y, C


@pytest.fixture(autouse=True)
def quick_writes(monkeypatch):
    """Leave out the flush to the disk, which takes most of the time of many small writes."""
    monkeypatch.setattr(archive.os, "fsync", lambda descriptor: None)


def cut_short(solver, passes):
    return clone(solver).set_params(max_iter=passes)


def test_every_solver_of_a_plan_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(ascending, "MANY", 1)
    monkeypatch.setattr("structsvm.solvers.lbfgs.algorithm.ROUND", 1)
    monkeypatch.setattr("structsvm.solvers.shared.stall.PROGRESS", 0.0)
    solver = Plan([DualCoordinateAscent(), SmoothedLBFGS(), OneSlackCuttingPlane()], rtol=1e-6)
    problem, X, *rest = TASK
    task = problem, sparse.csr_matrix(X), *rest  # the ascent takes sparse rows
    whole, path = solver.solve(*task), tmp_path / "run.npz"
    stages = [int(stage.split(", ")[1].split()[0]) for stage in whole.solver.split("; ")]
    assert len(stages) == 3
    for passes in np.cumsum(stages) - 1:
        short = cut_short(solver, int(passes))
        short.solve(*task, checkpoint=Checkpoint(path, seconds=0))
        checkpoint = Checkpoint(path, seconds=1e9)
        assert_same(solver.solve(*task, checkpoint=checkpoint), whole)
        path.unlink()


class Planes(OneSlack):
    """An algorithm of a user's."""


class Mine(OneSlackCuttingPlane):
    """Its solver."""

    def begin(self, program, start):
        return Planes(program, start, self.prune_after)


# ---------------------------------------------------------------------- the end of a run


@pytest.fixture
def every_copy(monkeypatch):
    """Keep a copy after every pass, however long it takes."""
    monkeypatch.setattr(checkpoint_module, "FREE", np.inf)


def resumed(caplog):
    """The passes of the run that went on last."""
    records = [getattr(record, "structsvm", {}) for record in caplog.records]
    return [fields["resumed"] for fields in records if "resumed" in fields][-1]


def test_copies_take_little_of_the_time_but_the_last_is_made(tmp_path, monkeypatch, caplog):
    caplog.set_level("INFO", "structsvm")
    monkeypatch.setattr(checkpoint_module, "FREE", -np.inf)
    checkpoint, solver = Checkpoint(tmp_path / "run.npz", 1e9), OneSlackCuttingPlane()

    def interrupt(iteration, w):
        return iteration.iteration == 8

    solver.solve(*TASK, checkpoint=checkpoint, callback=interrupt)
    cut_short(solver, 10).solve(*TASK, checkpoint=checkpoint)
    assert resumed(caplog) == 1
    cut_short(solver, 11).solve(*TASK, checkpoint=checkpoint)
    assert resumed(caplog) == 9


class Interrupted(Multilabel):
    """Ctrl-C comes in the midst of a pass."""

    calls, parallelism = 0, "threads"

    def separation_oracle(self, x, y, w):
        Interrupted.calls += 1
        if Interrupted.calls == 45:
            raise KeyboardInterrupt
        return super().separation_oracle(x, y, w)


@pytest.mark.parametrize("amid", [True, False])
def test_the_last_state_is_written_at_an_interrupt(amid, every_copy, tmp_path, caplog, monkeypatch):
    caplog.set_level("INFO", "structsvm")
    monkeypatch.setattr(Interrupted, "calls", 0 if amid else 1000)
    checkpoint = Checkpoint(tmp_path / "run.npz", 1e9, accept_changed_code=True)

    def interrupt(iteration, w):
        if iteration.iteration == 8 and not amid:
            raise KeyboardInterrupt

    data, solver = multilabel_data(), OneSlackCuttingPlane()
    first = solver.solve(Interrupted(), *data, C, checkpoint=checkpoint, callback=interrupt)
    assert first.status is Status.INTERRUPTED and first.iterations in (7, 8)
    # Limits and the number of jobs may be others.
    limited = OneSlackCuttingPlane(time_limit=1000.0)
    result = limited.solve(Interrupted(), *data, C, checkpoint=checkpoint)
    assert resumed(caplog) == 7
    expected = solver.solve(Interrupted(), *data, C)
    assert_same(result, expected)
    assert_same(solver.solve(Interrupted(), *data, C, checkpoint=checkpoint, n_jobs=2), expected)


def test_the_last_state_is_written_at_a_limit_and_at_an_error(every_copy, tmp_path, caplog):
    caplog.set_level("INFO", "structsvm")
    checkpoint, solver = Checkpoint(tmp_path / "run.npz", 1e9), OneSlackCuttingPlane()

    def failing(iteration, w):
        if iteration.iteration == 8:
            raise RuntimeError("failed")

    cut_short(solver, 4).solve(*TASK, checkpoint=checkpoint)
    with pytest.raises(RuntimeError):
        solver.solve(*TASK, checkpoint=checkpoint, callback=failing)
    assert resumed(caplog) >= 3
    result = solver.solve(*TASK, checkpoint=checkpoint)
    assert resumed(caplog) == 7
    assert_same(result, solver.solve(*TASK))


def test_the_time_of_a_run_is_that_of_all_its_parts(tmp_path):
    checkpoint = Checkpoint(tmp_path / "run.npz", 0)

    def slow(iteration, w):
        time.sleep(0.05)

    cut_short(OneSlackCuttingPlane(), 5).solve(*TASK, checkpoint=checkpoint, callback=slow)
    short = OneSlackCuttingPlane(time_limit=0.2)
    result = short.solve(*TASK, checkpoint=checkpoint)
    assert result.status is Status.TIME_LIMIT and result.seconds["total"] >= 0.2


# ---------------------------------------------------------------------- estimators


def test_estimators_go_on_too(tmp_path):
    path = tmp_path / "run.npz"
    expected = MulticlassSVM().fit(X, Y)
    with pytest.warns(UserWarning, match="MAX_ITER"):
        MulticlassSVM(max_iter=10).fit(X, Y, checkpoint=Checkpoint(path, 0))
    again = MulticlassSVM().fit(X, Y, checkpoint=path)
    assert_same(again.result_, expected.result_)


def test_several_starts_have_a_file_each(tmp_path):
    svm, data, seen = LatentSVM(LatentTopics(), n_init=2, rtol=0.1), topics_data(n=3), []
    expected = clone(svm).fit(data)

    def interrupt(iteration, w):
        seen.append(iteration.iteration)
        if seen.count(2) == 2:
            raise RuntimeError("killed")

    checkpoint = Checkpoint(tmp_path / "run.npz", 0)
    with pytest.raises(RuntimeError):
        clone(svm).set_params(callback=interrupt).fit(data, checkpoint=checkpoint)
    names = {path.name for path in tmp_path.iterdir()}
    assert "run-0.npz" in names and "run.npz" not in names
    again = clone(svm).fit(data, checkpoint=checkpoint)
    np.testing.assert_array_equal(again.objectives_, expected.objectives_)
    assert_same(again.result_, expected.result_)


# ---------------------------------------------------------------------- writes that fail


@pytest.mark.parametrize(("failures", "kept"), [(3, []), (2, ["run.npz"])])
def test_training_goes_on_where_the_disk_is_full(failures, kept, tmp_path, monkeypatch, caplog):
    checkpoint, tries = Checkpoint(tmp_path / "run.npz", 0), []
    written = archive.npy.write_array

    def write_array(member, array, **options):
        tries.append(len(array))
        if len(tries) <= failures:
            member.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        written(member, array, **options)

    solver = OneSlackCuttingPlane()
    expected = solver.solve(*TASK)
    monkeypatch.setattr(archive.npy, "write_array", write_array)
    with pytest.warns(UserWarning, match=r"run\.npz cannot be written.*No space left") as warned:
        result = cut_short(solver, 3).solve(*TASK, checkpoint=checkpoint)
    assert len(warned) == 1 and result.iterations == 3
    assert "No space left" in caplog.text, "the next failures are logged"
    assert [path.name for path in tmp_path.iterdir()] == kept
    monkeypatch.setattr(archive.npy, "write_array", written)
    assert_same(solver.solve(*TASK, checkpoint=checkpoint), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_link_stands_for_the_file_that_it_leads_to(tmp_path):
    target, link = tmp_path / "folder" / "run[1].npz", tmp_path / "link.npz"
    target.parent.mkdir()
    link.symlink_to(target)
    solver = OneSlackCuttingPlane(max_iter=3)

    def train_again(iteration, w):
        for path in (target, link):
            with pytest.raises(ArchiveError, match="in use by another run"):
                solver.solve(*TASK, checkpoint=Checkpoint(path, 0))

    solver.solve(*TASK, checkpoint=Checkpoint(link, 0), callback=train_again)
    target.with_name(f".{target.name}.killed.part").touch()
    assert solver.solve(*TASK, checkpoint=Checkpoint(target, 0)).iterations == 3
    assert link.is_symlink() and sorted(tmp_path.iterdir()) == [target.parent, link]
    assert list(target.parent.iterdir()) == [target]


def test_the_file_is_where_it_was_at_the_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    solver = OneSlackCuttingPlane(max_iter=3)
    elsewhere = {"checkpoint": Checkpoint("run.npz", 0), "callback": lambda *_: os.chdir(other)}
    solver.solve(*TASK, **elsewhere)
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "run.npz"]
    assert list(other.iterdir()) == []


# ---------------------------------------------------------------------- other code


SOURCE = """
from toy_problems import Multilabel

class Base(Multilabel):
    scale = 1.0

    def loss(self, y, y_hat):
        return self.scale * (y != y_hat)

class Mine(Base):
    @staticmethod
    def half(y):
        return y / 2
"""


def mine(tmp_path, monkeypatch, source=SOURCE):
    """A problem of a module with this source."""
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    return importlib.import_module("mine").Mine()


def test_a_run_of_a_class_that_was_edited_goes_on_where_the_user_insists(tmp_path, monkeypatch):
    path, data = tmp_path / "run.npz", multilabel_data()
    problem, solver = mine(tmp_path, monkeypatch), OneSlackCuttingPlane()
    cut_short(solver, 3).solve(problem, *data, C, checkpoint=Checkpoint(path, 0))
    problem = mine(tmp_path, monkeypatch, SOURCE.replace("1.0", "2 / 2"))
    with pytest.raises(ArchiveError, match=r"began before Base changed;.*=True\)"):
        solver.solve(problem, *data, C, checkpoint=Checkpoint(path, 0))
    expected = solver.solve(problem, *data, C)
    # From then on the new code is that of the run.
    for insisted in (True, False):
        checkpoint = Checkpoint(path, 0, accept_changed_code=insisted)
        assert_same(solver.solve(problem, *data, C, checkpoint=checkpoint), expected)


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("y != y_hat", "y is not y_hat", {"Base"}),
        ("scale = 1.0", "scale = 1.25", {"Base"}),
        ("y / 2", "y / 2.0", {"Mine"}),
        ("import Multilabel", "import Multilabel  # a comment", set()),
    ],
)
def test_what_was_edited_has_another_hash(before, after, named, tmp_path, monkeypatch):
    assert before in SOURCE
    first = source_hashes(mine(tmp_path, monkeypatch))
    second = source_hashes(mine(tmp_path, monkeypatch, SOURCE.replace(before, after)))
    assert first.keys() == second.keys() == {"Mine", "Base", "Multilabel", "BruteForce"}
    assert {name for name in first if first[name] != second[name]} == named


def test_the_library_counts_by_its_version_and_a_class_without_a_source_is_named():
    assert source_hashes(Multiclass(cost=np.eye(3))) == {}
    scope = {"Multilabel": Multilabel, "__name__": "typed"}
    exec("class Typed(Multilabel):\n    pass\n", scope)
    with pytest.warns(UserWarning, match=r"source of Typed cannot be read: .* define it in a file"):
        assert source_hashes(scope["Typed"]()).keys() == {"Multilabel", "BruteForce"}


@pytest.mark.slow
def test_hashes_are_the_same_in_every_process(tmp_path):
    (tmp_path / "mine.py").write_text(SOURCE)
    script = "from mine import *; from structsvm.solvers.shared.code import source_hashes as hashes"
    path, printed = os.pathsep.join([str(tmp_path), *filter(None, sys.path)]), set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", f"{script}; print(sorted(hashes(Mine()).items()))"]
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        printed.add(subprocess.check_output(command, text=True, env=env))
    assert len(printed) == 1 and "Mine" in printed.pop()


# ---------------------------------------------------------------------- other runs


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": X + 1}, "another X;"),
        ({"X": X.astype("f4")}, r"another X \(ndarray of float64, and here ndarray of float32\)"),
        ({"X": X[:50], "Y": Y[:50]}, "another X, Y;"),
        ({"Y": Y[::-1].copy()}, "another Y;"),
        ({"C": 51.0}, "another C;"),
        ({"sample_weight": Y + 1.0}, "another sample_weight "),
        ({"w_prior": np.ones(24)}, "another w_prior "),
        ({"w0": np.ones(24)}, "another w0 "),
        ({"problem": Multiclass(cost=2 * (1 - np.eye(3)))}, r"another problem \(cost\);"),
        ({"solver": OneSlackCuttingPlane(rtol=1e-2)}, r"another solver \(rtol\);"),
        ({"warm_start": OneSlackCuttingPlane().solve(Multiclass(), X, Y)}, "another warm_start "),
        (
            {"solver": NSlackCuttingPlane()},
            r"another solver \(OneSlackCuttingPlane, and here NSlackCuttingPlane\)",
        ),
        ({"early_stopping": EarlyStopping(X, Y)}, "another early_stopping "),
    ],
)
def test_another_run_is_refused_by_name(change, named, tmp_path):
    given = {
        "solver": OneSlackCuttingPlane(), "problem": Multiclass(), "X": X, "Y": Y, "C": C
    }  # fmt: skip
    checkpoint = Checkpoint(tmp_path / "run.npz", 0)

    def solve(solver, **arguments):
        return solver.solve(**arguments, checkpoint=checkpoint)

    expected = solve(**given)
    with pytest.raises(ArchiveError, match=named):
        solve(**{**given, **change})
    assert_same(solve(**given), expected)


def test_files_that_are_no_checkpoints_are_refused(tmp_path):
    path, solver = tmp_path / "model.npz", OneSlackCuttingPlane()
    save(Multiclass(), path)
    with pytest.raises(ArchiveError, match="is no checkpoint; choose another name"):
        solver.solve(Multiclass(), X, Y, checkpoint=path)
    for write in (lambda: path.write_bytes(b"text"), lambda: np.savez(path, X=X)):
        write()
        with pytest.raises(ArchiveError, match="not a file of structsvm"):
            solver.solve(Multiclass(), X, Y, checkpoint=path)


def test_places_and_arguments_that_fit_no_file_are_refused_before_a_pass(tmp_path, monkeypatch):
    def refused(checkpoint, error, message=None):
        with pytest.raises(error, match=message):
            OneSlackCuttingPlane().solve(
                Multiclass(), X, Y, checkpoint=checkpoint, callback=lambda *_: pytest.fail("passed")
            )

    refused(3, TypeError)
    for seconds in (-1.0, "a"):
        refused(Checkpoint(tmp_path / "run.npz", seconds), (TypeError, ValueError))
    refused(tmp_path / "a" / "run.npz", FileNotFoundError, str(tmp_path))
    refused(tmp_path, IsADirectoryError, str(tmp_path))
    # The superuser may write anywhere.
    monkeypatch.setattr(os, "access", lambda place, mode: place != tmp_path)
    refused(
        tmp_path / "run.npz", PermissionError, "run.npz cannot be written: its folder is read-o"
    )


@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_search_is_refused_with_what_differs_between_its_trainings(early_stopping, tmp_path):
    svm = MulticlassSVM(early_stopping=early_stopping, solver=OneSlackCuttingPlane(), C=C)
    splits = [(np.arange(n), np.arange(n, 60)) for n in (30, 40)]
    search = GridSearchCV(svm, {"C": [C]}, cv=splits, error_score="raise")
    with pytest.raises(ArchiveError, match=r"run with another X, y(, early_stopping)? *[;(]"):
        search.fit(X, Y, checkpoint=tmp_path / "run.npz")


@pytest.mark.parametrize("lacking", ["structsvm", *sorted(HEADER)])
def test_an_older_header_is_refused_with_what_it_lacks(lacking, tmp_path, monkeypatch):
    path, written = tmp_path / "run.npz", checkpoint_module.write

    def write_older(target, content):
        header = {name: value for name, value in content.header.items() if name != lacking}
        written(target, content._replace(header=header))

    monkeypatch.setattr(checkpoint_module, "write", write_older)
    solver = OneSlackCuttingPlane(max_iter=3)
    solver.solve(*TASK, checkpoint=Checkpoint(path, 0))
    named = (
        "of an unknown version" if lacking == "structsvm" else f".* has no {lacking} in its header"
    )
    named = rf"was written by structsvm {named}.*; remove the file to start again"
    with pytest.raises(ArchiveError, match=named):
        solver.solve(*TASK, checkpoint=path)


class Local(Multilabel):
    """A problem with a parameter that cannot be pickled."""

    def __init__(self):
        self.scale = lambda y: y


class Strange(Multilabel):
    """Its oracle returns an object that no file holds."""

    def separation_oracle(self, x, y, w):
        class Mask(list):
            pass

        return Mask(super().separation_oracle(x, y, w))


class Fractional(Multilabel):
    """Its oracle returns numbers of another package."""

    def separation_oracle(self, x, y, w):
        return Elsewhere(super().separation_oracle(x, y, w))

    def loss(self, y, y_hat):
        return super().loss(y, getattr(y_hat, "labels", y_hat))

    def joint_feature(self, x, y):
        return super().joint_feature(x, getattr(y, "labels", y))


class Elsewhere:
    """An output whose class seems to be of another package."""

    __module__ = "elsewhere"

    def __init__(self, labels):
        self.labels = labels


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        (Local, ValueError, r"problem\.scale has no fingerprint.*top of a module"),
        (Strange, ArchiveError, "the Mask, has a state that cannot be read"),
        (Fractional, ArchiveError, "elsewhere:Elsewhere belongs neither to structsvm"),
    ],
)
def test_what_no_file_holds_is_named_at_the_latest_after_the_first_pass(
    kind, error, message, tmp_path
):
    with pytest.raises(error, match=message):
        OneSlackCuttingPlane().solve(kind(), *multilabel_data(), checkpoint=tmp_path / "run.npz")


# ---------------------------------------------------------------------- kill -9


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize("name", SOLVERS)
def test_a_process_that_is_killed_goes_on(name, tmp_path):
    path, rng, kills = tmp_path / "run.npz", np.random.default_rng(0), 0
    while kills < 2:
        process = subprocess.Popen(
            [sys.executable, killed_run.__file__, name, path, "0.02"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        for _ in range(int(rng.integers(1, 6))):  # a line for each pass
            process.stdout.readline()
        time.sleep(float(rng.uniform(0, 0.03)))
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert path.exists()
    assert_same(killed_run.trained(name, path), killed_run.trained(name, tmp_path / "whole.npz"))
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


def test_a_users_algorithm_is_saved_beside_a_bundled_problem(tmp_path):
    solver, checkpoint = Mine(rtol=1e-6), Checkpoint(tmp_path / "run.npz", seconds=0)
    Mine(max_iter=3, rtol=1e-6).solve(*TASK, checkpoint=checkpoint)
    result = solver.solve(*TASK, checkpoint=checkpoint)
    assert_same(result, solver.solve(*TASK))
