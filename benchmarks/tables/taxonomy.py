"""The tables of docs/taxonomy.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, slashed

#: The columns of the articles, and how their numbers are written.
COLUMNS = {"accuracy": ".1f", "distance": ".3f", "CPU s": ".0f"}
MODELS = (
    *("LinearSVC", "MulticlassSVM", "MulticlassSVM, scale=None"),
    *("TaxonomySVM", "TaxonomySVM, distances"),
)


def articles(content: Content) -> list[Row]:
    return [
        {"model": row["model"]} | {name: f"{row[name]:{form}}" for name, form in COLUMNS.items()}
        for row in content["all articles"]
    ]


def small(content: Content, data: str) -> list[Row]:
    """Accuracy and distance of each model, by the number of rows of a class."""
    rows = [row for row in content["accuracy in percent, and distance"] if row["data"] == data]
    return [
        {"model": name}
        | {
            f"{row['rows of a class']} rows": slashed(
                f"{row[name]:.1f}", f"{row[f'{name}: distance']:.2f}"
            )
            for row in rows
        }
        for name in MODELS
    ]


TABLES = {
    "taxonomy-all": Table(articles, "classification/taxonomy"),
    "taxonomy-drawn": Table(small, "classification/small_taxonomies", data="drawn"),
    "taxonomy-digits": Table(small, "classification/small_taxonomies", data="digits"),
}
