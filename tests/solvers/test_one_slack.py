"""One-slack cutting planes: stopping, warm starts, zero tolerance, undergenerating oracles."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from toy_problems import (
    ConstrainedMultilabel,
    ForgettingMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    full_objective,
    full_optimum,
    multilabel_data,
)

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Status
from structsvm.problems import Multiclass

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()
C = 100.0


def solve(problem=None, solver=OneSlackCuttingPlane, w0=None, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C, w0=w0)


def test_each_pass_adds_at_most_one_plane():
    history = solve(rtol=1e-6).history
    planes = [step.n_planes for step in history]
    assert planes[0] == 0
    assert set(np.diff(planes)) <= {0, 1}


def test_rtol_and_atol_decide_when_to_stop():
    loose, tight = solve(rtol=0.1), solve(rtol=1e-6)
    assert loose.iterations < tight.iterations
    assert tight.gap <= 1e-6 * tight.primal < loose.gap <= 0.1 * loose.primal
    absolute = solve(rtol=0, atol=0.5)
    assert absolute.status is Status.CONVERGED
    assert absolute.gap <= 0.5
    assert absolute.history[-2].gap > 0.5


def test_result_is_the_best_point_queried():
    seen = {}
    result = OneSlackCuttingPlane(rtol=1e-6).solve(
        Multilabel(), X, Y, C, callback=lambda step, w: seen.update({step.primal: w.copy()})
    )
    assert result.primal == min(seen)
    np.testing.assert_array_equal(result.w, seen[result.primal])
    assert result.primal == pytest.approx(full_objective(Multilabel(), X, Y, result.w, C), rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weight", [1e-2, 1.0, 1e4])
def test_zero_tolerance_ends(solver, seed, weight):
    data = multilabel_data(seed)
    result = solver(rtol=0, atol=0, max_iter=500).solve(Multilabel(), *data, weight)
    assert result.status in (Status.STALLED, Status.CONVERGED)
    assert abs(result.gap) <= 1e-8 * result.primal


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_any_start_leads_to_the_optimum(solver, size):
    optimum, best = full_optimum(Multilabel(), X, Y, C)
    w0 = size * np.random.default_rng(0).normal(size=len(best))
    start = w0.copy()
    result = solve(solver=solver, w0=w0, rtol=1e-7)
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.history[0].primal == pytest.approx(full_objective(Multilabel(), X, Y, w0, C))
    np.testing.assert_array_equal(w0, start)


@pytest.mark.parametrize("solver", SOLVERS)
def test_perfect_start_is_kept_and_certified(solver):
    optimum, best = full_optimum(Multilabel(), X, Y, C)
    result = solve(solver=solver, w0=best, rtol=1e-6)
    assert result.status is Status.CONVERGED
    assert result.history[0].primal == pytest.approx(optimum, rel=1e-9)
    assert result.dual == pytest.approx(optimum, rel=1e-6)
    assert not np.shares_memory(result.w, best)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["nonnegative", "balanced", "equality", "floor"])
@pytest.mark.parametrize("rtol", [1e-3, 1e-7])
def test_infeasible_start_ends_feasible(solver, kind, rtol):
    problem = ConstrainedMultilabel(kind)
    optimum, best = full_optimum(problem, X, Y, C)
    A, b = problem.constraints()
    w0 = -np.arange(1.0, len(best) + 1)
    assert np.any(A @ w0 > b + 0.1)
    result = solve(problem, solver, w0=w0, rtol=rtol)
    assert result.status is Status.CONVERGED
    assert np.isfinite(result.history[0].primal), "the start is projected"
    assert np.all(A @ result.w <= b + 1e-6)
    assert result.primal == pytest.approx(optimum, rel=2 * rtol)
    assert result.verify(problem, X, Y).matches


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["nonnegative", "balanced", "equality", "floor"])
def test_first_pass_is_usable_from_an_infeasible_start(solver, kind):
    problem = ConstrainedMultilabel(kind)
    problem.initialize(X, Y)
    w0 = -np.arange(1.0, problem.size_joint_feature + 1)
    result = solver(max_iter=1).solve(problem, X, Y, C, w0=w0)
    assert np.isfinite(result.primal)
    assert result.verify(problem, X, Y).matches


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", [1e2, 1e6])
def test_far_start_does_not_end_short_of_the_optimum(solver, size):
    problem = Multilabel()
    optimum, best = full_optimum(problem, X, Y, C)
    result = solve(problem, solver, w0=np.full(len(best), size), rtol=1e-6)
    assert result.status is Status.CONVERGED
    assert result.primal == pytest.approx(optimum, rel=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_scale_of_a_constraint_does_not_matter(solver, scale):
    class Scaled(ConstrainedMultilabel):
        def constraints(self):
            A, b = super().constraints()
            return scale * np.asarray(A), scale * np.asarray(b)

    optimum, _ = full_optimum(ConstrainedMultilabel("floor"), X, Y, C)
    result = solve(Scaled("floor"), solver, rtol=1e-6)
    assert result.primal == pytest.approx(optimum, rel=1e-5)
    assert result.verify(Scaled("floor"), X, Y).matches


@pytest.mark.parametrize("solver", SOLVERS)
def test_raw_features_and_a_large_C_converge(solver):
    data, labels = load_wine(return_X_y=True)
    result = solver().solve(Multiclass(), data, labels, C=100.0 * len(labels))
    assert result.status is Status.CONVERGED
    assert result.verify(Multiclass(), data, labels).matches


@pytest.mark.parametrize("solver", SOLVERS)
def test_earlier_outputs_of_an_undergenerating_oracle_count(solver):
    problem = ForgettingMultilabel()
    problem.oracle_quality = "undergenerating"
    result = solve(problem, solver, rtol=1e-6)
    assert result.status is Status.CONVERGED
    assert np.linalg.norm(result.w) > 0.1, "else the first outputs taught nothing"
    for step in result.history:
        assert step.primal >= step.dual - 1e-9 * (1 + step.primal)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_undergenerating_results_verify(solver, seed):
    data = multilabel_data(seed, n_labels=4)
    result = solver(rtol=1e-6).solve(LocalSearchMultilabel(4), *data, C=1.0)
    assert result.verify(LocalSearchMultilabel(4), *data).matches


@pytest.mark.parametrize("solver", SOLVERS)
def test_outputs_worse_than_the_truth_count_as_the_truth(solver):
    """They have a negative violation, which must not be set off against other examples."""

    class Contrary(Multilabel):
        """For every other example it returns the worst of all outputs."""

        oracle_quality = "undergenerating"

        def separation_oracle(self, x, y, w):
            sign = -1 if w.any() and x[0] in X[::2, 0] else 1
            return max(
                self.outputs(x),
                key=lambda z: sign * (self.loss(y, z) + w @ self.joint_feature(x, z)),
            )

    w0 = np.random.default_rng(0).normal(size=9)
    result = solve(Contrary(), solver, w0=w0, max_iter=1)
    found = full_objective(Multilabel(), X[1::2], Y[1::2], w0, C / 2) - w0 @ w0 / 2
    assert found > 1
    assert result.primal == pytest.approx(w0 @ w0 / 2 + found)
    assert solve(Contrary(), solver, rtol=1e-6).status is Status.CONVERGED
