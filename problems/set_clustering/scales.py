"""Divisors of the pair vectors, which make the units of the features irrelevant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import norm

from structsvm.data.arrays import Vector
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet

#: A variance below this fraction of the mean square is a rounding error: the feature is constant.
NEGLIGIBLE_VARIANCE = 1e-24
#: A typical norm below this fraction of the largest joint feature is a rounding error, not a scale.
NEGLIGIBLE = 1e-12


def feature_scales(item_sets: Sequence[ItemSet], weights: Vector) -> Vector:
    """Return a typical size of each coordinate of the pair vectors, shape (n_features,).

    The scale of a pair feature is s / sqrt(f), where s is the standard deviation of the feature
    over pairs of different items, and f is the fraction of pairs for which the feature is not 0. A
    rare feature has about the same scale as a more frequent feature with the same nonzero values.
    If a coordinate is the product of the values of a node feature at two items, its scale is v / f,
    where v is the variance of the node feature, and f is the fraction of items with a nonzero
    value. The scale of a constant feature is its absolute value, or 1 if it is always 0.

    Parameters
    ----------
    item_sets : sequence of n ItemSet
    weights : ndarray of shape (n,)
        The weight of each set in the averages over all sets.
    """
    moments = np.array([_moments(items) for items in item_sets])
    variance, square, filled = np.average(moments, axis=0, weights=weights)
    variance = np.where(variance > NEGLIGIBLE_VARIANCE * square, variance, square)
    # Products of the features of two items have the unit of a square, as the variance has.
    scales = variance / np.where(filled > 0, filled, 1.0)
    pairs = slice(item_sets[0].n_node_features, None)
    scales[pairs] = np.sqrt(scales[pairs])
    return np.where(scales > 0, scales, 1.0)


def typical_norm(problem: Any, inputs: Any, codes: Any, weights: Vector) -> float:
    """Return the root mean square of the norms of ``lack_of_chance``; 1 if it is negligible.

    The vector ``lack_of_chance`` is Psi(x, y) minus the mean of Psi(x, y) over permuted labels.
    """
    examples = list(zip(inputs, codes, strict=True))
    # Use the norm of scipy, since that of numpy overflows for numbers above 1e154.
    lacks = np.array([norm(problem.lack_of_chance(x, y)) for x, y in examples])
    # Include all items in one cluster: ``lack_of_chance`` is a difference of these sums.
    every = [(x, each) for x, y in examples for each in (y, problem.one_cluster(x))]
    sizes = [norm(problem.joint_feature(x, each)) for x, each in every]
    typical = norm(np.sqrt(weights / weights.sum()) * lacks)
    return float(typical) if typical > NEGLIGIBLE * max(sizes) else 1.0


def _moments(items: ItemSet) -> Vector:
    """Return variance, mean square and fraction of nonzeros of each feature, (3, n_features)."""
    parts = []
    if items.nodes is not None:
        parts.append(_column_moments(items.nodes, len(items)))
    if items.pairs is not None:
        rows, cols, features = items.pairs
        parts.append(_column_moments(features[np.flatnonzero(rows != cols)], items.n_pairs))
        # The feature of unlisted pairs is -1 for all of them.
        parts.append(np.ones((3, items.n_pair_features - features.shape[1])))
    return np.hstack(parts)


def _column_moments(features: Any, count: int) -> Vector:
    """Return the moments of columns of a matrix of ``count`` rows; rows of zeros may be missing."""
    if not sparse.issparse(features):
        mean = features.sum(axis=0) / count
        # Use two passes, since the difference of two moments would cancel digits.
        deviations = np.square(features - mean).sum(axis=0)
        given = np.full(len(mean), float(len(features)))
        squares, filled = np.square(features).sum(axis=0), (features != 0).sum(axis=0)
    else:
        columns, values = features.indices, features.data

        def summed(numbers: Any) -> Any:
            return np.bincount(columns, weights=numbers, minlength=features.shape[1])

        mean = summed(values) / count
        deviations = summed(np.square(values - mean[columns]))
        given, squares = summed(np.ones(len(values))), summed(np.square(values))
        filled = summed(values != 0)
    variance = (deviations + (count - given) * mean**2) / count
    return np.vstack([variance, squares / count, filled / count])
