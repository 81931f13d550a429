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


def by_pairs(content: Content) -> list[Row]:
    """Seconds, memory and accuracy on the dev part, by the number of pairs with a weight."""
    rows = content["by pairs"]
    most = sorted({row["pairs"] for row in rows})
    return [
        {"task": task}
        | {
            f"{pairs:,}": f"{row['CPU s']:.3g} s, {row['MB']:.0f} MB, {row['dev']:.2f}"
            for pairs in most
            for row in rows
            if (row["task"], row["pairs"]) == (task, pairs)
        }
        for task in dict.fromkeys(row["task"] for row in rows)
    ]


def adaptation(content: Content) -> list[Row]:
    """Accuracy and seconds by the number of labelled sentences."""
    return [
        {"labelled": f"{row['labelled']:,}", "source": f"{row['source']:.2f}"}
        | {
            name: f"{row[name]:.2f} ({row[f'{name}, CPU s']:.2g} s)"
            for name in ("alone", "both", "prior", "prior, C")
        }
        for row in content["accuracy"]
    ]


def vectors(content: Content) -> list[Row]:
    """Accuracy and seconds without and with the vectors of words."""
    return [
        {"sentences": f"{row['sentences']:,}", "trainer": row["trainer"]}
        | {
            title: f"{row[title]:.2f} ({row[f'{title}, CPU s']:.3g} s)"
            for title in ("plain", "vectors")
        }
        for row in content["tags, percent right"]
    ]


def pruned(content: Content) -> list[Row]:
    """Weights, megabytes and accuracy on the dev part, by what the weights left out may change."""
    rows = content["smallest weights"]
    return [
        {"task": task}
        | {
            "none left out" if change is None else f"{change:g}": (
                f"{row['weights']:,}: {row['file MB']:.1f} MB, {row['dev']:.2f}"
            )
            for change in dict.fromkeys(row["change"] for row in rows)
            for row in rows
            if (row["task"], row["change"]) == (task, change)
        }
        for task in dict.fromkeys(row["task"] for row in rows)
    ]


TABLES = {
    "sequences-adaptation": Table(adaptation, "sequences/adaptation"),
    "sequences-pruned": Table(pruned, "sequences/pruning"),
    "sequences-states": Table(by_pairs, "sequences/states"),
    "sequences-vectors": Table(vectors, "sequences/vectors"),
    "sequences-pixels": Table(plain, "sequences/vectors", title="error of a letter, percent"),
    "sequences-scale": Table(scale, "sequences/scale"),
    "sequences-tags": Table(tags, "sequences/tags"),
    "sequences-letters": Table(plain, "sequences/letters", title="error of a letter, percent"),
    "sequences-words": Table(plain, "sequences/words", title="words found, percent"),
}
