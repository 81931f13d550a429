"""The margin of a classifier in the plane: boundary, area within the margin, and rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import Any

import narwhals.stable.v2 as narwhals
import numpy as np

from structsvm.data.conversion import table_of
from structsvm.data.matrices import one_array
from structsvm.displays.drawing import ABOVE, MARGIN, STYLES, axes_or_new

#: Fraction of the range of the rows by which the picture extends beyond them.
BEYOND = 0.05


@dataclass(eq=False, repr=False, kw_only=True)
class MarginDisplay:
    """A picture of a classifier or clusterer in the plane: boundary, margin and rows.

    Create it with :meth:`from_estimator`. The area within the margin is grey. Signed scores in the
    grey area are between -1 and 1. If there is a score per class, the best score in the grey area
    exceeds the second-best score by less than 1.

    Parameters
    ----------
    xx0, xx1 : array-like of shape (a, b)
        Coordinates of a grid, as ``numpy.meshgrid`` returns them.
    scores : array-like of shape (a, b) or (a, b, k)
        The decision function at the points of the grid: signed scores, or one score per class.
    X : array-like of shape (n, 2)
        The rows.
    labels : array-like of shape (n,)
        The label of each row, which determines the colour and the marker of the row. The ninth
        label has the same style as the first label.
    xlabel, ylabel : str, default=""
        The names of the two columns.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    margin_ : QuadContourSet
        The area within the margin, as drawn.
    boundaries_ : list of QuadContourSet
        The boundary of each class, or a single boundary between two classes.
    points_ : list of PathCollection
        The rows of each label, in the order of sorted labels.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from structsvm.displays import MarginDisplay
    >>> from structsvm.problems import CPM3C
    >>> X, _ = make_blobs(100, random_state=1)
    >>> clusterer = CPM3C(3, random_state=0).fit(X)
    >>> display = MarginDisplay.from_estimator(clusterer, X)
    """

    xx0: Any
    xx1: Any
    scores: Any
    X: Any
    labels: Any
    xlabel: str = ""
    ylabel: str = ""

    def __post_init__(self) -> None:
        self.X, self.labels = np.asarray(self.X), np.asarray(self.labels)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        labels: Any = None,
        *,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> MarginDisplay:
        """Draw the margin of an estimator with a ``decision_function`` for rows with two features.

        Parameters
        ----------
        estimator : fitted classifier or clusterer
        X : array-like or DataFrame of shape (n, 2)
            The rows to draw. The axes are named after the columns of a DataFrame.
        labels : array-like of shape (n,), optional
            Labels that determine the style of the rows, for example true labels. Default: the
            predicted labels.
        grid_resolution : int, default=200
            Number of grid points along each axis.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        MarginDisplay

        Raises
        ------
        ValueError
            If X does not have two columns.
        """
        table = table_of("X", X)
        rows = one_array("X", X)
        if rows.shape[1:] != (2,):
            raise ValueError(f"X must be of shape (n, 2); got shape {rows.shape}")
        low, high = rows.min(axis=0), rows.max(axis=0)
        extra = BEYOND * np.where(high > low, high - low, 1.0)
        xx0, xx1 = np.meshgrid(*np.linspace(low - extra, high + extra, grid_resolution).T)
        grid = np.column_stack([xx0.ravel(), xx1.ravel()])
        names = ("", "") if table is None else table.columns
        if table is not None:  # the estimator finds its columns by their names
            named = dict(zip(names, grid.T, strict=True))
            grid = narwhals.from_dict(named, backend=table.implementation).to_native()
        scores = estimator.decision_function(grid)
        labels = estimator.predict(X) if labels is None else labels
        display = cls(
            xx0=xx0, xx1=xx1, scores=scores.reshape(xx0.shape + scores.shape[1:]), X=rows,
            labels=labels, xlabel=str(names[0]), ylabel=str(names[1]),
        )  # fmt: skip
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> MarginDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        MarginDisplay
            The display itself.
        """
        ax = axes_or_new(ax, 4.5, 4)
        leads = self._leads()
        within = np.max(leads, axis=-1)
        area = {"levels": [-np.inf, 1], "colors": [MARGIN], "zorder": 0}
        self.margin_ = ax.contourf(self.xx0, self.xx1, within, **area)
        line = {"levels": [0], "colors": ["0.4"], "linewidths": 1, "zorder": 1}
        crossed = [lead for lead in np.moveaxis(leads, -1, 0)[1:] if lead.min() < 0 < lead.max()]
        self.boundaries_ = [ax.contour(self.xx0, self.xx1, lead, **line) for lead in crossed]
        self.points_ = []
        for label, (colour, marker) in zip(np.unique(self.labels), cycle(STYLES), strict=False):
            rows = self.X[self.labels == label].T
            self.points_.append(ax.scatter(*rows, label=label, s=12, color=colour, marker=marker))
        ax.set(xlabel=self.xlabel, ylabel=self.ylabel)
        ax.legend(ncols=4, **ABOVE)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self

    def _leads(self) -> Any:
        """Return each class's score minus the best score of all other classes, shape (a, b, k)."""
        if self.scores.ndim == 2:
            return np.stack([-self.scores, self.scores], axis=-1)
        others = np.repeat(self.scores[..., None], self.scores.shape[-1], axis=-1)
        diagonal = np.arange(self.scores.shape[-1])
        others[..., diagonal, diagonal] = -np.inf
        return self.scores - others.max(axis=-2)
