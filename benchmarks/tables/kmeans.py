"""The tables of supervised k-means on docs/papers/supervised_kmeans.md, ours and the paper's."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.store import Content, Row
from benchmarks.tables.cells import percent
from benchmarks.tables.table import Table, pivot

RESULTS = "reproduction/supervised_kmeans"
METHODS = ("Iterative", "Iterative, one start", "Spectral", "Logistic", "Pair", "None")
COLLECTIONS = ("synth", "news", "webkb-n", "webkb-l")
SHOWN = ("Iterative", "Spectral", "Pair", "None")

#: The legible rows of table 3: the loss of Iterative, Spectral, Pair and None on the sets held out.
#: Of WebKB-L only the row of Wisconsin is legible.
PAPER = {
    "synth": {
        "1": (43.3, 55.6, 48.1, 74.7),
        "2": (53.4, 58.7, 54.7, 74.7),
        "3": (56.0, 56.7, 55.2, 74.7),
        "4": (39.3, 59.5, 43.9, 74.7),
        "5": (40.3, 63.4, 49.1, 74.7),
    },
    "webkb-n": {
        "cornell": (63.0, 61.4, 74.8, 78.6),
        "texas": (69.9, 56.8, 75.5, 78.7),
        "washington": (68.8, 58.2, 74.9, 78.3),
        "wisconsin": (72.6, 66.2, 77.0, 78.6),
    },
    "webkb-l": {"wisconsin": (53.1, 46.6, 60.6, 76.2)},
    "news 8-1": {
        "business": (23.7, 20.6, 45.2, 49.5),
        "entertainment": (12.7, 22.2, 53.0, 25.9),
        "health": (28.1, 28.7, 57.4, 38.8),
        "nation": (3.8, 3.8, 40.2, 14.6),
        "sports": (15.2, 14.3, 47.6, 59.9),
        "technology": (35.9, 30.4, 51.7, 37.3),
        "world": (3.7, 2.4, 41.7, 62.1),
    },
    "news 8-2": {
        "business": (3.6, 4.6, 34.1, 63.8),
        "entertainment": (22.7, 9.5, 40.1, 22.8),
        "health": (20.4, 20.4, 48.4, 43.9),
        "nation": (24.6, 23.7, 47.4, 60.6),
        "sports": (20.2, 15.8, 59.3, 57.0),
        "technology": (16.1, 13.8, 48.3, 41.3),
        "world": (12.2, 11.9, 50.5, 70.4),
    },
    "news 8-4": {
        "business": (19.7, 14.9, 42.7, 33.5),
        "entertainment": (4.6, 6.3, 46.8, 32.4),
        "health": (15.0, 16.2, 51.7, 32.1),
        "nation": (19.4, 20.3, 41.2, 30.0),
        "sports": (19.0, 19.0, 55.6, 54.7),
        "technology": (5.8, 11.6, 46.4, 37.6),
        "world": (4.8, 5.8, 39.6, 39.3),
    },
}

#: The paper's collections of web pages, and ours with the features that the paper describes.
WEBKB = {"webkb-n": "webkb-n tf-idf", "webkb-l": "webkb-l"}


def paper(content: Content) -> list[Row]:
    """The means of the paper, by collection."""
    return [
        {"": f"{name}, {len(table)} sets" if len(table) > 1 else f"{name}, wisconsin"}
        | _percents(np.mean(list(table.values()), axis=0))
        for name, table in PAPER.items()
    ]


def means(content: Content) -> list[Row]:
    """Means over the sets held out, the draws and the seeds."""
    rows = _rows(content)
    return [
        {"": name} | _percents([mean_loss(rows, name, method) for method in SHOWN])
        for name in dict.fromkeys(family(row) for row in rows)
    ]


def webkb(content: Content) -> list[Row]:
    """University by university: the paper's loss and ours, where the paper's is legible."""
    return [
        {"": f"{name}, {held}"}
        | {
            method: f"{value:.1f} / {loss_of(content, ours, held, method):.1f}"
            for method, value in zip(SHOWN, PAPER[name][held], strict=True)
        }
        for name, ours in WEBKB.items()
        for held in PAPER[name]
    ]


def starts(content: Content) -> list[Row]:
    """The loss of Iterative where the searches that predict have 30 starts, and one."""
    rows = _rows(content)
    methods = ("Iterative", "Iterative, one start")
    names = dict.fromkeys(family(row) for row in rows if row["method"] == methods[1])
    return [
        {"": name}
        | {
            column: percent(mean_loss(rows, name, method))
            for column, method in zip(("30 starts", "one start"), methods, strict=True)
        }
        for name in names
    ]


def of_figure(row: Row) -> Row:
    parameter = row["parameter"].replace("_", " ")
    return {"number": row["figure"].removeprefix("figure "), "parameter": parameter}


def _rows(content: Content) -> list[Row]:
    return [row for title in COLLECTIONS for row in content[title]]


def _percents(values: Any) -> Row:
    return {method: percent(value) for method, value in zip(SHOWN, values, strict=True)}


def loss_of(content: Content, name: str, held: str, method: str) -> float:
    rows = [row for row in _rows(content) if row["held out"] == held]
    return mean_loss(rows, name, method)


def family(row: Row) -> str:
    """The collection of a row; draws of the same noise are one."""
    return str(row["data"]).partition(", draw")[0]


def mean_loss(rows: list[Row], name: str, method: str) -> float:
    """The mean over sets of the mean over seeds."""
    by_set: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if (family(row), row["method"]) == (name, method):
            by_set.setdefault((row["data"], row["held out"]), []).append(row["loss"])
    return float(np.mean([np.mean(losses) for losses in by_set.values()]))


TABLES = {
    "kmeans-means": Table(means, RESULTS),
    "kmeans-paper": Table(paper, RESULTS),
    "kmeans-webkb": Table(webkb, RESULTS),
    "kmeans-starts": Table(starts, RESULTS),
    # Figures 1 to 4.
    "kmeans-seconds": Table(
        pivot,
        RESULTS,
        title="time",
        heads={"figure": "{number}", "of": "{parameter}", "value": "{value}"},
        column="method",
        text="{CPU s:~2}",
        names={"iterative": "Iterative", "spectral": "Spectral"},
        more=of_figure,
    ),
}
