"""Handwritten words, letter by letter: the mean error of a letter over ten folds.

A fold is trained on and the nine others are predicted (Taskar, Guestrin & Koller, Max-Margin Markov
Networks, NIPS 2003). ChainSVM, CRFsuite's L-BFGS, LinearSVC and LogisticRegression have their
default parameters; "cross-validation" chooses C on the training fold. The features are 128 pixels.

    python -m benchmarks sequences/letters    # needs ocr_letters in STRUCTSVM_DATA
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import LinearSVC

from benchmarks.crfsuite import tagger
from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM

RESULTS = "sequences/letters"
#: Values of C that cross-validation chooses from, for each sequence.
SEARCHED = (0.2, 1.0, 5.0, 25.0)


def words() -> tuple[list[Any], list[Any], Any]:
    """Pixels and letters of every word, and its fold."""
    data = load_file("ocr_letters")
    cuts = np.flatnonzero(np.diff(data["word"])) + 1
    pixels = np.unpackbits(data["X"], axis=1).astype(np.float32)
    letters = np.split(data["classes"][data["y"]], cuts)
    return np.split(pixels, cuts), letters, data["fold"][np.concatenate([[0], cuts])]


def searched(n: int) -> GridSearchCV:
    folds = KFold(3, shuffle=True, random_state=0)
    return GridSearchCV(ChainSVM(), {"C": [c * n for c in SEARCHED]}, cv=folds)


def crfsuite(X: list[Any], Y: list[Any], new: list[Any]) -> list[Any]:
    trained = tagger(zip(_items(X), map(list, Y), strict=True), "lbfgs")
    return [trained.tag(x) for x in _items(new)]


def _items(X: list[Any]) -> list[Any]:
    return [[{str(j): 1.0 for j in np.flatnonzero(row)} for row in x] for x in X]


def by_rows(classifier: Any, X: list[Any], Y: list[Any], new: list[Any]) -> list[Any]:
    classifier.fit(np.concatenate(X), np.concatenate(Y))
    return [classifier.predict(x) for x in new]


def main() -> None:
    X, Y, fold = words()
    trainers = {
        "ChainSVM()": lambda x, y, new: ChainSVM().fit(x, y).predict(new),
        "ChainSVM, C by cross-validation": lambda x, y, new: (
            searched(len(x)).fit(x, y).predict(new)
        ),
        "LinearSVC()": lambda x, y, new: by_rows(LinearSVC(), x, y, new),
        "LogisticRegression()": lambda x, y, new: by_rows(
            LogisticRegression(max_iter=1000), x, y, new
        ),
    }
    if importlib.util.find_spec("pycrfsuite"):
        trainers["CRFsuite lbfgs"] = crfsuite
    else:
        print("python-crfsuite is not installed: CRFsuite is left out")
    rows: list[Row] = []
    for name, trainer in trainers.items():
        errors, start = [], time.process_time()
        for k in range(10):
            train, test = (np.flatnonzero((fold == k) == chosen) for chosen in (True, False))
            found = trainer(*([data[i] for i in train] for data in (X, Y)), [X[i] for i in test])
            true = np.concatenate([Y[i] for i in test])
            errors.append(100 * float(np.mean(np.concatenate(found) != true)))
        rows.append({
            "trainer": name, "error": float(np.mean(errors)), "deviation": float(np.std(errors)),
            "fold 1": errors[1], "CPU s a fold": (time.process_time() - start) / 10,
        })  # fmt: skip
        print(rows[-1], flush=True)
    report(RESULTS, {"error of a letter, percent": rows})


if __name__ == "__main__":
    with one_thread():
        main()
