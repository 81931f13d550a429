"""Local searches that go on from earlier outputs: fewer searches anew, the same guarantees."""

import numpy as np
import pytest
from toy_problems import LocalSearchMultilabel, Multilabel, full_optimum, multilabel_data

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, Status

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]


class Refining(LocalSearchMultilabel):
    """Flips on from an earlier output; counts how often it starts anew."""

    def __init__(self, n_labels=3):
        super().__init__(n_labels)
        self.refined = 0

    def refine(self, x, y, w, y_hat):
        self.refined += 1
        best = y_hat
        for flip in range(self.n_labels):
            flipped = (*best[:flip], 1 - best[flip], *best[flip + 1 :])
            best = max(
                (best, flipped), key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z)
            )
        return best


class Remembering(Multilabel):
    """An exact oracle that does not say so; refining changes nothing."""

    oracle_quality = "undergenerating"

    def refine(self, x, y, w, y_hat):
        return y_hat


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(6))
def test_fewer_searches_anew(solver, seed):
    X, Y = multilabel_data(seed, n_labels=4)
    plain = solver(rtol=1e-6).solve(LocalSearchMultilabel(4), X, Y, 10.0)
    problem = Refining(4)
    result = solver(rtol=1e-6).solve(problem, X, Y, 10.0)
    assert result.status is plain.status is Status.CONVERGED
    assert problem.refined > 0
    assert result.oracle_calls < plain.oracle_calls
    optimum, _ = full_optimum(Multilabel(4), X, Y, 10.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert result.verify(LocalSearchMultilabel(4), X, Y).matches


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_passes_that_only_refine_claim_no_objective(solver, seed):
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
def test_the_optimum_is_found_where_the_search_anew_is_exact(solver, seed):
    X, Y = multilabel_data(seed)
    optimum, _ = full_optimum(Multilabel(), X, Y, 3.0)
    result = solver(rtol=1e-7).solve(Remembering(), X, Y, 3.0)
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.dual == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_exact_oracle_is_never_replaced(solver):
    class Exact(Remembering):
        oracle_quality = "exact"

        def refine(self, x, y, w, y_hat):
            raise AssertionError("it must not be called")

    X, Y = multilabel_data(0)
    assert solver().solve(Exact(), X, Y, 3.0).status is Status.CONVERGED


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_fault_in_refine_names_it_and_the_example(solver):
    from structsvm import ProblemError

    class Broken(Refining):
        def refine(self, x, y, w, y_hat):
            return None

    X, Y = multilabel_data(0)
    with pytest.raises(ProblemError, match="refine returned None for example 0"):
        solver().solve(Broken(), X, Y, 3.0)
