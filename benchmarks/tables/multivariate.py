"""The tables of multivariate losses on docs/papers/multivariate_mmc.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.averages import averaged
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, filled, in_paper, of_methods, printed

RESULTS = "reproduction/multivariate_mmc"
#: The measure of each loss.
LOSSES = {"nmi": "NMI", "rand": "RI", "f": "F"}
SECONDS = {"MMC": "hinge", "NMI": "nmi", "Rand": "rand", "F": "f", "k-means": "k-means"}


def sets(content: Content, measure: str) -> list[Row]:
    """The columns of all titles and methods on each set in the paper's order, and the paper's."""
    titles = [
        of_methods(
            (row for row in content[title] if row.get("scored by", measure) == measure), title + " "
        )
        for title in ("paper's protocol", "plain rows", "defaults")
    ]
    found = []
    for row in printed("multivariate_mmc"):
        found.append(row | in_paper(row))
        for title in titles:
            found[-1] |= title[row["data"]]
    return found


def by_set(content: Content, loss: str) -> list[Row]:
    """A measure on each set: of MMC, and of MultivariateMMC with the measure as its loss."""
    measure = LOSSES[loss]
    columns = {"": "{data}", "paper": _pair(f"paper's {measure} of {{}}", "MMC", "the loss")} | {
        name: _pair(f"{title} {{}}, {measure}", "hinge", loss)
        for name, title in (
            ("best of a grid by labels", "paper's protocol"),
            ("plain rows", "plain rows"),
            ("default", "defaults"),
        )
    }
    rows = sets(content, measure)
    return filled([*rows, averaged(rows)[0] | {"data": "mean"}], columns)


def _pair(column: str, *names: str) -> str:
    return " / ".join(f"{{{column.format(name)}:.3f}}" for name in names)


def k_means(content: Content) -> list[Row]:
    """All measures of k-means, the paper's and ours."""
    columns = {"": "{data}"} | {
        measure: f"{{paper's {measure} of k-means:.3f}} / {{defaults k-means, {measure}:.3f}}"
        for measure in LOSSES.values()
    }
    return filled(sets(content, "NMI"), columns)


def seconds(content: Content) -> list[Row]:
    """CPU seconds of a fit with plain rows, for figure 1, which has no numbers."""
    columns = {name: f"{{plain rows {method}, CPU s:~2}}" for name, method in SECONDS.items()}
    return filled(sets(content, "NMI"), {"": "{data}"} | columns)


TABLES = {
    **{f"multivariate-{loss}": Table(by_set, RESULTS, loss=loss) for loss in LOSSES},
    "multivariate-k-means": Table(k_means, RESULTS),
    "multivariate-seconds": Table(seconds, RESULTS),
}
