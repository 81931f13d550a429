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
    Checkpoint,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.shared.program import Program

SOLVERS = [
    OneSlackCuttingPlane(),
    NSlackCuttingPlane(),
    SmoothedLBFGS(),
    SmoothedCuttingPlane(),
    pytest.param(BlockCoordinateFrankWolfe(), marks=pytest.mark.slow),
]
C = 30.0


def offset_data(n=15):
    """Classes whose differences are small beside a common part, in single precision."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    rows = rng.normal(size=(n, 5)) + 2 * np.eye(3, 5)[y]
    return (rows + 3e4).astype(np.float32), y


def chain_data():
    X, y = offset_data(24)
    return list(X.reshape(8, 3, 5)), list(y.reshape(8, 3))


@pytest.mark.sampled(11)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("data", [offset_data, chain_data])
def test_a_hindered_run_goes_on_in_double_precision(solver, data, caplog):
    X, y = data()
    problem = Multiclass() if data is offset_data else Chain()
    with caplog.at_level(logging.INFO, "structsvm"):
        result = solver.solve(problem, X, y, C)
    assert "double precision follows" in caplog.text
    assert result.status is Status.CONVERGED
    assert result.verify(problem, X, y).matches
    twice = list(np.float64(X)) if isinstance(X, list) else X.astype(np.float64)
    other = solver.solve(problem, twice, y, C)
    assert other.status is Status.CONVERGED
    assert result.dual <= other.primal and other.dual <= result.primal


def test_a_sparse_matrix_is_converted(caplog):
    X, y = offset_data()
    with caplog.at_level(logging.INFO, "structsvm"):
        result = OneSlackCuttingPlane().solve(Multiclass(), sparse.csr_matrix(X), y, C)
    assert "double precision follows" in caplog.text and result.status is Status.CONVERGED


def test_a_run_that_is_not_hindered_stays_in_single_precision(caplog):
    X, y = offset_data()
    with caplog.at_level(logging.INFO, "structsvm"):
        result = OneSlackCuttingPlane().solve(Multiclass(), X - np.float32(3e4), y, C)
    assert result.status is Status.CONVERGED and "double precision" not in caplog.text


def test_both_parts_are_one_history():
    X, y = offset_data()
    calls = []
    result = OneSlackCuttingPlane().solve(
        Multiclass(), X, y, C, callback=lambda iteration, w: calls.append(iteration.iteration)
    )
    assert calls == [entry.iteration for entry in result.history]
    assert calls == list(range(1, len(calls) + 1))
    seconds = [entry.seconds for entry in result.history]
    assert seconds == sorted(seconds)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_a_run_is_resumed_in_the_second_part(solver, tmp_path):
    X, y = offset_data()
    whole = solver.solve(Multiclass(), X, y, C)
    checkpoint = Checkpoint(tmp_path / "run.npz", seconds=0)
    stop = len(whole.history) - 1
    solver.__class__(max_iter=stop).solve(Multiclass(), X, y, C, checkpoint=checkpoint)
    resumed = solver.solve(Multiclass(), X, y, C, checkpoint=checkpoint)
    np.testing.assert_array_equal(resumed.w, whole.w)
    assert (resumed.primal, resumed.dual) == (whole.primal, whole.dual)


@pytest.mark.slow
def test_bits_do_not_depend_on_the_number_of_jobs():
    class Divided(Multiclass):
        block_size = 5
        parallelism = "threads"

    X, y = offset_data()
    one, two = (
        OneSlackCuttingPlane().solve(Divided(), X, y, C, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.w, two.w)
    assert one.status is Status.CONVERGED and one.dual == two.dual


def first_pass_in_double(whole):
    """The number of the first pass after the one at which single precision ended."""
    return next(
        number
        for number, entry in enumerate(whole.history[1:], 2)
        if entry.best_primal > whole.history[number - 2].best_primal
        or entry.n_planes < whole.history[number - 2].n_planes
    )


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_ctrl_c_in_either_part_keeps_what_was_found(offset):
    X, y = offset_data()
    solver = OneSlackCuttingPlane(rtol=1e-6)
    whole = solver.solve(Multiclass(), X, y, C)
    last = first_pass_in_double(whole) + offset

    calls = []

    def counted(outputs):
        calls.append(1)
        if len(calls) > last:
            raise KeyboardInterrupt
        return outputs

    result = solver.solve(with_answer(Multiclass, "search", counted)(), X, y, C)
    assert result.status is Status.INTERRUPTED
    assert np.isfinite(result.primal) and result.verify(Multiclass(), X, y).matches


@pytest.mark.slow
def test_limits_hold_for_both_parts():
    X, y = offset_data()
    whole = OneSlackCuttingPlane().solve(Multiclass(), X, y, C)
    for max_iter in range(1, whole.iterations):
        result = OneSlackCuttingPlane(max_iter=max_iter).solve(Multiclass(), X, y, C)
        assert result.iterations == max_iter
        assert result.dual <= whole.primal


def test_with_early_stopping_the_second_part_is_scored_too():
    X, y = offset_data()
    rule = EarlyStopping(X[::3], y[::3], n_iter_no_change=100)
    result = OneSlackCuttingPlane(rtol=1e-6).solve(Multiclass(), X, y, C, early_stopping=rule)
    assert result.best_iteration is not None and result.status is Status.CONVERGED


def test_a_self_labelled_problem_keeps_its_labels(caplog):
    X = [(x + 3e4).astype(np.float32) for x in topics_data(n=10, d=4)]
    with caplog.at_level(logging.INFO, "structsvm"):
        result = CCCP().solve(LatentTopics(), X, None, C)
    assert "double precision follows" in caplog.text
    assert result.status is Status.CONVERGED and result.verify(LatentTopics(), X).matches


@pytest.mark.sampled(5)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
def test_a_warm_start_knows_the_rounding_of_its_dual(solver, monkeypatch):
    known, kept = [], Program.dual_solution

    def dual(program, labels, value, v, alpha, *rest, **others):
        found = kept(program, labels, value, v, alpha, *rest, **others)
        if np.any(alpha > 0):
            known.append((program.rounding.terms.rows.any(), found.rounding))
        return found

    X, y = offset_data()
    cold = solver.solve(Multiclass(), X, y, C)
    monkeypatch.setattr(Program, "dual_solution", dual)
    solver.solve(Multiclass(), X, y, C, warm_start=cold)
    assert known and all(any_terms and rounding > 0 for any_terms, rounding in known)
