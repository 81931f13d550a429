"""The convergence of a fit: primal value, dual value and gap, plotted against passes or seconds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.data.validation import require_option
from structsvm.displays.drawing import ABOVE, BLUE, MARGIN, ORANGE, STYLES, axes_or_new
from structsvm.results.status import Outcome

#: The highest value shown, as a multiple of the lowest: first values may be orders of magnitude
#: higher.
HIGHEST = 3
#: Room for the legend, as a fraction of the height of the curves.
ROOM = 0.25
#: The style of a line: a bound keeps its value until a pass evaluates it again.
STEPS: dict[str, Any] = {"drawstyle": "steps-post"}

Kind = Literal["objective", "gap"]
Axis = Literal["passes", "seconds"]


@dataclass(eq=False, repr=False, kw_only=True)
class ConvergenceDisplay:
    """A picture of the primal and the dual value, or of the gap between them, after each pass.

    Create the display with :meth:`from_estimator` or :meth:`from_result`. NaN stands for unknown
    values, since solvers do not compute primal and dual value in every pass. The lines are steps,
    because a value holds until the next value is computed. Dots mark newly computed values. The
    dual value is missing before the first dual solution.

    Parameters
    ----------
    passes : array-like of shape (n,)
        The numbers of the passes, from 1.
    seconds : array-like of shape (n,)
        Wall time from the start of the fit to the end of each pass.
    primal : array-like of shape (n,)
        For each pass, the objective at the weights with which the oracle was called.
    best_primal : array-like of shape (n,)
        The lowest objective up to each pass.
    dual : array-like of shape (n,)
        The last dual value computed up to each pass.
    tolerance : float, optional
        The largest gap that satisfies the stopping rule.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    primal_, dual_ : Line2D
        The lines of ``kind='objective'``. The attribute ``queried_`` holds the dots for the
        objective of each pass.
    gap_ : Line2D
        The line of ``kind='gap'``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from structsvm.displays import ConvergenceDisplay
    >>> from structsvm.problems import MulticlassSVM
    >>> svm = MulticlassSVM().fit(*load_iris(return_X_y=True))
    >>> display = ConvergenceDisplay.from_estimator(svm, kind="gap")
    """

    passes: Any
    seconds: Any
    primal: Any
    best_primal: Any
    dual: Any
    tolerance: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self)[:-1]:
            setattr(self, field.name, np.asarray(getattr(self, field.name)))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        kind: Kind = "objective",
        x: Axis = "passes",
        name: str | None = None,
        ax: Any = None,
    ) -> ConvergenceDisplay:
        """Draw the last fit of an estimator that has a ``result_``.

        Parameters
        ----------
        estimator : fitted estimator
        kind : {'objective', 'gap'}, default='objective'
            What to draw: the primal and the dual bound, or the gap relative to the primal value on
            a log scale.
        x : {'passes', 'seconds'}, default='passes'
            The unit of the horizontal axis.
        name : str, optional
            The name of the fit in the legend, for comparing several fits on the same axes.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ConvergenceDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If an option is unknown, or if no gap has been computed.
        """
        check_is_fitted(estimator)
        return cls.from_result(estimator.result_, kind=kind, x=x, name=name, ax=ax)

    @classmethod
    def from_result(
        cls,
        result: Outcome,
        *,
        kind: Kind = "objective",
        x: Axis = "passes",
        name: str | None = None,
        ax: Any = None,
    ) -> ConvergenceDisplay:
        """Draw the result of a solver.

        The parameters have the same meaning as in :meth:`from_estimator`.
        """
        history = result.history
        display = cls(
            passes=[entry.iteration for entry in history],
            seconds=[entry.seconds for entry in history],
            primal=[_known(entry.primal) for entry in history],
            best_primal=[_known(entry.best_primal) for entry in history],
            dual=[entry.dual if entry.dual_is_known else np.nan for entry in history],
            tolerance=result.tolerance,
        )
        return display.plot(kind=kind, x=x, name=name, ax=ax)

    def plot(
        self,
        *,
        kind: Kind = "objective",
        x: Axis = "passes",
        name: str | None = None,
        ax: Any = None,
    ) -> ConvergenceDisplay:
        """Draw the picture.

        Parameters
        ----------
        kind : {'objective', 'gap'}, default='objective'
            What to draw: the primal and the dual bound, or the gap relative to the primal value on
            a log scale. The gap is drawn from the first dual solution onwards. A dashed line shows
            the tolerance.
        x : {'passes', 'seconds'}, default='passes'
        name : str, optional
            The name of the fit in the legend, for comparing several fits on the same axes.
        ax : matplotlib Axes, optional
            Axes to draw on. Default: a new figure of pyplot.

        Returns
        -------
        ConvergenceDisplay
            The display itself.
        """
        require_option("kind", kind, get_args(Kind))
        require_option("x", x, get_args(Axis))
        ax = axes_or_new(ax)
        draw = self._draw_objective if kind == "objective" else self._draw_gap
        draw(ax, self.passes if x == "passes" else self.seconds, name)
        ax.set_xlabel("passes over the data" if x == "passes" else "seconds")
        ax.xaxis.get_major_locator().set_params(integer=x == "passes")
        if name is None:
            ax.legend(loc="upper right", frameon=False)
        else:
            ax.legend(ncols=1 if kind == "objective" else 2, **ABOVE)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return self

    def _draw_objective(self, ax: Any, x: Any, name: str | None) -> None:
        above, below, dash = ORANGE, BLUE, "-"
        labels = "primal, best so far (dots: each pass)", "dual, last computed (dots: new)"
        if name is not None:
            above = below = _next_style(ax)[0]
            dash, labels = "--", (f"{name}: primal", f"{name}: dual")
        ax.fill_between(
            x, self.dual, self.best_primal, step="post", color=MARGIN, linewidth=0, zorder=0
        )
        (self.queried_,) = ax.plot(x, self.primal, ".", color=above, alpha=0.4, markersize=4)
        (self.primal_,) = ax.plot(x, self.best_primal, color=above, label=labels[0], **STEPS)
        dots = {"marker": ".", "markevery": _changes(self.dual), "linestyle": dash}
        (self.dual_,) = ax.plot(x, self.dual, color=below, label=labels[1], **STEPS, **dots)
        ax.set_ylabel("objective")
        low = np.min(self.dual, initial=0.0, where=~np.isnan(self.dual))
        primal = self.best_primal[~np.isnan(self.best_primal)]
        highest = low + HIGHEST * (np.min(primal, initial=np.inf) - low)
        if low < highest < np.max(primal, initial=-np.inf):
            ax.set_ylim(low, highest)
        elif name is None:
            bottom, top = ax.get_ylim()
            ax.set_ylim(bottom, top + ROOM * (top - bottom))

    def _draw_gap(self, ax: Any, x: Any, name: str | None) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = (self.best_primal - self.dual) / np.abs(self.best_primal)
        known = np.isfinite(gaps)
        if not known.any():
            raise ValueError("no pass has both a primal and a dual value, so no gap is known")
        colour, marker = ("0.2", ".") if name is None else _next_style(ax)
        style = {"color": colour, "marker": marker, "markersize": 4, "markevery": _changes(gaps)}
        (self.gap_,) = ax.plot(x, gaps, label=name or "gap", **STEPS, **style)
        if self.tolerance:
            allowed = self.tolerance / abs(self.best_primal[known][-1])
            label = "tolerance" if name is None else None
            ax.axhline(allowed, color=colour, linestyle="--", linewidth=1, label=label)
        ax.set_yscale("log", nonpositive="mask")
        ax.set_ylabel("gap / primal")
        ax.grid(axis="y", alpha=0.3)


def _next_style(ax: Any) -> tuple[Any, str]:
    """Return the colour and the marker for the next fit on the same axes."""
    drawn = {label.partition(": ")[0] for label in ax.get_legend_handles_labels()[1]}
    return STYLES[len(drawn) % len(STYLES)]


def _known(value: float) -> float:
    """Return a value, or NaN if the value is infinite because it was not computed."""
    return value if np.isfinite(value) else np.nan


def _changes(values: Any) -> list[int]:
    """Return the indices of finite values that differ from the preceding value."""
    return np.flatnonzero(np.isfinite(values) & (np.diff(values, prepend=np.nan) != 0)).tolist()
