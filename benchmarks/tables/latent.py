"""The tables of docs/latent.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

ONE_DIGIT = "{:.1f}".format


def letters(content: Content, title: str) -> list[Row]:
    """Means and standard errors."""
    return [
        {
            key: value if key == "known" else f"{value:.1f} ± {row[key + ', se']:.1f}"
            for key, value in row.items()
            if not key.endswith(", se")
        }
        for row in content[title]
    ]


TABLES = {
    "latent-semi-supervised": Table(plain, "latent/semi_supervised", title="objectives"),
    "latent-digits": Table(plain, "latent/digits", title="latent", text=ONE_DIGIT),
    "latent-digits-beside": Table(plain, "latent/digits", title="beside", text=ONE_DIGIT),
    "latent-promoters": Table(plain, "latent/promoters", title="latent"),
    "latent-promoters-beside": Table(plain, "latent/promoters", title="beside"),
    "latent-letters": Table(letters, "latent/letters", title="wrong letters, percent"),
    "latent-letters-spread": Table(letters, "latent/letters", title="spread of objectives"),
}
