"""The table of SDPMMC on docs/appendix/reproduction.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.cells import percent
from benchmarks.tables.table import Table

RESULTS = "reproduction/sdp_mmc"
#: Errors of the semidefinite program in percent, as printed in tables 1 and 2.
CLUSTERS = {"gaussians": 1.25, "circles": 0, "ai": 0, "joined circles": 1, "digits 2v3": 3}
LABELS = {"digits 1v7": 3.3, "digits 2v3": 4.7, "australian": 32, "vote": 14, "diabetes": 35.55}


def errors(content: Content) -> list[Row]:
    """Without labels beside k-means, and with ten labels beside a cross-validated SVM."""
    return [
        *(_errors(row, row["data"], CLUSTERS, "k-means") for row in content["clusters"]),
        *(
            _errors(row, f"{row['data']}, 10 labels", LABELS, "SVM, cross-validated")
            for row in content["labels"]
        ),
    ]


def _errors(row: Row, name: str, paper: dict[str, float], other: str) -> Row:
    return {
        "": name,
        "paper": f"{paper[row['data']]:g}",
        "paper's protocol": percent(row["SDP, scored"]),
        "default": percent(row["SDP"]),
        "k-means; SVM": percent(row[other]),
    }


TABLES = {"sdp": Table(errors, RESULTS)}
