"""Plots of convergence and of clustered images. They need matplotlib.

They do not use pyplot, whose global state would change: each call draws on the axes given, or on a
new figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.matrices import checked_numbers
from structsvm.result import Result
from structsvm.status import Outcome
from structsvm.validation import require_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Images in a row or column of a plot, at most.
MOST_IMAGES = 1000
#: Colours as (red, green, blue) in [0, 1]: dual and first cluster, primal and second, mistakes.
BLUE, ORANGE, RED = (0.1, 0.35, 0.65), (0.8, 0.4, 0.05), (0.85, 0.0, 0.1)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches; save it with ``figure.savefig(path)``.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib; install it with: pip install matplotlib"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def _axes(ax: Any, width: float, height: float) -> Any:
    """The axes given, or those of a new figure."""
    if ax is None:
        return new_figure(width, height).subplots()
    if not hasattr(ax, "get_figure"):
        raise TypeError(f"ax must be axes of matplotlib or None; got {ax!r:.60}")
    return ax


def _checked(name: str, values: Any, shape: tuple[Any, ...]) -> Any:
    """The values as an array of finite numbers of this shape, in which names stand for any size."""
    expected = f"{name} must be finite and of shape ({', '.join(map(str, shape))})"
    array = checked_numbers(name, values)
    fits = len(shape) == array.ndim and all(
        size == n or (isinstance(size, str) and n > 0)
        for size, n in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{expected}; got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{expected}; got NaN or infinity")
    return array


def _require_result(result: Any) -> None:
    """Raise a TypeError unless it is the outcome of a solver."""
    if not isinstance(result, Outcome):
        raise TypeError(
            f"result must be a Result, such as an estimator's result_; got {result!r:.60}"
        )


def plot_convergence(result: Result, ax: Axes | None = None) -> Axes:
    """Plot the primal and the dual value against the passes over the data.

    Parameters
    ----------
    result : Result
        A result with its history.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure, reachable as ``ax.figure``.

    Returns
    -------
    matplotlib Axes
    """
    _require_result(result)
    ax = _axes(ax, 5, 3.5)
    passes = [entry.iteration for entry in result.history]
    best = [entry.best_primal for entry in result.history]
    dual = [entry.dual for entry in result.history]
    ax.fill_between(passes, dual, best, color="0.92", label="gap")
    ax.plot(passes, [entry.primal for entry in result.history], ".", color=ORANGE, alpha=0.4, ms=4)
    ax.plot(passes, best, color=ORANGE, label="primal (best so far; dots: each pass)")
    ax.plot(passes, dual, color=BLUE, label="dual")
    ax.set_ylim(0, 3 * result.primal)  # the first passes may be orders of magnitude above
    ax.set(xlabel="passes over the data", ylabel="objective")
    ax.legend(frameon=False)
    return ax


def plot_gap(result: Result, ax: Axes | None = None) -> Axes:
    """Plot the relative duality gap against the passes over the data, on a log scale.

    Parameters and return value are those of :func:`plot_convergence`.
    """
    _require_result(result)
    ax = _axes(ax, 5, 3.5)
    gaps = [entry.gap / abs(entry.best_primal) for entry in result.history]
    ax.semilogy([entry.iteration for entry in result.history], gaps, color="0.2")
    ax.set(xlabel="passes over the data", ylabel="gap / primal")
    ax.grid(axis="y", alpha=0.3)
    return ax


def plot_image_clusters(
    images: Any,
    scores: Any,
    mistakes: Any = None,
    ax: Axes | None = None,
    *,
    n_columns: int = 36,
    n_rows: int = 9,
) -> Axes:
    """Plot two clusters of images as a histogram of their scores, each bar a pile of its images.

    The highest bar shows ``n_rows`` images, the others a proportional number, at least one. The
    images of a bar are a sample evenly spaced in the order of their scores.

    Parameters
    ----------
    images : array-like of shape (n, height, width)
        Grey values in [0, 1], 1 being ink.
    scores : array-like of shape (n,)
        Signed scores; the clusters lie on either side of 0, the margin between -1 and 1.
    mistakes : array-like of bool of shape (n,), optional
        Images to draw in red.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure, reachable as ``ax.figure``.
    n_columns, n_rows : int
        Number of bars, and of images in the highest.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError, ValueError
        An argument is of the wrong type, shape or range.
    """
    ax = _axes(ax, 9, 3)
    images = _checked("images", images, ("n", "height", "width"))
    n, height, width = images.shape
    scores = _checked("scores", scores, (n,))
    wrong = _checked("mistakes", np.zeros(n) if mistakes is None else mistakes, (n,)) != 0
    for name, number in (("n_columns", n_columns), ("n_rows", n_rows)):
        require_integer(name, number, 1, MOST_IMAGES)
    edges = np.linspace(scores.min(), scores.max(), n_columns + 1)
    # One pixel between neighbours; the alpha channel is the grey value.
    canvas = np.zeros((n_rows, height + 1, n_columns, width + 1, 4))
    for column, pile in enumerate(_piles(scores, edges, n_rows)):
        for row, i in enumerate(pile, start=1):
            colour = RED if wrong[i] else ORANGE if scores[i] >= 0 else BLUE
            canvas[-row, :height, column, :width, :3] = colour
            canvas[-row, :height, column, :width, 3] = images[i]
    ax.axvspan(-1, 1, color="0.94", zorder=0)
    ax.axvline(0, color="0.5", lw=1, zorder=0)
    ax.imshow(
        canvas.reshape(n_rows * (height + 1), -1, 4),
        extent=(edges[0], edges[-1], 0, n_rows),
        aspect=(edges[1] - edges[0]) * (height + 1) / (width + 1),
        interpolation="nearest",
    )
    ax.set(xlabel="score", yticks=[])
    return ax


def _piles(scores: Any, edges: Any, n_rows: int) -> Iterator[Any]:
    """Yield for every bin the images to show, in the order of their scores."""
    order = np.argsort(scores)
    bins = np.digitize(scores[order], edges[1:-1])
    counts = np.bincount(bins, minlength=len(edges) - 1)
    for column, count in enumerate(counts):
        shown = int(np.ceil(count * min(1, n_rows / counts.max())))
        pile = order[bins == column]
        yield pile[np.linspace(0, count - 1, shown).round().astype(int)]
