"""The bounds of a run: which point is the best, with which slacks and which dual solution."""

import math

import numpy as np
import pytest
from engine_parts import examples_of
from toy_problems import ConstrainedMultilabel, LocalSearchMultilabel, Multilabel, multilabel_data

from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes.constraints import FEASIBLE
from structsvm.solvers.shared.bounds import Step
from structsvm.solvers.shared.program import Program

X, Y = multilabel_data()
C = 10.0
POINTS = list(0.1 * np.random.default_rng(0).normal(size=(5, 9)))


def program_of(problem):
    return Program(examples_of(problem, X, Y), C)


def cut(program, w):
    return one_slack_cut(program.examples, Y, w)


def considered(program, bounds, w, cuts, dual=None):
    """The bounds after a pass at w, and the objective there."""
    step = Step(w, cuts, dual or program.zero_dual(Y), Y)
    return program.considered(bounds or program.first_bounds(), step)


def test_the_objective_is_infinite_where_it_is_unknown_or_a_constraint_is_violated():
    program = program_of(ConstrainedMultilabel("nonnegative"))
    slack, w, zero = np.array([0.5]), np.full(9, 0.1), program.zero_dual(Y)
    assert program.objective(w, slack, zero)[0] == pytest.approx(0.5 * w @ w + C * 0.5)
    assert program.objective(w, np.array([np.inf]), zero)[0] == math.inf
    for factor, finite in ((0.5, True), (2.0, False)):
        w[0] = -factor * FEASIBLE * np.linalg.norm(w)
        assert math.isfinite(program.objective(w, slack, zero)[0]) == finite


def test_a_dual_of_other_labels_replaces_a_higher_one():
    program = program_of(Multilabel())
    cuts, zero = cut(program, POINTS[0]), program.zero_dual(Y)
    other = zero._replace(value=1.0, labels=list(Y))
    bounds, _ = considered(program, None, POINTS[0], cuts, zero._replace(value=3.0))
    bounds, _ = considered(program, bounds, POINTS[0], cuts, other)
    assert bounds.dual is other


class Missing(LocalSearchMultilabel):
    """Finds nothing at the first point."""

    def separation_oracle(self, x, y, w):
        return y if np.array_equal(w, POINTS[0]) else super().separation_oracle(x, y, w)


def test_later_planes_raise_the_slack_of_an_earlier_best_point():
    program = program_of(Missing())
    bounds, primal = considered(program, None, POINTS[0], cut(program, POINTS[0]))
    assert primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0], rel=1e-12)
    later = cut(program, POINTS[1])
    slack = later.offsets - later.rows @ POINTS[0]
    unknown = later._replace(slacks=np.array([np.inf]))
    bounds, _ = considered(program, bounds, POINTS[1], unknown)
    assert slack > 0 and bounds.w is POINTS[0]
    np.testing.assert_allclose(bounds.slacks, slack)
    assert bounds.primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0] + C * slack[0])
