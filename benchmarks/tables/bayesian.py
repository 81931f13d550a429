"""The table of BayesianMMC on docs/appendix/reproduction.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.cells import percent
from benchmarks.tables.table import Table

RESULTS = "reproduction/bayesian_mmc"
#: Errors in percent as printed in table II.
PAPER = {
    "heart": 32.8,
    "ionosphere": 29.6,
    "mnist 5v8": 10,
    "mnist 3v8": 6.0,
    "news 6v14": 8.8,
    "news 9v10": 7.2,
}
#: As printed in table I, averages: without a Universum, near the mean, from the marginals.
PAPER_UNIVERSUM = {
    "mnist 5v8": (20.2, 18.2, 17.6),
    "mnist 3v8": (18.8, 13.0, 13.4),
    "news 6v14": (25.0, 23.6, 23.2),
    "news 9v10": (19.0, 18.6, 18.8),
}


def errors(content: Content) -> list[Row]:
    return [
        {
            "": f"{row['data']}, n = {row['n']}",
            "paper": f"{PAPER[row['data']]:g}",
            "paper's protocol": percent(row["scored"]) if "scored" in row else "-",
            "without labels": percent(row["Bayesian"]),
            "k-means": percent(row["k-means"]),
        }
        for row in content["sets"]
    ]


TABLES = {"bayesian": Table(errors, RESULTS)}
