"""The fourth set: bugs in single methods, by what they change, remember or take for granted."""

from __future__ import annotations

import pickle

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_grid import RefinedGrid, RefinedTask, climb, grid
from benchmarks.robustness._planted_labels import (
    COSTS,
    FastLabels,
    K,
    Labels,
    LabelsTask,
    Principal,
    SoftLabels,
    SoftLabelsTask,
    expected_difference,
    labels,
    many_labels,
    margins,
    scores,
    softmax,
)
from benchmarks.robustness._planted_pairing import (
    ListPairing,
    Pairing,
    assignment,
    augmented,
    pair_lists,
    pairs,
)
from benchmarks.robustness._planted_pooling import CAPACITY, Packing, loads
from benchmarks.robustness._planted_tagging import Tagging, errors, potentials, sequences, viterbi
from structsvm import Problem, SoftSum

CHANGES = "No method may change its inputs, outputs or w in place"
ORACLE = "Ensures: an output that attains the maximum over all outputs"


def few_labels():
    X, Y = labels(n=8)
    return X, Y


# ------------------------------------------------------------------ capacities


@planted(loads, {"separation_oracle"}, "Ensures: an output", listed=False)
class OracleIgnoresTheCapacities(Packing):
    def separation_oracle(self, x, y, w):
        table = x @ w + 1
        table[np.arange(len(x)), list(y)] -= 1
        return tuple(table.argmax(axis=1).tolist())


@planted(loads, {"decode"}, "Ensures: an output of x", listed=False)
class DecoderIgnoresTheCapacities(Packing):
    def decode(self, x, w):
        return tuple((x @ w).argmax(axis=1).tolist())


@planted(loads, {"decode"}, "Ensures: an output of x that attains the maximum", listed=False)
class DecoderPacksGreedily(Packing):
    def decode(self, x, w):
        room, y = [CAPACITY] * x.shape[1], []
        for row in x @ w:
            y.append(max((b for b in range(len(row)) if room[b]), key=lambda b: row[b]))
            room[y[-1]] -= 1
        return tuple(y)


@planted(loads, {"separation_oracle"}, ORACLE, listed=False)
class OraclePacksGreedily(Packing):
    def separation_oracle(self, x, y, w):
        table = x @ w + 1
        table[np.arange(len(x)), list(y)] -= 1
        return DecoderPacksGreedily.decode(self, table[:, :, None], np.ones(1))


@planted(pairs, {"separation_oracle"}, "Ensures: an output", listed=False)
class OraclePairsAnItemTwice(Pairing):
    def separation_oracle(self, x, y, w):
        return tuple(augmented(x, y, w).argmax(axis=1).tolist())


# ------------------------------------------------------------------ what is changed


class Pairs(Problem):
    """A pairing without initialize."""

    def joint_feature(self, x, y):
        return x[np.arange(len(x)), list(y)].mean(axis=0)

    def loss(self, y, y_hat):
        return float(np.mean(np.not_equal(y, y_hat)))

    def separation_oracle(self, x, y, w):
        return assignment(augmented(x, y, w))

    def decode(self, x, w):
        return assignment(x @ w)


@planted(pairs, {"joint_feature"}, CHANGES, listed=False)
class PsiCentresItsInput(Pairs):
    def joint_feature(self, x, y):
        x -= x.mean()
        return super().joint_feature(x, y)


@planted(many_labels, {"joint_feature"}, CHANGES)
class PsiNormalisesItsInput(Labels):
    """Called by initialize, to know the size."""

    def initialize(self, X, Y):
        self.size_joint_feature = len(self.joint_feature(X[0], Y[0]))

    def joint_feature(self, x, y):
        x /= np.linalg.norm(x)
        return np.outer(np.eye(K)[y], x).ravel()


@planted(pair_lists, {"loss"}, CHANGES)
class LossSortsBoth(ListPairing):
    """The decoder calls it too."""

    def loss(self, y, y_hat):
        value = super().loss(y, y_hat)
        y_hat.sort()
        return value

    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        self.loss(y, list(found))
        return found


@planted(labels, {"decode"}, CHANGES)
class DecoderScalesWAndBack(Labels):
    def decode(self, x, w):
        w *= 2.0
        found = super().decode(x, w)
        w /= 2.0
        return found


@planted(pair_lists, {"decode"}, CHANGES)
class DecoderCallsAMeasureThatSorts(ListPairing):
    def decode(self, x, w):
        x.sort(axis=0)
        return super().decode(x, w)


@planted(labels, {"initialize"}, "stored under their own name, unchanged")
class InitializeFillsADictionary(Labels):
    def __init__(self, options=None):
        self.options = options

    def initialize(self, X, Y):
        super().initialize(X, Y)
        if self.options is None:
            self.options = {}
        self.options["features"] = X.shape[1]


# ------------------------------------------------------------------ what is remembered


@planted(pairs, {"loss"}, "Ensures: 0 for loss(y, y)", listed=False)
class LossComparesObjects(Pairing):
    """An equal output that is another object counts as wrong."""

    def loss(self, y, y_hat):
        return 0.0 if y is y_hat else 0.25 + 0.75 * super().loss(y, y_hat)


@planted(labels, {"joint_feature"}, "Return Psi(x, y) of an input and an output")
class PsiKnowsOnlyNumpyIntegers(Labels):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * (1.0 if isinstance(y, np.integer) else 1.5)


@planted(labels, {"decode"}, "argmax over y of <w, Psi(x, y)>")
class DecoderRemembersTheTruth(Labels):
    """It avoids the label that the oracle was asked about last."""

    truth = None

    def separation_oracle(self, x, y, w):
        self.truth = (x.tobytes(), y)
        return super().separation_oracle(x, y, w)

    def decode(self, x, w):
        s = scores(x, w)
        if self.truth and self.truth[0] == x.tobytes():
            s[self.truth[1]] -= 1
        return int(s.argmax())


@planted(sequences, {"initialize", "__getstate__"}, "a problem can be sent to other processes")
class CopiesLoseTheTable(Tagging):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.table = np.ones((3, 3)) - np.eye(3)

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "table"}

    def loss(self, y, y_hat):
        return float(self.table[y, y_hat].sum())


@planted(sequences, {"separation_oracle"}, ORACLE)
class OracleCachesByTheScoresOfTheFirstRow(Tagging):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def separation_oracle(self, x, y, w):
        unary, pair = potentials(x, w)
        key = (unary[0].tobytes(), len(x), y.tobytes())
        return self.cache.setdefault(key, viterbi(unary + errors(y), pair))


# ------------------------------------------------------------------ tasks


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples")
class BatchDecodeCentresTheBatch(LabelsTask):
    def decode(self, w):
        return np.argmax(scores(self.X - self.X.mean(axis=0), w), axis=1)


@planted_task(FastLabels, many_labels, "search", "Apply separation_oracle to n examples")
class BatchOracleReadsTheTruthsOfInitialize(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.truths = Y

    def search(self, w):
        truths = self.truths[: self.n] if self.n <= len(self.truths) else self.Y
        return np.argmax(COSTS[truths] + scores(self.X, w), axis=1)


@planted_task(FastLabels, many_labels, "losses", "Apply loss to n pairs")
class BatchLossCountsInBytes(LabelsTask):
    def losses(self, outputs):
        return (100 * COSTS[self.Y, outputs]).astype(np.int8) / 100.0


@planted_task(FastLabels, many_labels, "losses", "Apply loss to n pairs", listed=False)
class BatchLossFillsABuffer(LabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.buffer = np.zeros(10_000)

    def losses(self, outputs):
        self.buffer[: self.n] = COSTS[self.Y, outputs]
        return self.buffer[: self.n]


@planted_task(FastLabels, many_labels, "decode", "Apply decode to n examples", listed=False)
class BatchDecodeSkipsTheLastOfAChunk(LabelsTask):
    def decode(self, w):
        found = super().decode(w)
        found[31::32] = 0
        return found


@planted_task(FastLabels, many_labels, "losses", "Apply loss to n pairs")
class BatchLossLooksUpThePairOnce(LabelsTask):
    """A cache that is right until a truth comes with another output."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.seen = {}

    def losses(self, outputs):
        pairs = zip(np.asarray(self.Y).tolist(), np.asarray(outputs).tolist(), strict=True)
        return np.array([self.seen.setdefault((y, y == z), COSTS[y, z]) for y, z in pairs])


# ------------------------------------------------------------------ soft oracles, mini-batches


@planted(many_labels, {"soft_oracle"}, CHANGES)
class SoftOracleDividesWByTheTemperature(SoftLabels):
    def soft_oracle(self, x, y, w, mu):
        w /= mu
        w *= mu
        return super().soft_oracle(x, y, w, mu)


@planted(many_labels, {"soft_oracle"}, "y' runs over all outputs, the true y included")
class SoftOracleLeavesOutTheTruth(SoftLabels):
    def soft_oracle(self, x, y, w, mu):
        s = margins(x[None], np.array([y]), w)[0]
        s[y] = -np.inf
        p = np.exp((s - s.max()) / mu)
        value = s.max() + mu * np.log(p.sum())
        p /= p.sum()
        difference = np.outer(np.eye(K)[y] - p, x).ravel()
        return float(value), difference, float(p @ COSTS[y])


@planted_task(SoftLabels, many_labels, "soft", "The sums of the soft outputs at w", listed=False)
class SoftSumCachesByTheTemperature(SoftLabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.seen = {}

    def soft(self, w, mu, weights):
        values, p = self.seen.setdefault((mu, self.n), softmax(margins(self.X, self.Y, w), mu))
        p = p * weights[:, None]
        return SoftSum(
            values, expected_difference(self.X, self.Y, p), float(np.sum(p * COSTS[self.Y]))
        )


@planted_task(SoftLabels, many_labels, "soft", "mu : the temperature", listed=False)
class SoftSumIsColdBelowOne(SoftLabelsTask):
    def soft(self, w, mu, weights):
        return super().soft(w, max(mu, 1.0), weights)


@planted_task(SoftLabels, few_labels, "minibatches", "Divide the examples, also of a part")
class BatchesDivideAllExamples(SoftLabelsTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.whole = self

    def minibatches(self):
        return SoftLabelsTask.minibatches(self.whole)


@planted_task(SoftLabels, many_labels, "axes", CHANGES)
class AxesCentreTheInputs(SoftLabelsTask):
    def axes(self):
        self.X -= self.X.mean(axis=0)
        return Principal(self.X)


@planted_task(SoftLabels, many_labels, "curvature", CHANGES)
class CurvatureSquaresTheInputs(SoftLabelsTask):
    def curvature(self, w, mu, weights):
        p = softmax(margins(self.X, self.Y, w), mu)[1]
        self.X *= self.X
        return (self.X.T @ (p * (1 - p) * weights[:, None])).T.ravel()


# ------------------------------------------------------------------ refinement


@planted_task(RefinedGrid, grid, "refine", "loss-augmented score no lower than y_hat's")
class RefinementLeavesOutTheLoss(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return climb(lambda z: w @ self.problem.joint_feature(x, z), y_hat)


@planted_task(ListPairing, pair_lists, "refine", CHANGES, listed=False)
class RefinementSwapsInPlace(RefinedTask):
    def refined(self, x, y, w, y_hat):
        table = augmented(x, y, w)
        for i in range(len(y_hat) - 1):
            j, a, b = i + 1, y_hat[i], y_hat[i + 1]
            if table[i, b] + table[j, a] > table[i, a] + table[j, b] + 1e-12:
                y_hat[i], y_hat[j] = b, a
        return y_hat


@planted_task(RefinedGrid, grid, "refine", "y_hat was returned by the separation oracle, at any w")
class RefinementFailsAtTheTruth(RefinedTask):
    def refined(self, x, y, w, y_hat):
        return None if y_hat == y else super().refined(x, y, w, y_hat)


@planted_task(
    RefinedGrid, grid, "refine", "Calls with the same arguments return outputs of the same score"
)
class RefinementIsPickledOnce(RefinedTask):
    """It remembers what it refined, whatever w is."""

    def refined(self, x, y, w, y_hat):
        memory, key = vars(self).setdefault("memory", {}), pickle.dumps((x, y_hat))
        return memory.setdefault(key, super().refined(x, y, w, y_hat))
