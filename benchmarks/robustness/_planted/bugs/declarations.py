"""Bugs in constructors, in initialize, and in declared attributes and constraints."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted.correct.grid import BoundedGrid, Grid
from benchmarks.robustness._planted.correct.labels import K, Labels, labels
from benchmarks.robustness._planted.correct.parts import Parts
from benchmarks.robustness._planted.correct.tagging import Tagging
from benchmarks.robustness._planted.correct.topics import Topics
from benchmarks.robustness._planted.correct.words import Words
from benchmarks.robustness._planted.register import bug, bugs, declared, memory, silent
from structsvm import WeightConstraints

DRAWS = np.random.default_rng(0)

# ------------------------------------------------------------------ attributes

declared(Labels, "max_loss", [float("nan"), "1.0", 1.0, np.array([3.0])])
bugs(Grid, "max_loss", {"a method": lambda right, problem: 6.0})
declared(Labels, "work", [-12.0, np.inf])
declared(Labels, "block_size", [0, 2.5])
declared(Tagging, "roundoff", [-1e-6, np.nan, "1e-6"])
declared(Topics, "oracle_cost", [3])
declared(Topics, "oracle_quality", ["approximate"])
declared(Topics, "parallelism", ["fibres"])
declared(Parts, "restricts_labels", ["never"])


@bug("work", "initialize")
class WorkIsNaNAfterInitialize(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.work = float("nan")


@bug("parallelism")
class ParallelismIsLearned(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.parallelism = "process"


@bug("example_data")
class ExampleDataForgetsALabel(Labels):
    def example_data(self):
        X, Y = labels()
        return X, Y[:-1]


# ------------------------------------------------------------------ constructors


@bug("__init__")
class ParametersWithoutNames(Labels):
    def __init__(self, *costs):
        self.costs = costs


@bug("__init__")
class DefaultIsReplaced(Topics):
    def __init__(self, names=None):
        self.names = names or ["a", "b", "c", "d"]


@bug("__init__")
class ParameterIsRoundedByAProperty(Grid):
    def __init__(self, step=0.5):
        self.step = step

    @property
    def step(self):
        return self._step

    @step.setter
    def step(self, value):
        self._step = int(value)


@bug("__init__")
class ParameterIsConverted(Labels):
    def __init__(self, scale=1):
        self.scale = float(scale)


# ------------------------------------------------------------------ initialize: what it keeps


@bug("initialize")
class VocabularyGrows(Words):
    def __init__(self):
        self.known = set()

    def initialize(self, X, Y):
        self.known |= {word for x in X for word in x}
        super().initialize([sorted(self.known)], Y)


@bug("initialize")
class VocabularyIsMadeOnce(silent(Words)):
    def initialize(self, X, Y):
        if not hasattr(self, "places"):
            super().initialize(X, Y)


@bug("initialize")
class PlacesAreKeptForTheClass(Words):
    """A class attribute: shared by all problems of the class, and never emptied."""

    shared: dict[str, int] = {}  # noqa: RUF012

    def initialize(self, X, Y):
        for word in sorted({word for x in X for word in x}):
            self.shared.setdefault(word, len(self.shared))
        self.places = self.shared
        self.size_joint_feature = K * len(self.places)


class Transformed(Labels):
    """Inputs are transformed by what initialize learned, in all methods."""

    slack_oracle = None

    def joint_feature(self, x, y):
        return super().joint_feature(self.transformed(x), y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(self.transformed(x), y, w)

    def decode(self, x, w):
        return super().decode(self.transformed(x), w)


@bug("initialize", "joint_feature")
class InitializeDrawsItsProjection(Transformed):
    """A random projection without a seed: w has another meaning in every call."""

    def initialize(self, X, Y):
        self.projection = DRAWS.normal(size=(X.shape[1], 2))
        self.size_joint_feature = 2 * K

    def transformed(self, x):
        return x @ self.projection


@bug("initialize")
class MeanOfTheFirstDataStays(Transformed):
    mean = None

    def initialize(self, X, Y):
        super().initialize(X, Y)
        if self.mean is None:
            self.mean = X.mean(axis=0)

    def transformed(self, x):
        return x - self.mean


@bug("initialize")
class MaxLossOfAllDataEver(Labels):
    max_loss = None

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.max_loss = 3.0 + (self.max_loss or 0)


@bug("initialize", "__getstate__")
class CopiesLoseTheTable(Tagging):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.table = np.ones((3, 3)) - np.eye(3)

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "table"}

    def loss(self, y, y_hat):
        return float(self.table[y, y_hat].sum())


# ------------------------------------------------------------------ initialize: what it sets


#: Where nobody can tell which of them is wrong.
SIZE = ["initialize", "size_joint_feature"]


def as_many_features():
    """As many examples as features."""
    return labels(n=5, d=5)


def listed_labels():
    X, Y = labels()
    return list(X), sorted(Y.tolist(), reverse=True)


def raises_the_second_time(right, problem, X, Y):
    if hasattr(problem, "size_joint_feature"):
        raise RuntimeError("already initialized")
    right(X, Y)


def setting(size):
    """Initialize with another size, as a function of the right one."""

    def wrong(right, problem, X, Y):
        right(X, Y)
        problem.size_joint_feature = size(problem.size_joint_feature)

    return wrong


def wrong_axis(right, problem, X, Y):
    problem.size_joint_feature = K * X.shape[0]


def labels_of_the_first(right, problem, X, Y):
    """The largest label is missing."""
    problem.size_joint_feature = X.shape[1] * len(set(Y[: K - 1].tolist()))


def takes_the_last_input_away(right, problem, X, Y):
    problem.size_joint_feature = K * len(X.pop())


def sorts_the_labels(right, problem, X, Y):
    Y.sort()
    problem.size_joint_feature = K * len(X[0])


def scales_the_inputs(right, problem, X, Y):
    right(X, Y)
    X /= abs(X).max(axis=0)


bugs(Labels, "initialize", {
    "raises the second time": raises_the_second_time,
    "sets no size": lambda right, problem, X, Y: None,
    "counts the examples": wrong_axis,
})  # fmt: skip
bugs(Labels, "initialize", {
    "counts the labels of the first examples": labels_of_the_first,
}, faulty=[*SIZE, "joint_feature"])  # fmt: skip
bugs(Labels, "initialize", {
    "counts the examples, as many as features": wrong_axis,
}, data=as_many_features)  # fmt: skip
bugs(Labels, "initialize", {
    "takes the last input away": takes_the_last_input_away,
    "sorts the labels": sorts_the_labels,
}, data=listed_labels)  # fmt: skip
bugs(silent(Grid), "initialize", {"scales the inputs": scales_the_inputs})
bugs(Topics, "initialize", {
    "the size is a float": setting(lambda size: size / 1),
    "the size is a shape": setting(lambda size: (size,)),
}, SIZE)  # fmt: skip
bugs(Topics, "initialize", {
    "forgets the pairs": setting(lambda size: size - 6),
}, faulty=["initialize", "joint_feature"])  # fmt: skip


@bug("initialize")
class InitializeChangesAParameter(Labels):
    def __init__(self, n_labels=9):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.n_labels = int(Y.max()) + 1


@bug("initialize")
class InitializeFillsADictionary(Labels):
    def __init__(self, options=None):
        self.options = options

    def initialize(self, X, Y):
        super().initialize(X, Y)
        if self.options is None:
            self.options = {}
        self.options["features"] = X.shape[1]


# ------------------------------------------------------------------ constraints


def rows(change):
    """Other constraints than A w <= b."""
    return lambda right, problem: change(*problem.rows())


def raised_bound(right, problem):
    bound = memory(problem)["bound"] = memory(problem).get("bound", 0) + 1
    return -np.eye(7)[:1], np.array([float(bound)])


LOWER = np.array([-np.inf] * 4 + [0.0, 0.0, -np.inf])

bugs(BoundedGrid, "constraints", {
    "hold NaN": rows(lambda A, b: (sparse.csr_array(np.where(A, np.nan, A)), b)),
    "share one number": rows(lambda A, b: (np.eye(7)[:3], 0.0)),
    "contradict each other": rows(lambda A, b: (np.vstack([A, -A]), np.array([-1.0, -1.0]))),
    "are one array": rows(lambda A, b: A),
    "are transposed": rows(lambda A, b: (A.T, b)),
    "raise": lambda right, problem: problem.bounds_,
    "change with every call": raised_bound,
    "contradict the bounds": lambda right, problem: (
        WeightConstraints(np.eye(7)[4:5], -np.ones(1), LOWER)
    ),
})  # fmt: skip
bugs(BoundedGrid, "constraints", {
    f"bounds are {what}": lambda right, problem, lower=lower: WeightConstraints(lower=lower)
    for what, lower in {
        "NaN where there is none": np.where(np.isinf(LOWER), np.nan, 0.0),
        "infinite": -LOWER,
        "intervals": [(0.0, None)] * 7,
        "those of the bounded weights": np.zeros(2),
    }.items()
})  # fmt: skip
