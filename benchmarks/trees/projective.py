"""Parsers of projective and of all trees, by the fraction of projective trees.

Treebanks of Universal Dependencies in several languages: the first 1000 sentences of the train part
are learned from, or of the dev part where a folder lacks it, and the first 800 of the test part are
parsed. ``projective=True`` refuses other trees, so it learns from fewer. The rule of 'auto' was
chosen on these treebanks, from the results of True and False.

    python -m benchmarks trees/projective

STRUCTSVM_TREEBANKS names a folder with files such as da_ddt-ud-test.conllu.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import Sentence, read, tagged
from structsvm.problems import DependencyParser
from structsvm.problems.trees.data import crossings

#: The environment variable that names the folder of treebanks.
FOLDER = "STRUCTSVM_TREEBANKS"
#: Sentences that are learned from and parsed, and words of a sentence, at most.
TRAIN, TEST, LONGEST = 1000, 800, 60


class Treebank(NamedTuple):
    """Sentences to learn from, and to parse."""

    train: list[Sentence]
    test: list[Sentence]

    def heads(self, part: list[Sentence]) -> list[Any]:
        return [np.array(sentence.heads) for sentence in part]

    @property
    def plain(self) -> list[bool]:
        """Return whether the training trees are projective."""
        return [not crossings(y).any() for y in self.heads(self.train)]


def some(path: Path, n: int) -> list[Sentence]:
    text = path.read_text(encoding="utf-8")
    return list(islice((s for s in read(text) if len(s.words) <= LONGEST), n))


@cache
def treebanks() -> dict[str, Callable[[], Treebank]]:
    """Return functions that load the treebanks of the folder."""
    if FOLDER not in os.environ:
        print(f"skipped: set {FOLDER} to a folder with files such as da_ddt-ud-test.conllu")
        return {}
    paths = sorted(Path(os.environ[FOLDER]).glob("*-ud-test.conllu"))
    return {path.name.removesuffix("-ud-test.conllu"): partial(treebank, path) for path in paths}


def treebank(path: Path) -> Treebank:
    name = path.name.removesuffix("-ud-test.conllu")
    train, dev = (path.with_name(f"{name}-ud-{part}.conllu") for part in ("train", "dev"))
    return Treebank(some(train if train.exists() else dev, TRAIN), some(path, TEST))


def parser(data: Treebank, projective: Any) -> DependencyParser:
    kept = [i for i, plain in enumerate(data.plain) if projective is not True or plain]
    X, y = tagged(data.train), data.heads(data.train)
    model = DependencyParser(projective=projective)
    return model.fit([X[i] for i in kept], [y[i] for i in kept])


def row(fits: Any, data: Treebank) -> Row:
    row: Row = {"sentences": len(data.train), "projective": 100 * np.mean(data.plain)}
    X, y = tagged(data.test), data.heads(data.test)
    for name, (model, seconds) in fits.items():
        row |= {f"CPU s, {name}": seconds, name: 100 * model.score(X, y)}
    return row


EXPERIMENTS = (
    Experiment(
        "attachment in percent",
        ("treebank",),
        treebanks,
        {str(kind): partial(parser, projective=kind) for kind in (False, True, "auto")},
        row,
        wide=True,
    ),
)
