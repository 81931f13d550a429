"""The theory of the appendix: certificates, smoothing, the dual and CCCP."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.displays.drawing import new_figure

GREY = "0.46"


def certificate() -> Any:
    """Both bounds of the optimum, pass by pass, of classes of irises."""
    from sklearn.datasets import load_iris

    from structsvm import OneSlackCuttingPlane
    from structsvm.problems import Multiclass

    history = OneSlackCuttingPlane().solve(Multiclass(), *load_iris(return_X_y=True), C=10).history
    passes, primal, dual = (
        [getattr(one, name) for one in history] for name in ("iteration", "best_primal", "dual")
    )
    figure = new_figure(4.5, 2.8)
    ax = figure.subplots()
    ax.step(passes, primal, where="post", color="C1")
    ax.step(passes, dual, where="post", color="C0")
    ax.fill_between(passes, dual, primal, step="post", color=GREY, alpha=0.2, linewidth=0)
    ax.axhline(dual[-1], color=GREY, linestyle=":")
    ax.text(4.5, 7, "primal: upper bound", color="C1")
    ax.text(7.2, 1.6, "dual: lower bound", color="C0")
    ax.text(14, 4.5, "the optimum")
    ax.set(xlabel="passes over the data", ylabel="objective", xlim=(1, 20), ylim=(0, 10.5))
    ax.set_xticks([1, 5, 10, 15, 20])
    return figure


def smoothed_slack() -> Any:
    """The slack of one rival against the margin, and three smoothed ones above it."""
    margin = np.linspace(-1, 3, 200)
    figure = new_figure(4.5, 2.8)
    ax = figure.subplots()
    for number, mu in enumerate((1.0, 0.5, 0.2)):
        smoothed = mu * np.logaddexp(0, (1 - margin) / mu)
        ax.plot(margin, smoothed, color=f"C{number}", label=f"smoothed, μ = {mu:g}")
    ax.plot(margin, np.maximum(0, 1 - margin), color=GREY, linewidth=2.5, label="slack")
    ax.set(xlabel="margin of the truth over one rival", ylim=(0, None))
    ax.legend()
    return figure


def weight_at_a_bound() -> Any:
    """The weight that the dual variables make, free and bounded from below."""
    v = np.linspace(-2, 2, 101)
    figure = new_figure(4.0, 2.5)
    ax = figure.subplots()
    ax.plot(v, v, "--", color=GREY, label="w = v: no bound")
    ax.plot(v, np.maximum(v, 0), color="C0", linewidth=2.5, label="w = max(v, 0)")
    ax.set(xlabel="v, a sum of planes", ylabel="w")
    ax.legend()
    return figure


def imputation() -> Any:
    """Two rounds of CCCP for the threshold between two clusters on a line."""
    rows = np.array([-3.2, -2.9, -2.4, -2.0, 1.1, 1.6, 1.9, 2.6])
    threshold = np.linspace(-2.6, 1.6, 400)

    def objective(at: Any, signs: Any) -> Any:
        margins = signs * (rows - np.atleast_1d(at)[:, None])
        return 0.1 * np.atleast_1d(at) ** 2 + np.maximum(0, 1 - margins).mean(axis=1)

    figure = new_figure(4.5, 3.0)
    ax = figure.subplots()
    imputed = np.sign(rows - threshold[:, None])
    ax.plot(threshold, objective(threshold, imputed), color=GREY, linewidth=2.5, label="objective")
    at = -2.3
    for number, name in enumerate(("first labels", "labels imputed again")):
        held = objective(threshold, np.sign(rows - at))
        ax.plot(threshold, held, color=f"C{number}", label=name)
        best = threshold[held.argmin()]
        for place in (at, best):
            ax.plot(place, objective(place, np.sign(rows - at)), "o", color=f"C{number}")
        at = best
    ax.set(xlabel="threshold between the clusters", ylim=(0, 1.5))
    ax.legend(loc="upper center", ncols=1)
    return figure
