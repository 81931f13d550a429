"""All tables of all pages, as files that the pages include and in print."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from benchmarks.store import stored
from benchmarks.tables import (
    bayesian,
    clustering,
    cpm3c,
    decisions,
    defaults,
    guides,
    kmeans,
    multivariate,
    pairwise,
    papers,
    sdp,
    speed,
    worth,
)
from benchmarks.tables.table import Table, aligned, markdown

FOLDER = Path(__file__).parents[2] / "docs" / "_tables"

MODULES = (
    *(bayesian, clustering, cpm3c, decisions, defaults, guides, kmeans, multivariate, pairwise),
    *(papers, sdp, speed, worth),
)
TABLES: dict[str, Table] = {
    name: table for module in MODULES for name, table in module.TABLES.items()
}


def write() -> None:
    """Write every table to docs/_tables."""
    FOLDER.mkdir(exist_ok=True)
    for name, table in TABLES.items():
        (FOLDER / f"{name}.txt").write_text(markdown(table.rows()))


def show(results: str) -> None:
    """Print the tables that are made of some results; where there are none, the results."""
    found = {}
    for name, table in TABLES.items():
        if results in table.results and all(map(stored, table.results)):
            with suppress(LookupError):  # a brief run may lack titles and rows
                found[name] = table.rows()
    for name, rows in (found or stored(results)).items():
        print(f"\n{name}", aligned(rows) if rows else "none\n", sep="\n", end="")
