"""The tables of SDPMMC on docs/papers/sdp_mmc.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.cells import percent
from benchmarks.tables.table import Table, lines

RESULTS = "reproduction/sdp_mmc"
#: Errors in percent as printed in table 1: maximum margin, spectral clustering, k-means.
CLUSTERS = {
    "gaussians": (1.25, 1.25, 5),
    "circles": (0, 0, 50),
    "ai": (0, 0, 38.5),
    "joined circles": (1, 24, 50),
    "digits 2v3": (3, 6, 7),
}
#: The same in table 2: maximum margin, spectral clustering, the transductive SVM, the SVM.
LABELS = {
    "digits 1v7": (3.3, 4.2, 4.6, 4.5),
    "digits 2v3": (4.7, 6.4, 5.4, 10.9),
    "australian": (32, 48.7, 38.7, 37.5),
    "vote": (14, 13.8, 17.5, 20.4),
    "diabetes": (35.55, 44.67, 35.89, 39.44),
}
#: Our columns, by their names in the results.
OURS = {
    "width of spectral clustering": "SDP, width of spectral",
    "default width": "SDP, admm",
    "default": "SDP",
}


def clusters(content: Content) -> list[Row]:
    """Errors without labels, in percent; other methods as in the paper, and here."""
    others = {"spectral clustering": "spectral, scored", "k-means": "k-means"}
    return _errors(content["clusters"], CLUSTERS, others)


def labels(content: Content) -> list[Row]:
    """Errors on the unlabelled rows, in percent."""
    others = {
        "spectral clustering": "spectral, scored",
        "TSVM": "TSVM, scored",
        "SVM": "SVM, cross-validated",
    }
    return _errors(content["labels"], LABELS, others)


def _errors(
    rows: list[Row], paper: dict[str, tuple[float, ...]], others: dict[str, str]
) -> list[Row]:
    """The paper's figure and ours; of the other methods both in one cell."""
    return [
        {"": row["data"], "paper": f"{paper[row['data']][0]:g}"}
        | {column: percent(row[key]) for column, key in OURS.items()}
        | {
            f"{column}, paper / here": f"{printed:g} / {percent(row[key])}"
            for (column, key), printed in zip(others.items(), paper[row["data"]][1:], strict=True)
        }
        for row in rows
    ]


TABLES = {
    "sdp-clusters": Table(clusters, RESULTS),
    "sdp-labels": Table(labels, RESULTS),
    # The paper's program, all triangle inequalities included.
    "sdp-reference": Table(
        lines,
        RESULTS,
        title="time",
        columns={
            "rows": "{n}",
            "f(M)": "{f(M):.4f}",
            "lower bound": "{lower bound:.4f}",
            "CPU s": "{CPU s:~3}",
        },
    ),
}
