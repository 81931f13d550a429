"""The loss between two clusterings, which are matrices with orthonormal columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.problems.set_clustering.partitions import overlaps


def clustering_matrix(y: Any) -> Any:
    """Return Y of shape (m, k): in column c, the s items of cluster c have the entry 1 / sqrt(s).

    ``y`` holds labels 0..k-1; a matrix is returned unchanged.
    """
    if y.ndim == 2:
        return y
    sizes = np.bincount(y)
    Y = np.zeros((len(y), len(sizes)))
    Y[np.arange(len(y)), y] = 1 / np.sqrt(sizes[y])
    return Y


def width(y: Any) -> int:
    """Return the number of clusters of ``y``, an array of labels or a matrix."""
    return int(y.shape[1] if y.ndim == 2 else y.max() + 1)


def trace_loss(y: Any, y_hat: Any) -> float:
    r"""Return the loss of a clustering, in [0, 100]: :math:`100 (1 - \|Y^T \hat Y\|_F^2 / k)`.

    Each argument holds labels 0..k-1, or is a matrix with orthonormal columns (Finley & Joachims,
    Supervised k-Means Clustering, equations 16 to 18). The loss is symmetric and does not depend on
    the order of the clusters.

    Raises
    ------
    ValueError
        If the clusterings have different numbers of clusters or of items.
    """
    if len(y) != len(y_hat) or width(y) != width(y_hat):
        raise ValueError(
            "the loss compares clusterings of the same items into equally many clusters; got "
            f"{len(y)} items in {width(y)} clusters and {len(y_hat)} in {width(y_hat)}"
        )
    if y.ndim == y_hat.ndim == 1:
        # (Y' Y_hat)_ab is the overlap of a and b over sqrt(|a| |b|): no matrix of m rows is needed.
        a, b, counts = overlaps(y, y_hat)
        agreement = np.square(counts) / (np.bincount(y)[a] * np.bincount(y_hat)[b])
    else:
        agreement = np.square(clustering_matrix(y).T @ clustering_matrix(y_hat))
    return float(np.clip(100 * (1 - agreement.sum() / width(y)), 0, 100))
