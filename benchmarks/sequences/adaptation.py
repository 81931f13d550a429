"""Tags of one kind of text from another: weights from experience as the prior of a fit.

    python -m benchmarks sequences/adaptation    # needs the treebank in STRUCTSVM_DATA

English Web has texts of five kinds. The source is its blogs and newsgroups, whose training part is
labelled as a whole. The target is in turn its answers, its e-mails and its reviews, of which the
first sentences of the training part in a random order are labelled; the target's sentences in the
parts for development and for testing are tagged. 'alone' is trained on the target's labels,
'source' on those of the source, 'both' on all of them, and 'prior' on the target's labels with the
source's weights as w_prior. These have the parameters' defaults, and nothing is chosen; for 'prior,
C' the C of each sentence is chosen among four by cross-validation in the labelled sentences of the
target. Each number is the mean of three targets and three orders; CPU seconds are of one fit, for
'prior, C' of the whole search.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.report import one_thread, report
from benchmarks.treebank import as_dicts, sentences
from structsvm.problems import ChainSVM

SOURCE = ("weblog", "newsgroup")
TARGETS = ("answers", "email", "reviews")
SIZES = (10, 30, 100, 300, 1000)
ORDERS = 3
#: C for each sentence; the last is the default.
CS = (0.1, 0.3, 1.0, 3.0)
WAYS = ("alone", "both", "prior", "prior, C")

Examples = tuple[list[Any], list[Any]]


def of_kind(kinds: tuple[str, ...], parts: tuple[str, ...]) -> Examples:
    """Sentences of some kinds of text as dicts of features, and their tags."""
    chosen = [s for part in parts for s in sentences(part) if s.genre in kinds]
    return [as_dicts(s.words) for s in chosen], [s.tags for s in chosen]


def fitted(X: list[Any], y: list[Any], **options: Any) -> tuple[ChainSVM, float]:
    start = time.process_time()
    svm = ChainSVM().fit(X, y, **options)
    return svm, time.process_time() - start


def searched(X: list[Any], y: list[Any], source: ChainSVM) -> tuple[ChainSVM, float]:
    """The fit with the C of best accuracy in three folds."""
    start = time.process_time()
    grid = {"C": [C * len(X) for C in CS]}
    search = GridSearchCV(ChainSVM(), grid, cv=3, error_score="raise")
    svm = search.fit(X, y, w_prior=source).best_estimator_
    return svm, time.process_time() - start


def accuracies(
    source: ChainSVM, given: Examples, target: Examples, test: Examples, order: Any
) -> Any:
    """The accuracy and the seconds of each way, by the number of labelled sentences."""
    for m in SIZES:
        few = [target[0][i] for i in order[:m]], [target[1][i] for i in order[:m]]
        fits = {
            "alone": fitted(*few),
            "both": fitted(given[0] + few[0], given[1] + few[1]),
            "prior": fitted(*few, w_prior=source),
            "prior, C": searched(*few, source),
        }
        for name, (svm, seconds) in fits.items():
            yield m, name, 100 * svm.score(*test), seconds


def main() -> None:
    given = of_kind(SOURCE, ("train",))
    source, _ = fitted(*given)
    found: dict[tuple[int, str], list[tuple[float, float]]] = {}
    alone = []
    for kind in TARGETS:
        target, test = of_kind((kind,), ("train",)), of_kind((kind,), ("dev", "test"))
        alone.append(100 * source.score(*test))
        for seed in range(ORDERS):
            order = np.random.default_rng(seed).permutation(len(target[0]))
            for m, name, *numbers in accuracies(source, given, target, test, order):
                found.setdefault((m, name), []).append((numbers[0], numbers[1]))
    rows = []
    for m in SIZES:
        row: dict[str, Any] = {"labelled": m, "source": float(np.mean(alone))}
        for name in WAYS:
            row[name] = float(np.mean([accuracy for accuracy, _ in found[m, name]]))
        for name in WAYS:
            row[f"{name}, CPU s"] = float(np.mean([seconds for _, seconds in found[m, name]]))
        rows.append(row)
    report("sequences/adaptation", {"accuracy": rows})


if __name__ == "__main__":
    with one_thread():
        main()
