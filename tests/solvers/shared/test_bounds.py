"""The bounds of a run: which point is the best, with which slacks and which dual solution."""

import math

import numpy as np
import pytest
from toy_problems import ConstrainedMultilabel, LocalSearchMultilabel, Multilabel, multilabel_data

from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.planes.constraints import FEASIBLE
from structsvm.planes.plane import no_cuts
from structsvm.planes.working_set import WorkingSet
from structsvm.solvers.shared.bounds import DualSolution, Step
from structsvm.solvers.shared.program import Program

X, Y = multilabel_data()
C = 10.0
POINTS = list(0.1 * np.random.default_rng(0).normal(size=(5, 9)))


def program_of(problem):
    initialize(problem, X, Y)
    return Program(Examples(problem, X, Y), C)


def cut(program, w):
    return one_slack_cut(program.examples, Y, w)


def considered(program, bounds, w, cuts, dual=None, **planes):
    """The bounds after a pass at w, and the objective there."""
    bounds = bounds or program.first_bounds()
    step = Step(w, cuts, dual or program.zero_dual(Y), Y, **planes)
    return program.considered(bounds, step)


def dual(value, labels):
    return DualSolution(value, 0.0, np.empty(0), (), np.empty(0), 0.0, labels)


# ---------------------------------------------------------------------- the objective


def test_the_objective_is_infinite_where_it_is_unknown_or_a_constraint_is_violated():
    program = program_of(ConstrainedMultilabel("nonnegative"))
    slack, w, zero = np.array([0.5]), np.full(9, 0.1), program.zero_dual(Y)
    assert program.objective(w, slack, zero)[0] == pytest.approx(0.5 * w @ w + C * 0.5)
    assert program.objective(w, np.array([np.inf]), zero)[0] == math.inf
    for factor, finite in ((0.5, True), (2.0, False)):
        w[0] = -factor * FEASIBLE * np.linalg.norm(w)
        assert math.isfinite(program.objective(w, slack, zero)[0]) == finite


# ---------------------------------------------------------------------- the best point


def test_the_lowest_point_is_the_best():
    program, bounds, primals = program_of(Multilabel()), None, []
    for w in POINTS:
        bounds, primal = considered(program, bounds, w, cut(program, w))
        primals.append(primal)
    best = int(np.argmin(primals))
    assert 0 < best, "the first point is not the best of these"
    assert bounds.w is POINTS[best] and bounds.primal == primals[best]
    np.testing.assert_array_equal(bounds.slacks, cut(program, POINTS[best]).slacks)


def test_the_best_dual_is_kept_whatever_the_best_point():
    program, bounds, values = program_of(Multilabel()), None, []
    cuts = cut(program, POINTS[0])
    for value in (1.0, 3.0, 2.0):
        bounds, _ = considered(program, bounds, POINTS[0], cuts, dual(value, Y))
        values.append((bounds.dual.value, bounds.latest.value))
    assert values == [(1.0, 1.0), (3.0, 3.0), (3.0, 2.0)]


def test_a_dual_of_other_labels_replaces_a_higher_one():
    program = program_of(Multilabel())
    cuts, other = cut(program, POINTS[0]), dual(1.0, list(Y))
    bounds, _ = considered(program, None, POINTS[0], cuts, dual(3.0, Y))
    bounds, _ = considered(program, bounds, POINTS[0], cuts, other)
    assert bounds.dual is other


# ---------------------------------------------------------------------- undergenerating oracles


class Missing(LocalSearchMultilabel):
    """Finds nothing at the first point."""

    def separation_oracle(self, x, y, w):
        return y if np.array_equal(w, POINTS[0]) else super().separation_oracle(x, y, w)


@pytest.mark.parametrize("kept", [False, True])
def test_later_planes_raise_the_slack_of_an_earlier_best_point(kept):
    program = program_of(Missing())
    bounds, primal = considered(program, None, POINTS[0], cut(program, POINTS[0]))
    assert primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0], rel=1e-12)
    later = cut(program, POINTS[1])
    slack = later.offsets - later.rows @ POINTS[0]
    if kept:
        planes = WorkingSet(program.caps, program.constraints)
        planes.add(later.rows, later.offsets, later.groups, later.sources)
        bounds, _ = considered(program, bounds, POINTS[1], no_cuts(Y, 9), planes=planes)
    else:
        unknown = later._replace(slacks=np.array([np.inf]))
        bounds, _ = considered(program, bounds, POINTS[1], unknown)
    assert slack > 0 and bounds.w is POINTS[0]
    np.testing.assert_allclose(bounds.slacks, slack)
    assert bounds.primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0] + C * slack[0])


# ---------------------------------------------------------------------- the history
