"""Axes for drawings, and colours."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: Colours as (red, green, blue) in [0, 1], for dual value and first cluster, primal value and
#: second cluster, and mistakes.
BLUE, ORANGE, RED = (0.1, 0.35, 0.65), (0.8, 0.4, 0.05), (0.85, 0.0, 0.1)
#: Colour of the margin and of the gap: translucent, so that it works on a dark background, too.
MARGIN = (0.5, 0.5, 0.5, 0.15)
#: Colours and markers of clusters; the markers distinguish clusters without colours.
STYLES = (
    (BLUE, "o"), (ORANGE, "s"), ((0.0, 0.62, 0.45), "^"), ((0.8, 0.47, 0.65), "D"),
    ((0.34, 0.71, 0.91), "v"), ((0.2, 0.2, 0.2), "P"), ((0.75, 0.68, 0.0), "X"),
    ((0.55, 0.3, 0.6), "*"),
)  # fmt: skip
#: Arguments of a legend above the axes, where it hides nothing.
ABOVE: Any = {"loc": "lower right", "bbox_to_anchor": (1, 1), "frameon": False}


def new_figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure of the given width and height in inches.

    The figure is not registered with pyplot, and pyplot's global state does not change.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    return _imported("figure").Figure(figsize=(width, height), layout="constrained")


def axes_or_new(ax: Any, width: float = 5.0, height: float = 3.5) -> Any:
    """Return the axes `ax`, or the axes of a new pyplot figure, which a notebook will show.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError
        If ``ax`` is neither axes nor None.
    """
    axes = _imported("axes")
    if ax is None:
        return _imported("pyplot").subplots(figsize=(width, height), layout="constrained")[1]
    if not isinstance(ax, axes.Axes):
        raise TypeError(f"ax must be axes of matplotlib or None; got {ax!r:.60}")
    return ax


def _imported(module: str) -> Any:
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib; install it with: pip install matplotlib"
        ) from error
