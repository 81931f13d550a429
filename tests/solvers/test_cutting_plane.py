"""The loop of the cutting-plane solvers: any start, any tolerance, and refined outputs."""

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

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, Status, Task
from structsvm.problems import Multiclass

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()
C = 100.0


def solve(problem=None, solver=OneSlackCuttingPlane, w0=None, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C, w0=w0)


# ---------------------------------------------------------------------- starts and tolerances


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weight", [1e-2, 1.0, 1e4])
def test_zero_tolerance_ends(solver, seed, weight):
    data = multilabel_data(seed)
    result = solver(rtol=0, atol=0, max_iter=500).solve(Multilabel(), *data, weight)
    assert result.status in (Status.NUMERICAL, Status.CONVERGED)
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
def test_raw_features_with_a_large_C_converge(solver):
    data, labels = load_wine(return_X_y=True)
    result = solver().solve(Multiclass(), data, labels, C=100.0 * len(labels))
    assert result.status is Status.CONVERGED
    assert result.verify(Multiclass(), data, labels).matches


# ---------------------------------------------------------------------- undergenerating oracles


@pytest.mark.parametrize("solver", SOLVERS)
def test_earlier_outputs_of_an_undergenerating_oracle_count(solver):
    problem = ForgettingMultilabel()
    problem.oracle_quality = "undergenerating"
    result = solve(problem, solver, rtol=1e-6)
    assert result.status is Status.CONVERGED
    assert np.linalg.norm(result.w) > 0.1, "else the first outputs had no effect"
    for step in result.history:
        assert step.primal >= step.dual - 1e-9 * (1 + step.primal)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_undergenerating_results_verify(solver, seed):
    data = multilabel_data(seed, n_labels=4)
    result = solver(rtol=1e-6).solve(LocalSearchMultilabel(4), *data, C=1.0)
    assert result.verify(LocalSearchMultilabel(4), *data).matches


# ---------------------------------------------------------------------- refined outputs


class RefiningTask(Task):
    def refine(self, w, outputs):
        triples = zip(self.X, self.Y, outputs, strict=True)
        return [self.problem.refined_output(x, y, w, y_hat) for x, y, y_hat in triples]


class Refining(LocalSearchMultilabel):
    """Continues from an earlier output; counts how often."""

    def __init__(self, n_labels=3):
        super().__init__(n_labels)
        self.refined = 0

    def task(self, X, Y=None):
        return RefiningTask(self, X, Y)

    def refined_output(self, x, y, w, y_hat):
        self.refined += 1
        best = y_hat
        for flip in range(self.n_labels):
            flipped = (*best[:flip], 1 - best[flip], *best[flip + 1 :])
            best = max(
                (best, flipped), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z)
            )
        return best


class Remembering(Multilabel):
    """An exact oracle that is not declared so; refining changes nothing."""

    oracle_quality = "undergenerating"

    def task(self, X, Y=None):
        return RefiningTask(self, X, Y)

    def refined_output(self, x, y, w, y_hat):
        return y_hat


@pytest.mark.sampled(2)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(6))
def test_refining_saves_searches(solver, seed):
    X, Y = multilabel_data(seed, n_labels=4)
    plain = solver(rtol=1e-6).solve(LocalSearchMultilabel(4), X, Y, 10.0)
    problem = Refining(4)
    result = solver(rtol=1e-6).solve(problem, X, Y, 10.0, copy=False)
    assert result.status is plain.status is Status.CONVERGED
    assert problem.refined > 0
    assert result.oracle_calls < plain.oracle_calls
    optimum, _ = full_optimum(Multilabel(4), X, Y, 10.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.verify(LocalSearchMultilabel(4), X, Y).matches


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_passes_that_only_refine_leave_the_objective_unknown(solver, seed):
    X, Y = multilabel_data(seed, n_labels=4)
    result = solver(rtol=1e-6).solve(Refining(4), X, Y, 10.0)
    n, before = len(X), 0
    for step in result.history:
        searched = step.oracle_calls > before
        assert step.oracle_calls in (before, before + n)
        assert np.isfinite(step.primal) == searched
        assert step.gap == step.best_primal - step.dual
        before = step.oracle_calls
    assert any(not np.isfinite(step.primal) for step in result.history)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_found_where_the_search_is_exact(solver, seed):
    X, Y = multilabel_data(seed)
    optimum, _ = full_optimum(Multilabel(), X, Y, 3.0)
    result = solver(rtol=1e-7).solve(Remembering(), X, Y, 3.0)
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.dual == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_an_exact_oracle_is_called_less_often_and_has_the_last_word(solver, seed):
    class Exact(Refining):
        oracle_quality = "exact"
        separation_oracle = Multilabel.separation_oracle

    X, Y = multilabel_data(seed, n_labels=4)
    optimum, _ = full_optimum(Multilabel(4), X, Y, 10.0)
    problem = Exact(4)
    result = solver(rtol=1e-6).solve(problem, X, Y, 10.0, copy=False)
    plain = solver(rtol=1e-6).solve(Multilabel(4), X, Y, 10.0)
    assert problem.refined > 0 and result.oracle_calls < plain.oracle_calls
    assert result.guarantee == plain.guarantee
    assert result.dual <= optimum * (1 + 1e-9) and result.primal >= optimum * (1 - 1e-9)
    assert result.gap <= 1e-6 * result.primal


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_relaxed_oracle_is_never_replaced(solver):
    class Relaxed(Remembering):
        oracle_quality = "overgenerating"

        def refined_output(self, x, y, w, y_hat):
            raise AssertionError("it must not be called")

    X, Y = multilabel_data(0)
    assert solver().solve(Relaxed(), X, Y, 3.0).status is Status.CONVERGED


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_error_in_refine_names_it_and_the_example(solver):
    class Broken(Refining):
        def refined_output(self, x, y, w, y_hat):
            return None

    X, Y = multilabel_data(0)
    with pytest.raises(ProblemError, match=r"RefiningTask\.refine returned None for example 0"):
        solver().solve(Broken(), X, Y, 3.0)
