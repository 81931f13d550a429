"""The mini-batches of a task: their soft sums, their examples, and what is refused."""

import numpy as np
import pytest
from changed_tasks import with_answer
from scipy import sparse

from structsvm import ProblemError
from structsvm.oracle.minibatches import minibatches_of
from structsvm.problems import Multiclass
from structsvm.problems.classification.multiclass import task as multiclass
from structsvm.task.bound import bound


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(multiclass, "ROWS", 5)
    monkeypatch.setattr(multiclass, "FEWEST_ROWS", 5)


def texts(convert=sparse.csr_matrix, n=40, d=60):
    """Rows with two of d features each, the second of them rare."""
    rng = np.random.default_rng(0)
    y, X = rng.integers(3, size=n), np.zeros((n, d))
    X[np.arange(n), y] = 1.5
    X[np.arange(n), rng.integers(3, d, size=n)] = 1
    return convert(X), y


def task_of(X, Y, kind=Multiclass):
    problem = kind()
    problem.initialize(X, Y)
    return bound(problem, X, Y, np.arange(100, 100 + len(Y)))


@pytest.mark.parametrize("convert", [sparse.csr_matrix, np.asarray])
def test_soft_sums_and_curvatures_add_up(convert):
    task = task_of(*texts(convert))
    w, mu = np.random.default_rng(1).normal(size=task.size), 0.3
    whole, minibatches = task.soft(w, mu, np.ones(task.n)), minibatches_of(task)
    total, curvature, values, loss = np.zeros(task.size), np.zeros(task.size), np.zeros(40), 0.0
    for places, columns, own in minibatches:
        np.testing.assert_array_equal(own.index, 100 + places)
        soft = own.soft(columns.of(w), mu, np.ones(own.n))
        values[places] = soft.values
        columns.add(total, soft.joint_feature_difference)
        columns.add(curvature, own.curvature(columns.of(w), mu, np.ones(own.n)))
        loss += soft.loss
    if sparse.issparse(task.X):
        assert max(columns.m for _, columns, _ in minibatches) < 0.7 * task.size
    assert len(minibatches) == (8 if sparse.issparse(task.X) else 1)
    np.testing.assert_allclose(values, whole.values, atol=1e-12)
    np.testing.assert_allclose(total, whole.joint_feature_difference, atol=1e-12)
    np.testing.assert_allclose(curvature, task.curvature(w, mu, np.ones(task.n)), atol=1e-12)
    assert loss == pytest.approx(whole.loss)


def with_columns(change):
    return lambda batches: [batch._replace(columns=change(batch.columns)) for batch in batches]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda batches: batches[1:], "each of 40 examples in one mini-batch"),
        (lambda batches: [*batches, batches[0]], "each of 40 examples in one mini-batch"),
        (lambda batches: [], "it returned 0 places"),
        (with_columns(lambda columns: columns + 1), "rising integers"),
        (with_columns(lambda columns: columns[:0]), "rising integers"),
        (with_columns(lambda columns: columns[::-1]), "rising integers"),
        (with_columns(lambda columns: columns + 0.0), "rising integers"),
        (lambda batches: 1 / 0, r"MulticlassTask\.minibatches raised ZeroDivisionError"),
    ],
)
def test_what_is_no_division_is_refused(change, message):
    given = with_answer(Multiclass, "minibatches", change)
    with pytest.raises(ProblemError, match=message):
        minibatches_of(task_of(*texts(), kind=given))


def test_no_columns_stand_for_all():
    all_columns = with_answer(Multiclass, "minibatches", with_columns(lambda columns: None))
    whole = task_of(*texts(np.asarray), kind=all_columns)
    w = np.random.default_rng(1).normal(size=whole.size)
    for minibatch in minibatches_of(whole):
        np.testing.assert_array_equal(minibatch.columns.of(w), w)


def test_a_difference_of_the_length_of_w_is_refused():
    X, Y = texts()
    size = task_of(X, Y).size
    whole = with_answer(
        Multiclass, "soft", lambda soft: soft._replace(joint_feature_difference=np.zeros(size))
    )
    _, columns, own = minibatches_of(task_of(X, Y, whole))[0]
    with pytest.raises(ProblemError, match=f"shape \\({columns.m},\\)"):
        own.soft(np.zeros(columns.m), 1.0, np.ones(own.n))
