"""The tables of supervised k-means on docs/papers/supervised_kmeans.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.averages import averaged
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, filled, found, pivot, printed

RESULTS = "reproduction/supervised_kmeans"
COLLECTIONS = ("synth", "news", "webkb-n", "webkb-l")
SHOWN = ("Iterative", "Spectral", "Pair", "None")
#: The paper's collections of web pages, and ours with the features that the paper describes.
WEBKB = {"webkb-n": "webkb-n tf-idf", "webkb-l": "webkb-l"}
LOSSES = {method: f"{{{method}:.1f}}" for method in SHOWN}


def family(row: Row) -> Row:
    """The collection of a row; draws of the same noise are one."""
    return {"family": str(row["data"]).partition(", draw")[0]}


#: Means over the seeds, and then over the sets.
MEANS = {
    "title": COLLECTIONS,
    "more": family,
    "means": [["family", "data", "held out", "method"], ["family", "method"]],
    "heads": {"": "{family}"},
    "column": "method",
    "text": "{loss:.1f}",
}


def paper(content: Content) -> list[Row]:
    """The means of the paper, by collection: of WebKB-L only the row of Wisconsin is legible."""
    found = averaged(printed("supervised_kmeans"), ["collection"])
    lines = filled(found, {"": "{collection}, {sets} sets"} | LOSSES)
    return [row | {"": row[""].replace("1 sets", "wisconsin")} for row in lines]


def losses(content: Content) -> dict[tuple[str, str], Row]:
    """The mean loss of each method over the seeds, by collection and the set held out."""
    rows: dict[tuple[str, str], Row] = {}
    for row in found(content, COLLECTIONS, means=[["data", "held out", "method"]]):
        rows.setdefault((row["data"], row["held out"]), {})[row["method"]] = row["loss"]
    return rows


def webkb_pairs(content: Content) -> list[tuple[Row, Row]]:
    """The paper's losses and ours on each university where the paper's are legible."""
    ours = losses(content)
    return [
        (row, ours[WEBKB[row["collection"]], row["held out"]])
        for row in printed("supervised_kmeans")
        if row["collection"] in WEBKB
    ]


def webkb(content: Content) -> list[Row]:
    """University by university: the paper's loss and ours."""
    return [
        {"": f"{row['collection']}, {row['held out']}"}
        | {method: f"{row[method]:.1f} / {ours[method]:.1f}" for method in SHOWN}
        for row, ours in webkb_pairs(content)
    ]


def of_figure(row: Row) -> Row:
    parameter = row["parameter"].replace("_", " ")
    return {"number": row["figure"].removeprefix("figure "), "parameter": parameter}


TABLES = {
    "kmeans-means": Table(pivot, RESULTS, names={name: name for name in SHOWN}, **MEANS),
    "kmeans-paper": Table(paper, RESULTS),
    "kmeans-webkb": Table(webkb, RESULTS),
    # Where the searches that predict have 30 starts, and one.
    "kmeans-starts": Table(
        pivot,
        RESULTS,
        names={"Iterative": "30 starts", "Iterative, one start": "one start"},
        **MEANS,
    ),
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
