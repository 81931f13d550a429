"""Multiclass: joint features and costs as documented, memory, and bad data."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from structsvm import DualCoordinateAscent, SmoothedLBFGS, Status
from structsvm.problems import Multiclass


def test_psi_and_cost_are_as_documented():
    cost = [[0, 1, 5], [2, 0, 0.5], [9, 1, 0]]
    problem = Multiclass(cost)
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ["c", "a", "b"]
    problem.initialize(X, y)
    assert problem.size_joint_feature == 6
    np.testing.assert_array_equal(problem.joint_feature(X[0], "c"), [0, 0, 0, 0, 1, 2])
    assert problem.loss("a", "c") == 5
    assert problem.loss("c", "a") == 9
    assert problem.max_loss == 9


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 1], "numpy array or a scipy.sparse matrix; got list"),
        (np.ones(2), [0, 1], r"2-d .* got shape \(2,\)"),
        (np.array([["a"], ["b"]]), [0, 1], "real numbers; got dtype <U1"),
        (np.array([[np.nan], [1.0]]), [0, 1], "NaN or infinity"),
        (sparse.csr_matrix([[np.inf], [1.0]]), [0, 1], "NaN or infinity"),
        (np.eye(2), ["a", "a"], "one class only"),
        (np.eye(2), [0, np.nan], r"Y\[1\] is NaN; every row needs a label"),
        (np.eye(2), ["a", None], r"Y\[1\] is None; every row needs a label"),
        (np.eye(2), np.eye(2), r"1-d, one label per example; got shape \(2, 2\)"),
    ],
)
def test_unusable_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        Multiclass().initialize(X, y)


@pytest.mark.parametrize("wrong", [1j, 10**400, "0"])
def test_a_cost_that_is_no_real_number(wrong):
    with pytest.raises(ValueError, match="cost must hold real numbers"):
        Multiclass([[0, wrong], [1, 0]]).initialize(np.eye(2), [0, 1])


def test_single_precision_is_not_copied():
    X = np.ones((5000, 100), dtype=np.float32)
    y = np.arange(5000) % 3
    problem = Multiclass()
    problem.initialize(X, y)
    w, task = np.linspace(0, 1, 300), problem.task(X, y)
    tracemalloc.start()
    found = task.search(w)
    task.decode(w)
    task.plane(found, np.full(len(y), 1e-4))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 2


def test_the_order_of_sparse_entries_is_left_as_it_is():
    X = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]))
    X.indices, X.data = X.indices[::-1].copy(), X.data[::-1].copy()
    X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
    before = X.indices.copy(), X.data.copy()
    SmoothedLBFGS().solve(Multiclass(), X, ["a", "b", "c"], 10.0)
    np.testing.assert_array_equal(X.indices, before[0])
    np.testing.assert_array_equal(X.data, before[1])


def test_a_mini_batch_may_be_empty_rows():
    X, y = np.eye(3)[np.arange(128) % 3], np.arange(128) % 3
    X[::4] = 0  # the first of four mini-batches
    result = DualCoordinateAscent().solve(Multiclass(), sparse.csr_matrix(X), y, 100.0)
    assert result.status is Status.CONVERGED
