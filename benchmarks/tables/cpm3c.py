"""The tables of CPM3C on docs/papers/cpm3c.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, filled, in_paper, lines, of_methods, pivot, printed

RESULTS = "reproduction/cpm3c"
#: The results of the sets in the tables.
TITLES = ("sets", "digit pairs", "mnist pairs", "protocol", "as they are")
#: Our columns. The protocol is the best C by the labels.
METHODS = {
    "best C by labels": "protocol",
    "the same, not centred": "protocol, as they are",
    "default": "default",
    "one cluster": "one cluster",
    "k-means": "k-means, single starts",
}
SECONDS = {
    "": "{data}",
    "paper": "{paper's CPU s:~3}",
    "one start": "{one start, CPU s:~3}",
    "default": "{default, CPU s:~3}",
    "k-means": "{k-means, single starts, CPU s:~3}",
    "k-means, paper": "{paper's k-means CPU s:~3}",
}


def sets(content: Content) -> list[Row]:
    """The columns of all methods on each set that the paper has, and the paper's."""
    ours = of_methods(row for title in TITLES for row in content[title])
    return [row | in_paper(row) | ours[row["data"]] for row in printed("cpm3c")]


def compared(content: Content, measure: str, digits: str) -> list[Row]:
    """Return our figure and the paper's, or a dash if no grid was run."""
    columns = {"": "{data}", "paper": f"{{paper's {measure}:{digits}}}"}
    columns |= {name: f"{{{method}, {measure}:{digits}}}" for name, method in METHODS.items()}
    columns["k-means, paper"] = f"{{paper's k-means {measure}:{digits}}}"
    found = filled(sets(content), columns)
    return [{name: text or "-" for name, text in row.items()} for row in found]


def seconds(content: Content) -> list[Row]:
    """CPU seconds, ours on another machine."""
    return [row for row in filled(sets(content), SECONDS) if all(row.values())]


TABLES = {
    "cpm3c-accuracy": Table(compared, RESULTS, measure="accuracy", digits=".2f"),
    "cpm3c-rand": Table(compared, RESULTS, measure="RI", digits=".3f"),
    "cpm3c-seconds": Table(seconds, RESULTS),
    # Figures 2 and 3: by the relative gap at which a fit stops.
    "cpm3c-tolerance": Table(
        pivot,
        RESULTS,
        title="tolerance",
        heads={"rtol": "{rtol:g}"},
        column="data",
        text="{accuracy:.1f}, {CPU s:~2} s",
    ),
    # Figure 1.
    "cpm3c-growth": Table(
        lines,
        RESULTS,
        title="growth",
        columns={
            "rows": "{n:,}",
            "clusters": "{clusters}",
            "on a sample": "{CPU s:~3}",
            "one start on all rows": "{one start, CPU s:~3}",
        },
    ),
}
