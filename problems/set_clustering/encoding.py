"""The encoding of item sets and partitions as inputs and outputs of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.conversion import require_ordered
from structsvm.data.names import difference
from structsvm.data.validation import checked_sample_weight
from structsvm.data.weight_name import WeightName
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.problems.set_clustering.correlation_clustering.problem import (
    CorrelationClusteringProblem,
)
from structsvm.problems.set_clustering.item_sets.checks import common_features
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet
from structsvm.problems.set_clustering.partitions import codes_of, labels_of
from structsvm.problems.set_clustering.records.pair_block import common_unlisted
from structsvm.problems.set_clustering.scales import feature_scales, typical_norm
from structsvm.problems.set_clustering.set_problem import SetProblem, items_of
from structsvm.problems.set_clustering.supervised_kmeans.problem import (
    SupervisedKMeansProblem,
    require_input,
)
from structsvm.problems.set_clustering.whitening import Whitening, can_whiten, cross_fitted

#: Sizes of the constant and of the product of whitened items, relative to the other features: so
#: large that their weights are hardly penalised. WHITENED is from
#: benchmarks/set_clustering/unseen_classes.py.
CONSTANT, WHITENED = 10.0, 5.0


class SetEncoding(Encoding):
    """The encoding of item sets: whitened features, if ``scale`` requires them, and a scaled Psi.

    Parameters
    ----------
    scale : 'auto', 'common', None, float or array of shape (n_features,)
    counted : bool
        Whether inputs include the number of clusters, as in supervised k-means.

    Attributes
    ----------
    features : Features
        The numbers and names of the features of every set.
    unlisted : str or None
        The parameter ``unlisted`` of X, if X is a :class:`PairTable`.
    whitening : Whitening or None
    divisor : float or ndarray
    """

    whitening: Whitening | None = None

    def __init__(self, scale: Any, counted: bool) -> None:
        self.scale, self.counted = scale, counted

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        self.unlisted, self.features = common_unlisted(X), common_features(X)
        if self.unlisted and self.counted:
            raise ValueError("X is a PairTable, which CorrelationClustering takes; give item sets")
        data = self.encode(X, y, sample_weight)
        if isinstance(self.scale, str) and self.scale == "auto" and can_whiten(X):
            self.whitening = Whitening.of(X, data.Y, data.weights, not self.counted)
            data = self._cross_fitted(X, data)
        self.divisor: float | Vector = self._divisor(X, data)
        return data

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        codes = codes_of_sets(X, y)
        weights = checked_sample_weight(sample_weight, len(X))
        if self.unlisted and not self.counted:
            # The loss is a percentage of the pairs of a block, so with this weight all pairs count
            # the same.
            weights = weights * np.array([float(block.n_pairs) for block in X])
        outputs = [items.partition(each) for items, each in zip(X, codes, strict=True)]
        return Encoded(self.inputs(self.known(X), numbers_of(codes)), outputs, weights)

    def encode_as_trained(self, X: Any, y: Any, sample_weight: Any) -> Encoded:
        """Encode training examples as ``fit`` does, which whitens each set by the other sets."""
        data = self.encode(X, y, sample_weight)
        return data if self.whitening is None else self._cross_fitted(X, data)

    def _cross_fitted(self, X: Any, data: Encoded) -> Encoded:
        whitened = cross_fitted(X, data.Y, data.weights, not self.counted)
        return data._replace(X=self.inputs(whitened, numbers_of(data.Y)))

    def known(self, X: Sequence[ItemSet]) -> list[ItemSet]:
        """Return item sets with the features that the problem uses, whitened if ``fit`` whitens."""
        return list(X) if self.whitening is None else list(map(self.whitening.applied, X))

    def inputs(self, item_sets: Sequence[ItemSet], n_clusters: Iterable[Any]) -> list[Any]:
        """Return the problem's inputs for item sets and their numbers of clusters."""
        if not self.counted:
            return list(item_sets)
        inputs = list(zip(item_sets, n_clusters, strict=True))
        for i, x in enumerate(inputs):
            require_input(x, i)
        return inputs

    def require_features(self, item_sets: Sequence[ItemSet]) -> None:
        """Raise a ValueError unless the sets have the features of the training sets."""
        if (kind := common_unlisted(item_sets)) != self.unlisted:
            trained, given = (
                f"a PairTable with unlisted={each!r}" if each else "item sets"
                for each in (self.unlisted, kind)
            )
            raise ValueError(
                f"the model was trained on {trained}, and X is {given}; make X as in training"
            )
        common_features(item_sets, self.features)

    def attributes(self) -> dict[str, Any]:
        names, found = self.features.names, {"scale_": self.divisor}
        found["n_features_in_"] = self.features.n_features
        return found if names is None else found | {"feature_names_in_": np.array(names, object)}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        return [WeightName(j) for j in places.tolist()]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        return w / self.divisor

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return weights * self.divisor

    def _divisor(self, X: Sequence[Any], data: Encoded) -> Any:
        """Return the divisor of the joint feature, or of each of its coordinates."""
        if self.scale is None:
            return 1.0
        if not isinstance(self.scale, str):
            return self.scale
        if self.scale == "common":
            return typical_norm(self._scaled(1.0), *data[:3])
        if self.scale != "auto":
            raise ValueError(
                "scale must be 'auto', 'common', None, a number, or one for each feature; got "
                f"{self.scale!r}"
            )
        scales = feature_scales(X, data.weights)
        if self.unlisted:
            scales[X[0].constant] /= CONSTANT
        if self.whitening is not None:
            # Centring loses the zeros, by which rare features are recognised.
            added = feature_scales([items_of(x) for x in data.X], data.weights)[len(scales) :]
            scales = np.concatenate([scales, added[:1] / WHITENED, added[1:] / CONSTANT])
        return scales * typical_norm(self._scaled(scales), *data[:3])

    def _scaled(self, scale: Any) -> SetProblem:
        return (SupervisedKMeansProblem if self.counted else CorrelationClusteringProblem)(
            scale=scale
        )


def codes_of_sets(item_sets: Sequence[ItemSet], y: Any) -> list[Any]:
    """Return the partition of each set as labels 0..k-1."""
    require_ordered("y", y)
    y = list(y) if isinstance(y, Iterable) else y
    if not isinstance(y, list) or len(y) != len(item_sets):
        given = len(y) if isinstance(y, list) else f"{y!r:.60}"
        hint = ", as table.labels(y) has them for list(table)"
        raise ValueError(
            f"y must hold a partition for each of {len(item_sets)} item sets"
            f"{hint if item_sets[0].unlisted else ''}; got {given}"
        )
    codes = []
    for i, (items, labels) in enumerate(zip(item_sets, y, strict=True)):
        _require_aligned(items, labels, i)
        codes.append(codes_of(labels, len(items), f"y[{i}]"))
    return codes


def numbers_of(codes: Sequence[Any]) -> list[int]:
    """Return the number of clusters of each set."""
    return [int(labels_of(each).max()) + 1 for each in codes]


def _require_aligned(items: ItemSet, labels: Any, i: int) -> None:
    """Raise a ValueError unless the index of pandas labels equals the index of the items.

    If the names of the items or of the labels are only a range, items and labels are matched by
    position.
    """
    if not hasattr(labels, "iloc"):
        return
    given, names = list(labels.index), list(items.items)
    numbered = set(given) != set(names) and (_is_range(labels.index) or _is_range(items.items))
    if given != names and len(given) == len(names) and not numbered:
        raise ValueError(
            f"y[{i}] must have the index of the items of its set; it {difference(given, names)}. "
            f"Pass y[{i}].loc[names] to match labels by name, or y[{i}].to_numpy() if they are in "
            "the order of the items"
        )


def _is_range(names: Any) -> bool:
    """Whether the names are a Python range or a RangeIndex of pandas."""
    return all(hasattr(names, end) for end in ("start", "stop", "step"))
