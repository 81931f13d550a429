"""Clusters of images, as a histogram of their scores or as a row of images for each cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics.cluster import contingency_matrix

from structsvm.displays.drawing import BLUE, MARGIN, ORANGE, RED, axes_or_new


class ClusterDisplay:
    """A picture of clusters of images. The images are ordered by their scores.

    Two clusters are drawn as a histogram of the signed scores. Each bar is a pile of images. If
    there are three or more clusters, each cluster is drawn as a row of images, and the margins of
    the images increase along the row. Mistakes are red and inverted: light ink on a dark ground.

    Create it with :meth:`from_estimator`.

    Parameters
    ----------
    images : array-like of shape (n, height, width)
        Grey values from 0 to 1, with 1 for ink.
    scores : array-like of shape (n,) or (n, k)
        For two clusters, signed scores; scores between -1 and 1 lie within the margin. For k
        clusters, a score for each cluster.
    mistakes : array-like of bool of shape (n,), optional
        Whether each image is in the wrong cluster.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : AxesImage
        The pictures of all images, drawn as a single image.

    Raises
    ------
    ValueError
        If images have values below 0 or above 1.

    Examples
    --------
    >>> from structsvm.datasets import digits_pair
    >>> from structsvm.displays import ClusterDisplay
    >>> from structsvm.problems import MMC
    >>> X, y = digits_pair(3, 8)
    >>> mmc = MMC(random_state=0).fit(X)
    >>> display = ClusterDisplay.from_estimator(mmc, X, y, shape=(8, 8))
    """

    def __init__(self, images: Any, scores: Any, mistakes: Any = None) -> None:
        self.images, self.scores = np.asarray(images), np.asarray(scores)
        if self.images.min() < 0 or self.images.max() > 1:
            raise ValueError("images must hold grey values from 0 to 1; divide by the largest")
        self.mistakes = np.zeros(len(self.images), bool) if mistakes is None else mistakes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        shape: tuple[int, int],
        n_columns: int = 36,
        n_rows: int = 9,
        ax: Any = None,
    ) -> ClusterDisplay:
        """Draw the rows of X as images, ordered by the scores of a clusterer or classifier.

        Parameters
        ----------
        estimator : fitted estimator with a ``decision_function``
        X : array-like of shape (n, height * width)
            Grey values from 0 to 1, with 1 for ink.
        y : array-like of shape (n,), optional
            True classes of the images. An image is a mistake if its class is not the most frequent
            class in its cluster.
        shape : tuple of int
            Height and width of an image in pixels.
        n_columns : int, default=36
            Number of bars, or of images in a row.
        n_rows : int, default=9
            Number of images in the highest bar; unused for more than two clusters.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: the axes of a new pyplot figure.

        Returns
        -------
        ClusterDisplay

        Raises
        ------
        ValueError
            If the rows of X are not images of the given ``shape``, or have values below 0 or above
            1.
        """
        scores, mistakes = estimator.decision_function(X), None
        if y is not None:
            clusters = scores >= 0 if scores.ndim == 1 else scores.argmax(axis=1)
            numbers = np.unique(clusters, return_inverse=True)[1]
            usual = np.unique(y)[contingency_matrix(y, numbers).argmax(axis=0)]
            mistakes = usual[numbers] != np.asarray(y)
        display = cls(np.reshape(X, (len(scores), *shape)), scores, mistakes)
        return display.plot(n_columns=n_columns, n_rows=n_rows, ax=ax)

    def plot(self, *, n_columns: int = 36, n_rows: int = 9, ax: Any = None) -> ClusterDisplay:
        """Draw the picture.

        In a histogram, the highest bar shows ``n_rows`` images. The number of images in a bar is
        proportional to the bar's height, and at least 1. The images that are shown are evenly
        spaced in the order of the scores.

        Parameters
        ----------
        n_columns : int, default=36
            Number of bars, or of images in a row.
        n_rows : int, default=9
            Number of images in the highest bar; unused for more than two clusters.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ClusterDisplay
            The display itself.
        """
        if self.scores.ndim == 1:
            ax = axes_or_new(ax, 9, 3)
            self._draw_piles(ax, n_columns, n_rows)
        else:
            ax = axes_or_new(ax, 9, 0.6 + 0.25 * self.scores.shape[1])
            self._draw_rows(ax, n_columns)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self

    def _draw_piles(self, ax: Any, n_columns: int, n_rows: int) -> None:
        edges = np.linspace(self.scores.min(), self.scores.max(), n_columns + 1)
        canvas = self._canvas(n_rows, n_columns)
        for column, pile in enumerate(_piles(self.scores, edges, n_rows)):
            for row, i in enumerate(pile, start=1):
                self._put(canvas, -row, column, i, ORANGE if self.scores[i] >= 0 else BLUE)
        ax.axvspan(-1, 1, color=MARGIN, zorder=0)
        ax.axvline(0, color="0.5", lw=1, zorder=0)
        height, width = np.add(self.images.shape[1:], 1)
        place: Any = {"extent": (edges[0], edges[-1], 0, n_rows), "interpolation": "nearest"}
        place["aspect"] = (edges[1] - edges[0]) * height / width
        self.im_ = ax.imshow(canvas.reshape(n_rows * height, -1, 4), **place)
        ax.set(xlabel="score (the margin is grey)", yticks=[])

    def _draw_rows(self, ax: Any, n_columns: int) -> None:
        best = np.sort(self.scores, axis=1)[:, -2:]
        clusters, margins = self.scores.argmax(axis=1), best[:, -1] - best[:, 0]
        shown = np.unique(clusters)
        canvas = self._canvas(len(shown), n_columns)
        for row, cluster in enumerate(shown):
            members = np.flatnonzero(clusters == cluster)
            members = _sample(members[np.argsort(margins[members], kind="stable")], n_columns)
            for column, i in enumerate(members):
                self._put(canvas, row, column, i, BLUE)
        height = self.images.shape[1] + 1
        pixels = canvas.reshape(len(shown) * height, -1, 4)
        self.im_ = ax.imshow(pixels, interpolation="nearest")
        middles = (np.arange(len(shown)) + 0.5) * height - 0.5
        ax.set(xticks=[], yticks=middles, yticklabels=shown.tolist())
        ax.set(xlabel="margin, from least to largest", ylabel="cluster")

    def _canvas(self, n_rows: int, n_columns: int) -> Any:
        """Return transparent pixels for a grid of images that are one pixel apart."""
        height, width = np.add(self.images.shape[1:], 1)
        return np.zeros((n_rows, height, n_columns, width, 4))

    def _put(self, canvas: Any, row: int, column: int, i: int, colour: Any) -> None:
        """Draw the i-th image in a colour, with its grey values as the alpha channel."""
        pixels = canvas[row, :-1, column, :-1]
        pixels[..., :3] = RED if self.mistakes[i] else colour
        pixels[..., 3] = 1 - self.images[i] if self.mistakes[i] else self.images[i]


def _piles(scores: Any, edges: Any, n_rows: int) -> Iterator[Any]:
    """For every bin of the histogram, yield the images to show, in the order of their scores."""
    order = np.argsort(scores)
    bins = np.digitize(scores[order], edges[1:-1])
    counts = np.bincount(bins, minlength=len(edges) - 1)
    for column, count in enumerate(counts):
        yield _sample(order[bins == column], int(np.ceil(count * min(1, n_rows / counts.max()))))


def _sample(members: Any, most: int) -> Any:
    n = len(members)
    return members[np.linspace(0, n - 1, min(n, most)).round().astype(int)]
