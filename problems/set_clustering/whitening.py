"""Whiten items by their variation within clusters, to compute similarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet

#: Amount added to the variances within clusters, relative to their root mean square over all
#: directions. The root mean square exceeds the mean if only few directions have variance, as with
#: few items of many features. From benchmarks/set_clustering/unseen_classes.py.
RIDGE = 0.3
#: Largest number of parts of the sets; each part is whitened by the others.
FOLDS = 10


class Whitening(NamedTuple):
    """A similarity of items, given by the inverse of the covariance within clusters.

    The similarity of z_i and z_j, which are centred items divided by ``divisors``, is z_i' z_j -
    (z_i' B) (B' z_j), where B holds the ``directions``. Up to a factor, the similarity is z_i' S^-1
    z_j, where S is a multiple of the identity plus the covariance of the items z around their
    cluster means.

    Attributes
    ----------
    divisors : ndarray of shape (d,)
        The square roots of the standard deviations of the features within sets. Features with a
        common unit, such as pixels, should not be divided. Features with different units should be
        divided by their standard deviations. Division by the square roots of standard deviations is
        a compromise between no division and division by standard deviations.
    directions : ndarray of shape (d, r)
    constant : bool
        Whether pairs also have the feature -1, whose weight is the threshold of correlation
        clustering.
    """

    divisors: Vector
    directions: Vector
    constant: bool

    @classmethod
    def of(
        cls, item_sets: Sequence[ItemSet], codes: Sequence[Indices], weights: Vector, constant: bool
    ) -> Whitening:
        """Compute the whitening from sets with dense node features, partitions and weights."""
        items = np.vstack([_centred(each) for each in item_sets])
        sizes = [len(each) for each in item_sets]
        of_rows = np.repeat(weights / weights.max(), sizes)[:, None]
        of_rows /= of_rows.sum()
        deviations = np.sqrt(np.sum(of_rows * items**2, axis=0))
        divisors = np.sqrt(np.where(deviations > 0, deviations, 1.0))
        rows = np.vstack(list(map(_deviations, item_sets, codes))) / divisors
        _, sizes_of_axes, axes = np.linalg.svd(rows * np.sqrt(of_rows), full_matrices=False)
        variances = sizes_of_axes**2
        added = RIDGE * np.sqrt(np.sum(variances**2) / len(divisors))
        shares = np.divide(variances, variances + added, where=variances > 0, out=variances * 0)
        return cls(divisors, axes.T * np.sqrt(shares), constant)

    def applied(self, items: ItemSet) -> ItemSet:
        """Return the centred items, with the whitened similarity as a feature of their pairs."""
        centred = _centred(items)
        z = centred / self.divisors
        projected = z @ self.directions
        features = [z @ z.T - projected @ projected.T]
        if self.constant:
            features.append(np.full(features[0].shape, -1.0))
        whitened = ItemSet(centred, np.dstack(features))
        whitened.items = items.items
        return whitened


def cross_fitted(
    item_sets: Sequence[ItemSet], codes: Sequence[Indices], weights: Vector, constant: bool
) -> list[ItemSet]:
    """Whiten each set by the covariances of other sets.

    If a set were whitened by means of its own partition, it would be easier to cluster than a new
    set.

    Copies of a set are left out together, so that a set of weight 2 has the same effect as two
    copies. If there are more than a few different sets, several sets are left out together.
    """
    known: dict[bytes, int] = {}
    keys = [known.setdefault(each.nodes.tobytes(), len(known)) % FOLDS for each in item_sets]
    whitenings = {}
    for fold in set(keys):
        others = [i for i, key in enumerate(keys) if key != fold and weights[i] > 0]
        others = others or list(range(len(keys)))
        sets, labels = [item_sets[i] for i in others], [codes[i] for i in others]
        whitenings[fold] = Whitening.of(sets, labels, weights[others], constant)
    return [whitenings[key].applied(items) for key, items in zip(keys, item_sets, strict=True)]


def can_whiten(item_sets: Sequence[ItemSet]) -> bool:
    """Whether the sets have dense item features and no pair features."""
    return all(isinstance(each.nodes, np.ndarray) and each.pairs is None for each in item_sets)


def _centred(items: ItemSet) -> Vector:
    nodes: Vector = items.nodes
    return np.asarray(nodes - nodes.mean(axis=0))


def _deviations(items: ItemSet, codes: Indices) -> Vector:
    """Return each item minus the mean of its cluster."""
    clusters = np.eye(int(codes.max()) + 1)[codes]
    nodes = _centred(items)
    means = (clusters.T @ nodes) / clusters.sum(axis=0)[:, None]
    return np.asarray(nodes - clusters @ means)
