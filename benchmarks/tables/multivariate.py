"""The table of multivariate losses on docs/appendix/reproduction.md, ours and the paper's."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks.reproduction._names import PAIRS
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS = "reproduction/multivariate_mmc"
#: The measure of each loss.
LOSSES = {"nmi": "NMI", "rand": "RI", "f": "F"}
#: Tables 3 to 5 as printed: MMC, and MMC with the measure as its loss, by the sets of the paper.
PAPER = {
    "NMI": {
        "MMC": (1.00, 1.00, 0.816, 0.845, 0.122, 0.207, 0.695, 0.894, 0.761, 0.808),
        "its loss": (1.00, 1.00, 0.861, 0.860, 0.197, 0.422, 0.703, 0.923, 0.830, 0.900),
    },
    "RI": {
        "MMC": (1.00, 1.00, 0.945, 0.956, 0.599, 0.642, 0.873, 0.971, 0.905, 0.929),
        "its loss": (1.00, 1.00, 0.961, 0.962, 0.640, 0.676, 0.895, 0.982, 0.939, 0.969),
    },
    "F": {
        "MMC": (1.00, 1.00, 0.945, 0.956, 0.627, 0.688, 0.897, 0.978, 0.907, 0.931),
        "its loss": (1.00, 1.00, 0.961, 0.962, 0.672, 0.724, 0.900, 0.986, 0.940, 0.970),
    },
}


def means(content: Content) -> list[Row]:
    """Means over the ten sets: each measure of MMC, and of MMC trained for it."""
    return [
        {
            "": f"{measure}, {kind}",
            "paper": f"{np.mean(PAPER[measure][kind]):.3f}",
            "paper's protocol": mean(
                (row for row in content["paper's protocol"] if row["scored by"] == measure),
                *(method, measure),
            ),
            "without labels": mean(content["without labels"], method, measure),
        }
        for loss, measure in LOSSES.items()
        for kind, method in {"MMC": "hinge", "its loss": loss}.items()
    ]


def mean(rows: Iterable[Row], method: str, measure: str) -> str:
    values = {row["data"]: row[measure] for row in rows if row["method"] == method}
    return f"{np.mean([values[name] for name in PAIRS]):.3f}"


TABLES = {"multivariate": Table(means, RESULTS)}
