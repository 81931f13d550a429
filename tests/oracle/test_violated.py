"""From outputs to losses and rows, against loops over the examples."""

import numpy as np
import pytest
from changed_tasks import with_answer
from scipy import sparse
from toy_problems import LocalSearchMultilabel, Multilabel, multilabel_data

from structsvm.objective.surrogate import Surrogate
from structsvm.oracle.setup import initialize
from structsvm.oracle.violated import mean_plane, planes_above, weighted_planes
from structsvm.problems import Multiclass
from structsvm.task.bound import bound

X, Y = multilabel_data()
#: The task holds 6 of that many examples.
N = 11
W = np.random.default_rng(1).normal(size=9)

KINDS = pytest.mark.parametrize(
    ("kind", "rescaling"),
    [(Multilabel, "margin"), (Multilabel, "slack"), (LocalSearchMultilabel, "margin"),
     (LocalSearchMultilabel, "slack")],
)  # fmt: skip


def task_of(problem, rescaling="margin", X=X, Y=Y):
    initialize(problem, X, Y)
    return bound(problem, X, Y, np.arange(len(X)), Surrogate(rescaling))


def planes(problem, outputs, rescaling, labels=Y):
    """Row and offset of each example's plane, one at a time."""
    rows, offsets = [], []
    for x, y, output in zip(X, labels, outputs, strict=True):
        loss = problem.loss(y, output)
        row = problem.joint_feature(x, y) - problem.joint_feature(x, output)
        rows.append(row if rescaling == "margin" else loss * row)
        offsets.append(loss)
    return np.array(rows), np.array(offsets)


@KINDS
def test_the_mean_plane_is_the_sum_over_n(kind, rescaling):
    task = task_of(kind(), rescaling)
    row, (outputs, loss, weights, any_loss) = mean_plane(task, W, N)
    rows, offsets = planes(task.problem, outputs, rescaling)
    counted = np.ones(6)
    if kind is LocalSearchMultilabel:  # an output below the true one is replaced by that
        counted = (offsets >= rows @ W).astype(float)
        np.testing.assert_allclose(weights, counted / N)
    else:
        assert weights is None
    np.testing.assert_allclose(row, counted @ rows / N, atol=1e-12)
    assert loss == pytest.approx(counted @ offsets / N)
    assert any_loss


def test_an_undergenerating_oracle_adds_nothing_where_the_true_output_scores_higher():
    task = task_of(LocalSearchMultilabel())
    outputs = [tuple(1 - bit for bit in y) for y in Y]
    rows, offsets = planes(task.problem, outputs, "margin")
    w = rows[0] / (rows[0] @ rows[0]) * (offsets[0] + 1)  # example 0 has violation -1
    row, (*_, weights, _) = mean_plane(task, w, N, outputs)
    counted = offsets >= rows @ w
    assert not counted[0] and counted.any()
    np.testing.assert_allclose(weights, counted / N)
    np.testing.assert_allclose(row, counted @ rows / N, atol=1e-12)


def test_given_outputs_are_used_and_the_oracle_is_not_called():
    task = task_of(Multilabel())
    row, (_, loss, _, any_loss) = mean_plane(task, W, N, list(Y))
    assert (loss, any_loss, task.tally.calls) == (0.0, False, 0)
    assert not row.any()
    assert len(planes_above(task, W, np.zeros(6), list(Y)).violated) == task.tally.calls == 0


@KINDS
def test_planes_above_a_threshold_are_those_of_a_loop(kind, rescaling):
    task = task_of(kind(), rescaling)
    slacks = planes_above(task, W, np.zeros(6)).slacks
    thresholds = np.where(np.arange(6) % 2, slacks, np.median(slacks))
    found = planes_above(task, W, thresholds)
    rows, offsets = planes(task.problem, found.outputs, rescaling)
    np.testing.assert_allclose(found.slacks, np.maximum(offsets - rows @ W, 0), atol=1e-12)
    np.testing.assert_array_equal(found.losses, offsets)
    above = [i for i in range(6) if found.slacks[i] > thresholds[i]]
    assert 0 < len(above) < 6 and found.violated.tolist() == above
    dense = found.rows.toarray() if sparse.issparse(found.rows) else found.rows
    np.testing.assert_allclose(dense, rows[above], atol=1e-12)


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_weighted_planes_are_sums_of_earlier_passes(rescaling):
    task = task_of(Multilabel(), rescaling)
    rng = np.random.default_rng(0)
    passes = [task.search(rng.normal(size=9)) for _ in range(3)]
    weights = rng.random((6, 3))
    labels = [tuple(1 - bit for bit in y) for y in Y]
    found_rows, found_offsets = weighted_planes(task.with_labels(labels), weights, *passes)
    for j in range(3):
        rows, offsets = planes(task.problem, passes[j], rescaling, labels)
        np.testing.assert_allclose(found_rows[j], weights[:, j] @ rows, atol=1e-12)
        assert found_offsets[j] == pytest.approx(weights[:, j] @ offsets)


#: Its rows are sparse even where few entries are 0.
Thin = with_answer(Multiclass, "differences", sparse.csr_matrix)


@pytest.mark.parametrize("problem", [Multiclass, Thin])
@pytest.mark.parametrize("fraction", [0.05, 0.9])
def test_rows_are_sparse_where_that_is_smaller(fraction, problem):
    rng = np.random.default_rng(0)
    data = np.where(rng.random((30, 40)) < fraction, rng.normal(size=(30, 40)), 0)
    task = task_of(problem(), X=data, Y=rng.integers(3, size=30))
    found = planes_above(task, rng.normal(size=task.size), np.zeros(30))
    assert sparse.issparse(found.rows) == (fraction < 0.5)
