"""Tables of what a prediction is worth."""

from __future__ import annotations

from typing import Any

from benchmarks.tables.table import Table, lines, pivot

#: What was asked in the rows that are shown.
NINE: dict[str, Any] = {"asked": "coverage 0.9"}
FAMILIES = {
    "outputs": "{family}",
    "data": "{data}",
    "covered, %": "{covered:%1}",
    "in band": "{in the band}",
    "parts": "{parts:.2f}",
}
#: The methods that find wrong labels, as the results and as the page name them.
FINDERS = {
    "Conformal, hinge": "hinge",
    "Conformal, log_loss": "log loss",
    "cleanlab, self-confidence": "cleanlab",
}

TABLES = {
    "worth-coverage": Table(
        lines,
        "worth/coverage",
        title=["coverage, data never seen before", "coverage, data seen before"],
        where=NINE,
        columns=FAMILIES,
    ),
    "worth-label-next": Table(
        pivot,
        "worth/label_next",
        title="",
        heads={"data": "{data}"},
        column="choice",
        text="{needed:.0f}",
        names={"suggest": "suggest", "largest sets": "sizes", "random": "chance"},
    ),
    "worth-wrong-labels": Table(
        pivot,
        "worth/wrong_labels",
        title="",
        heads={"data": "{data}"},
        column="method",
        text="{found:.0f}",
        names=FINDERS,
    ),
}
