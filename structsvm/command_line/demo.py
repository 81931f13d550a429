"""The command ``structsvm demo``: classify and cluster handwritten digits, and certify both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from structsvm.datasets import digits, digits_pair
from structsvm.displays import ClusterDisplay, ConvergenceDisplay
from structsvm.displays.drawing import new_figure
from structsvm.problems import MMC, MulticlassSVM
from structsvm.results.result import Result

#: The pairs of digits that are clustered.
PAIRS = ((3, 8), (1, 7))

LEGEND = """\
accuracy    of the classifier on test digits; of a clustering on the digits that it clustered
objective   1/2 |w|^2 + C * mean slack, which training minimises
gap         how far the objective can be above its minimum, relative to the objective
guarantee   what that minimum is taken over
              global: all w
              given labels: all w, for the cluster labels that were found
recomputed  objective and gap were recomputed from the data and agree
CPU         training time

The digits 0-9 are classified by a structural SVM; the two pairs are clustered without any labels.
Each gap is proven by a solution of the dual problem: no w does better by more than that."""


class Row(NamedTuple):
    """One line of the table: a fit, its accuracy in [0, 1], its CPU time in seconds."""

    task: str
    n: int
    accuracy: float
    result: Result
    recomputed: bool
    seconds: float

    def cells(self) -> list[str]:
        """Return the line as text, a cell for each column of :data:`HEADER`."""
        result = self.result
        return [
            self.task,
            str(self.n),
            f"{100 * self.accuracy:.1f} %",
            f"{result.primal:.4g}",
            f"{100 * result.gap / result.primal:.2f} %",
            "global" if result.guarantee.lower_bound else "given labels",
            "yes" if self.recomputed else "NO",
            str(result.iterations),
            f"{self.seconds:.2f} s",
        ]


HEADER = ["", "rows", "accuracy", "objective", "gap", "guarantee", "recomputed", "passes", "CPU"]


def classify() -> Row:
    """Train a multiclass SVM on three quarters of the digits; its accuracy is on the others."""
    X, X_test, y, y_test = train_test_split(*digits(), random_state=0)
    start = time.process_time()
    svm = MulticlassSVM().fit(X, y)
    seconds = time.process_time() - start
    checked = svm.verify(X, y)
    accuracy = svm.score(X_test, y_test)
    return Row("classify 0-9", len(y), accuracy, svm.result_, checked.matches, seconds)


def cluster(pair: tuple[int, int]) -> tuple[Row, Any, Any]:
    """Cluster two digits; return the row, the scores, positive for the second, and the mistakes."""
    X, y = digits_pair(*pair)
    start = time.process_time()
    mmc = MMC(random_state=0).fit(X)
    seconds = time.process_time() - start
    checked = mmc.verify(X)
    scores, second = mmc.decision_function(X), y == pair[1]
    if np.mean((scores >= 0) == second) < 0.5:  # clusters have no names: take the better fit
        scores = -scores
    mistakes = (scores >= 0) != second
    task = f"cluster {pair[0]}, {pair[1]}"
    row = Row(task, len(y), 1 - mistakes.mean(), mmc.result_, checked.matches, seconds)
    return row, scores, mistakes


def table(rows: Sequence[Row]) -> str:
    """Return the rows as aligned text."""
    lines = [HEADER, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )


def convergence_picture(result: Result) -> Any:
    """Plot primal and dual beside the gap of one fit."""
    figure = new_figure(9, 3.4)
    left, right = figure.subplots(1, 2)
    ConvergenceDisplay.from_result(result, ax=left)
    ConvergenceDisplay.from_result(result, kind="gap", ax=right)
    figure.suptitle("Training a multiclass SVM on the digits 0-9")
    return figure


def clusters_picture(clusterings: Sequence[tuple[Row, Any, Any]]) -> Any:
    """Plot the digits of every pair over their scores."""
    figure = new_figure(9, 3.1 * len(clusterings))
    for pair, (row, scores, mistakes), ax in zip(
        PAIRS, clusterings, figure.subplots(len(clusterings)), strict=True
    ):
        images = digits_pair(*pair)[0].reshape(-1, 8, 8)
        ClusterDisplay(images, scores, mistakes).plot(ax=ax)
        ax.set(
            title=f"{pair[0]} and {pair[1]}, clustered without labels: "
            f"{mistakes.sum()} of {row.n} in the wrong cluster (red)",
            xlabel="score of a sample of the digits; the margin is grey",
        )
    return figure


def run(output: Path) -> None:
    """Train, print the table, and save two pictures to a folder if matplotlib is installed."""
    with threadpool_limits(1):  # the CPU time of more threads would count their waiting
        classified = classify()
        clusterings = [cluster(pair) for pair in PAIRS]
    print(table([classified, *(row for row, _, _ in clusterings)]))
    print(f"\n{LEGEND}\n")
    try:
        pictures = {
            "demo-convergence.png": convergence_picture(classified.result),
            "demo-clusters.png": clusters_picture(clusterings),
        }
    except ImportError as error:
        print(f"No pictures: {error}")
        return
    output.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(output / name, dpi=120)
        print(f"Saved {output / name}")
