"""Handwritten words, letter by letter: the mean error of a letter over ten folds.

A fold is trained on and the nine others are predicted (Taskar, Guestrin & Koller, Max-Margin Markov
Networks, NIPS 2003). ChainSVM, CRFsuite's L-BFGS, LinearSVC and LogisticRegression have their
default parameters; "cross-validation" chooses C on the training fold. The features are 128 pixels.

    python -m benchmarks sequences/letters    # needs ocr_letters in STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import LinearSVC

from benchmarks.crfsuite import tagger
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM

RESULTS = "sequences/letters"
FOLDS = 10
#: Values of C that cross-validation chooses from, for each sequence.
SEARCHED = (0.2, 1.0, 5.0, 25.0)


class Fold(NamedTuple):
    """Words to learn from, with their letters, and words to read."""

    X: list[Any]
    y: list[Any]
    new: list[Any]
    true: list[Any]

    def error(self, found: list[Any]) -> float:
        """The percentage of wrong letters."""
        return 100 * float(np.mean(np.concatenate(found) != np.concatenate(self.true)))


@cache
def words() -> tuple[list[Any], list[Any], Any]:
    """Pixels and letters of every word, and its fold."""
    data = load_file("ocr_letters")
    cuts = np.flatnonzero(np.diff(data["word"])) + 1
    pixels = np.unpackbits(data["X"], axis=1).astype(np.float32)
    letters = np.split(data["classes"][data["y"]], cuts)
    return np.split(pixels, cuts), letters, data["fold"][np.concatenate([[0], cuts])]


def letter_words(fold: int) -> tuple[list[Any], list[Any]]:
    """The words of one fold, in double precision, and their letters."""
    X, Y, folds = words()
    some = np.flatnonzero(folds == fold)
    return [X[i].astype(np.float64) for i in some], [Y[i] for i in some]


def fold(k: int) -> Fold:
    X, Y, folds = words()
    train, test = (np.flatnonzero((folds == k) == chosen) for chosen in (True, False))
    return Fold(*([of[i] for i in some] for some in (train, test) for of in (X, Y)))


def searched(data: Fold) -> list[Any]:
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(ChainSVM(), {"C": [c * len(data.X) for c in SEARCHED]}, cv=folds)
    return search.fit(data.X, data.y).predict(data.new)


def crfsuite(data: Fold) -> list[Any]:
    trained = tagger(zip(_items(data.X), map(list, data.y), strict=True), "lbfgs")
    return [trained.tag(x) for x in _items(data.new)]


def _items(X: list[Any]) -> list[Any]:
    return [[{str(j): 1.0 for j in np.flatnonzero(row)} for row in x] for x in X]


def by_rows(classifier: Any, data: Fold) -> list[Any]:
    classifier.fit(np.concatenate(data.X), np.concatenate(data.y))
    return [classifier.predict(x) for x in data.new]


def summary(folds: list[Row]) -> Row:
    errors, seconds = ([row[column] for row in folds] for column in ("error", "seconds"))
    return {
        "error": float(np.mean(errors)),
        "deviation": float(np.std(errors)),
        "fold 1": errors[min(1, len(errors) - 1)],
        "CPU s a fold": float(np.mean(seconds)),
    }


EXPERIMENTS = (
    Experiment(
        "error of a letter, percent",
        ("trainer",),
        {(): fold},
        {
            "ChainSVM()": lambda data: ChainSVM().fit(data.X, data.y).predict(data.new),
            "ChainSVM, C by cross-validation": searched,
            "LinearSVC()": lambda data: by_rows(LinearSVC(), data),
            "LogisticRegression()": lambda data: by_rows(LogisticRegression(max_iter=1000), data),
            "CRFsuite lbfgs": crfsuite,
        },
        lambda fit, data: {"error": data.error(fit.found), "seconds": fit.seconds},
        draws=FOLDS,
        summary=summary,
    ),
)
