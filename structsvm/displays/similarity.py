"""The learned similarity between the items of a set, ordered by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.displays.drawing import axes_or_new

#: Largest number of clusters with names, and the least fraction of the items in a cluster with a
#: name.
MOST_NAMES, LEAST_NAMED = 20, 0.03


class SimilarityDisplay:
    """A picture of the similarity of all pairs of items, with items ordered by cluster.

    Lines separate the clusters. Create it with :meth:`from_estimator`.

    Parameters
    ----------
    similarity : array-like of shape (m, m)
        The similarity of each pair of items.
    labels : array-like of shape (m,)
        The cluster of each item.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : AxesImage
    order_ : ndarray of shape (m,)
        The order of the items from top to bottom.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm.displays import SimilarityDisplay
    >>> from structsvm.problems import CorrelationClustering
    >>> X = [np.array([[0.0, 0.1], [0.1, 0.0], [1.0, 1.1]]), np.array([[1.0, 0.9], [0.0, 0.0]])]
    >>> model = CorrelationClustering().fit(X, [["a", "a", "b"], ["b", "a"]])
    >>> display = SimilarityDisplay.from_estimator(model, X[0])
    """

    def __init__(self, similarity: Any, labels: Any) -> None:
        self.similarity, self.labels = np.asarray(similarity), np.asarray(labels)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        items: Any,
        labels: Any = None,
        *,
        ax: Any = None,
    ) -> SimilarityDisplay:
        """For one set, draw the similarity that an estimator over sets of items has learned.

        Parameters
        ----------
        estimator : fitted estimator
            An estimator with a method ``similarity``, such as ``SupervisedKMeans`` or
            ``CorrelationClustering``.
        items : ItemSet or array-like
            One set of items, in a form that ``similarity`` accepts.
        labels : array-like of shape (m,), optional
            The clusters by which the items are ordered, for example the true clusters. Default: the
            predicted clusters.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        SimilarityDisplay
        """
        K = estimator.similarity(items)
        labels = estimator.predict([items])[0] if labels is None else labels
        return cls(K, labels).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> SimilarityDisplay:
        """Draw the picture.

        If the values have both signs, positive values are red and negative values are blue.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        SimilarityDisplay
            The display itself.
        """
        ax = axes_or_new(ax, 4.8, 4)
        labels, sizes = np.unique(self.labels, return_counts=True)
        self.order_ = np.argsort(self.labels, kind="stable")
        K = self.similarity[np.ix_(self.order_, self.order_)]
        colours: dict[str, Any] = {"cmap": "Blues"}
        if K.min() < 0 < K.max():  # white is 0
            largest = np.abs(K).max()
            colours = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
        self.im_ = ax.imshow(K, interpolation="nearest", **colours)
        ends = np.cumsum(sizes)
        for draw in (ax.axhline, ax.axvline):
            for end in ends[:-1]:
                draw(end - 0.5, color="0.3", linewidth=0.7)
        named = (sizes >= LEAST_NAMED * len(K)) & (len(labels) <= MOST_NAMES)
        places = (ends - sizes / 2 - 0.5)[named]
        ax.set(xticks=[], yticks=places, yticklabels=labels[named].tolist())
        ax.set(ylabel="cluster", xlabel="items, in the same order")
        self.ax_, self.figure_ = ax, ax.get_figure()
        # Make the colour bar as high as the image.
        self.figure_.colorbar(self.im_, ax=ax, label="similarity", shrink=0.85)
        return self
