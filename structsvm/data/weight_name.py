"""WeightName: the feature and the label that a weight belongs to."""

from __future__ import annotations

from typing import Any, NamedTuple


class WeightName(NamedTuple):
    """The feature and the label that a weight belongs to, and the units of the feature.

    Attributes
    ----------
    feature : int or str
        The index of a feature. If the weight belongs to no input feature, the name of the weight,
        such as 'intercept'.
    label : object
        The label that the weight belongs to; None if weights have no labels.
    mean, size : float
        In the model, a value v of the original feature becomes (v - mean) / size.
    """

    feature: Any
    label: Any = None
    mean: float = 0.0
    size: float = 1.0
