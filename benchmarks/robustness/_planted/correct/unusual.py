"""Correct: problems that keep the contract in unusual ways, and must have no findings."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from benchmarks.robustness._planted.correct.grid import POINTS, SIDE, BoundedGrid, Grid, grid
from benchmarks.robustness._planted.correct.labels import (
    COSTS,
    ONE_HOT,
    FastLabels,
    K,
    Labels,
    SoftLabels,
    SoftLabelsTask,
    labels,
    scores,
)
from benchmarks.robustness._planted.correct.pairing import Pairing, assignment, pairs
from benchmarks.robustness._planted.correct.parts import Halves, unlabelled_rows
from benchmarks.robustness._planted.correct.pools import Choices, Packing, choices, loads, packings
from benchmarks.robustness._planted.correct.tagging import (
    Tagging,
    errors,
    greedy,
    potentials,
    sequences,
    viterbi,
)
from benchmarks.robustness._planted.correct.topics import Topics, topics
from benchmarks.robustness._planted.register import correct
from structsvm import LatentProblem, WeightConstraints

DRAWS = np.random.default_rng(0)
NAMES = ["north", "east", "south", "west"]

# ------------------------------------------------------------------ data


def also(kind, **data):
    """Register a correct class with other data too."""
    for name, made in data.items():
        correct(made)(type(name, (kind,), {}))


def scaled_labels(*scale):
    return lambda: (labels()[0] * scale, labels()[1])


also(
    Labels,
    OneExample=lambda: tuple(part[:1] for part in labels()),
    SmallFeatures=scaled_labels(1e-8),
    LargeFeatures=scaled_labels(1e8),
    SharedConstant=lambda: (labels()[0] + 1e6, labels()[1]),
)
also(
    FastLabels,  # integers with many ties: every column is the same, and examples are repeated
    TiesEverywhere=lambda: (
        np.ones((8, 3)) * (np.arange(8) // 2 - 1)[:, None],
        np.arange(8) % 4,
    ),
)
also(
    SoftLabels,
    FeaturesOfAllSizes=scaled_labels(1e-6, 1.0, 1e6),
    SinglePrecision=lambda: (labels()[0].astype(np.float32), labels()[1]),
)


@correct(lambda: tuple(part[:2] + part[:1] * 2 for part in sequences()))
class FewOutputs(Tagging):
    """Sequences of one position, most of them."""


def missing_entries():
    X, Y = labels()
    X[::3, 0] = np.nan
    return X, Y


class Reading(Labels):
    """Inputs are read by ``read``, outputs too."""

    slack_oracle = None

    def read(self, x):
        return x

    def code(self, y):
        return y

    def output(self, code):
        return code

    def initialize(self, X, Y):
        self.size_joint_feature = K * len(self.read(X[0]))

    def joint_feature(self, x, y):
        return super().joint_feature(self.read(x), self.code(y))

    def loss(self, y, y_hat):
        return super().loss(self.code(y), self.code(y_hat))

    def separation_oracle(self, x, y, w):
        return self.output(super().separation_oracle(self.read(x), self.code(y), w))

    def decode(self, x, w):
        return self.output(super().decode(self.read(x), w))


@correct(missing_entries)
class MissingEntriesCountAsZero(Reading):
    """NaN in an input stands for an unknown number; joint features are finite."""

    def read(self, x):
        return np.nan_to_num(x)


def named_directions():
    """Inputs are dicts, outputs are words."""
    X, Y = labels()
    return [{"size": a, "age": b} for a, b, _ in X], [NAMES[y] for y in Y]


@correct(named_directions)
class NamedDirections(Reading):
    """Words as outputs, which the oracle returns as numpy's text; joint features are lists."""

    def read(self, x):
        return np.array([x["size"], x["age"]])

    def code(self, y):
        return NAMES.index(y)

    def output(self, code):
        return np.array(NAMES)[code]

    def joint_feature(self, x, y):
        return super().joint_feature(x, y).tolist()

    def outputs(self, x):
        yield from NAMES


class Direction:
    """An output without equality or order."""

    def __init__(self, code):
        self.code = code


@correct(lambda: (labels()[0], [*map(Direction, labels()[1])]))
class OpaqueDirections(Reading):
    """Every output is a new object, equal to no other."""

    output = staticmethod(Direction)
    outputs = None

    def code(self, y):
        return y.code


class Sentence:
    """Rows that are summed when it is first needed; it cannot be copied or pickled."""

    def __init__(self, rows):
        self.rows, self.handle, self._total = rows, lambda: None, None

    @property
    def total(self):
        if self._total is None:
            self._total = self.rows.sum(axis=0)
        return self._total


@correct(lambda: ([*map(Sentence, labels()[0][:, None])], labels()[1]))
class Sentences(Reading):
    """A problem whose inputs are objects with a cache."""

    def read(self, x):
        return x.total


# ------------------------------------------------------------------ measures


@correct(labels)
class EquivalentLabels(Labels):
    """Labels 0 and 1 are as good as each other: a loss of 0 for an output that is not the truth."""

    costs = np.where((np.arange(K) < 2) & (np.arange(K) < 2)[:, None], 0.0, 1 - ONE_HOT)
    slack_oracle = None

    def loss(self, y, y_hat):
        return self.costs[y, y_hat]

    def separation_oracle(self, x, y, w):
        return int(np.argmax(self.costs[y] + scores(x, w)))


@correct(labels)
class SmallLosses(EquivalentLabels):
    """Losses of a billionth."""

    max_loss = 3e-9
    costs = COSTS * 1e-9


@correct(labels)
class LargeLosses(EquivalentLabels):
    max_loss = None
    costs = COSTS * 1e30


@correct(labels)
class OneDimensionalSparse(Labels):
    """Joint features of scipy's 1-d sparse arrays, and a difference of the same kind."""

    def joint_feature(self, x, y):
        return sparse.coo_array(super().joint_feature(x, y))

    def joint_feature_difference(self, x, y, y_hat):
        return sparse.coo_array((np.outer(ONE_HOT[y] - ONE_HOT[y_hat], x)).ravel())


@correct(labels)
class ReadOnlyFeatures(Labels):
    """Joint features that are computed once and never change."""

    def joint_feature(self, x, y):
        return read_only(tuple(x), y)


@cache
def read_only(x, y):
    psi = np.outer(ONE_HOT[y], x).ravel()
    psi.flags.writeable = False
    return psi


@correct(topics)
class StrictTopics(Topics):
    """Methods that refuse everything but outputs."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, self.accepted(y))

    def loss(self, y, y_hat):
        return super().loss(self.accepted(y), self.accepted(y_hat))

    def accepted(self, y):
        if not isinstance(y, frozenset):
            raise TypeError("a set of topics is a frozenset")
        return y


@correct(topics)
class IntegerTopics(Topics):
    """Whole numbers as joint features and losses, and declared sizes."""

    block_size = 4
    work = 24.0
    oracle_cost = "cheap"
    slack_oracle = None
    max_loss = None

    def joint_feature(self, x, y):
        return np.rint(2 * super().joint_feature(np.rint(x), y)).astype(int)

    def loss(self, y, y_hat):
        return len(y ^ y_hat)

    def separation_oracle(self, x, y, w):
        return max(self.outputs(x), key=lambda z: len(y ^ z) + w @ self.joint_feature(x, z))

    def decode(self, x, w):
        return max(self.outputs(x), key=lambda z: w @ self.joint_feature(x, z))


@correct(grid)
class OffsetFeatures(Grid):
    """A large constant in all joint features, which cancels in every difference."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) + 100.0


@correct(grid)
class SparseConstraints(Grid):
    """Constraints in a sparse matrix, none of whose rows has more than two entries."""

    def constraints(self):
        rows = sparse.csr_array(np.eye(7)[1:] - np.eye(7)[:-1])
        return WeightConstraints(rows, [0.5] * 6, np.full(7, -10))


class Scale(BaseEstimator):
    """A parameter that is an estimator itself."""

    def __init__(self, factor=1.0):
        self.factor = factor


@correct(labels)
class Nested(Labels):
    """A problem with a nested parameter, and a parameter that stays None."""

    def __init__(self, scale=None, seen=None):
        self.scale = scale
        self.seen = seen

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * (self.scale or Scale()).factor


class CrudeTask(SoftLabelsTask):
    """Soft sums without slacks, and an estimate of the curvature that ignores w."""

    axes = None

    def soft(self, w, mu, weights):
        return super().soft(w, mu, weights)._replace(slacks=None)

    def curvature(self, w, mu, weights):
        return np.tile((self.X**2).T @ np.abs(weights), K) * (1 / K - 1 / K**2)


@correct(labels)
class NoSlacksAndCrudeCurvature(SoftLabels):
    batches = CrudeTask


# ------------------------------------------------------------------ searches


@correct(grid)
class InsistingGrid(BoundedGrid):
    """Searches that refuse weights outside the constraints."""

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, self.accepted(w))

    def decode(self, x, w):
        return super().decode(x, self.accepted(w))

    def accepted(self, w):
        if min(w[4], w[5]) < -1e-6:
            raise ValueError("curvatures must not be negative")
        return w


@correct(labels)
class TiesAreDrawn(Labels):
    """Any of the best outputs will do, so another one may be returned each time."""

    slack_oracle = None

    def separation_oracle(self, x, y, w):
        s = COSTS[y] + scores(x, w)
        return int(DRAWS.choice(np.flatnonzero(s == s.max())))

    def decode(self, x, w):
        s = scores(x, w)
        return int(DRAWS.choice(np.flatnonzero(s == s.max())))


@correct(sequences)
class GreedyTagging(Tagging):
    """An oracle that takes the best tag at every position in turn, and says so."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        return greedy(unary + errors(y), pair)


@correct(sequences)
class RoundedScores(Tagging):
    """Scores in single precision, declared as such."""

    roundoff = 1e-5

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x.astype(np.float32), w.astype(np.float32))
        return viterbi(unary + errors(y), pair)


@correct(labels)
class RememberedScores(Labels):
    """A cache of one product, looked up by the values of x and w, which copies leave out."""

    slack_oracle = None

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "found"}

    def separation_oracle(self, x, y, w):
        return int(np.argmax(COSTS[y] + self._scores(x, w)))

    def decode(self, x, w):
        return int(np.argmax(self._scores(x, w)))

    def _scores(self, x, w):
        if getattr(self, "found", [None])[0] != (x.tobytes(), w.tobytes()):
            self.found = (x.tobytes(), w.tobytes()), scores(x, w)
        return self.found[1]


@correct(unlabelled_rows)
class BalancedHalves(Halves):
    """Labels of which half are 1, so that they are not always the best: declared."""

    restricts_labels = True

    def impute(self, x, y, w):
        order = np.argsort(np.argsort(x @ w))
        return tuple((order >= len(x) // 2).astype(int).tolist())


@correct(grid)
class SearchOverTable(Grid):
    """An oracle that reads the table of all losses and joint features, made by initialize."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.points = np.array(POINTS)
        self.losses = np.abs(self.points[:, None] - self.points).sum(axis=2)

    def separation_oracle(self, x, y, w):
        rows = np.array([self.joint_feature(x, z) for z in POINTS])
        return POINTS[int(np.argmax(self.losses[SIDE * y[0] + y[1]] + rows @ w))]


@correct(loads)
class DecoderOfEmptyBins(Packing):
    """A decoder that leaves the last bin empty where it can, and declares that it may miss."""

    decode_may_miss = True

    def decode(self, x, w):
        found = [z for z in packings(len(x)) if max(z) < 2 or len(x) > 4]
        return max(found, key=lambda z: w @ self.joint_feature(x, z))


# ------------------------------------------------------------------ hidden parts, pools


def half_known_pairs():
    X, Y = pairs()
    return X, [np.where(np.arange(len(y)) % 2, -1, y) for y in Y]


@correct(half_known_pairs)
class PartlyKnownPairing(LatentProblem, Pairing):
    """The loss of the problem with known outputs counts completed pairs too."""

    def complete(self, x, y, w):
        table, known = x @ w, np.flatnonzero(y >= 0)
        table[known, y[known]] += 1e6
        return assignment(table)

    def evaluation_loss(self, y, y_hat):
        return float(np.mean((y >= 0) & np.not_equal(y, y_hat)))


@correct(lambda: (labels()[0], ["abcd"[y] for y in labels()[1]]))
class EquivalentLetters(LatentProblem, EquivalentLabels):
    """Letters stand for whole outputs, some of which no loss tells from each other."""

    max_loss = 1.0

    def evaluation_loss(self, y, y_hat):
        return self.loss("abcd".index(y), y_hat)

    def complete(self, x, y, w):
        return "abcd".index(y)


class Sorted:
    """A pool that makes the features of its sets when they are first needed."""

    def __init__(self, sets):
        self.sets, self._codes = sets, None

    @property
    def codes(self):
        if self._codes is None:
            self._codes = np.array([np.isin(range(4), z) for z in self.sets], dtype=float)
        return self._codes


class LazyTask(Choices.batches):
    """A task that returns an unchanged pool if nothing is new, and draws ties."""

    def pool_outputs(self, outputs, pool=None):
        sets = sorted({*(pool.sets if pool else ()), *outputs})
        return pool if pool and sets == pool.sets else Sorted(sets)

    def search_pool(self, w, pool):
        tables = self.X @ w.reshape(4, -1).T @ pool.codes.T
        tables += [[self.problem.loss(y, z) for z in pool.sets] for y in self.Y]
        return [pool.sets[DRAWS.choice(np.flatnonzero(row == row.max()))] for row in tables]


class NothingPooled(Choices.batches):
    def pool_outputs(self, outputs, pool=None):
        return None


@correct(choices)
class LazyPool(Choices):
    batches = LazyTask


@correct(choices)
class PoolsNothing(Choices):
    batches = NothingPooled
