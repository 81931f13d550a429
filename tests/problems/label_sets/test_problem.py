"""Problems of label sets: oracles and soft oracles against enumeration, and bad data."""

import numpy as np
import pytest
from cases.problems import label_sets
from enumeration import enumerated
from label_set_data import all_sets, f1_loss
from refusals import refused

from structsvm import OneSlackCuttingPlane
from structsvm.problems import AttractiveLabelSet, LabelSet, RelaxedLabelSet
from structsvm.problems.label_sets.task import variance

COSTS = ["hamming", "f1", [1.0, 0.0, 2.0, 0.5], [[1, 2], [0, 1], [3, 0], [1, 1]]]


def own_loss(cost, y, z):
    if isinstance(cost, str) and cost == "f1":
        return f1_loss(y, z)
    table = np.ones(len(y)) if isinstance(cost, str) else np.array(cost, dtype=float)
    missed, extra = (table, table) if table.ndim == 1 else table.T
    total = 0.0
    for label, (true, found) in enumerate(zip(y, z, strict=True)):
        total += missed[label] * (true and not found) + extra[label] * (found and not true)
    return total / len(y)


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_outputs_are_all_sets_and_losses_those_of_the_definition(cost):
    problem = LabelSet(cost=cost)
    X, Y = label_sets(0)
    problem.initialize(X, Y)
    outputs = list(problem.outputs(X[0]))
    assert sorted(map(tuple, outputs)) == sorted(map(tuple, all_sets(4)))
    for y in Y:
        own = [problem.loss(y, z) for z in outputs]
        np.testing.assert_allclose(own, [own_loss(cost, y, z) for z in outputs], atol=1e-12)


def test_bounds_hold_where_one_row_is_much_larger_than_the_others():
    rng, problem = np.random.default_rng(0), AttractiveLabelSet()
    X, Y = rng.normal(size=(10, 4)), rng.integers(2, size=(10, 3))
    X[0] *= 1e9
    result = OneSlackCuttingPlane(max_iter=60).solve(problem, X, Y, C=10.0)
    problem.initialize(X, Y)
    slacks = []
    for x, y in zip(X, Y, strict=True):
        _, rows, losses = enumerated(problem, x, y)
        slacks.append(np.max(losses - rows @ result.w))
    primal = 10.0 * np.mean(slacks) + 0.5 * result.w @ result.w
    assert result.dual <= primal <= result.primal


@pytest.mark.parametrize("rounding", [-1e-16, 0, 1e-16])
def test_probabilities_may_be_rounded(rounding):
    assert variance(np.array([1 + rounding, 0.5])).min() >= 0


test_bad_data_are_refused = refused(
    lambda problem, Y: problem.initialize(np.ones((3, 2)), Y),
    (LabelSet(), None, "needs the outputs Y"),
    (LabelSet(), [0, 1, 1], "must be 2-d"),
    (LabelSet(), [[0, 2], [0, 1], [1, 1]], r"Y\[0, 1\] is 2"),
    (LabelSet(), [[0, 1], [0, np.nan], [1, 1]], "Y contains NaN|is nan"),
    (LabelSet(), [["a", "b"]] * 3, "MultiLabelBinarizer"),
    (LabelSet(), [{"rain"}, {"sun", "wind"}, set()], "MultiLabelBinarizer"),
    (LabelSet(), [[0, 1], [1, 1]], "3 examples"),
    (LabelSet("chain"), np.eye(3), "structure must be"),
    (LabelSet(cost="jaccard"), np.eye(3), "cost must be"),
    (LabelSet(cost=[1, 2]), np.eye(3), "cost must be"),
    (LabelSet(cost=[1, -2, 1]), np.eye(3), "cost must be finite, >= 0"),
    (LabelSet(cost=[0, 0, 0]), np.eye(3), "> 0 somewhere"),
    (LabelSet(pair_scale=0.0), np.eye(3), "pair_scale"),
    (LabelSet("pairs"), np.zeros((3, 15)), "RelaxedLabelSet"),
    (LabelSet("tree", "f1"), np.zeros((3, 15)), "structure='independent'"),
    (RelaxedLabelSet(cost="f1"), np.eye(3), "attractive=False"),
    (AttractiveLabelSet(cost="f1"), np.eye(3), "attractive=False"),
)
