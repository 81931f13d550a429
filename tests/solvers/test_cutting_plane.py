"""The loop of the cutting-plane solvers: any start, any tolerance, and refined outputs."""

from itertools import pairwise

import numpy as np
import pytest
from toy_problems import (
    ConstrainedMultilabel,
    ForgettingMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    Refining,
    full_objective,
    full_optimum,
    multilabel_data,
)

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, Status

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()
C = 100.0


def solve(problem=None, solver=OneSlackCuttingPlane, w0=None, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C, w0=w0)


# ---------------------------------------------------------------------- starts and tolerances


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weight", [1e-2, 1e4])
def test_zero_tolerance_ends(solver, seed, weight):
    data = multilabel_data(seed)
    result = solver(rtol=0, atol=0, max_iter=500).solve(Multilabel(), *data, weight)
    assert result.status in (Status.NUMERICAL, Status.CONVERGED)
    assert abs(result.gap) <= 1e-8 * result.primal


def test_rtol_and_atol_decide_when_to_stop():
    loose, tight = solve(rtol=0.1), solve(rtol=1e-6)
    assert loose.iterations < tight.iterations
    assert tight.gap <= 1e-6 * tight.primal < loose.gap <= 0.1 * loose.primal
    absolute = solve(rtol=0, atol=0.5)
    assert absolute.status is Status.CONVERGED
    assert absolute.gap <= 0.5 < absolute.history[-2].gap


def test_one_slack_adds_a_plane_a_pass_and_n_slacks_one_for_each_example_violated():
    one, each = ([step.n_planes for step in solve(solver=s, rtol=1e-6).history] for s in SOLVERS)
    assert one[0] == 0 and set(np.diff(one)) <= {0, 1}
    assert each[1] == len(X), "at w = 0 every example is violated"
    assert all(after < before + len(X) for before, after in pairwise(each[1:]))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e3, 1e6])
def test_any_start_leads_to_the_optimum(solver, size):
    optimum, best = full_optimum(Multilabel(), X, Y, C)
    w0 = best + size * np.random.default_rng(0).normal(size=len(best))
    start = w0.copy()
    result = solve(solver=solver, w0=w0, rtol=1e-7)
    assert result.status is Status.CONVERGED
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.history[0].primal == pytest.approx(full_objective(Multilabel(), X, Y, w0, C))
    np.testing.assert_array_equal(w0, start)
    assert not np.shares_memory(result.w, w0)


class Scaled(ConstrainedMultilabel):
    """With constraints times a factor, which changes nothing."""

    scale = 1.0

    def constraints(self):
        A, b = super().constraints()
        return self.scale * A, self.scale * b


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("kind", "scale"), [("nonnegative", 1.0), ("balanced", 1e-9), ("equality", 1.0), ("floor", 1e9)]
)
def test_an_infeasible_start_is_projected_and_ends_at_the_optimum(solver, kind, scale):
    plain, problem = ConstrainedMultilabel(kind), Scaled(kind)
    problem.scale = scale
    optimum, best = full_optimum(plain, X, Y, C)
    A, b = plain.constraints()
    w0 = -np.arange(1.0, len(best) + 1)
    assert np.any(A @ w0 > b + 0.1)
    for options in ({"max_iter": 1}, {"rtol": 1e-7}):
        result = solve(problem, solver, w0=w0, **options)
        assert np.isfinite(result.history[0].primal) and np.isfinite(result.primal)
        assert result.verify(problem, X, Y).matches
    assert result.status is Status.CONVERGED and np.all(A @ result.w <= b + 1e-6)
    assert result.primal == pytest.approx(optimum, rel=2e-7)


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


# ---------------------------------------------------------------------- refined outputs


class Climbing(Refining, LocalSearchMultilabel):
    """Continues from an earlier output; counts how often."""

    def __init__(self, n_labels=3):
        super().__init__(n_labels)
        self.refined = 0

    def refined_output(self, x, y, w, y_hat):
        self.refined += 1
        return self.climbed(x, y, w, y_hat)


class Exact(Climbing):
    """An oracle that misses nothing."""

    oracle_quality = "exact"
    separation_oracle = Multilabel.separation_oracle


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", [Climbing, Exact])
def test_refining_saves_searches_which_have_the_last_word(solver, kind):
    X, Y = multilabel_data(0, n_labels=4)
    exact = kind is Exact
    without = Multilabel(4) if exact else LocalSearchMultilabel(4)
    plain = solver(rtol=1e-6).solve(without, X, Y, 10.0)
    problem = kind(4)
    result = solver(rtol=1e-6).solve(problem, X, Y, 10.0, copy=False)
    assert result.status is plain.status is Status.CONVERGED
    assert problem.refined > 0 and result.oracle_calls < plain.oracle_calls
    assert result.guarantee == plain.guarantee and result.verify(without, X, Y).matches
    optimum, _ = full_optimum(Multilabel(4), X, Y, 10.0)
    assert result.dual <= optimum * (1 + 1e-9)
    assert not exact or result.primal >= optimum * (1 - 1e-9)
    # Passes that only refine leave the objective unknown.
    before = 0
    for step in result.history:
        assert step.oracle_calls in (before, before + len(X))
        assert np.isfinite(step.primal) == (step.oracle_calls > before) or exact
        assert step.gap == step.best_primal - step.dual
        before = step.oracle_calls
    assert any(not np.isfinite(step.primal) for step in result.history)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("quality", ["undergenerating", "overgenerating"])
def test_refining_in_vain_leads_to_the_optimum_and_a_relaxed_oracle_is_never_replaced(
    solver, quality
):
    class Remembering(Refining):
        oracle_quality = quality

        def refined_output(self, x, y, w, y_hat):
            assert quality != "overgenerating"
            return y_hat

    X, Y = multilabel_data(0)
    optimum, _ = full_optimum(Multilabel(), X, Y, 3.0)
    result = solver(rtol=1e-7).solve(Remembering(), X, Y, 3.0)
    assert result.primal == pytest.approx(optimum, rel=1e-6)
    assert result.dual == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_error_in_refine_names_it_and_the_example(solver):
    class Broken(Refining):
        def refined_output(self, x, y, w, y_hat):
            return None

    X, Y = multilabel_data(0)
    with pytest.raises(ProblemError, match=r"RefiningTask\.refine returned None for example 0"):
        solver().solve(Broken(), X, Y, 3.0)
