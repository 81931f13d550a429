"""Checkpoints: a run that was killed goes on to the same bits, and no other run is continued."""

import errno
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cases.problems import PROBLEMS
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from toy_problems import Multilabel, multilabel_data

from structsvm import (
    CCCP,
    ArchiveError,
    BlockCoordinateFrankWolfe,
    Checkpoint,
    DualCoordinateAscent,
    EarlyStopping,
    LatentProblem,
    LatentSVM,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.problems import Multiclass, MulticlassSVM, PartialChain
from structsvm.saving import archive
from structsvm.solvers.dual_ascent import solver as ascending
from structsvm.solvers.one_slack import OneSlack
from structsvm.solvers.shared import checkpoint as checkpoint_module
from structsvm.solvers.shared.checkpoint import HEADER
from structsvm.solvers.shared.run import Run

X, Y = load_digits(return_X_y=True)
X, Y = X[:200] / 16, Y[:200]
C = 50.0


@pytest.fixture(autouse=True)
def quick_writes(monkeypatch):
    """Leave out the flush to the disk, which takes most of the time of many small writes."""
    monkeypatch.setattr(archive.os, "fsync", lambda descriptor: None)


def of(name):
    return PROBLEMS[name](0)


class PartlyKnown(LatentProblem, Multiclass):
    """Outputs are known for some examples."""


#: A solver, a problem with data, and options of ``solve``.
RUNS = {
    "one-slack": (OneSlackCuttingPlane(), (Multiclass(), X, Y), {}),
    "one-slack, sparse": (OneSlackCuttingPlane(), of("multiclass-sparse"), {}),
    "one-slack, slack rescaling": (OneSlackCuttingPlane(rescaling="slack"), of("multiclass"), {}),
    "one-slack, bounds": (OneSlackCuttingPlane(), of("kmeans-nonnegative"), {}),
    "one-slack, refining": (OneSlackCuttingPlane(), of("kmeans"), {}),
    "n-slack": (NSlackCuttingPlane(), of("chain-strings"), {}),
    "n-slack, from w0": (NSlackCuttingPlane(), (Multiclass(), X, Y), {"w0": np.ones(640)}),
    "Frank-Wolfe": (BlockCoordinateFrankWolfe(rtol=0.1), of("tree"), {}),
    "Frank-Wolfe, classes": (BlockCoordinateFrankWolfe(rtol=0.5), (Multiclass(), X, Y), {}),
    "L-BFGS": (SmoothedLBFGS(rtol=1e-5), (Multiclass(), X, Y), {}),
    "L-BFGS, float32": (SmoothedLBFGS(), of("chain-float32"), {}),
    "L-BFGS, weights": (SmoothedLBFGS(), (Multiclass(), X, Y), {"sample_weight": Y + 1.0}),
    "L-BFGS, early stopping": (
        SmoothedLBFGS(rtol=1e-5), (Multiclass(), X, Y),
        {"early_stopping": EarlyStopping(X[:50], Y[:50], 3)},
    ),
    "smoothed planes": (SmoothedCuttingPlane(rtol=1e-4), (Multiclass(), X, Y), {}),
    "smoothed planes, refining": (SmoothedCuttingPlane(), of("programs"), {}),
    "CCCP": (CCCP(), of("cpm3c-balance"), {}),
    "CCCP, chain": (CCCP(), of("chain-partly-known"), {}),
    "CCCP, table": (CCCP(random_state=3), of("nmi"), {}),
    "CCCP, many examples": (
        CCCP(rtol=1e-2), (PartlyKnown(), X[Y < 2], [*Y[Y < 2][:12], *[None] * 28]), {}
    ),
}  # fmt: skip


def assert_same(result, expected):
    """All but the times is the same, to the last bit."""
    np.testing.assert_array_equal(result.w, expected.w)
    for name in ("primal", "dual", "gap", "rounding", "tolerance", "status", "iterations",
                 "oracle_calls", "best_iteration", "message"):  # fmt: skip
        assert getattr(result, name) == getattr(expected, name), name
    assert repr(_without_times(result)) == repr(_without_times(expected))
    np.testing.assert_array_equal(
        [plane.alpha for plane in result.support], [plane.alpha for plane in expected.support]
    )


def _without_times(result):
    return [step._replace(seconds=0.0) for step in result.history]


def cut_short(solver, passes):
    return type(solver)(**{**solver.get_params(), "max_iter": passes})


def continued(path, solver, task, options, passes):
    """The result of a run that ended after some passes and went on."""
    problem, inputs, outputs = task
    path.unlink(missing_ok=True)
    short = cut_short(solver, passes)
    often, seldom = Checkpoint(path, seconds=0), Checkpoint(path, seconds=1e9)
    short.solve(problem, inputs, outputs, C, checkpoint=often, **options)
    return solver.solve(problem, inputs, outputs, C, checkpoint=seldom, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on_to_the_same_bits(name, tmp_path):
    solver, task, options = RUNS[name]
    expected = solver.solve(*task, C, **options)
    last = expected.iterations - 1
    for passes in {1, 2, 3, last // 3, last // 2, last}:
        result = continued(tmp_path / "run.npz", solver, task, options, max(passes, 1))
        assert_same(result, expected)


def test_the_first_steps_on_minibatches_go_on_too(monkeypatch, tmp_path):
    monkeypatch.setattr(ascending, "MANY", 1)
    monkeypatch.setattr(ascending, "FEWEST_BATCHES", 1)
    solver = Plan([DualCoordinateAscent(), SmoothedLBFGS(), OneSlackCuttingPlane()], rtol=1e-4)
    task = (Multiclass(), X, Y)
    expected = solver.solve(*task, C)
    for passes in (1, 2, 3, 4, 5, 7, 12, 30):
        assert_same(continued(tmp_path / "run.npz", solver, task, {}, passes), expected)


@pytest.mark.slow
@pytest.mark.parametrize("solver", [SmoothedLBFGS(rtol=0), SmoothedCuttingPlane(rtol=0)])
def test_one_slack_goes_on_after_a_stall(solver, monkeypatch, tmp_path):
    task, phases = (Multiclass(), X[:20], Y[:20]), []
    expected = solver.solve(*task, C)
    monkeypatch.setattr(Run, "step", _noted(Run.step, phases))
    last = expected.iterations - 1
    for passes in (last // 2, last):
        assert_same(continued(tmp_path / "run.npz", solver, task, {}, passes), expected)
    assert "OneSlack" in phases


def _noted(step, phases):
    """The method, with the algorithm at work added to the phases."""

    def noting(self):
        phases.append(type(self.algorithm).__name__)
        return step(self)

    return noting


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


@pytest.mark.parametrize("name", RUNS)
def test_the_last_state_is_written_at_a_limit(name, every_copy, tmp_path, caplog):
    caplog.set_level("INFO", "structsvm")
    solver, (problem, inputs, outputs), options = RUNS[name]
    checkpoint = Checkpoint(tmp_path / "run.npz", seconds=1e9)
    most = min(solver.solve(problem, inputs, outputs, C, **options).iterations, 10)
    expected = cut_short(solver, most).solve(problem, inputs, outputs, C, **options)
    for passes in (2, most - 1):
        cut_short(solver, passes).solve(
            problem, inputs, outputs, C, checkpoint=checkpoint, **options
        )
    again = cut_short(solver, most)
    result = again.solve(problem, inputs, outputs, C, checkpoint=checkpoint, **options)
    assert_same(result, expected)
    assert resumed(caplog) >= most - 3 > 0


def test_copies_take_little_of_the_time_but_the_last_is_made(tmp_path, monkeypatch, caplog):
    caplog.set_level("INFO", "structsvm")
    monkeypatch.setattr(checkpoint_module, "FREE", -np.inf)
    checkpoint, solver = Checkpoint(tmp_path / "run.npz", 1e9), OneSlackCuttingPlane()

    def interrupt(iteration, w):
        return iteration.iteration == 8

    solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint, callback=interrupt)
    cut_short(solver, 10).solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert resumed(caplog) == 1
    cut_short(solver, 11).solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert resumed(caplog) == 9


class Interrupted(Multilabel):
    """Ctrl-C comes in the midst of a pass."""

    calls = 0

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
    result = solver.solve(Interrupted(), *data, C, checkpoint=checkpoint)
    assert resumed(caplog) == 7
    assert_same(result, solver.solve(Interrupted(), *data, C))


def test_an_error_of_a_callback_leaves_the_last_state_too(every_copy, tmp_path, caplog):
    caplog.set_level("INFO", "structsvm")
    checkpoint = Checkpoint(tmp_path / "run.npz", 1e9)

    def failing(iteration, w):
        if iteration.iteration == 8:
            raise RuntimeError("failed")

    solver = OneSlackCuttingPlane()
    with pytest.raises(RuntimeError):
        solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint, callback=failing)
    result = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert resumed(caplog) == 7
    assert_same(result, solver.solve(Multiclass(), X, Y, C))


def test_a_finished_run_ends_the_same_when_it_is_called_again(tmp_path):
    solver, checkpoint = OneSlackCuttingPlane(), Checkpoint(tmp_path / "run.npz", 0)
    first = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert_same(solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint), first)


@pytest.mark.slow
def test_jobs_and_limits_may_be_others(tmp_path):
    solver, checkpoint = OneSlackCuttingPlane(), Checkpoint(tmp_path / "run.npz", 0)
    expected = solver.solve(Multilabel(), *multilabel_data(), C)
    cut_short(solver, 3).solve(Multilabel(), *multilabel_data(), C, checkpoint=checkpoint)
    solver = OneSlackCuttingPlane(time_limit=1000.0)
    result = solver.solve(Multilabel(), *multilabel_data(), C, checkpoint=checkpoint, n_jobs=2)
    assert_same(result, expected)


def test_the_time_of_a_run_is_that_of_all_its_parts(tmp_path):
    checkpoint = Checkpoint(tmp_path / "run.npz", 0)

    def slow(iteration, w):
        time.sleep(0.05)

    cut_short(OneSlackCuttingPlane(), 5).solve(
        Multiclass(), X, Y, C, checkpoint=checkpoint, callback=slow
    )
    short = OneSlackCuttingPlane(time_limit=0.2)
    result = short.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
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
    annotated = PROBLEMS["chain-partly-known"](0)[1:]
    expected = LatentSVM(PartialChain(), n_init=3).fit(*annotated)
    seen = []

    def interrupt(iteration, w):
        seen.append(iteration.iteration)
        if len(seen) > 40:
            raise RuntimeError("killed")

    checkpoint = Checkpoint(tmp_path / "run.npz", 0)
    with pytest.raises(RuntimeError):
        LatentSVM(PartialChain(), n_init=3, callback=interrupt).fit(
            *annotated, checkpoint=checkpoint
        )
    names = {path.name for path in tmp_path.iterdir()}
    assert "run-0.npz" in names and "run.npz" not in names
    again = LatentSVM(PartialChain(), n_init=3).fit(*annotated, checkpoint=checkpoint)
    np.testing.assert_array_equal(again.objectives_, expected.objectives_)
    assert_same(again.result_, expected.result_)


# ---------------------------------------------------------------------- writes that fail


def test_training_goes_on_where_the_disk_is_full(tmp_path, monkeypatch, caplog):
    checkpoint, tries = Checkpoint(tmp_path / "run.npz", 0), []
    written = archive.npy.write_array

    def write_array(member, array, **options):
        tries.append(len(array))
        member.write(b"half")
        if len(tries) < 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        written(member, array, **options)

    solver = OneSlackCuttingPlane()
    expected = solver.solve(Multiclass(), X, Y, C)
    monkeypatch.setattr(archive.npy, "write_array", write_array)
    with pytest.warns(UserWarning, match=r"run\.npz cannot be written.*No space left") as warned:
        result = cut_short(solver, 3).solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert len(warned) == 1 and result.iterations == 3 and "No space left" in caplog.text
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(archive.npy, "write_array", written)
    assert_same(solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.slow
def test_training_goes_on_where_the_folder_is_gone_and_writes_once_it_is_back(tmp_path):
    folder, solver = tmp_path / "folder", OneSlackCuttingPlane()
    folder.mkdir()

    def removing(iteration, w):
        if iteration.iteration == 4:
            shutil.rmtree(folder)
        if iteration.iteration == 8:
            folder.mkdir()

    checkpoint = Checkpoint(folder / "run.npz", 0)
    with pytest.warns(UserWarning, match="cannot be written"):
        cut_short(solver, 8).solve(Multiclass(), X, Y, C, checkpoint=checkpoint, callback=removing)
    # The last state, whose write had failed, is there at the end.
    assert [path.name for path in folder.iterdir()] == ["run.npz"]
    result = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert_same(result, solver.solve(Multiclass(), X, Y, C))


def test_a_second_run_on_the_file_is_refused(tmp_path):
    checkpoint, solver = Checkpoint(tmp_path / "run.npz", 0), OneSlackCuttingPlane(max_iter=3)

    def train_again(iteration, w):
        with pytest.raises(ArchiveError, match=r"run\.npz is in use by another run"):
            solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)

    result = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint, callback=train_again)
    assert result.iterations == 3
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_link_stands_for_the_file_that_it_leads_to(tmp_path):
    target, link = tmp_path / "folder" / "run[1].npz", tmp_path / "link.npz"
    target.parent.mkdir()
    link.symlink_to(target)
    solver = OneSlackCuttingPlane(max_iter=3)

    def train_again(iteration, w):
        for path in (target, link):
            with pytest.raises(ArchiveError, match="in use by another run"):
                solver.solve(Multiclass(), X, Y, C, checkpoint=Checkpoint(path, 0))

    solver.solve(Multiclass(), X, Y, C, checkpoint=Checkpoint(link, 0), callback=train_again)
    target.with_name(f".{target.name}.killed.part").touch()
    assert solver.solve(Multiclass(), X, Y, C, checkpoint=Checkpoint(target, 0)).iterations == 3
    assert link.is_symlink() and sorted(tmp_path.iterdir()) == [target.parent, link]
    assert list(target.parent.iterdir()) == [target]


def test_the_file_is_where_it_was_at_the_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    solver = OneSlackCuttingPlane(max_iter=3)
    elsewhere = {"checkpoint": Checkpoint("run.npz", 0), "callback": lambda *_: os.chdir(other)}
    solver.solve(Multiclass(), X, Y, C, **elsewhere)
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "run.npz"]
    assert list(other.iterdir()) == []


# ---------------------------------------------------------------------- other code


HALVED = """
from toy_problems import Multilabel

class Halved(Multilabel):
    def loss(self, y, y_hat):
        return 0.5 * super().loss(y, y_hat)
"""


def halved(tmp_path, monkeypatch, source=HALVED):
    """A problem of a module with this source."""
    (tmp_path / "halves.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("halves", None)
    return importlib.import_module("halves").Halved()


def edited(tmp_path, monkeypatch, **options):
    """Go on with a run whose loss was edited meanwhile."""
    path, data = tmp_path / "run.npz", multilabel_data()
    problem = halved(tmp_path, monkeypatch)
    OneSlackCuttingPlane(max_iter=3).solve(problem, *data, C, checkpoint=Checkpoint(path, 0))
    problem = halved(tmp_path, monkeypatch, HALVED.replace("0.5", "1 / 2"))
    checkpoint = Checkpoint(path, 0, **options)
    return OneSlackCuttingPlane().solve(problem, *data, C, checkpoint=checkpoint)


def test_a_run_of_a_class_that_was_edited_is_refused_by_name(tmp_path, monkeypatch):
    with pytest.raises(ArchiveError, match=r"began before Halved changed;.*=True\)"):
        edited(tmp_path, monkeypatch)


def test_a_user_may_insist_that_methods_return_the_same(tmp_path, monkeypatch):
    result, data = edited(tmp_path, monkeypatch, accept_changed_code=True), multilabel_data()
    problem = sys.modules["halves"].Halved()
    expected = OneSlackCuttingPlane().solve(problem, *data, C)
    assert_same(result, expected)
    # From then on the new code is that of the run.
    again = Checkpoint(tmp_path / "run.npz", 0)
    assert_same(OneSlackCuttingPlane().solve(problem, *data, C, checkpoint=again), expected)


# ---------------------------------------------------------------------- other runs


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": X + 1}, "another X;"),
        ({"X": X.astype("f4")}, r"another X \(ndarray of float64, and here ndarray of float32\)"),
        ({"X": X[:150], "Y": Y[:150]}, "another X, Y;"),
        ({"Y": Y[::-1].copy()}, "another Y;"),
        ({"C": 51.0}, "another C;"),
        ({"sample_weight": Y + 1.0}, "another sample_weight "),
        ({"w0": np.ones(640)}, "another w0 "),
        ({"problem": Multiclass(cost=2 * (1 - np.eye(10)))}, r"another problem \(cost\);"),
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


def test_models_and_other_files_are_refused(tmp_path):
    from structsvm import save

    path = tmp_path / "model.npz"
    save(Multiclass(), path)
    with pytest.raises(ArchiveError, match="is no checkpoint; choose another name"):
        OneSlackCuttingPlane().solve(Multiclass(), X, Y, checkpoint=path)
    path.write_bytes(b"text")
    with pytest.raises(ArchiveError, match="not a file of structsvm"):
        OneSlackCuttingPlane().solve(Multiclass(), X, Y, checkpoint=path)


@pytest.mark.parametrize("checkpoint", [3, Checkpoint("run.npz", -1.0), Checkpoint("run.npz", "a")])
def test_bad_checkpoints(checkpoint):
    with pytest.raises((TypeError, ValueError)):
        OneSlackCuttingPlane().solve(Multiclass(), X, Y, checkpoint=checkpoint)


def test_a_place_where_no_file_can_be_is_refused_before_the_first_pass(tmp_path):
    def never(iteration, w):
        raise AssertionError("a pass was made")

    missing = tmp_path / "a" / "run.npz"
    for path, error in [(missing, FileNotFoundError), (tmp_path, IsADirectoryError)]:
        with pytest.raises(error, match=str(tmp_path)):
            OneSlackCuttingPlane().solve(Multiclass(), X, Y, checkpoint=path, callback=never)


def test_a_folder_that_is_read_only_is_refused_before_the_first_pass(tmp_path, monkeypatch):
    def never(iteration, w):
        raise AssertionError("a pass was made")

    # The superuser may write anywhere.
    monkeypatch.setattr(os, "access", lambda place, mode: place != tmp_path)
    with pytest.raises(PermissionError, match=r"run\.npz cannot be written: its folder is read-o"):
        OneSlackCuttingPlane().solve(
            Multiclass(), X, Y, checkpoint=tmp_path / "run.npz", callback=never
        )


@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_search_is_refused_with_what_differs_between_its_trainings(early_stopping, tmp_path):
    svm = MulticlassSVM(early_stopping=early_stopping, solver=OneSlackCuttingPlane(), C=C)
    splits = [(np.arange(n), np.arange(n, 200)) for n in (100, 150)]
    search = GridSearchCV(svm, {"C": [C]}, cv=splits, error_score="raise")
    with pytest.raises(ArchiveError, match=r"run with another X, y(, early_stopping)? *[;(]"):
        search.fit(X, Y, checkpoint=tmp_path / "run.npz")


def test_equal_weights_are_none(tmp_path):
    checkpoint, solver = Checkpoint(tmp_path / "run.npz", 0), OneSlackCuttingPlane()
    expected = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    two = np.full(len(Y), 2.0)
    assert_same(
        solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint, sample_weight=two), expected
    )


@pytest.mark.parametrize("lacking", ["structsvm", *sorted(HEADER)])
def test_an_older_header_is_refused_with_what_it_lacks(lacking, tmp_path, monkeypatch):
    path, written = tmp_path / "run.npz", checkpoint_module.write

    def write_older(target, content):
        header = {name: value for name, value in content.header.items() if name != lacking}
        written(target, content._replace(header=header))

    monkeypatch.setattr(checkpoint_module, "write", write_older)
    solver = OneSlackCuttingPlane(max_iter=3)
    solver.solve(Multiclass(), X, Y, C, checkpoint=Checkpoint(path, 0))
    named = (
        "of an unknown version" if lacking == "structsvm" else f".* has no {lacking} in its header"
    )
    named = rf"was written by structsvm {named}.*; remove the file to start again"
    with pytest.raises(ArchiveError, match=named):
        solver.solve(Multiclass(), X, Y, C, checkpoint=path)


def test_another_file_that_is_no_archive(tmp_path):
    np.savez(tmp_path / "other.npz", X=X)
    with pytest.raises(ArchiveError, match="is not a file of structsvm"):
        OneSlackCuttingPlane().solve(Multiclass(), X, Y, checkpoint=tmp_path / "other.npz")


class Local(Multilabel):
    """A problem with a parameter that cannot be pickled."""

    def __init__(self):
        self.scale = lambda y: y


def test_what_has_no_fingerprint_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"problem\.scale has no fingerprint.*top of a module"):
        OneSlackCuttingPlane().solve(Local(), *multilabel_data(), checkpoint=tmp_path / "run.npz")


class Strange(Multilabel):
    """Its oracle returns an object that no file holds."""

    def separation_oracle(self, x, y, w):
        class Mask(list):
            pass

        return Mask(super().separation_oracle(x, y, w))


def test_outputs_that_no_file_holds_are_named_after_the_first_pass(tmp_path):
    with pytest.raises(ArchiveError, match="the Mask, has a state that cannot be read"):
        OneSlackCuttingPlane().solve(Strange(), *multilabel_data(), checkpoint=tmp_path / "r.npz")


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


def test_outputs_of_other_packages_are_refused_after_the_first_pass(tmp_path):
    with pytest.raises(ArchiveError, match="elsewhere:Elsewhere belongs neither to structsvm"):
        OneSlackCuttingPlane().solve(
            Fractional(), *multilabel_data(), checkpoint=tmp_path / "run.npz"
        )


# ---------------------------------------------------------------------- kill -9

KILLED = Path(__file__).parents[2] / "killed_run.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize(
    "name", ["OneSlackCuttingPlane", "SmoothedLBFGS", "DualCoordinateAscent", "CCCP"]
)
def test_a_process_that_is_killed_goes_on(name, tmp_path):
    path, expected = tmp_path / "run.npz", run_script(name, tmp_path / "whole.npz")
    rng, kills = np.random.default_rng(0), 0
    while kills < 3:
        process = subprocess.Popen(
            [sys.executable, KILLED, name, path, "0.02"], stdout=subprocess.PIPE, text=True
        )
        for _ in range(int(rng.integers(1, 6))):  # a line for each pass
            process.stdout.readline()
        time.sleep(float(rng.uniform(0, 0.03)))
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert path.exists()
    assert run_script(name, path) == expected
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


def run_script(name, path):
    """The last line of the script: a digest of the result."""
    command = [sys.executable, str(KILLED), name, str(path), "0"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"result \w+ \d+", printed.splitlines()[-1]), os.linesep + printed
    return printed.splitlines()[-1]


def test_a_users_algorithm_is_saved_beside_a_bundled_problem(tmp_path):
    solver, checkpoint = Mine(rtol=1e-6), Checkpoint(tmp_path / "run.npz", seconds=0)
    Mine(max_iter=3, rtol=1e-6).solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    result = solver.solve(Multiclass(), X, Y, C, checkpoint=checkpoint)
    assert_same(result, solver.solve(Multiclass(), X, Y, C))
