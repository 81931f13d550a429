"""Axes to draw on, and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours as (red, green, blue) in [0, 1]: dual and first cluster, primal and second, mistakes.
BLUE, ORANGE, RED = (0.1, 0.35, 0.65), (0.8, 0.4, 0.05), (0.85, 0.0, 0.1)
#: Of the margin and of the gap: translucent, so that it is right on a dark ground too.
MARGIN = (0.5, 0.5, 0.5, 0.15)
#: Colours of clusters, and beside them markers, which tell them apart without colours.
COLOURS = (
    BLUE, ORANGE, (0.0, 0.62, 0.45), (0.8, 0.47, 0.65),
    (0.34, 0.71, 0.91), (0.2, 0.2, 0.2), (0.75, 0.68, 0.0), (0.55, 0.3, 0.6),
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches; save it with ``figure.savefig(path)``.

    It is not a pyplot figure, so pyplot's global state stays as it is.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing_matplotlib() from error
    return Figure(figsize=(width, height), layout="constrained")


def axes_or_new(ax: Any, width: float = 5.0, height: float = 3.5) -> Axes:
    """The axes given, or the axes of a new figure of pyplot, which a notebook shows.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError
        ``ax`` is neither axes nor None.
    """
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise missing_matplotlib() from error
    if ax is None:
        from matplotlib import pyplot

        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be axes of matplotlib or None; got {ax!r:.60}")
    return ax


def legend_above(ax: Any, columns: int) -> None:
    """Put the legend above the axes, where it hides nothing."""
    place = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
    ax.legend(ncols=columns, frameon=False, **place)


def colour_bar(ax: Any, image: Any, label: str) -> None:
    """Draw a colour bar about as high as the image."""
    ax.get_figure().colorbar(image, ax=ax, label=label, shrink=0.85)


def missing_matplotlib() -> ImportError:
    """The error where matplotlib is not installed."""
    return ImportError("pictures need matplotlib; install it with: pip install matplotlib")
