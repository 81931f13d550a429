"""Planted bugs: each must be found, and blamed on the method that has it.

A mutant is a correct problem with one method broken, as a user would break it.
"""

import numpy as np
import pytest
from correct_problems import (
    Chain,
    Latent,
    LocalSearch,
    Matching,
    Multilabel,
    Relaxed,
    SilentChain,
    annotated,
    graphs,
    one_hot,
    sequences,
    vectors,
)
from scipy import sparse

from structsvm import ContractViolation, SoftOutput, check_problem
from structsvm.problems import Chain as ChainProblem
from structsvm.problems import MMCProblem, Multiclass

MUTANTS = []


def mutant(data, method, example=None, seeds=1, only=True):
    """Register a class: its data by seed, the method to blame, the example to be named.

    ``only`` says that nothing else may be blamed.
    """

    def register(cls):
        MUTANTS.append(pytest.param(cls, data, method, example, seeds, only, id=cls.__name__))
        return cls

    return register


def classes(seed, n=20, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.r_[0, 1, 2, rng.integers(3, size=n - 3)]


def eight_classes(seed):
    X, y = classes(seed)
    return X[:10], y[:10]


def words(seed):
    X, y = eight_classes(seed)
    return X, np.array(["a", "b", "c"])[y]


def blobs(seed):
    rng = np.random.default_rng(seed)
    return [np.vstack([rng.normal(-1, 1, (12, 3)), rng.normal(1, 1, (12, 3))])], None


def long_sequences(seed):
    return sequences(seed, n=12, longest=12, d=4, k=4)


def label_sequences(seed):
    """Of different lengths, so that they fit each other's labels only if the order is kept."""
    rng = np.random.default_rng(seed)
    lengths = [1, 2, 3, 4, 2, 3]
    X = [rng.normal(size=(length, 2)) for length in lengths]
    return X, [
        rng.integers(3, size=length) if i else np.array([2]) for i, length in enumerate(lengths)
    ]


def is_third(x):
    return x.shape == THIRD.shape and np.array_equal(x, THIRD)


THIRD = sequences(0)[0][3]


# ---------------------------------------------------------------------- loss


@mutant(sequences, "loss")
class LossIsNegative(SilentChain):
    def loss(self, y, y_hat):
        return -super().loss(y, y_hat)


@mutant(sequences, "loss")
class LossIsNegativeNowAndThen(SilentChain):
    def loss(self, y, y_hat):
        return super().loss(y, y_hat) - 1.5 * (y[0] != y_hat[0] and y[-1] == y_hat[-1])


@mutant(sequences, "loss", only=False)
class LossIsAlwaysZero(SilentChain):
    def loss(self, y, y_hat):
        return 0.0


@mutant(sequences, "joint_feature")
class JointFeatureIsZero(SilentChain):
    def joint_feature(self, x, y):
        return np.zeros_like(super().joint_feature(x, y))


@mutant(sequences, "oracle_quality")
class QualityOfItsOwn(SilentChain):
    oracle_quality = "approximate"


@mutant(sequences, "parallelism")
class ParallelInFibres(SilentChain):
    parallelism = "fibres"


@mutant(sequences, "initialize")
class BlocksOfNothing(SilentChain):
    block_size = 0


@mutant(sequences, "loss", 0)
class LossOfTheTruth(SilentChain):
    def loss(self, y, y_hat):
        return 1 + super().loss(y, y_hat)


@mutant(lambda seed: sequences(0), "loss", 3)
class LossIsNaNForOne(SilentChain):
    def loss(self, y, y_hat):
        return np.nan if list(y) == sequences(0)[1][3] else super().loss(y, y_hat)


@mutant(sequences, "loss")
class LossIsAVector(SilentChain):
    def loss(self, y, y_hat):
        return np.asarray(y) != np.asarray(y_hat)


@mutant(sequences, "loss")
class LossIsText(SilentChain):
    def loss(self, y, y_hat):
        return "high"


@mutant(sequences, "max_loss")
class MaxLossTooSmall(SilentChain):
    max_loss = 1.0


@mutant(sequences, "loss")
class LossChangesY(SilentChain):
    def loss(self, y, y_hat):
        wrong = super().loss(y, y_hat)
        y[0] = y_hat[0]
        return wrong


# ---------------------------------------------------------------------- joint feature


@mutant(sequences, "joint_feature")
class PsiTooLong(SilentChain):
    def joint_feature(self, x, y):
        return np.append(super().joint_feature(x, y), 1.0)


@mutant(sequences, "joint_feature")
class PsiLengthOfTheInput(SilentChain):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y)[: 10 + len(x)]


@mutant(sequences, "joint_feature")
class PsiIsARow(SilentChain):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y)[None]


@mutant(sequences, "joint_feature")
class PsiIsNaN(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return psi / (len(set(y)) > 1) if psi.all() else np.where(psi == 0, np.nan, psi)


@mutant(sequences, "joint_feature")
class PsiIsRandom(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return psi + 0.01 * np.random.default_rng().normal(size=len(psi))


@mutant(sequences, "joint_feature")
class PsiCountsItsCalls(SilentChain):
    def joint_feature(self, x, y):
        self.calls = getattr(self, "calls", 0) + 1
        return super().joint_feature(x, y) + 1e-3 * self.calls


@mutant(sequences, "joint_feature")
class PsiScalesItsInput(SilentChain):
    def joint_feature(self, x, y):
        x *= 1.001
        return super().joint_feature(x, y)


@mutant(eight_classes, "joint_feature")
class PsiCentresItsInput(Multiclass):
    def joint_feature(self, x, y):
        x -= x.mean()
        return super().joint_feature(x, y)


@mutant(vectors, "joint_feature_difference")
class DifferenceBackwards(Multilabel):
    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, y_hat) - self.joint_feature(x, y)

    batch_joint_feature_difference = sum_joint_feature_difference = None


@mutant(blobs, "joint_feature_difference")
class DifferenceForgetsTheFactor(MMCProblem):
    def joint_feature_difference(self, x, y, y_hat):
        return 2 * super().joint_feature_difference(x, y, y_hat)


# ---------------------------------------------------------------------- oracle


@mutant(sequences, "separation_oracle")
class OracleForgetsTheLoss(SilentChain):
    def separation_oracle(self, x, y, w):
        return self.decode(x, w)


@mutant(sequences, "separation_oracle")
class OracleReturnsTheTruth(SilentChain):
    def separation_oracle(self, x, y, w):
        return list(y)


@mutant(sequences, "separation_oracle")
class OracleSubtractsTheLoss(SilentChain):
    def separation_oracle(self, x, y, w):
        unary, pair = self.scores(x, w)
        return self.viterbi(unary - (np.arange(self.n_labels) != np.asarray(y)[:, None]), pair)


@mutant(graphs, "separation_oracle")
class OracleMinimises(Matching):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(-x, y, w)


@mutant(vectors, "separation_oracle")
class OracleWeighsTheLossDouble(Multilabel):
    def separation_oracle(self, x, y, w):
        gain = 2 * (self.cost_[y, 1] - self.cost_[y, 0])
        return (w.reshape(self.n_labels, -1) @ x + gain > 0).astype(int)

    batch_separation_oracle = None


@mutant(eight_classes, "separation_oracle")
class OracleTransposesTheCost(Multiclass):
    def __init__(self, cost=((0, 1, 5), (2, 0, 1), (9, 1, 0))):
        super().__init__(cost)

    def separation_oracle(self, x, y, w):
        return self.classes_[(x @ w.reshape(3, -1).T + self.cost_[:, y]).argmax()]

    batch_separation_oracle = None


@mutant(sequences, "separation_oracle")
class BacktraceOffByOne(SilentChain):
    def separation_oracle(self, x, y, w):
        path = super().separation_oracle(x, y, w)
        return [*path[1:], path[0]]


@mutant(sequences, "separation_oracle")
class BacktraceWithForwardPointers(SilentChain):
    def separation_oracle(self, x, y, w):
        unary, pair = self.scores(x, w)
        return self.viterbi(unary + (np.arange(3) != np.asarray(y)[:, None]), pair.T)


@mutant(sequences, "separation_oracle")
class OracleGoodForSmallW(SilentChain):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w / max(1.0, np.linalg.norm(w) / 10))


@mutant(sequences, "separation_oracle")
class OracleOverflows(SilentChain):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w.clip(-20, 20))


@mutant(sequences, "separation_oracle")
class OracleExcludesTheTruth(Chain):
    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        return found if found != list(y) else [(found[0] + 1) % 3, *found[1:]]


@mutant(sequences, "separation_oracle", seeds=3)
class GreedyChain(Chain):
    def separation_oracle(self, x, y, w):
        unary, pair = self.scores(x, w)
        return greedy(unary + (np.arange(self.n_labels) != np.asarray(y)[:, None]), pair)


@mutant(sequences, "separation_oracle", seeds=3)
class GreedySilentChain(SilentChain):
    separation_oracle = GreedyChain.separation_oracle


@mutant(lambda seed: long_sequences(seed), "separation_oracle", seeds=3)
class GreedyLongChain(SilentChain):
    def __init__(self, n_labels=4):
        self.n_labels = n_labels

    separation_oracle = GreedyChain.separation_oracle


@mutant(sequences, "decode", seeds=3, only=False)
class GreedyInBoth(SilentChain):
    separation_oracle = GreedyChain.separation_oracle

    def decode(self, x, w):
        return greedy(*self.scores(x, w))


@mutant(graphs, "separation_oracle", seeds=3)
class GreedyMatching(Matching):
    def separation_oracle(self, x, y, w):
        return greedy_matching(x @ w + (np.arange(len(y)) != y[:, None]) / len(y))


@mutant(graphs, "separation_oracle", seeds=3, only=False)
class GreedyMatchingInBoth(Matching):
    separation_oracle = GreedyMatching.separation_oracle

    def decode(self, x, w):
        return greedy_matching(x @ w)


@mutant(graphs, "separation_oracle", seeds=3, only=False)
class LocalSearchDeclaredExact(LocalSearch):
    oracle_quality = "exact"


@mutant(graphs, "separation_oracle", seeds=3, only=False)
class SilentLocalSearchDeclaredExact(LocalSearchDeclaredExact):
    outputs = None


@mutant(graphs, "separation_oracle")
class LocalSearchDownhill(LocalSearch):
    def separation_oracle(self, x, y, w):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return self.climb(wrong - x @ w, np.array(y))


@mutant(graphs, "lower_bounds")
class BoundsOfAnotherLength(LocalSearch):
    def lower_bounds(self):
        return np.zeros(self.size_joint_feature + 1)


@mutant(graphs, "lower_bounds")
class BoundsThatRaise(LocalSearch):
    def lower_bounds(self):
        return self.bounds_


@mutant(graphs, "refine")
class RefinesDownhill(LocalSearch):
    def refine(self, x, y, w, y_hat):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return self.climb(-(x @ w + wrong), np.array(y_hat))


@mutant(graphs, "refine")
class RefinesForgettingTheLoss(LocalSearch):
    def refine(self, x, y, w, y_hat):
        return self.climb(x @ w, np.array(y_hat))


@mutant(graphs, "refine")
class RefinesToNothing(LocalSearch):
    def refine(self, x, y, w, y_hat):
        return None


@mutant(graphs, "refine")
class RefinesInPlace(LocalSearch):
    def refine(self, x, y, w, y_hat):
        y_hat[:] = super().refine(x, y, w, y_hat)
        return y_hat


@mutant(one_hot, "separation_oracle")
class RelaxationTooNarrow(Relaxed):
    def separation_oracle(self, x, y, w):
        return np.minimum(super().separation_oracle(x, y, w), y)


@mutant(lambda seed: sequences(0), "separation_oracle", 3)
class OracleRaisesForOne(SilentChain):
    def separation_oracle(self, x, y, w):
        if is_third(x):
            raise IndexError("list index out of range")
        return super().separation_oracle(x, y, w)


@mutant(lambda seed: sequences(0), "separation_oracle", 3)
class OracleReturnsNoneForOne(SilentChain):
    def separation_oracle(self, x, y, w):
        return None if is_third(x) else super().separation_oracle(x, y, w)


@mutant(words, "separation_oracle")
class OracleReturnsCodesForLabels(Multiclass):
    def separation_oracle(self, x, y, w):
        return int((w.reshape(3, -1) @ x + (self.classes_ != y)).argmax())


@mutant(sequences, "separation_oracle")
class OracleReturnsTooShortPaths(SilentChain):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w)[1:]


@mutant(sequences, "separation_oracle")
class OracleScalesW(SilentChain):
    def separation_oracle(self, x, y, w):
        w /= max(1.0, np.linalg.norm(w))
        return super().separation_oracle(x, y, w)


@mutant(vectors, "separation_oracle")
class OracleFlipsYInPlace(Multilabel):
    def separation_oracle(self, x, y, w):
        y[:] = super().separation_oracle(x, y.copy(), w)
        return y.copy()

    batch_separation_oracle = None


@mutant(graphs, "separation_oracle")
class OracleReusesItsBuffer(Matching):
    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        if not hasattr(self, "buffer"):
            self.buffer = found.copy()
        self.buffer[:] = found
        return self.buffer


@mutant(sequences, "separation_oracle")
class OracleIsMissing(SilentChain):
    @property
    def separation_oracle(self):
        raise NotImplementedError("OracleIsMissing does not define separation_oracle")


# ---------------------------------------------------------------------- decoder


@mutant(eight_classes, "decode")
class DecoderAddsALoss(Multiclass):
    def decode(self, x, w):
        return self.separation_oracle(x, self.classes_[0], w)

    batch_decode = None


@mutant(sequences, "decode")
class DecoderReturnsTheFirstLabel(SilentChain):
    def decode(self, x, w):
        return [0] * len(x)


@mutant(sequences, "decode")
class DecoderMinimises(SilentChain):
    def decode(self, x, w):
        return super().decode(x, -w)


@mutant(sequences, "decode")
class DecoderIgnoresTransitions(SilentChain):
    def decode(self, x, w):
        return self.scores(x, w)[0].argmax(axis=1).tolist()


@mutant(sequences, "decode")
class DecoderReturnsNone(SilentChain):
    def decode(self, x, w):
        super().decode(x, w)


@mutant(sequences, "decode")
class DecoderChangesW(SilentChain):
    def decode(self, x, w):
        w *= 2
        return super().decode(x, w)


# ---------------------------------------------------------------------- batch forms


@mutant(vectors, "batch_separation_oracle")
class BatchOraclePermuted(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        return np.roll(super().batch_separation_oracle(X, Y, w), 1, axis=0)

    def separation_oracle(self, x, y, w):
        return super().batch_separation_oracle(x[None], y[None], w)[0]


@mutant(vectors, "batch_separation_oracle")
class BatchOracleRemembersY(Multilabel):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.Y_ = Y

    def separation_oracle(self, x, y, w):
        return super().batch_separation_oracle(x[None], y[None], w)[0]

    def batch_separation_oracle(self, X, Y, w):
        return super().batch_separation_oracle(X, self.Y_[: len(X)], w)


@mutant(vectors, "batch_separation_oracle")
class BatchOracleDropsOne(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        found = super().batch_separation_oracle(X, Y, w)
        return found if len(X) == 1 else found[1:]


@mutant(vectors, "batch_separation_oracle")
class BatchOracleChangesY(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        found = super().batch_separation_oracle(X, Y, w)
        if len(Y) > 1:
            Y[...] = found
        return found


@mutant(vectors, "batch_slack_oracle")
class BatchSlackOracleIsTheMarginOne(Multilabel):
    def batch_slack_oracle(self, X, Y, w):
        return self.batch_separation_oracle(X, Y, w)


@mutant(vectors, "batch_decode")
class BatchDecodeReversed(Multilabel):
    def batch_decode(self, X, w):
        return super().batch_decode(X, w)[::-1]


@mutant(vectors, "batch_loss")
class BatchLossTransposed(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return self.cost_[Y_hat, Y].sum(axis=1)


@mutant(vectors, "batch_loss")
class BatchLossReversed(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat)[::-1]


@mutant(vectors, "batch_loss")
class BatchLossIsTheMean(Multilabel):
    def batch_loss(self, Y, Y_hat):
        return super().batch_loss(Y, Y_hat).mean()


@mutant(vectors, "batch_joint_feature_difference")
class BatchDifferenceBackwards(Multilabel):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return -super().batch_joint_feature_difference(X, Y, Y_hat)


@mutant(vectors, "batch_joint_feature_difference")
class SparseDifferenceBackwards(Multilabel):
    def batch_joint_feature_difference(self, X, Y, Y_hat):
        return sparse.csr_matrix(-super().batch_joint_feature_difference(X, Y, Y_hat))


@mutant(vectors, "sum_joint_feature_difference")
class SumIgnoresWeights(Multilabel):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        return super().sum_joint_feature_difference(X, Y, Y_hat, np.ones(len(X)))


@mutant(vectors, "sum_joint_feature_difference")
class SumIsTransposed(Multilabel):
    def sum_joint_feature_difference(self, X, Y, Y_hat, weights):
        total = super().sum_joint_feature_difference(X, Y, Y_hat, weights)
        return total.reshape(self.n_labels, -1).T.ravel()


@mutant(blobs, "relabelled_planes")
class RelabellingForgetsThePrevious(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        if previous is not None:
            return previous[1].copy(), previous[2].copy()
        return super().relabelled_planes(X, Y, outputs, weights)


@mutant(blobs, "relabelled_planes")
class RelabellingAddsHalfTheChange(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights, previous)
        return ((rows + previous[1]) / 2 if previous else rows), offsets


@mutant(blobs, "relabelled_planes")
class RelabellingIgnoresWeights(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        return super().relabelled_planes(X, Y, outputs, np.ones_like(weights), previous)


@mutant(blobs, "relabelled_planes")
class RelabellingChangesThePrevious(MMCProblem):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights)
        if previous is not None:
            previous[1][...] = rows
        return rows, offsets


# ---------------------------------------------------------------------- soft and slack oracles


@mutant(eight_classes, "soft_oracle")
class SoftGradientBackwards(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        soft = super().soft_oracle(x, y, w, mu)
        return soft._replace(joint_feature_difference=-soft.joint_feature_difference)


@mutant(eight_classes, "soft_oracle")
class SoftGradientOfTheMaximum(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        difference = self.joint_feature_difference(x, y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(joint_feature_difference=difference)


@mutant(eight_classes, "soft_oracle")
class SoftValueIsTheMean(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        soft = super().soft_oracle(x, y, w, mu)
        return soft._replace(value=soft.value - mu * np.log(3))


@mutant(eight_classes, "soft_oracle")
class SoftIgnoresTheTemperature(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x, y, w, 1.0)


@mutant(sequences, "soft_oracle")
class SoftLossOfTheMaximum(Chain):
    def soft_oracle(self, x, y, w, mu):
        loss = self.loss(y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(loss=loss)


@mutant(eight_classes, "soft_oracle")
class SoftLossOfTheMaximumUnenumerated(Multiclass):
    outputs = None

    def soft_oracle(self, x, y, w, mu):
        loss = self.loss(y, self.separation_oracle(x, y, w))
        return super().soft_oracle(x, y, w, mu)._replace(loss=loss)


@mutant(eight_classes, "soft_oracle")
class SoftLeavesOutTheTruth(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        value, difference, loss = super().soft_oracle(x, y, w, mu)
        rest = 1 - np.exp(-value / mu)  # the truth has s = 0
        return SoftOutput(value + mu * np.log(rest), difference / rest, loss / rest)


@mutant(eight_classes, "soft_oracle")
class SoftIsNaN(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x, y, w, mu)._replace(value=np.nan)


class Sums(Multiclass):
    """The sums broken by ``change``; the slacks are told."""

    def sum_soft_oracle(self, X, Y, w, mu):
        return self.change(super().sum_soft_oracle(X, Y, w, mu))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsTheMean(Sums):
    def change(self, soft):
        n = len(soft.values)
        return soft._replace(joint_feature_difference=soft.joint_feature_difference / n)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsLossIsTheMean(Sums):
    def change(self, soft):
        return soft._replace(loss=soft.loss / len(soft.values))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsValuesInAnotherOrder(Sums):
    def change(self, soft):
        return soft._replace(values=np.sort(soft.values))


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsSlacksAreTheValues(Sums):
    def change(self, soft):
        return soft._replace(slacks=soft.values)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumsSlacksAreTooLow(Sums):
    def change(self, soft):
        return soft._replace(slacks=0.5 * soft.slacks)


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsOneNumber(Sums):
    def change(self, soft):
        return soft._replace(values=soft.values.sum())


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumIsATriple(Sums):
    def change(self, soft):
        return soft[:3]


@mutant(eight_classes, "sum_soft_oracle")
class SoftSumAloneIgnoresTheTemperature(Multiclass):
    soft_oracle = None

    def sum_soft_oracle(self, X, Y, w, mu):
        return super().sum_soft_oracle(X, Y, w, 1.0)


@mutant(words, "sum_soft_oracle")
class SoftSumRemembersTheFirstW(Multiclass):
    def sum_soft_oracle(self, X, Y, w, mu):
        self._first = getattr(self, "_first", w)
        return super().sum_soft_oracle(X, Y, self._first, mu)


# ---------------------------------------------------------------------- prepared data


@mutant(label_sequences, "prepare")
class PreparedInAnotherOrder(ChainProblem):
    def prepare(self, X, Y):
        return super().prepare(X[::-1], Y)


@mutant(label_sequences, "prepare")
class PreparedWithoutAnExample(ChainProblem):
    def prepare(self, X, Y):
        return super().prepare(X[:-1], Y[:-1])


@mutant(label_sequences, "prepare")
class PreparedCannotBeIndexed(ChainProblem):
    def prepare(self, X, Y):
        return iter(X), Y


@mutant(vectors, "slack_oracle")
class SlackOracleIsTheMarginOne(Multilabel):
    def slack_oracle(self, x, y, w):
        return self.separation_oracle(x, y, w)

    batch_slack_oracle = None


@mutant(vectors, "slack_oracle")
class SilentSlackOracleIsTheMarginOne(SlackOracleIsTheMarginOne):
    outputs = None


@mutant(eight_classes, "slack_oracle")
class SlackOracleForgetsTheTruth(Multiclass):
    def slack_oracle(self, x, y, w):
        scores = 1 + x @ w.reshape(3, -1).T
        return self.classes_[(self.cost_[int(y)] * scores).argmax()]

    batch_slack_oracle = None


# ---------------------------------------------------------------------- the rest


@mutant(sequences, "constraints")
class ConstraintsOfWrongShape(SilentChain):
    def constraints(self):
        return np.ones((2, self.size_joint_feature + 1)), np.zeros(2)


@mutant(sequences, "constraints")
class ConstraintsTransposed(SilentChain):
    def constraints(self):
        return np.ones((self.size_joint_feature, 2)), np.zeros(2)


@mutant(sequences, "constraints")
class ConstraintsInfeasible(SilentChain):
    def constraints(self):
        row = np.eye(1, self.size_joint_feature)
        return np.vstack([row, -row]), np.array([-1.0, -1.0])


@mutant(sequences, "constraints")
class ConstraintsWithInfinity(SilentChain):
    def constraints(self):
        return np.eye(1, self.size_joint_feature), np.array([np.inf])


@mutant(sequences, "constraints")
class ConstraintsAreOneArray(SilentChain):
    def constraints(self):
        return np.ones((3, self.size_joint_feature))


@mutant(sequences, "__init__")
class ParameterRenamed(SilentChain):
    def __init__(self, k=3):
        self.n_labels = k


@mutant(eight_classes, "__init__")
class ParameterConverted(Multiclass):
    def __init__(self, cost=((0, 1, 1), (1, 0, 1), (1, 1, 0))):
        self.cost = np.array(cost)


@mutant(sequences, "initialize")
class SizeIsForgotten(SilentChain):
    def initialize(self, X, Y):
        self.n_features_ = X[0].shape[1]


@mutant(sequences, "initialize")
class SizeAddsUp(SilentChain):
    def initialize(self, X, Y):
        before = getattr(self, "size_joint_feature", 0)
        super().initialize(X, Y)
        self.size_joint_feature += before


@mutant(sequences, "initialize")
class InitializeChangesAParameter(SilentChain):
    def __init__(self, n_labels=9):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        self.n_labels = 1 + max(max(y) for y in Y)
        super().initialize(X, Y)


@mutant(vectors, "initialize")
class InitializeCentresX(Multilabel):
    def initialize(self, X, Y):
        X -= X.mean(axis=0)
        super().initialize(X, Y)


@mutant(annotated, "impute")
class ImputeReturnsTheAnnotation(Latent):
    def impute(self, x, y, w):
        return y


@mutant(annotated, "impute")
class ImputeMinimises(Latent):
    def impute(self, x, y, w):
        return self.decode(x, -w) if y is None else y


@mutant(annotated, "initial_w")
class StartIsZero(Latent):
    def initial_w(self, X, rng):
        return np.zeros(self.size_joint_feature)


def greedy(unary, pair):
    path = [int(unary[0].argmax())]
    for scores in unary[1:]:
        path.append(int((scores + pair[path[-1]]).argmax()))
    return path


def greedy_matching(scores):
    scores, y = scores.copy(), np.empty(len(scores), dtype=int)
    for _ in range(len(y)):
        i, j = np.unravel_index(scores.argmax(), scores.shape)
        y[i] = j
        scores[i, :] = scores[:, j] = -np.inf
    return y


@pytest.mark.parametrize(("cls", "data", "method", "example", "seeds", "only"), MUTANTS)
def test_mutant_is_caught_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    for seed in range(seeds):
        X, Y = data(seed)
        with pytest.raises(ContractViolation, match=cls.__name__) as caught:
            check_problem(cls(), X, Y, random_state=seed)
        findings = caught.value.findings
        blamed = {finding.method for finding in findings}
        assert method in blamed, caught.value
        if only:
            assert blamed == {method}, caught.value
        if example is not None:
            assert example in {f.example for f in findings if f.method == method}, caught.value


def test_there_are_enough_mutants():
    assert len(MUTANTS) >= 16
