"""The feature and the label that a weight belongs to."""

from __future__ import annotations

from typing import Any, NamedTuple


class WeightName(NamedTuple):
    """The feature and the label that a weight belongs to, and the units of the feature.

    Attributes
    ----------
    feature : int or str
        The number of a feature; or the name of what is no part of the input, as of an intercept.
    label : object
        None where weights have no labels.
    mean, size : float
        The value v of a feature as it was given counts as (v - mean) / size.
    """

    feature: Any
    label: Any = None
    mean: float = 0.0
    size: float = 1.0
