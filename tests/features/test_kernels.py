"""Kernel matrices: unusable ones are refused, rounding is not."""

import numpy as np
import pytest
from feature_rows import centred, gram, rows
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from structsvm.features import feature_map
from structsvm.features.kernels import Kernel, median_distance


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((4, 3)), r"square kernel matrix .* got shape \(4, 3\)"),
        (
            np.triu(np.ones((4, 4))),
            r"must be symmetric; .* differ by up to 1\. .* \(X \+ X.T\) / 2",
        ),
        (np.diag([1.0, -1.0, 2.0]), "positive semidefinite; .* go from -1 to 2. .* to 0"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "positive semidefinite; .* go from -1 to 1"),
        (np.ones((4, 4)), "the kernel is constant"),
        (np.zeros((4, 4)), "the kernel is constant"),
    ],
)
def test_unusable_kernel_matrices(K, message):
    with pytest.raises(ValueError, match=message):
        feature_map("precomputed", K).fit_transform(K)


def test_rounding_in_a_kernel_matrix_is_let_pass():
    K = rbf_kernel(rows(), gamma=0.01).astype(np.float32)
    K[0, 1] *= 1 + 1e-7
    Z = feature_map("precomputed", K).fit_transform(K)
    np.testing.assert_allclose(gram(Z), centred(K.astype(float)), atol=1e-5)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x, y: 1.0, "the kernel is constant"),
        (lambda x, y: -float(x @ y), "positive semidefinite"),
        (lambda x, y: np.nan, "finite numbers; it gave NaN or infinity"),
    ],
)
def test_unusable_callables(kernel, message):
    X = rows()
    with pytest.raises(ValueError, match=message):
        feature_map(kernel, X).fit_transform(X)


def test_the_training_matrix_is_a_copy_of_a_precomputed_one():
    K = rbf_kernel(rows(8))
    made = Kernel("precomputed").training_matrix(K)
    np.testing.assert_array_equal(made, K)
    assert not np.shares_memory(made, K)


def test_the_median_distance_leaves_copies_out():
    X = np.vstack([rows(6), rows(6)])
    distances = euclidean_distances(rows(6))[np.triu_indices(6, 1)]
    # Each pair of different rows occurs four times among the copies.
    assert median_distance(X) == pytest.approx(np.median(distances))
    with pytest.raises(ValueError, match="at least two different rows"):
        median_distance(np.ones((4, 3)))
