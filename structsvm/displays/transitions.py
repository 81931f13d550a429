"""The transition weights of a chain, from label to label."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.displays.drawing import axes_or_new

#: Largest number of labels for which weights are written as numbers.
MOST_NUMBERED = 10
#: Largest number of labels below the axis that are turned by 45 degrees.
MOST_TURNED = 15
#: Fraction of the largest weight above which colours are dark and numbers white.
DARK = 0.6


class TransitionDisplay:
    """A picture of the weights of the transitions between all labels.

    Red transitions raise the score of a sequence, and blue transitions lower it. Forbidden
    transitions are hatched. Create it with :meth:`from_estimator`.

    Parameters
    ----------
    transitions : array-like of shape (k, k)
        The entry ``transitions[a, b]`` is the weight of label b after label a, or -inf if the
        transition is forbidden.
    labels : array-like of shape (k,)
        The names of the labels.
    start, end : array-like of shape (k,), optional
        The weights of the first and of the last label of a sequence, drawn as an additional row and
        column.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : AxesImage
    text_ : list of Text
        The texts of the weights, which are drawn if there are at most 10 labels.

    Examples
    --------
    >>> from structsvm.displays import TransitionDisplay
    >>> from structsvm.problems import ChainSVM
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dogs"}, {"word": "bark"}]]
    >>> svm = ChainSVM().fit(X, [["DET", "NOUN"], ["NOUN", "VERB"]])
    >>> display = TransitionDisplay.from_estimator(svm)
    """

    def __init__(
        self, transitions: Any, labels: Any, *, start: Any = None, end: Any = None
    ) -> None:
        self.transitions, self.labels = np.asarray(transitions), labels
        self.start, self.end = start, end

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, labels: Any = None, ax: Any = None
    ) -> TransitionDisplay:
        """Draw the ``transitions_`` of an estimator of sequences.

        Parameters
        ----------
        estimator : fitted estimator
            An estimator with ``transitions_`` and ``classes_``, such as ``ChainSVM`` or
            ``SegmentSVM``. If the estimator has ``start_transitions_`` and ``end_transitions_``,
            these weights are drawn as well.
        labels : sequence of labels, optional
            The labels to draw, in the order of drawing. Default: all labels.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        TransitionDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            A label is unknown.
        """
        check_is_fitted(estimator)
        names = estimator.classes_.tolist()
        chosen = names if labels is None else labels
        for label in chosen:
            if label not in names:
                raise ValueError(f"labels must be some of classes_, {names}; got {label!r}")
        places = [names.index(label) for label in chosen]
        ends = {
            end: getattr(estimator, f"{end}_transitions_")[places]
            for end in ("start", "end")
            if hasattr(estimator, f"{end}_transitions_")
        }
        return cls(estimator.transitions_[np.ix_(places, places)], chosen, **ends).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> TransitionDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        TransitionDisplay
            The display itself.
        """
        size = 2.6 + min(0.5 * len(self.labels), 6.0)
        ax = axes_or_new(ax, size + 0.8, size)
        weights = self._weights()
        known = np.isfinite(weights)
        largest = float(np.abs(weights[known]).max(initial=0.0)) or 1.0
        shown = np.ma.masked_array(weights, ~known)
        forbidden = np.ma.masked_where(~np.isneginf(weights), np.zeros(weights.shape))
        edges = [np.arange(size + 1) - 0.5 for size in weights.shape[::-1]]
        ax.pcolor(*edges, forbidden, hatch="////", cmap="Greys", edgecolor="0.7", linewidth=0)
        colours = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
        self.im_ = ax.imshow(shown, interpolation="nearest", **colours)
        self.text_: list[Any] = []
        if len(self.labels) <= MOST_NUMBERED:
            self._write(ax, weights, largest)
        self._name(ax)
        self.ax_, self.figure_ = ax, ax.get_figure()
        self.figure_.colorbar(self.im_, ax=ax, label="weight", shrink=0.85)  # as high as the image
        return self

    def _write(self, ax: Any, weights: Any, largest: float) -> None:
        """Write each weight as a number into its cell."""
        decimals = max(0, 1 - math.floor(math.log10(largest)))
        style = {"ha": "center", "va": "center", "size": "small"}
        for a, b in np.argwhere(np.isfinite(weights)):
            colour = "w" if abs(weights[a, b]) > DARK * largest else "k"
            number = f"{round(weights[a, b], decimals) + 0.0:.{decimals}f}"  # 0, not -0
            self.text_.append(ax.text(b, a, number, color=colour, **style))

    def _name(self, ax: Any) -> None:
        names = [str(label) for label in self.labels]
        rows = names + ["start"] * (self.start is not None)
        columns = names + ["end"] * (self.end is not None)
        ax.set(yticks=range(len(rows)), yticklabels=rows, ylabel="from")
        turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        if len(columns) > MOST_TURNED:
            turned = {"rotation": 90}
        ax.set_xticks(range(len(columns)), columns, **turned)
        ax.set_xlabel("to")

    def _weights(self) -> Any:
        """Return all weights as a matrix.

        The entry at row "start" and column "end" is NaN.
        """
        k, further = len(self.transitions), ((0, self.start is not None), (0, self.end is not None))
        weights = np.pad(self.transitions, further, constant_values=np.nan)
        if self.start is not None:
            weights[k, :k] = self.start
        if self.end is not None:
            weights[:k, k] = self.end
        return weights
