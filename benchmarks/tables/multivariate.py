"""The tables of multivariate losses on docs/papers/multivariate_mmc.md, ours and the paper's."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks.reproduction._names import PAIRS
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, short

RESULTS = "reproduction/multivariate_mmc"
#: The measure of each loss.
LOSSES = {"nmi": "NMI", "rand": "RI", "f": "F"}
#: The sets in the order of the paper's tables.
ORDER = (
    *("digits 1v7", "digits 2v7", "digits 3v8", "digits 8v9", "ionosphere", "ringnorm"),
    *("letter AvB", "satellite", "text-1", "text-2"),
)
#: Tables 3 to 5 as printed: MMC, MMC with the measure as its loss, and k-means.
PAPER = {
    "NMI": (
        (1.00, 1.00, 0.816, 0.845, 0.122, 0.207, 0.695, 0.894, 0.761, 0.808),
        (1.00, 1.00, 0.861, 0.860, 0.197, 0.422, 0.703, 0.923, 0.830, 0.900),
        (0.975, 0.801, 0.714, 0.562, 0.072, 0.199, 0.323, 0.771, 0.021, 0.018),
    ),
    "RI": (
        (1.00, 1.00, 0.945, 0.956, 0.599, 0.642, 0.873, 0.971, 0.905, 0.929),
        (1.00, 1.00, 0.961, 0.962, 0.640, 0.676, 0.895, 0.982, 0.939, 0.969),
        (0.995, 0.940, 0.904, 0.835, 0.564, 0.635, 0.706, 0.922, 0.499, 0.500),
    ),
    "F": (
        (1.00, 1.00, 0.945, 0.956, 0.627, 0.688, 0.897, 0.978, 0.907, 0.931),
        (1.00, 1.00, 0.961, 0.962, 0.672, 0.724, 0.900, 0.986, 0.940, 0.970),
        (0.994, 0.940, 0.904, 0.835, 0.594, 0.689, 0.706, 0.944, 0.761, 0.762),
    ),
}
assert set(ORDER) == set(PAIRS)


def by_set(content: Content, loss: str) -> list[Row]:
    """A measure on each set: of MMC, and of MultivariateMMC with the measure as its loss."""
    measure = LOSSES[loss]
    columns = {
        "paper": dict(zip(ORDER, zip(*PAPER[measure], strict=True), strict=True)),
        "best of a grid by labels": pairs(content["paper's protocol"], loss),
        "plain rows": pairs(content["plain rows"], loss),
        "default": pairs(content["defaults"], loss),
    }
    rows = [
        {"": name} | {column: _cell(values[name]) for column, values in columns.items()}
        for name in ORDER
    ]
    means = {
        column: _cell(np.mean([values[name][:2] for name in ORDER], axis=0))
        for column, values in columns.items()
    }
    return [*rows, {"": "mean"} | means]


def _cell(values: Iterable[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in list(values)[:2])


def pairs(rows: list[Row], loss: str) -> dict[str, tuple[float, float]]:
    """For each set the measure of MMC, and that with the measure as the loss."""
    measure = LOSSES[loss]
    found = {
        (row["data"], row["method"]): row[measure]
        for row in rows
        if row.get("scored by", measure) == measure
    }
    return {name: (found[name, "hinge"], found[name, loss]) for name in ORDER}


def k_means(content: Content) -> list[Row]:
    """All measures of k-means, ours and the paper's."""
    found = {row["data"]: row for row in content["defaults"] if row["method"] == "k-means"}
    return [
        {"": name}
        | {
            measure: f"{PAPER[measure][2][place]:.3f} / {found[name][measure]:.3f}"
            for measure in LOSSES.values()
        }
        for place, name in enumerate(ORDER)
    ]


def seconds(content: Content) -> list[Row]:
    """CPU seconds of a fit with plain rows, for figure 1, which has no numbers."""
    of = {(row["data"], row["method"]): row["CPU s"] for row in content["plain rows"]}
    columns = {"MMC": "hinge", "NMI": "nmi", "Rand": "rand", "F": "f", "k-means": "k-means"}
    return [
        {"": name} | {column: short(of[name, method], 2) for column, method in columns.items()}
        for name in ORDER
    ]


TABLES = {
    **{f"multivariate-{loss}": Table(by_set, RESULTS, loss=loss) for loss in LOSSES},
    "multivariate-k-means": Table(k_means, RESULTS),
    "multivariate-seconds": Table(seconds, RESULTS),
}
