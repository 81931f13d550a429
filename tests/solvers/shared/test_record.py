"""The record of a run: which point is the best, with which slacks and which dual solution."""

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

from structsvm import OneSlackCuttingPlane
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.planes import Source, SupportPlane
from structsvm.planes.constraints import FEASIBLE
from structsvm.planes.plane import no_cuts
from structsvm.planes.working_set import WorkingSet
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.record import DualSolution, Record

X, Y = multilabel_data()
C = 10.0
POINTS = list(0.1 * np.random.default_rng(0).normal(size=(5, 9)))


def record_of(problem):
    initialize(problem, X, Y)
    return Record(Examples(problem, X, Y), C)


def cut(record, w):
    return one_slack_cut(record.examples, record.labels, w)


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
    record = record_of(Multilabel())
    for w in POINTS:
        expected = full_objective(Multilabel(), X, Y, w, C)
        assert record.objective(w, cut(record, w).slacks) == pytest.approx(expected)


def test_the_objective_is_infinite_where_it_is_unknown_or_a_constraint_is_violated():
    record = record_of(ConstrainedMultilabel("nonnegative"))
    slack, w = np.array([0.5]), np.full(9, 0.1)
    assert record.objective(w, slack) == pytest.approx(0.5 * w @ w + C * 0.5)
    assert record.objective(w, np.array([np.inf])) == math.inf
    for factor, finite in ((0.5, True), (2.0, False)):
        w[0] = -factor * FEASIBLE * np.linalg.norm(w)
        assert math.isfinite(record.objective(w, slack)) == finite


# ---------------------------------------------------------------------- the best point


def test_the_lowest_point_is_the_best():
    record = record_of(Multilabel())
    primals = [record.consider(w, cut(record, w)) for w in POINTS]
    best = int(np.argmin(primals))
    assert 0 < best, "the first point is not the best of these"
    assert record.best.w is POINTS[best] and record.best.primal == primals[best]
    np.testing.assert_array_equal(record.best.slacks, cut(record, POINTS[best]).slacks)


def test_a_point_of_unknown_objective_is_not_the_best():
    record = record_of(Multilabel())
    record.consider(POINTS[0], cut(record, POINTS[0]))
    assert record.consider(POINTS[1], no_cuts(Y, 9)) == math.inf
    assert record.best.w is POINTS[0]


def test_the_best_dual_is_kept_whatever_the_best_point():
    record = record_of(Multilabel())
    values = []
    for value in (1.0, 3.0, 2.0):
        record.dual = dual(value, record.labels)
        record.consider(POINTS[0], cut(record, POINTS[0]))
        values.append(record.best.dual.value)
    assert values == [1.0, 3.0, 3.0]


def test_a_dual_of_other_labels_replaces_a_higher_one():
    record = record_of(Multilabel())
    record.dual = dual(3.0, record.labels)
    record.consider(POINTS[0], cut(record, POINTS[0]))
    record.dual = dual(1.0, list(Y))
    record.consider(POINTS[0], cut(record, POINTS[0]))
    assert record.best.dual is record.dual


# ---------------------------------------------------------------------- undergenerating oracles


class Missing(LocalSearchMultilabel):
    """Finds nothing at the first point."""

    def separation_oracle(self, x, y, w):
        return y if np.array_equal(w, POINTS[0]) else super().separation_oracle(x, y, w)


@pytest.mark.parametrize("kept", [False, True])
def test_later_planes_raise_the_slack_of_an_earlier_best_point(kept):
    record = record_of(Missing())
    primal = record.consider(POINTS[0], cut(record, POINTS[0]))
    assert primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0], rel=1e-12)
    later = cut(record, POINTS[1])
    slack = later.offsets - later.rows @ POINTS[0]
    if kept:
        record.planes = WorkingSet(record.caps, record.constraints)
        record.planes.add(later.rows, later.offsets, later.groups, later.sources)
        record.consider(POINTS[1], no_cuts(Y, 9))
    else:
        record.consider(POINTS[1], later._replace(slacks=np.array([np.inf])))
    assert slack > 0 and record.best.w is POINTS[0]
    np.testing.assert_allclose(record.best.slacks, slack)
    assert record.best.primal == pytest.approx(0.5 * POINTS[0] @ POINTS[0] + C * slack[0])


def test_the_slacks_of_an_exact_oracle_are_kept():
    record = record_of(Multilabel())
    slacks = np.array([0.0])
    record.consider(POINTS[0], no_cuts(Y, 9, slacks=slacks))
    record.consider(POINTS[1], cut(record, POINTS[1])._replace(slacks=np.array([np.inf])))
    assert record.best.slacks is slacks


# ---------------------------------------------------------------------- the history


def test_a_pass_is_recorded_with_the_numbers_that_a_callback_gets():
    algorithm = OneSlackCuttingPlane().begin(record := record_of(Multilabel()), Start())
    for number, w in enumerate(POINTS[:3], start=1):
        found = cut(record, w)
        recorded = record.add_pass(w, found)
        assert recorded is record.history[-1] and recorded.iteration == number
        assert recorded.primal == record.objective(w, found.slacks)
        assert recorded.best_primal == record.best.primal == min(p.primal for p in record.history)
        assert recorded.gap == recorded.best_primal - recorded.dual
        assert recorded.oracle_calls == 6 * number and recorded.n_planes == number - 1
        algorithm.add(found)
    assert record.dual.value > 0 and len(record.dual.support) > 0
    assert 0 < record.qp_seconds < record.seconds
