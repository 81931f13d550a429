"""Runs that rounding of single precision hinders go on in double precision, and to the same end."""

import logging

import numpy as np
import pytest
from changed_tasks import with_answer
from scipy import sparse
from toy_problems import LatentTopics, topics_data

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.datasets import digits
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.shared.program import Program

C = 30.0
SOLVERS = [
    NSlackCuttingPlane(),
    OneSlackCuttingPlane(),
    SmoothedLBFGS(),
    SmoothedCuttingPlane(),
    BlockCoordinateFrankWolfe(),
]


def offset_data(n=15):
    """Classes whose differences are small beside a common part, in single precision."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    rows = rng.normal(size=(n, 5)) + 2 * np.eye(3, 5)[y]
    return (rows + 3e4).astype(np.float32), y


def chain_data():
    X, y = offset_data(24)
    return list(X.reshape(8, 3, 5)), list(y.reshape(8, 3))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("data", ["dense", "sparse", "chains"])
def test_a_hindered_run_goes_on_in_double_precision(solver, data, caplog):
    (X, y), problem = offset_data(), Multiclass()
    if data == "sparse":
        X = sparse.csr_matrix(X)
    if data == "chains":
        (X, y), problem = chain_data(), Chain()
    calls = []
    with caplog.at_level(logging.INFO, "structsvm"):
        result = solver.solve(problem, X, y, C, callback=lambda step, w: calls.append(step))
    assert "double precision follows" in caplog.text
    assert result.status is Status.CONVERGED and result.verify(problem, X, y).matches
    twice = [x.astype(np.float64) for x in X] if data == "chains" else X.astype(np.float64)
    other = solver.solve(problem, twice, y, C)
    assert other.status is Status.CONVERGED
    assert result.dual <= other.primal and other.dual <= result.primal
    # Both parts are one history.
    assert tuple(calls) == result.history
    assert [step.iteration for step in calls] == list(range(1, len(calls) + 1))
    seconds = [step.seconds for step in calls]
    assert seconds == sorted(seconds)


def test_single_precision_takes_hardly_more_passes():
    """Where rounding errors would take much of the tolerance, the descent goes on at once."""
    X, y = digits()
    passes = [
        len(SmoothedLBFGS().solve(Multiclass(), X.astype(dtype), y, 1.0 * len(y)).history)
        for dtype in (np.float64, np.float32)
    ]
    assert passes[1] <= 1.2 * passes[0]


def test_with_early_stopping_the_second_part_is_scored_too():
    X, y = offset_data()
    rule = EarlyStopping(X[::3], y[::3], n_iter_no_change=100)
    result = OneSlackCuttingPlane(rtol=1e-6).solve(Multiclass(), X, y, C, early_stopping=rule)
    assert result.best_iteration is not None and result.status is Status.CONVERGED


def test_a_warm_start_knows_the_rounding_of_its_dual(monkeypatch):
    known, kept = [], Program.dual_solution

    def dual(program, labels, value, v, alpha, *rest, **others):
        found = kept(program, labels, value, v, alpha, *rest, **others)
        if np.any(alpha > 0):
            known.append((program.rounding.terms.rows.any(), found.rounding))
        return found

    X, y = offset_data()
    cold = NSlackCuttingPlane().solve(Multiclass(), X, y, C)
    monkeypatch.setattr(Program, "dual_solution", dual)
    NSlackCuttingPlane().solve(Multiclass(), X, y, C, warm_start=cold)
    assert known and all(any_terms and rounding > 0 for any_terms, rounding in known)


def test_a_run_that_is_not_hindered_stays_in_single_precision(caplog):
    X, y = offset_data()
    with caplog.at_level(logging.INFO, "structsvm"):
        result = OneSlackCuttingPlane().solve(Multiclass(), X - np.float32(3e4), y, C)
    assert result.status is Status.CONVERGED and "double precision" not in caplog.text


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_ctrl_c_in_either_part_keeps_what_was_found(offset, caplog):
    (X, y), solver, in_double, calls = offset_data(), OneSlackCuttingPlane(rtol=1e-6), [], []

    def note(iteration, w):
        in_double.append("double precision follows" in caplog.text)

    def counted(outputs):
        calls.append(1)
        if len(calls) > in_double.index(True) + 1 + offset:
            raise KeyboardInterrupt
        return outputs

    with caplog.at_level(logging.INFO, "structsvm"):
        solver.solve(Multiclass(), X, y, C, callback=note)
    result = solver.solve(with_answer(Multiclass, "search", counted)(), X, y, C)
    assert result.status is Status.INTERRUPTED
    assert np.isfinite(result.primal) and result.verify(Multiclass(), X, y).matches


def test_a_self_labelled_problem_keeps_its_labels(caplog):
    X = [(x + 3e4).astype(np.float32) for x in topics_data(n=3, d=4)]
    with caplog.at_level(logging.INFO, "structsvm"):
        result = CCCP().solve(LatentTopics(), X, None, C)
    assert "double precision follows" in caplog.text
    assert result.status is Status.CONVERGED and result.verify(LatentTopics(), X).matches
