"""The tables of BayesianMMC on docs/papers/bayesian_mmc.md, ours and the paper's."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.store import Row
from benchmarks.tables.table import Table, lines

RESULTS = "reproduction/bayesian_mmc"


class Printed(NamedTuple):
    """A row of table II: errors in percent, and CPU seconds of the Bayesian method."""

    bayesian: float
    k_means: float
    cut: float
    seconds: float


PAPER = {
    "heart": Printed(32.8, 38.0, 33.3, 0.7485),
    "ionosphere": Printed(29.6, 28.8, 31.1, 1.504),
    "mnist 5v8": Printed(10, 32, 29, 2.417),
    "mnist 3v8": Printed(6.0, 18.3, 10.8, 2.386),
    "news 6v14": Printed(8.8, 26, 13.6, 9.047),
    "news 9v10": Printed(7.2, 18.5, 7.7, 9.212),
}
#: As printed in table I, averages: without a Universum, near the mean, from the marginals.
PAPER_UNIVERSUM = {
    "mnist 5v8": (20.2, 18.2, 17.6),
    "mnist 3v8": (18.8, 13.0, 13.4),
    "news 6v14": (25.0, 23.6, 23.2),
    "news 9v10": (19.0, 18.6, 18.8),
}


UNIVERSUMS = ("None", "mean", "marginal")
NAMED = {"": "{data}, n = {n}"}
ERRORS = {
    "paper": "{paper:g}",
    "best kernel by labels": "{scored:.1f} / {scored, best:.1f}",
    "default": "{Bayesian:.1f} / {best:.1f}",
    "k-means, paper / here": "{paper's k-means:g} / {k-means:.1f}",
    "cut, paper / here": "{paper's cut:g} / {cut:.1f}",
}
SECONDS = {
    "CPU s, paper": "{paper's s:~3}",
    "CPU s, here": "{Bayesian, CPU s:~2}",
    "calibration error": "{Bayesian, ECE:.1f}",
}


def printed(row: Row) -> Row:
    """The paper's figures."""
    columns = ("paper", "paper's k-means", "paper's cut", "paper's s")
    return dict(zip(columns, PAPER[row["data"]], strict=True))


def printed_universum(row: Row) -> Row:
    return {"paper": " / ".join(f"{value:g}" for value in PAPER_UNIVERSUM[row["data"]])}


TABLES = {
    "bayesian-errors": Table(lines, RESULTS, title="sets", columns=NAMED | ERRORS, more=printed),
    "bayesian-seconds": Table(lines, RESULTS, title="sets", columns=NAMED | SECONDS, more=printed),
    "bayesian-universum": Table(
        lines,
        RESULTS,
        title="universum",
        columns={"": "{data}", "paper": "{paper}"}
        | {
            kernel: " / ".join(f"{{{kernel}, {one}:.1f}}" for one in UNIVERSUMS)
            for kernel in ("rbf", "diffusion")
        },
        more=printed_universum,
    ),
}
