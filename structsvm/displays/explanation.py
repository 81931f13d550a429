"""A bar chart of the features that decided a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.displays.drawing import BLUE, ORANGE, axes_or_new

#: Largest number of bars, in addition to one for all other features.
MOST_BARS = 10


class ExplanationDisplay:
    """A picture of the contributions to the margin between the prediction and an alternative.

    A bar to the right favours the prediction, and a bar to the left the alternative output. Create
    it with :meth:`from_explanation`.

    Parameters
    ----------
    names : sequence of str
        The names of the bars, from top to bottom.
    contributions : array-like of the same length
    title : str, default=""

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : BarContainer

    Examples
    --------
    >>> from structsvm.displays import ExplanationDisplay
    >>> from structsvm.problems import ChainSVM
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dogs"}, {"word": "bark"}]]
    >>> svm = ChainSVM().fit(X, [["DET", "NOUN"], ["NOUN", "VERB"]])
    >>> display = ExplanationDisplay.from_explanation(svm.explain(X[0]))
    """

    def __init__(self, names: Any, contributions: Any, *, title: str = "") -> None:
        self.names, self.contributions, self.title = names, np.asarray(contributions), title

    @classmethod
    def from_explanation(cls, explanation: Any, *, ax: Any = None) -> ExplanationDisplay:
        """Draw the ten largest rows of an explanation, and the sum of all smaller rows.

        Parameters
        ----------
        explanation : Explanation
            An explanation, as returned by :func:`structsvm.reasons.explain`.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ExplanationDisplay
        """
        first, others = explanation.rows[:MOST_BARS], explanation.rows[MOST_BARS:]
        names, parts = [row.name for row in first], [row.contribution for row in first]
        if others:
            names.append(f"{len(others)} others")
            parts.append(sum(row.contribution for row in others))
        return cls(names, parts, title=explanation.title).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ExplanationDisplay:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ExplanationDisplay
            The display itself.
        """
        ax = axes_or_new(ax, 5.5, 1.2 + 0.25 * len(self.names))
        places = range(len(self.names))
        colours = np.where(self.contributions[:, None] > 0, BLUE, ORANGE)
        self.bars_ = ax.barh(places, self.contributions, color=colours)
        ax.set_yticks(places, self.names)
        ax.invert_yaxis()
        ax.axvline(0, color="0.4", linewidth=1)
        ax.set(xlabel="contribution to the margin", title=self.title)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self
