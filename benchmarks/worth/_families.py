"""A fitted estimator of each family, and examples that were kept back, of real data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import _safe_indexing

from benchmarks.decisions import _draws
from benchmarks.graphs import horses
from benchmarks.label_sets._data import label_sets
from benchmarks.matching._frames import house, pairs
from benchmarks.ranking._folds import Documents, fold
from benchmarks.sequences.letters import letter_words
from benchmarks.sequences.words import Candidate, drawn, segments
from benchmarks.treebank import first_sentences, matrices, tagged
from benchmarks.worth._own import Grades, GreedyWords
from structsvm import StructuredSVM
from structsvm.datasets import load_file
from structsvm.problems import (
    AssignmentSVM,
    ChainSVM,
    DecisionFocusedRegressor,
    DependencyParser,
    GraphSVM,
    MulticlassSVM,
    MultiLabelSVM,
    RankingSVM,
    SegmentSVM,
)


class Family(NamedTuple):
    """A fitted estimator, and the inputs and outputs that were kept back."""

    estimator: Any
    X: Any
    y: Any

    def part(self, places: Any) -> tuple[Any, Any]:
        """Some of these inputs and outputs."""
        return _safe_indexing(self.X, places), _safe_indexing(self.y, places)

    def halves(self, draw: int) -> tuple[Any, Any]:
        """A random half to calibrate on, and one of new examples."""
        order = np.random.default_rng(draw).permutation(n := len(self.y))
        return self.part(order[: n // 2]), self.part(order[n // 2 :])


def kept_back(estimator: Any, X: Any, y: Any, train: Any) -> Family:
    """The estimator trained on a random half, or on a number of examples, and the others."""
    n = len(y)
    order = np.random.default_rng(0).permutation(n)
    data = Family(estimator, X, y)
    X, y = data.part(order[train:])
    return Family(estimator.fit(*data.part(order[:train])), X, y)


def letter() -> Family:
    data = load_file("letter")
    return kept_back(MulticlassSVM(), data["X"].astype(float), data["y"], 16_000)


def digits() -> Family:
    return kept_back(MulticlassSVM(), *load_digits(return_X_y=True), 600)


def of_label_sets(name: str) -> Family:
    X, Y, train = label_sets(name)
    return Family(MultiLabelSVM().fit(X[train], Y[train]), X[~train], Y[~train])


def tags() -> Family:
    X, y, columns = matrices(first_sentences("train", 4000))
    X_dev, y_dev, _ = matrices(first_sentences("dev", None), columns)
    return Family(ChainSVM(all_possible_states=False).fit(X, y), X_dev, y_dev)


def handwriting() -> Family:
    X, y = letter_words(1)
    return Family(ChainSVM().fit(*letter_words(0)), X, y)


def trees() -> Family:
    train, dev = first_sentences("train", 1000), first_sentences("dev", 600)
    (X, y), (X_dev, y_dev) = (
        (tagged(some), [np.array(one.heads) for one in some]) for some in (train, dev)
    )
    return Family(DependencyParser().fit(X, y), X_dev, y_dev)


def pixels() -> Family:
    train, test = horses.parts()
    svm = GraphSVM(attractive=True).fit(horses.graphs(train), horses.labels(train))
    return Family(svm, horses.graphs(test), horses.labels(test))


def landmarks() -> Family:
    """Frames of the second half of the movie that are at most 40 apart, after five of the first."""
    movie = house()
    svm = AssignmentSVM().fit(*pairs(movie, range(0, 50, 10), 30, graph=False))
    found = [pairs(movie, range(55, 111 - k), k, graph=False) for k in (10, 20, 30, 40)]
    return Family(svm, *([*chain(*own)] for own in zip(*found, strict=True)))


def rankings() -> Family:
    """Queries that have relevant documents and others."""
    train, *others = fold(0)
    svm = RankingSVM().fit(train.X, train.y, qid=train.qid)
    every = [query for part in others for query in zip(*queries(part), strict=True)]
    X, y = zip(*((x, y) for x, y in every if y.min() < y.max()), strict=True)
    return Family(svm, list(X), list(y))


def queries(given: Documents) -> tuple[list[Any], list[Any]]:
    cuts = np.cumsum(given.sizes)[:-1]
    return np.split(given.X.astype(float), cuts), np.split(given.y, cuts)


def words() -> Family:
    train, dev = drawn("train", 1000), drawn("dev", 300)
    svm = SegmentSVM(Candidate(Counter(word for own in train for word in own)), max_length=15)
    (X, y), (X_dev, y_dev) = (
        (["".join(own) for own in some], [*map(segments, some)]) for some in (train, dev)
    )
    return Family(svm.fit(X, y), X_dev, y_dev)


def paths() -> Family:
    draw = _draws.paths(200, degree=4, seed=0, tested=2000)
    model = DecisionFocusedRegressor(draw.optimizer).fit(draw.train.X, draw.train.costs)
    return Family(model, draw.test.X, draw.test.costs)


def grades() -> Family:
    data = load_file("satimage")
    X = data["X"] / 128 - 0.5
    y = np.searchsorted(np.unique(data["y"]), data["y"])
    return kept_back(StructuredSVM(Grades(), C=1000.0), X, y, 4435)


def greedy_words() -> Family:
    """Three hundred words to learn from, with their letters as numbers."""
    (X, y), (X_new, y_new) = (
        (X, [letter_codes(word) for word in y]) for X, y in map(letter_words, (0, 1))
    )
    svm = StructuredSVM(GreedyWords(), C=300.0).fit(X[:300], y[:300])
    return Family(svm, X_new, y_new)


def letter_codes(word: Any) -> Any:
    return np.array([ord(letter) - ord("a") for letter in word])


#: Whether the data had a part in writing the code, and what loads them, by family and data.
FAMILIES: dict[tuple[str, str], tuple[bool, Callable[[], Family]]] = {
    ("classes", "letter"): (False, letter),
    ("classes", "digits"): (True, digits),
    ("label sets", "scene"): (False, lambda: of_label_sets("scene")),
    ("label sets", "yeast"): (False, lambda: of_label_sets("yeast")),
    ("chains", "parts of speech"): (True, tags),
    ("chains", "handwritten words"): (False, handwriting),
    ("segments", "words without spaces"): (False, words),
    ("trees", "dependencies"): (False, trees),
    ("graphs", "horses"): (False, pixels),
    ("matchings", "house"): (False, landmarks),
    ("rankings", "MQ2008"): (False, rankings),
    ("decisions", "paths"): (False, paths),
    ("four methods", "satimage in grades"): (False, grades),
    ("four methods, greedy search", "handwritten words"): (False, greedy_words),
}
