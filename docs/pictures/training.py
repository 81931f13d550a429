"""Training: the bounds of the objective, and the solvers."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_digits

from benchmarks.store import stored
from structsvm import OneSlackCuttingPlane, solvers
from structsvm.displays.drawing import new_figure
from structsvm.problems import Multiclass


def primal_and_dual() -> Any:
    """Both bounds of the optimum, pass by pass, for digits and one slack."""
    X, y = load_digits(return_X_y=True)
    result = OneSlackCuttingPlane().solve(Multiclass(), X / 16, y, C=100.0)
    known = [entry for entry in result.history if entry.dual_is_known]
    passes = [entry.iteration for entry in known]
    primal, dual = ([getattr(entry, name) for entry in known] for name in ("best_primal", "dual"))
    figure = new_figure(5, 2.8)
    ax = figure.subplots()
    ax.fill_between(passes, dual, primal, color="C0", alpha=0.25, linewidth=0)
    ax.plot(passes, primal, color="C0")
    ax.plot(passes, dual, color="C1")
    early = passes[len(passes) // 5]
    for name, bounds, offset in (("primal", primal, 6), ("dual", dual, -14)):
        height = bounds[passes.index(early)]
        ax.annotate(name, (early, height), (4, offset), textcoords="offset points")
    ax.text(early, result.primal, "gap", va="center")
    ax.set(xlabel="passes", ylabel="objective", ylim=(0, 3 * result.primal))
    return figure


def solver_seconds() -> Any:
    """Seconds to a gap of 0.1 % on handwritten words, for a fast oracle and for a slow one."""
    (race,), (calls,) = stored("speed/race").values(), stored("speed/expensive_oracle").values()
    panels = {
        "The fast oracle of chains": (race, "OCR chain C=0.1", "CPU s"),
        "No soft oracle, and 10 ms for each call": (calls, "OCR words, C=0.1", "with 10 ms a call"),
    }
    figure = new_figure(5, 3.4)
    axes = figure.subplots(2, 1, height_ratios=(4, 3))
    for ax, (title, (rows, data, seconds)) in zip(axes, panels.items(), strict=True):
        found = {
            row["solver"]: row[seconds]
            for row in rows
            if row["data"] == data and row["target"] == 1e-3 and hasattr(solvers, row["solver"])
        }
        names = sorted(found, key=found.__getitem__)
        bars = ax.barh(names, [found[name] for name in names])
        ax.bar_label(bars, fmt=lambda time: f"{float(f'{time:.2g}'):g} s", padding=4)
        ax.set_title(title, fontsize=10, loc="left")
        ax.invert_yaxis()
        ax.margins(x=0.2)
        ax.tick_params(length=0)
        ax.xaxis.set_visible(False)
        ax.spines[:].set_visible(False)
    return figure
