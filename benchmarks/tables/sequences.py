"""The tables of docs/sequences.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain

#: The columns of the tags, and how their numbers are written.
TAGS = {"dev": ".2f", "test": ".2f", "training": ".3g", "tagging dicts": ".3g", "tagging": ".3g"}


def tags(content: Content) -> list[Row]:
    return [
        {"trainer": row["trainer"]}
        | {column: f"{row[column]:{form}}" for column, form in TAGS.items()}
        for row in content["accuracy"]
    ]


#: The columns of the tasks with features of any size.
SCALE = {
    "CPU s": ".3g", "to CRFsuite's": ".3g", "MB": ".0f", "weights": ",", "dev": ".2f",
    "test": ".2f", "F1": ".2f", "log loss": ".3f", "gap": ".1f", "file MB": ".1f",
}  # fmt: skip


def scale(content: Content) -> list[Row]:
    return [
        {"task": row["task"], "trainer": row["trainer"]}
        | {
            column: "" if row.get(column) is None else f"{row[column]:{form}}"
            for column, form in SCALE.items()
        }
        for row in content["time, memory and accuracy"]
    ]


TABLES = {
    "sequences-scale": Table(scale, "sequences/scale"),
    "sequences-tags": Table(tags, "sequences/tags"),
    "sequences-letters": Table(plain, "sequences/letters", title="error of a letter, percent"),
    "sequences-words": Table(plain, "sequences/words", title="words found, percent"),
}
