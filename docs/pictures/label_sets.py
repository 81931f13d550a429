"""Sets of labels."""

from __future__ import annotations

from typing import Any

from benchmarks.store import stored
from structsvm.displays.drawing import new_figure

DATA = {"scene": "Scenes, 6 labels", "yeast": "Genes, 14 labels"}
#: The estimators, as the results and as the picture name them.
ESTIMATORS = {
    "OneVsRest(LinearSVC)": "each label alone",
    "ClassifierChain(LogisticRegression)": "classifier chain",
    "MultiLabelSVM": "MultiLabelSVM",
    "MultiLabelSVM, cost='f1'": "trained for F1",
}


def label_sets() -> Any:
    """F1 of label sets, with the labels alone, in a chain of classifiers, and with pairs."""
    figure = new_figure(5, 3)
    for ax, (name, title) in zip(figure.subplots(2, sharex=True), DATA.items(), strict=True):
        rows = {
            row["estimator"]: row["F1"]
            for row in stored("label_sets/yeast_scene")[name]
            if row["chosen"] == "default"
        }
        values = [rows[estimator] for estimator in ESTIMATORS]
        bars = ax.barh(list(ESTIMATORS.values()), values, color=["C5", "C5", "C0", "C0"])
        ax.bar_label(bars, fmt="%.3f", padding=4, color="C5")
        ax.invert_yaxis()
        ax.set_title(title, loc="left")
        ax.spines[["bottom", "left"]].set_visible(False)
        ax.tick_params(left=False, bottom=False, labelbottom=False)
        ax.set_xlim(0, 0.85)
    return figure
