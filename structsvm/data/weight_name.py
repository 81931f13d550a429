"""WeightName: the feature and the label that a weight belongs to."""

from __future__ import annotations

from typing import Any, NamedTuple


class WeightName(NamedTuple):
    """The feature and the label of a weight, and the units of the feature.

    Attributes
    ----------
    feature : int or str
        The index of a feature, or the name of a weight without an input feature, such as an
        intercept.
    label : object
        The label; None if weights have no labels.
    mean, size : float
        A value v of the original feature counts as (v - mean) / size.
    """

    feature: Any
    label: Any = None
    mean: float = 0.0
    size: float = 1.0
