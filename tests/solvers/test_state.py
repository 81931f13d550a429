"""The state of a run: which point is the best, with which slacks and which dual solution."""

import math

import numpy as np
import pytest
from toy_problems import (
    ConstrainedMultilabel,
    LocalSearchMultilabel,
    Multilabel,
    full_objective,
    multilabel_data,
)

from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.planes import Source
from structsvm.planes.plane import no_cuts
from structsvm.solvers.shared.record import FEASIBLE, CuttingPlaneState, DualSolution, SupportPlane

X, Y = multilabel_data()
C = 10.0
POINTS = list(0.1 * np.random.default_rng(0).normal(size=(5, 9)))


def state_of(problem):
    initialize(problem, X, Y)
    return CuttingPlaneState(Examples(problem, X, Y), C, np.array([6.0]))


def cut(state, w):
    return one_slack_cut(state.examples, state.labels, w)


def dual(value, labels):
    return DualSolution(value, 0.0, np.empty(0), (), np.empty(0), 0.0, labels)


# ---------------------------------------------------------------------- dual solutions


def test_the_support_are_the_planes_with_weight_that_an_oracle_made():
    one, other = (Source(i, ["y"], np.ones(1)) for i in range(2))
    alpha = np.array([0.5, 0.0, 2.0])
    solution = DualSolution(1.0, 0.0, alpha, (one, other, None), np.array([2.0]), 0.0, Y)
    assert solution.support == (SupportPlane(one, 0.5),)
    assert isinstance(solution.support[0].alpha, float)


def test_zero_is_a_dual_solution_for_any_labels():
    zero = DualSolution.zero(Y, 3)
    assert (zero.value, zero.support, zero.labels) == (0.0, (), Y)
    assert zero.multipliers.tolist() == [0.0] * 3


# ---------------------------------------------------------------------- the objective


def test_the_objective_is_that_of_all_outputs():
    state = state_of(Multilabel())
    for w in POINTS:
        expected = full_objective(Multilabel(), X, Y, w, C)
        assert state.objective(w, cut(state, w).slacks) == pytest.approx(expected)


def test_the_objective_is_infinite_where_it_is_unknown_or_a_constraint_is_violated():
    state = state_of(ConstrainedMultilabel("nonnegative"))
    slack, w = np.array([0.5]), np.full(9, 0.1)
    assert state.objective(w, slack) == pytest.approx(0.5 * w @ w + C * 0.5)
    assert state.objective(w, np.array([np.inf])) == math.inf
    for factor, finite in ((0.5, True), (2.0, False)):
        w[0] = -factor * FEASIBLE * np.linalg.norm(w)
        assert math.isfinite(state.objective(w, slack)) == finite


# ---------------------------------------------------------------------- the best point


def test_the_lowest_point_is_the_best():
    state = state_of(Multilabel())
    primals = [state.consider(w, cut(state, w)) for w in POINTS]
    best = int(np.argmin(primals))
    assert 0 < best, "the first point is not the best of these"
    assert state.best.w is POINTS[best] and state.best.primal == primals[best]
    np.testing.assert_array_equal(state.best.slacks, cut(state, POINTS[best]).slacks)


def test_a_point_of_unknown_objective_is_not_the_best():
    state = state_of(Multilabel())
    state.consider(POINTS[0], cut(state, POINTS[0]))
    assert state.consider(POINTS[1], no_cuts(Y, 9)) == math.inf
    assert state.best.w is POINTS[0]


def test_the_best_dual_is_kept_whatever_the_best_point():
    state = state_of(Multilabel())
    values = []
    for value in (1.0, 3.0, 2.0):
        state.dual = dual(value, state.labels)
        state.consider(POINTS[0], cut(state, POINTS[0]))
        values.append(state.best.dual.value)
    assert values == [1.0, 3.0, 3.0]


def test_a_dual_of_other_labels_replaces_a_higher_one():
    state = state_of(Multilabel())
    state.dual = dual(3.0, state.labels)
    state.consider(POINTS[0], cut(state, POINTS[0]))
    state.dual = dual(1.0, list(Y))
    state.consider(POINTS[0], cut(state, POINTS[0]))
    assert state.best.dual is state.dual


# ---------------------------------------------------------------------- undergenerating oracles


class Missing(LocalSearchMultilabel):
    """Finds nothing at the first point."""

    def separation_oracle(self, x, y, w):
        return y if np.array_equal(w, POINTS[0]) else super().separation_oracle(x, y, w)


@pytest.mark.parametrize("kept", [False, True])
def test_later_planes_raise_the_slack_of_an_earlier_best_point(kept):
    state = state_of(Missing())
    primal = state.consider(POINTS[0], cut(state, POINTS[0]))
    assert primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0], rel=1e-12)
    later = cut(state, POINTS[1])
    slack = later.offsets - later.rows @ POINTS[0]
    if kept:
        state.working_set.add_cuts(later)
        state.consider(POINTS[1], no_cuts(Y, 9))
    else:
        state.consider(POINTS[1], later._replace(slacks=np.array([np.inf])))
    assert slack > 0 and state.best.w is POINTS[0]
    np.testing.assert_allclose(state.best.slacks, slack)
    assert state.best.primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0] + C * slack[0])


def test_the_slacks_of_an_exact_oracle_are_kept():
    state = state_of(Multilabel())
    state.consider(POINTS[0], no_cuts(Y, 9, slacks=np.array([0.0])))
    best = state.best
    assert state.reconsidered(best, cut(state, POINTS[1])) is best


# ---------------------------------------------------------------------- the history


def test_a_pass_is_recorded_with_the_numbers_that_a_callback_gets():
    state = state_of(Multilabel())
    for number, w in enumerate(POINTS[:3], start=1):
        found = cut(state, w)
        recorded = state.record(w, found)
        assert recorded is state.history[-1] and recorded.iteration == number
        assert recorded.primal == state.objective(w, found.slacks)
        assert recorded.best_primal == state.best.primal == min(p.primal for p in state.history)
        assert recorded.gap == recorded.best_primal - recorded.dual
        assert recorded.oracle_calls == 6 * number and recorded.n_planes == number - 1
        state.working_set.add_cuts(found)
        state.solve_restricted()
    assert state.dual.value > 0 and len(state.dual.support) > 0
    assert 0 < state.qp_seconds < state.seconds
