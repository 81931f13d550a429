"""The tables of docs/sequences.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short

#: The columns of the tags and of the letters, and how their numbers are written.
TAGS = {"test": ".2f", "training": ".3g", "tagging dicts": ".3g"}
LETTERS = {"error": ".1f", "CPU s a fold": ".2g"}


def by_trainer(content: Content, title: str, forms: dict[str, str]) -> list[Row]:
    """Some columns of every trainer."""
    return [
        {"trainer": row["trainer"]}
        | {column: f"{row[column]:{form}}" for column, form in forms.items()}
        for row in content[title]
    ]


#: The trainers of the tasks with features of any size, and what the page calls them.
SCALE = {
    "CRFsuite lbfgs": "CRFsuite",
    "ChainSVM()": "ChainSVM()",
    "ChainSVM(all_possible_states=False)": "pairs that occur",
}


def scale(content: Content) -> list[Row]:
    """Accuracy, seconds and memory of each task, a column for each trainer."""
    lines: dict[str, Row] = {}
    for row in content["time, memory and accuracy"]:
        line = lines.setdefault(row["task"], {"task": row["task"]})
        if row["trainer"] in SCALE:
            cell = f"{row['test']:.2f}, {row['CPU s']:.3g} s, {row['MB']:.0f} MB"
            line[SCALE[row["trainer"]]] = cell
    return list(lines.values())


#: The ways of training with sentences of a new kind.
WAYS = ("alone", "both", "prior", "prior, C")


def adaptation(content: Content) -> list[Row]:
    """Accuracy by the number of labelled sentences."""
    return [
        {"labelled": f"{row['labelled']:,}"}
        | {name: f"{row[name]:.2f}" for name in ("source", *WAYS)}
        for row in content["accuracy"]
    ]


def adaptation_seconds(content: Content) -> list[Row]:
    """CPU seconds by the number of labelled sentences."""
    return [
        {"labelled": f"{row['labelled']:,}"}
        | {name: short(row[f"{name}, CPU s"], 2) for name in WAYS}
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


TABLES = {
    "sequences-adaptation": Table(adaptation, "sequences/adaptation"),
    "sequences-adaptation-seconds": Table(adaptation_seconds, "sequences/adaptation"),
    "sequences-vectors": Table(vectors, "sequences/vectors"),
    "sequences-scale": Table(scale, "sequences/scale"),
    "sequences-tags": Table(by_trainer, "sequences/tags", title="accuracy", forms=TAGS),
    "sequences-letters": Table(
        by_trainer, "sequences/letters", title="error of a letter, percent", forms=LETTERS
    ),
    "sequences-words": Table(plain, "sequences/words", title="words found, percent"),
}
