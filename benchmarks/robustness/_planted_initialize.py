"""Bugs in initialize and in constructors."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted
from benchmarks.robustness._planted_grid import Grid, grid
from benchmarks.robustness._planted_labels import COSTS, K, Labels, labels, scores
from benchmarks.robustness._planted_tagging import Tagging, sequences
from benchmarks.robustness._planted_topics import Topics, topics
from structsvm import Problem

DRAWS = np.random.default_rng(0)
CONVENTION = "Constructor parameters are stored under their own name, unchanged"
OVERWRITES = "A later call with other data overwrites all that was learned from earlier data"


def worded():
    """Inputs are lists of words, the vocabulary of the data."""
    X = [["a", "b"], ["b", "c"], ["c"], ["d", "a"], ["e"], ["a", "e"], ["f", "b"], ["d"]]
    return X, [0, 1, 2, 3, 0, 1, 2, 3]


def listed_labels():
    X, Y = labels()
    return list(X), sorted(Y.tolist(), reverse=True)


@correct(worded)
class Words(Problem):
    """Labels of lists of words, counted by a vocabulary."""

    def initialize(self, X, Y):
        self.places = {word: i for i, word in enumerate(sorted({word for x in X for word in x}))}
        self.size_joint_feature = K * len(self.places)

    def counts(self, x):
        found = np.zeros(self.size_joint_feature // K)
        np.add.at(found, [self.places[word] for word in x], 1)
        return found

    def joint_feature(self, x, y):
        return np.outer(np.eye(K)[y], self.counts(x)).ravel()

    def loss(self, y, y_hat):
        return float(COSTS[y, y_hat])

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + scores(self.counts(x), w)))

    def decode(self, x, w):
        return int(np.argmax(scores(self.counts(x), w)))

    def outputs(self, x):
        return range(K)


# ------------------------------------------------------------------ initialize


@planted(worded, {"initialize"}, OVERWRITES)
class VocabularyGrows(Words):
    def __init__(self):
        self.known = set()

    def initialize(self, X, Y):
        self.known |= {word for x in X for word in x}
        super().initialize([sorted(self.known)], Y)


@planted(worded, {"initialize"}, OVERWRITES, listed=False)
class VocabularyIsMadeOnce(Words):
    def initialize(self, X, Y):
        if not hasattr(self, "places"):
            super().initialize(X, Y)


@planted(worded, {"initialize"}, OVERWRITES)
class PlacesAreKeptForTheClass(Words):
    """A class attribute: shared by all problems of the class, and never emptied."""

    shared: dict[str, int] = {}  # noqa: RUF012

    def initialize(self, X, Y):
        for word in sorted({word for x in X for word in x}):
            self.shared.setdefault(word, len(self.shared))
        self.places = self.shared
        self.size_joint_feature = K * len(self.places)


@planted(listed_labels, {"initialize"}, "No method may change its inputs, outputs or w in place")
class InitializeSortsTheLabels(Labels):
    def initialize(self, X, Y):
        Y.sort()
        self.size_joint_feature = K * len(X[0])


@planted(listed_labels, {"initialize"}, "No method may change its inputs, outputs or w in place")
class InitializeTakesTheLastInputAway(Labels):
    def initialize(self, X, Y):
        self.size_joint_feature = K * len(X.pop())


@planted(labels, {"initialize", "joint_feature"}, "it gives the same result for the same data")
class InitializeDrawsItsProjection(Labels):
    """A random projection without a seed: no two calls agree on what w means."""

    def initialize(self, X, Y):
        self.projection = DRAWS.normal(size=(X.shape[1], 2))
        self.size_joint_feature = 2 * K

    def joint_feature(self, x, y):
        return super().joint_feature(x @ self.projection, y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x @ self.projection, y, w)

    def decode(self, x, w):
        return super().decode(x @ self.projection, w)

    slack_oracle = None


@planted(topics, {"initialize", "size_joint_feature"}, "size_joint_feature : int")
class SizeIsAFloat(Topics):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.size_joint_feature = self.size_joint_feature / 1


@planted(sequences, {"initialize", "size_joint_feature"}, "size_joint_feature : int")
class SizeIsAShape(Tagging):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.size_joint_feature = (self.size_joint_feature,)


@planted(
    labels,
    {"initialize", "size_joint_feature", "joint_feature"},
    "size_joint_feature : length of w and of every joint feature",
)
class SizeCountsTheLabelsOfTheData(Labels):
    """The labels of the first examples only: the largest is missing."""

    def initialize(self, X, Y):
        self.size_joint_feature = X.shape[1] * len(set(Y[: K - 1].tolist()))


@planted(labels, {"initialize"}, OVERWRITES)
class MeanOfTheFirstDataStays(Labels):
    """Joint features are centred, by a mean that is computed once; their length is right."""

    mean = None
    slack_oracle = None

    def initialize(self, X, Y):
        super().initialize(X, Y)
        if self.mean is None:
            self.mean = X.mean(axis=0)

    def joint_feature(self, x, y):
        return super().joint_feature(x - self.mean, y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x - self.mean, y, w)

    def decode(self, x, w):
        return super().decode(x - self.mean, w)


# ----------------------------------------------------------------- constructor


@planted(labels, {"__init__"}, CONVENTION)
class ParametersWithoutNames(Labels):
    def __init__(self, *costs):
        self.costs = costs


@planted(topics, {"__init__"}, CONVENTION)
class DefaultIsReplaced(Topics):
    def __init__(self, names=None):
        self.names = names or ["a", "b", "c", "d"]


@planted(grid, {"__init__"}, CONVENTION, listed=False)
class ParameterIsRoundedByAProperty(Grid):
    def __init__(self, step=0.5):
        self.step = step

    @property
    def step(self):
        return self._step

    @step.setter
    def step(self, value):
        self._step = int(value)
