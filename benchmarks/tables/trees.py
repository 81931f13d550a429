"""The tables of docs/trees.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

#: The rows of labelled parsing, as the page and as the results name them, and their form.
LABELLED = {
    "right heads, %": ("test, heads", ".1f"),
    "right heads and labels, %": ("test, labels", ".1f"),
    "CPU s": ("CPU s", ".0f"),
    "GB": ("GB", ".1f"),
    "weights": ("weights", ","),
}


def parsing(content: Content) -> list[Row]:
    """Attachment on the test part, and CPU seconds with the features."""
    return [
        {
            "parser": row["parser"].replace("(projective", ", projective").rstrip("()"),
            "attachment": f"{row['test']:.2f}",
            "CPU s": _seconds(row),
        }
        for row in content["attachment in percent, and CPU seconds"]
    ]


def _seconds(row: Row) -> str:
    return f"{row['CPU s'] + row.get('features', 0):.0f}" if "CPU s" in row else ""


def projective(content: Content) -> list[Row]:
    """Attachment by language and kind of tree."""
    return [
        {"treebank": row["treebank"], "projective, %": f"{row['projective']:.1f}"}
        | {name: f"{row[name]:.1f}" for name in ("False", "True", "auto")}
        for row in content["attachment in percent"]
    ]


def labelled(content: Content) -> list[Row]:
    """Attachment with labels, and what training takes."""
    together, afterwards = content["labelled attachment"]
    return [
        {
            "": name,
            "together": f"{together[key]:{form}}",
            "`LinearSVC` afterwards": f"{afterwards[key]:{form}}",
        }
        for name, (key, form) in LABELLED.items()
    ]


TABLES = {
    "trees-labelled": Table(labelled, "trees/labelled"),
    "trees-projective": Table(projective, "trees/projective"),
    "trees-attachment": Table(parsing, "trees/parsing"),
    "trees-C": Table(
        plain, "trees/parsing", title="attachment on the dev part by C", text="{:.1f}".format
    ),
}
