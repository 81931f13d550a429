"""Sequences."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from structsvm.displays.drawing import new_figure

#: Words in a range of probabilities that is shown, at least.
LEAST_SHOWN = 20


def tag_probabilities() -> Any:
    """The fraction of right tags against their probability, at two temperatures."""
    rows = stored("sequences/tags")["right labels"]
    figure = new_figure(4.5, 3.4)
    ax = figure.subplots()
    ax.plot([0, 100], [0, 100], color="C5", linewidth=1)
    for colour, temperature in zip(
        ("C1", "C0"), sorted({row["temperature"] for row in rows}, reverse=True), strict=True
    ):
        found = [r for r in rows if r["temperature"] == temperature and r["words"] >= LEAST_SHOWN]
        x, y = ([row[key] for row in found] for key in ("probability", "right"))
        label = f"temperature {temperature:.2g}"
        ax.plot(x, y, "o-", color=colour, markersize=4, linewidth=1, label=label)
    ax.set(xlabel="probability of the tag, percent", ylabel="right, percent")
    ax.legend()
    return figure


def adaptation() -> Any:
    """Accuracy of tags over the number of labelled sentences of another kind of text."""
    rows = stored("sequences/adaptation")["accuracy"]
    figure = new_figure(4.5, 3.4)
    ax = figure.subplots()
    sizes = [row["labelled"] for row in rows]
    names = {"prior, C": "few, source as prior", "both": "few and source", "alone": "few alone"}
    for name, label in names.items():
        ax.semilogx(sizes, [row[name] for row in rows], label=label)
    ax.axhline(rows[0]["source"], ls="--", color="C5", label="source alone")
    ax.set(xlabel="labelled sentences", ylabel="right tags, %")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.legend(frameon=False)
    return figure
