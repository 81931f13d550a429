"""Training time by part: oracle, joint features, quadratic programs, the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structsvm.data.names import brief
from structsvm.data.validation import require_option
from structsvm.displays.checks import checked_array, fitted, require_at_most, require_result
from structsvm.displays.drawing import ABOVE, BLUE, ORANGE, axes_or_new
from structsvm.results.status import Outcome

#: The parts in ``Result.seconds``, with their names in the legend and their colours.
PARTS = {
    "oracle": ("oracle", BLUE),
    "joint_feature": ("joint features", (0.34, 0.71, 0.91)),
    "qp": ("quadratic programs", ORANGE),
    "rest": ("rest", "0.8"),
}
#: Bars in a picture, at most.
MOST_RESULTS = 30


class OracleTimeDisplay:
    """Training time by part, a bar for each result.

    Make it with :meth:`from_estimator`, :meth:`from_result` or :meth:`from_results`.

    Parameters
    ----------
    seconds : dict of str to array-like of shape (n_results,)
        Wall time in 'oracle', 'joint_feature', 'qp' and 'rest', as far as they are known.
    names : sequence of n_results str
        The name of each bar.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : dict of str to BarContainer
        The bars of each part.

    Raises
    ------
    ValueError
        A part has another name, the arrays differ in length, or there are more than 30 results.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from structsvm import OneSlackCuttingPlane, SmoothedLBFGS
    >>> from structsvm.displays import OracleTimeDisplay
    >>> from structsvm.problems import Multiclass
    >>> X, y = load_iris(return_X_y=True)
    >>> results = {
    ...     type(solver).__name__: solver.solve(Multiclass(), X, y, C=1.0)
    ...     for solver in (SmoothedLBFGS(), OneSlackCuttingPlane())
    ... }
    >>> display = OracleTimeDisplay.from_results(results)
    """

    def __init__(self, seconds: Mapping[str, Any], names: Sequence[str]) -> None:
        self.names = list(names)
        require_at_most("results", len(self.names), MOST_RESULTS, "choose some of them")
        for part in seconds:
            require_option("a part", part, PARTS)
        self.seconds = {
            part: checked_array(f"seconds[{part!r}]", seconds[part], (len(self.names),))
            for part in PARTS
            if part in seconds
        }

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> OracleTimeDisplay:
        """Draw the last fit of an estimator with a ``result_``.

        Parameters
        ----------
        estimator : fitted estimator
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure of pyplot.

        Returns
        -------
        OracleTimeDisplay

        Raises
        ------
        NotFittedError
            The estimator is not fitted.
        TypeError
            It has no ``result_``.
        """
        result = fitted(estimator, "result_", "StructuredSVM")
        return cls.from_results({type(estimator).__name__: result}, ax=ax)

    @classmethod
    def from_result(cls, result: Outcome, *, ax: Any = None) -> OracleTimeDisplay:
        """Draw a result, as a solver returns it; see :meth:`from_estimator`."""
        return cls.from_results({"": result}, ax=ax)

    @classmethod
    def from_results(cls, results: Mapping[str, Outcome], *, ax: Any = None) -> OracleTimeDisplay:
        """Draw results side by side: a dict of names and results; see :meth:`from_estimator`."""
        if not isinstance(results, Mapping) or not results:
            raise TypeError(f"results must be a dict of names and Results; got {brief(results)}")
        for result in results.values():
            require_result(result)
        found = [_parts(result.seconds) for result in results.values()]
        seconds = {part: [times[part] for times in found] for part in PARTS}
        return cls(seconds, list(results)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> OracleTimeDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure of pyplot.

        Returns
        -------
        OracleTimeDisplay
            The display itself.
        """
        ax = axes_or_new(ax, height=1.4 + 0.35 * len(self.names))
        places, left = np.arange(len(self.names)), np.zeros(len(self.names))
        self.bars_ = {}
        for part, times in self.seconds.items():
            label, colour = PARTS[part]
            self.bars_[part] = ax.barh(places, times, left=left, color=colour, label=label)
            left = left + times
        ax.set(yticks=places, yticklabels=self.names, xlabel="seconds of training")
        ax.locator_params(axis="x", nbins=6)
        ax.invert_yaxis()  # the first result is at the top
        ax.legend(ncols=2, **ABOVE)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self


def _parts(seconds: Mapping[str, float]) -> dict[str, float]:
    """The time of each part, 0 where it was not measured, and of what is left of the total."""
    times = {part: seconds.get(part, 0.0) for part in PARTS if part != "rest"}
    return {**times, "rest": max(0.0, seconds["total"] - sum(times.values()))}
