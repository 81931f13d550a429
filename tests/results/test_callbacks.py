"""Callbacks: all are called, several at a time, and the writer of passes keeps every pass."""

import csv
import json
import logging
import math

import numpy as np
import pytest

from structsvm import (
    Callback,
    Checkpoint,
    Iteration,
    OneSlackCuttingPlane,
    PassWriter,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.problems import Multiclass
from structsvm.results.callbacks import require_callbacks
from structsvm.solvers.shared.loop import _shown

X, Y = Multiclass.example_data()


class Noting(Callback):
    """Notes what it is called with."""

    def __init__(self, stops_at=math.inf):
        self.passes, self.results, self.stops_at = [], [], stops_at

    def __call__(self, iteration, w):
        self.passes.append(iteration.iteration)
        w[:] = np.nan  # it is a copy
        return iteration.iteration >= self.stops_at

    def end(self, result):
        self.results.append(result)


def test_several_callbacks_are_all_called_and_any_may_stop():
    first, second, plain = Noting(stops_at=3), Noting(), []
    callbacks = [first, second, lambda iteration, w: plain.append(w.copy())]
    result = OneSlackCuttingPlane().solve(Multiclass(), X, Y, callback=callbacks)
    assert result.status is Status.STOPPED and np.isfinite(result.w).all()
    assert first.passes == second.passes == [1, 2, 3] and len(plain) == 3
    assert first.results == second.results == [result]


class Untouched(Multiclass):
    def initialize(self, X, Y):
        raise AssertionError


class Lacking(Callback):
    def __call__(self, iteration):
        raise AssertionError


class Endless(Callback):
    def end(self):
        raise AssertionError


class NoMethod(Callback):
    end = None


UNCALLABLE = "callback must be callable, or a list of callables"
OTHERWISE = r"called as callback\(iteration, w\), which .* does not accept"


@pytest.mark.parametrize(
    ("callback", "message"),
    [
        *((wrong, UNCALLABLE) for wrong in (3, "text", [print, 3], {"a": print})),
        *((wrong, OTHERWISE) for wrong in (lambda: None, lambda a: None, lambda a, b, c: None)),
        (Lacking(), r"called as callback\(iteration, w\), which Lacking\.__call__ does not accept"),
        (Endless(), r"called as end\(result\), which Endless\.end does not accept: too many"),
        (NoMethod(), r"called as end\(result\), but NoMethod\.end is None"),
    ],
)
def test_what_cannot_be_called_so_is_refused_before_training(callback, message):
    given = [print, callback] if callable(callback) else callback
    with pytest.raises(TypeError, match=message):
        OneSlackCuttingPlane().solve(Untouched(), X, Y, callback=given)


class Answering(Callback):
    def __init__(self, answer):
        self.answer = answer

    def __call__(self, iteration, w):
        return self.answer


@pytest.mark.parametrize("is_method", [True, False])
def test_an_answer_without_a_truth_value_is_named(is_method):
    callback = Answering(np.array([True, False]))
    if is_method:
        callback = callback.__call__
    message = r"^Answering\.__call__ must return True .* it returned array\(\[ True, False\]\)"
    with pytest.raises(TypeError, match=message):
        OneSlackCuttingPlane().solve(Multiclass(), X, Y, callback=callback)


@pytest.mark.parametrize(
    "callback", [lambda *given: None, lambda a, b, c=0: None, min, np.maximum.accumulate]
)
def test_a_callback_that_can_be_called_so_is_accepted(callback):
    require_callbacks(callback)


@pytest.mark.parametrize("solver", [SmoothedLBFGS(), SmoothedCuttingPlane()])
def test_the_writer_of_passes(solver, tmp_path):
    paths = [tmp_path / "passes.csv", tmp_path / "passes.jsonl"]
    writers = [PassWriter(path) for path in paths]
    for _ in range(2):  # the second training replaces the lines of the first
        result = solver.solve(Multiclass(), X, Y, callback=writers)
    with paths[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    objects = [json.loads(line) for line in paths[1].read_text().splitlines()]
    assert len(rows) == len(objects) == result.iterations
    for step, row, written in zip(result.history, rows, objects, strict=True):
        for name, value in step._asdict().items():
            unknown = value is None or not math.isfinite(value)
            assert row[name] == ("" if unknown else repr(value))
            assert written[name] == (None if unknown else value)


def test_the_writer_goes_on_with_a_checkpoint(tmp_path):
    path, checkpoint = tmp_path / "passes.csv", Checkpoint(tmp_path / "run.npz", 0)
    for passes in (5, 10_000):
        result = OneSlackCuttingPlane(max_iter=passes).solve(
            Multiclass(), X, Y, callback=PassWriter(path), checkpoint=checkpoint
        )
    numbers = [line.split(",")[0] for line in path.read_text().splitlines()]
    assert numbers == ["iteration", *map(str, range(1, result.iterations + 1))]


@pytest.mark.parametrize("path", ["passes", "passes.txt", ".csv.gz"])
def test_other_endings_are_refused(path):
    with pytest.raises(ValueError, match=r"must end in '\.csv' or '\.jsonl'"):
        PassWriter(path)


def test_log_records_have_their_numbers(caplog):
    with caplog.at_level(logging.DEBUG, logger="structsvm"):
        result = OneSlackCuttingPlane().solve(Multiclass(), X, Y)
    records = [record for record in caplog.records if hasattr(record, "structsvm")]
    passes, (end,) = records[:-1], records[-1:]
    assert [record.structsvm["iteration"] for record in passes] == list(
        range(1, result.iterations + 1)
    )
    assert set(passes[0].structsvm) == {"solver", *Iteration._fields}
    assert end.levelno == logging.INFO
    assert end.structsvm["gap"] == result.gap and end.structsvm["status"] == "CONVERGED"


def test_warnings_that_are_logged_are_not_shown_unless_asked(capfd):
    logging.getLogger("structsvm").warning("a warning of structsvm")
    handlers = logging.getLogger("structsvm").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
    assert capfd.readouterr().err == ""


def test_the_progress_bar_shows_no_objective_that_is_not_known():
    passes = Iteration(1, math.inf, math.inf, 2.5, math.inf, 3, 4, 0.1)
    assert _shown(passes, "S") == "dual 2.5, primal not known yet, S"
    passes = passes._replace(best_primal=4.0, dual=0.0)
    assert _shown(passes, "S") == "primal 4, gap not known yet, S"
    assert not passes._replace(dual=-math.inf).dual_is_known
