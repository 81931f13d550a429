"""Ascent of the dual by single examples: projections, the dual it keeps, and its certificates."""

import numpy as np
import pytest
from changed_tasks import with_answer
from engine_parts import examples_of
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from structsvm import (
    DualCoordinateAscent,
    OneSlackCuttingPlane,
    ProblemError,
    Products,
    Status,
    choose_solver,
)
from structsvm.objective import unbounded_dual_value
from structsvm.oracle.cuts import planes_of_passes
from structsvm.planes.probabilities import planes_of
from structsvm.problems import Multiclass
from structsvm.solvers.dual_ascent import ascent as steps_of_epochs
from structsvm.solvers.dual_ascent import solver as ascending
from structsvm.solvers.dual_ascent import solver as dual_ascent
from structsvm.solvers.dual_ascent.ascent import Ascent
from structsvm.solvers.dual_ascent.steps import on_simplex
from structsvm.solvers.shared import schedule
from structsvm.solvers.thresholds import FEW_ROWS


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(ascending, "MANY", 1000)


def texts(n=240, d=400, k=4, seed=0, dtype=np.float64):
    """Rows of norm 1 with ten of many columns, some of which belong to a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = np.zeros((n, d))
    for i in range(n):
        X[i, rng.integers(d, size=9)] = rng.uniform(0.5, 2.0, size=9)
        X[i, 20 * y[i] + rng.integers(20)] = 1.5
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return sparse.csr_matrix(X.astype(dtype)), np.array(["a", "b", "c", "d", "e"])[y]


@given(st.lists(st.floats(-3, 1), min_size=2, max_size=5))
def test_projections_are_the_nearest_points(point):
    point = np.array(point)
    found = on_simplex(point)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    everywhere = {"type": "eq", "fun": lambda p: p.sum() - 1}
    start, bounds = np.full(len(point), 1 / len(point)), [(0, 1)] * len(point)
    best = minimize(
        lambda p: ((p - point) ** 2).sum(), start, bounds=bounds, constraints=everywhere, tol=1e-12
    )
    assert ((found - point) ** 2).sum() <= best.fun + 1e-7


@pytest.mark.parametrize(
    ("point", "nearest"),
    [([1, -1e20, -3.0], [1, 0, 0]), ([0.0, 1e-300, 0.0], [1 / 3] * 3), ([0.0, 0.0], [0.5, 0.5])],
)
def test_projections_of_points_far_away(point, nearest):
    np.testing.assert_allclose(on_simplex(np.array(point)), nearest)


def with_constant(X, constant):
    return sparse.hstack([X, np.full((X.shape[0], 1), constant, X.dtype)], format="csr")


COST = [[0, 5, 1, 0], [1, 0, 2, 1], [0, 3, 0, 1], [1, 1, 1, 0]]


@pytest.mark.parametrize("cost", [None, COST])
@pytest.mark.parametrize("constant", [0.0, 10.0])
def test_the_dual_is_that_of_its_planes(constant, cost):
    X, y = texts()
    examples = examples_of(Multiclass(cost), with_constant(X, constant), y)
    rng = np.random.default_rng(0)
    ascent, dual_values = Ascent(examples.task, 30.0), [0.0]
    for _ in range(4):
        ascent.epoch(rng)
        w = ascent.w
        v, linear = ascent.solution()
        dual_values.append(unbounded_dual_value(v, linear))
        assert np.allclose(w, v, atol=1e-10) == (not constant), "a constant has proximal terms"
    assert np.all(np.diff(dual_values) > 0) or constant
    alpha, sources = planes_of(ascent.probabilities, ["a", "b", "c", "d"], 30.0)
    assert alpha.sum() == pytest.approx(30.0)
    weights = np.array([a * source.weights for a, source in zip(alpha, sources, strict=True)])
    assert weights.sum(axis=0).max() <= 30.0 / 240 * (1 + 1e-12)
    rows, offsets = planes_of_passes(examples, y, [s.outputs for s in sources], weights)
    np.testing.assert_allclose(rows.sum(axis=0), v, atol=1e-10)
    assert offsets.sum() == pytest.approx(linear)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("C", "constant"), [(30.0, 0.0), (1000.0, 0.0), (3.0, 1.0), (300.0, 10.0)])
def test_it_agrees_with_cutting_planes(C, constant, dtype):
    X, y = texts(n=400 if constant else 240, dtype=dtype)
    if constant:  # classes of unequal sizes: the constant is used
        X = with_constant(X[y != "c"], constant)
        y = np.where(y == "b", "a", y)[y != "c"]
    result = DualCoordinateAscent(max_iter=150).solve(Multiclass(), X, y, C)
    other = OneSlackCuttingPlane(rtol=1e-5).solve(Multiclass(), X.astype(np.float64), y, C)
    assert result.status is Status.CONVERGED and result.verify(Multiclass(), X, y).matches
    assert result.dual <= other.primal and other.dual <= result.primal
    # It was the ascent that converged: its planes have outputs, those of a soft oracle have none.
    assert all(hasattr(plane.source, "outputs") for plane in result.support)


def test_where_it_is_slow_the_descent_goes_on():
    rng, (_, y) = np.random.default_rng(0), texts()
    X = sparse.csr_matrix(rng.normal(size=(240, 30)) + 3 * rng.normal(size=30))
    result = DualCoordinateAscent().solve(Multiclass(), X, y, 100.0)
    assert result.status is Status.CONVERGED
    assert any(not hasattr(plane.source, "outputs") for plane in result.support)


def test_the_gap_falls_and_cut_short_it_returns_the_w_that_it_reached():
    X, y = texts()
    history = DualCoordinateAscent(rtol=1e-4).solve(Multiclass(), X, y, 100.0).history
    gaps = [iteration.gap for iteration in history]
    assert len(gaps) > schedule.FIRST and np.all(np.diff(gaps) <= 0)
    assert gaps[schedule.FIRST] < 0.5 * gaps[0]
    result = DualCoordinateAscent(max_iter=3).solve(Multiclass(), X, y, 30.0)
    assert result.status is Status.MAX_ITER and np.isinf(result.history[-1].primal)
    assert 0 < result.gap < 0.1 * result.primal < 0.095 * result.history[0].primal
    assert result.verify(Multiclass(), X, y).matches


@pytest.mark.parametrize("step", [1, 2, 9])
def test_ctrl_c_in_the_first_epoch(step, monkeypatch):
    """The weights of the dual solution are worth more than w = 0."""
    calls, whole = [], steps_of_epochs.ascend

    def press(*arguments):
        calls.append(0)
        if len(calls) == step:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(steps_of_epochs, "ascend", press)
    X, y = texts()
    result = DualCoordinateAscent().solve(Multiclass(), X, y, 1.0)
    assert result.status is Status.INTERRUPTED and result.verify(Multiclass(), X, y).matches
    assert result.w.any() == (step > 1) and result.primal <= 1 + 2e-3
    assert ("w = 0, at which all outputs score the same" in result.message) == (step == 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda right: np.zeros(3), "score_outputs must return shape .240, 1.; got shape .3,."),
        (lambda right: np.full((240, 4), np.nan), "score_outputs returned NaN"),
        (lambda right: right + 1 - np.eye(4)[0], "the .*score_outputs.* contradicts"),
    ],
)
def test_invalid_scores_are_refused(change, message):
    wrong, (X, y) = with_answer(Multiclass, "score_outputs", change), texts()
    with pytest.raises(ProblemError, match=message):
        DualCoordinateAscent().solve(wrong(), X, y, 100.0)


def test_it_is_chosen_where_the_data_are_many(monkeypatch):
    X, y = texts(n=FEW_ROWS + 1)
    plan = choose_solver(Multiclass(), X, y).solver
    assert plan.solve(Multiclass(), X, y, 30.0).solver.startswith("DualCoordinateAscent, ")
    monkeypatch.setattr(ascending, "MANY", np.inf)
    assert plan.solve(Multiclass(), X, y, 30.0).solver.startswith("SmoothedLBFGS, ")


def test_inner_products_without_features_are_named_and_not_planned_for():
    def products(found):
        return Products((found.features @ found.features.T).toarray(), found.true)

    X, y = texts(n=FEW_ROWS + 1)
    other = with_answer(Multiclass, "products", products)
    with pytest.raises(ProblemError, match="needs the features of products"):
        DualCoordinateAscent().solve(other(), X, y, 1.0)
    plan = choose_solver(other(), X, y).solver
    assert plan.solve(other(), X, y, 30.0).solver.startswith("SmoothedLBFGS, ")


@pytest.mark.parametrize(
    ("factor", "last", "slow"),
    [
        (0.8, 1000.0, False),  # fast
        (0.99, 1000.0, True),  # slow, and 690 more epochs needed
        (0.99, 2.5, False),  # slow, and 90 more
        (1.0, 1.0, True),  # it stays, where the tolerance seems to be reached
    ],
)
def test_an_ascent_near_its_end_is_not_given_up(factor, last, slow):
    gaps = [last * factor**-j for j in range(dual_ascent.ASCENT_PATIENCE, -1, -1)]
    assert dual_ascent._is_slow(gaps, 1.0) is slow
    assert not dual_ascent._is_slow(gaps[1:], 1.0)  # too few epochs to tell
