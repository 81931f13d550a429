"""The features and labels that weights belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class WeightNames(NamedTuple):
    """The features and labels that some entries of w belong to, a list of each.

    Attributes
    ----------
    features, labels : list
        Names, or the numbers of features without names. None where weights have no label.
    means, sizes : list of float
        The value v of a feature as it was given counts as (v - mean) / size.
    changeable : list of bool
        Whether the feature is a part of the input, unlike an intercept or a transition.
    """

    features: list[Any]
    labels: list[Any]
    means: list[float]
    sizes: list[float]
    changeable: list[bool]

    @classmethod
    def of(
        cls, features: Iterable[Any], labels: Any = None, changeable: bool = False
    ) -> WeightNames:
        """Features whose values count as they are given."""
        names = list(features)
        n = len(names)
        labels = [None] * n if labels is None else list(labels)
        return cls(names, labels, [0.0] * n, [1.0] * n, [changeable] * n)

    def followed_by(self, others: WeightNames) -> WeightNames:
        """These, then others."""
        pairs: Any = zip(self, others, strict=True)
        return WeightNames(*(own + more for own, more in pairs))
