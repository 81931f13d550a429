"""A problem of one's own: the examples of the pages about writing one."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from structsvm import StructuredSVM
from structsvm.displays.drawing import new_figure

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from bounds import FallingMatching, NonnegativeMatching
from grades import FastGrades, Grades, SoftGrades
from matching import Matching


def learned_matching() -> Any:
    """The first 36 test inputs, matched by the least distance and by learned weights."""
    svm = StructuredSVM(Matching(), C=10.0).fit(*Matching.example_data())
    X, Y = Matching.example_data(n=200, random_state=1)
    figure = new_figure(5, 4.4)
    rows = figure.subfigures(2, 1)
    for row, name, w in zip(
        rows, ("Least distance", "Learned weights"), (np.ones(X.shape[-1]), svm.w_), strict=True
    ):
        found = [svm.problem.decode(x, w) for x in X]
        right = np.mean([np.equal(y, y_hat) for y, y_hat in zip(Y, found, strict=True)])
        row.suptitle(f"{name}: {100 * right:.0f} % of 1000 pairs right", fontsize=10)
        for ax, y, y_hat in zip(row.subplots(3, 12).flat, Y, found, strict=False):
            _links(ax, y, y_hat)
    return figure


def _links(ax: Any, y: Any, y_hat: Any) -> None:
    """The items left and their partners right, each true partner on the level of its item."""
    level = np.argsort(y)
    for item, partner in enumerate(y_hat):
        ends = item, level[partner]
        ax.plot([0, 1], ends, "o-", color="C0" if ends[0] == ends[1] else "C1", markersize=3)
    ax.set(xlim=(-0.2, 1.2), ylim=(-0.5, len(y) - 0.5))
    ax.axis("off")


def tasks_of_grades() -> Any:
    """CPU seconds to train the three forms of a problem on 20,000 examples at C = 1000."""
    X, y = Grades.example_data(n=20_000)
    forms = {"four methods": Grades, "a task": FastGrades, "soft oracle": SoftGrades}
    figure = new_figure(5, 1.7)
    ax = figure.subplots()
    for kind in forms.values():
        start = time.process_time()
        StructuredSVM(kind(), C=1000.0).fit(X, y)
        seconds = time.process_time() - start
        bar = ax.barh(len(ax.patches), seconds, color=f"C{len(ax.patches)}")
        ax.bar_label(bar, [f"{seconds:.2g} s"], padding=4)
    ax.set_yticks(range(len(forms)), forms)
    ax.invert_yaxis()
    ax.margins(x=0.15)
    ax.xaxis.set_visible(False)
    ax.spines[:].set_visible(False)
    return figure


def bounded_weights() -> Any:
    """The weights that ten examples give, free and with what is known about them."""
    X, Y = Matching.example_data(n=10)
    test = Matching.example_data(n=200, random_state=1)
    forms = {"Free": Matching, "Not negative": NonnegativeMatching, "And falling": FallingMatching}
    figure = new_figure(5, 3.6)
    panels = figure.subplots(3, 1, sharex=True)
    for number, (ax, name) in enumerate(zip(panels, forms, strict=True)):
        svm = StructuredSVM(forms[name](), C=10.0).fit(X, Y)
        ax.bar(np.arange(1, 9), svm.w_, color=f"C{number}")
        ax.axhline(0, color="0.5", linewidth=0.8)
        ax.set_title(f"{name}: {100 * svm.score(*test):.0f} % of test pairs right", fontsize=10)
        ax.set_yticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    panels[-1].set(xlabel="weight of each coordinate", xticks=range(1, 9))
    return figure
