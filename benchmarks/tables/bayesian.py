"""The tables of BayesianMMC on docs/papers/bayesian_mmc.md, ours and the paper's."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.store import Content, Row
from benchmarks.tables.cells import percent
from benchmarks.tables.table import Table, short

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


def errors(content: Content) -> list[Row]:
    """Errors in percent, the mean and the best of the draws."""
    return [
        {
            "": f"{row['data']}, n = {row['n']}",
            "paper": f"{PAPER[row['data']].bayesian:g}",
            "best kernel by labels": f"{percent(row['scored'])} / {percent(row['scored, best'])}",
            "default": f"{percent(row['Bayesian'])} / {percent(row['best'])}",
            "k-means, paper / here": f"{PAPER[row['data']].k_means:g} / {percent(row['k-means'])}",
            "cut, paper / here": f"{PAPER[row['data']].cut:g} / {percent(row['cut'])}",
        }
        for row in content["sets"]
    ]


def seconds(content: Content) -> list[Row]:
    """CPU seconds of a fit, and the calibration error of the defaults in percent."""
    return [
        {
            "": f"{row['data']}, n = {row['n']}",
            "CPU s, paper": short(PAPER[row["data"]].seconds),
            "CPU s, here": short(row["Bayesian, CPU s"], 2),
            "calibration error": percent(row["Bayesian, ECE"]),
        }
        for row in content["sets"]
    ]


def universum(content: Content) -> list[Row]:
    """Mean errors in percent: without a Universum, near the mean, and from the marginals."""
    return [
        {
            "": row["data"],
            "paper": " / ".join(f"{value:g}" for value in PAPER_UNIVERSUM[row["data"]]),
            **{
                kernel: " / ".join(percent(row[f"{kernel}, {one}"]) for one in UNIVERSUMS)
                for kernel in ("rbf", "diffusion")
            },
        }
        for row in content["universum"]
    ]


UNIVERSUMS = ("None", "mean", "marginal")
TABLES = {
    "bayesian-errors": Table(errors, RESULTS),
    "bayesian-seconds": Table(seconds, RESULTS),
    "bayesian-universum": Table(universum, RESULTS),
}
