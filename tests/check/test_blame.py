"""Bugs of many kinds, planted one by one: each is found, and its method blamed alone."""

import numpy as np
import pytest
from correct_problems import (
    Chain,
    EnumeratedMatching,
    Latent,
    LocalSearch,
    LocalSearchTask,
    Matching,
    Multilabel,
    MultilabelTask,
    Prepared,
    PreparedTask,
    SilentChain,
    annotated,
    graphs,
    sequences,
    vectors,
)
from planted_bugs import FIELDS, Mutants, assert_caught, classes

from structsvm import Problem, WeightConstraints
from structsvm.problems import Assignment, Multiclass
from structsvm.problems import Chain as BundledChain
from structsvm.problems.classification.multiclass.task import MulticlassTask

MUTANTS = Mutants()
mutant = MUTANTS.register
task_mutant = MUTANTS.register_task


def many(seed):
    return sequences(seed, n=40)


def pairs(seed):
    return Assignment.example_data()


# ---------------------------------------------------------------------- initialize


@mutant(classes, "initialize")
class ClassesAccumulate(Multiclass):
    def initialize(self, X, Y):
        self.seen_ = [*getattr(self, "seen_", []), *X[:, 0].tolist()]
        super().initialize(X, Y)
        self.size_joint_feature += len(self.seen_) // 30


@mutant(sequences, "initialize")
class ScaleAccumulates(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.scale_ = getattr(self, "scale_", 0) + 1

    def joint_feature(self, x, y):
        return self.scale_ * super().joint_feature(x, y)

    def scores(self, x, w):
        return super().scores(x, self.scale_ * w)


@mutant(sequences, "initialize")
class MaxLossOfAllDataEver(Chain):
    def initialize(self, X, Y):
        before = self.max_loss or 0
        super().initialize(X, Y)
        self.max_loss += before


@mutant(sequences, "initialize")
class SizeOffByOne(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.size_joint_feature += 1


@mutant(sequences, "initialize")
class FirstMeansKept(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        if not hasattr(self, "mean_"):
            self.mean_ = np.mean([x.mean() for x in X])

    def joint_feature(self, x, y):
        return super().joint_feature(x - self.mean_, y)

    def scores(self, x, w):
        return super().scores(x - self.mean_, w)


@mutant(sequences, "initialize")
class SecondInitializeFails(SilentChain):
    def initialize(self, X, Y):
        if hasattr(self, "size_joint_feature"):
            raise RuntimeError("already initialized")
        super().initialize(X, Y)


# ---------------------------------------------------------------------- declarations


@mutant(sequences, "max_loss")
class MaxLossIsText(SilentChain):
    max_loss = "3"


@mutant(sequences, "max_loss")
class MaxLossIsNaN(SilentChain):
    max_loss = np.nan


@mutant(sequences, "max_loss")
class MaxLossIsAnArray(SilentChain):
    max_loss = np.array([3.0])


@mutant(sequences, "roundoff")
class RoundoffIsNegative(SilentChain):
    roundoff = -1e-6


@mutant(sequences, "roundoff")
class RoundoffIsNaN(SilentChain):
    roundoff = np.nan


@mutant(sequences, "roundoff")
class RoundoffIsText(SilentChain):
    roundoff = "1e-6"


@mutant(sequences, "work")
class WorkIsInfinite(SilentChain):
    work = np.inf


@mutant(sequences, "block_size")
class BlockSizeIsAFloat(SilentChain):
    block_size = 8.0


@mutant(sequences, "parallelism")
class ParallelismLearned(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.parallelism = "process"


# ---------------------------------------------------------------------- joint_feature


@mutant(many, "joint_feature")
class LongerForOneOfForty(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        rare = many(0)[0][23]
        return np.append(psi, 0) if x.shape == rare.shape and np.array_equal(x, rare) else psi


@mutant(many, "joint_feature")
class NaNForOneOfForty(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        rare = many(0)[0][38]
        return psi * np.nan if x.shape == rare.shape and np.array_equal(x, rare) else psi


@mutant(sequences, "joint_feature")
class BufferReused(SilentChain):
    def joint_feature(self, x, y):
        if not hasattr(self, "buffer_"):
            self.buffer_ = np.zeros(self.size_joint_feature)
        self.buffer_[:] = super().joint_feature(x, y)
        return self.buffer_


@mutant(sequences, "joint_feature")
class SparseForSome(SilentChain):
    def joint_feature(self, x, y):
        from scipy import sparse

        psi = super().joint_feature(x, y)
        return sparse.csr_matrix(psi) if y[0] == 0 else psi


@mutant(sequences, "joint_feature")
class CountsCalls(SilentChain):
    calls = 0

    def joint_feature(self, x, y):
        self.calls += 1
        return super().joint_feature(x, y) * (1 + (self.calls % 7 == 0))


@mutant(sequences, "joint_feature")
class TransitionsTransposed(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        k = self.n_labels
        psi[-k * k :] = psi[-k * k :].reshape(k, k).T.ravel()
        return psi


@mutant(vectors, "joint_feature")
class HalfTheSignWrong(Multilabel):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        psi[::2] *= -1
        return psi


@mutant(sequences, "joint_feature")
class CachedByLength(SilentChain):
    def joint_feature(self, x, y):
        if not hasattr(self, "cache_"):
            self.cache_ = {}
        return self.cache_.setdefault((len(x), tuple(y)), super().joint_feature(x, y))


# ---------------------------------------------------------------------- loss


@mutant(sequences, "loss")
class LossDrifts(SilentChain):
    drift = 0.0

    def loss(self, y, y_hat):
        self.drift += 1e-4
        return super().loss(y, y_hat) * (1 + self.drift)


@mutant(many, "loss")
class LossOfOneTruthOfForty(SilentChain):
    def loss(self, y, y_hat):
        return super().loss(y, y_hat) + (list(y) == many(0)[1][31]) * 1e-3


@mutant(vectors, "loss")
class LossTransposed(Multilabel):
    def loss(self, y, y_hat):
        return float(self.cost_[np.asarray(y_hat), np.asarray(y)].sum())


@mutant(sequences, "loss")
class LossRaisesForEqualEnds(SilentChain):
    def loss(self, y, y_hat):
        if list(y) != list(y_hat) and y[-1] == y_hat[-1]:
            raise ZeroDivisionError
        return super().loss(y, y_hat)


@mutant(sequences, "loss")
class LossIsInARow(SilentChain):
    def loss(self, y, y_hat):
        return np.array([super().loss(y, y_hat)])


@mutant(sequences, "loss")
class SmallConstantLoss(SilentChain):
    def loss(self, y, y_hat):
        return 1e-12 * (super().loss(y, y_hat) + 0.1)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, 1e12 * w)


# ---------------------------------------------------------------------- searches


@mutant(sequences, "separation_oracle")
class OracleRoundsW(SilentChain):
    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, w.astype(np.float16).astype(float))


@mutant(sequences, "decode", seeds=3)
class DecodeRoundsW(SilentChain):
    def decode(self, x, w):
        return super().decode(x, w.astype(np.float16).astype(float))


@mutant(sequences, "decode")
class DecodeIgnoresSmallWeights(SilentChain):
    def decode(self, x, w):
        return super().decode(x, np.where(np.abs(w) < 1e-5, 0, w))


@mutant(sequences, "separation_oracle")
class OracleFailsWhereAllAreNegative(Chain):
    def separation_oracle(self, x, y, w):
        return list(y) if np.all(w < 0) else super().separation_oracle(x, y, w)


@mutant(sequences, "decode")
class DecodeFailsAtZeros(Chain):
    def decode(self, x, w):
        return [0] * len(x) if w.any() and np.sum(w == 0) > 3 else super().decode(x, w)


@mutant(sequences, "separation_oracle")
class OracleAtRandom(Chain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.rng_ = np.random.RandomState(0)

    def separation_oracle(self, x, y, w):
        return list(y) if self.rng_.rand() < 0.1 else super().separation_oracle(x, y, w)


@mutant(graphs, "separation_oracle", seeds=3)
class LocalSearchAtRandom(LocalSearch):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.rng_ = np.random.RandomState(0)

    def separation_oracle(self, x, y, w):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return self.climb(x @ w + wrong, self.rng_.permutation(len(y)))


@mutant(graphs, "separation_oracle")
class OracleReusesItsOutput(Matching):
    def separation_oracle(self, x, y, w):
        if not hasattr(self, "out_"):
            self.out_ = np.zeros(len(y), dtype=int)
        self.out_[:] = super().separation_oracle(x, y, w)
        return self.out_


@mutant(vectors, "separation_oracle")
class OracleReturnsNaN(Multilabel):
    task = Problem.task

    def loss(self, y, y_hat):
        return float(np.sum(np.abs(np.subtract(y, y_hat))))

    def separation_oracle(self, x, y, w):
        found = (x @ w.reshape(3, -1).T + 1 - 2 * y > 0).astype(float)
        return found * np.nan if np.linalg.norm(w) > 5 else found


@mutant(vectors, "separation_oracle")
class OracleReturnsInfinity(OracleReturnsNaN):
    def separation_oracle(self, x, y, w):
        found = super().separation_oracle(x, y, w)
        return np.where(np.isnan(found), np.inf, found)


@mutant(sequences, "decode")
class DecodeReturnsText(SilentChain):
    def decode(self, x, w):
        return "".join(map(str, super().decode(x, w)))


@mutant(sequences, "decode")
class DecodeOneShort(SilentChain):
    def decode(self, x, w):
        found = super().decode(x, w)
        return found[:-1] if len(found) == 4 else found


@mutant(vectors, "slack_oracle")
class SlackOracleKeepsTheFirstWeights(Multilabel):
    def slack_oracle(self, x, y, w):
        if not hasattr(self, "w_") and w.any():
            self.w_ = w.copy()
        return super().slack_oracle(x, y, getattr(self, "w_", w))


@task_mutant(LocalSearch, graphs, "refine")
class RefineWorsensTheBest(LocalSearchTask):
    def refine(self, w, outputs):
        pairs = zip(super().refine(w, outputs), outputs, strict=True)
        return [np.roll(best, 1) if np.array_equal(best, z) else best for best, z in pairs]


@task_mutant(LocalSearch, graphs, "refine")
class RefineReturnsNothing(LocalSearchTask):
    def refine(self, w, outputs):
        pairs = zip(super().refine(w, outputs), outputs, strict=True)
        return [None if np.array_equal(best, z) else best for best, z in pairs]


@task_mutant(LocalSearch, graphs, "refine")
class RefineWritesIntoY(LocalSearchTask):
    def refine(self, w, outputs):
        for output, best in zip(outputs, super().refine(w, outputs), strict=True):
            output[:] = best
        return outputs


# ---------------------------------------------------------------------- outputs


@mutant(sequences, "outputs")
class OutputsRepeat(Chain):
    def outputs(self, x):
        every = list(super().outputs(x))
        return [*every, every[0]]


@mutant(graphs, "outputs")
class OutputsWithoutSome(EnumeratedMatching):
    def outputs(self, x):
        every = list(super().outputs(x))
        truths = {tuple(y) for y in graphs(0)[1]}
        return [y for k, y in enumerate(every) if k % 2 or tuple(y) in truths]


@mutant(sequences, "outputs")
class OutputsRaise(Chain):
    soft_oracle = None

    def outputs(self, x):
        yield from list(super().outputs(x))[:3]
        raise IndexError("out of labels")


@mutant(sequences, "outputs")
class NoOutputs(Chain):
    soft_oracle = None

    def outputs(self, x):
        return iter(())


@mutant(sequences, "outputs")
class OutputsAreNone(Chain):
    soft_oracle = None

    def outputs(self, x):
        return None


# ---------------------------------------------------------------------- tasks


@task_mutant(Multilabel, vectors, "plane")
class PlaneSortsWeights(MultilabelTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.sort(weights))


@task_mutant(Multilabel, vectors, "plane")
class PlaneCountsZeroAsOne(MultilabelTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.where(weights == 0, 1.0, weights))


@task_mutant(Multilabel, vectors, "plane")
class PlaneOfAbsoluteWeights(MultilabelTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.abs(weights))


@task_mutant(Multilabel, vectors, "plane")
class PlaneClipsWeights(MultilabelTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, weights.clip(-1, 1))


@task_mutant(Multilabel, vectors, "losses")
class LossesReused(MultilabelTask):
    out = np.zeros(100)

    def losses(self, outputs):
        self.out[: self.n] = super().losses(outputs)
        return self.out[: self.n]


@task_mutant(Multilabel, vectors, "decode")
class DecodesOne(MultilabelTask):
    def decode(self, w):
        found = super().decode(w)
        return 1 - found if self.n == 1 else found


@task_mutant(Multilabel, vectors, "differences")
class DifferencesCachedByLength(MultilabelTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.cache = {}

    def differences(self, outputs, places):
        return self.cache.setdefault(len(places), super().differences(outputs, places)).copy()


@task_mutant(Multiclass, classes, "decode")
class BundledTaskDecodesWrong(MulticlassTask):
    def decode(self, w):
        return super().decode(-w)


@mutant(classes, "decode")
class BundledDecodeWrong(Multiclass):
    def decode(self, x, w):
        return super().decode(-x, w)


@mutant(classes, "separation_oracle")
class BundledOracleForgetsTheLoss(Multiclass):
    def separation_oracle(self, x, y, w):
        return self.decode(x, w)


@mutant(classes, "joint_feature")
class BundledJointFeatureWrong(Multiclass):
    def joint_feature(self, x, y):
        return super().joint_feature(x * np.sign(x[0]), y)


@mutant(classes, "loss")
class BundledLossWrong(Multiclass):
    def loss(self, y, y_hat):
        return 2 * super().loss(y, y_hat) if y == 0 else super().loss(y, y_hat)


@task_mutant(Multiclass, classes, "score_outputs")
class ScoresWithoutTheTruth(MulticlassTask):
    def score_outputs(self, w):
        return self.problem.cost_[self._codes(self.Y)] + self._scores(w)


@task_mutant(Multiclass, classes, "expected_difference")
class ExpectedOfClippedProbabilities(MulticlassTask):
    def expected_difference(self, probabilities):
        return super().expected_difference(probabilities.clip(0))


@task_mutant(Multiclass, classes, "soft")
class SoftSumIgnoresZeroWeights(MulticlassTask):
    def soft(self, w, mu, weights):
        return super().soft(w, mu, np.where(weights == 0, 1, weights))


@task_mutant(Multiclass, classes, "soft")
class SoftSumSortsWeights(MulticlassTask):
    def soft(self, w, mu, weights):
        return super().soft(w, mu, np.sort(weights))


@mutant(classes, "soft_oracle")
class SoftOracleWithoutMu(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        return super().soft_oracle(x, y, w, 1.0)


@mutant(classes, "soft_oracle")
class SoftOracleWritesW(Multiclass):
    def soft_oracle(self, x, y, w, mu):
        found = super().soft_oracle(x, y, w, mu)
        w *= 1.5
        return found


@mutant(sequences, "soft_oracle")
class SoftOracleOverflows(Chain):
    def soft_oracle(self, x, y, w, mu):
        with np.errstate(all="ignore"):
            found = super().soft_oracle(x, y, w, mu)
            large = np.linalg.norm(w) / mu > 700
            return found._replace(value=np.inf) if large else found


@task_mutant(Multiclass, classes, "curvature")
class NegativeCurvature(MulticlassTask):
    def curvature(self, w, mu, weights):
        return -super().curvature(w, mu, weights)


# ---------------------------------------------------------------------- what a task holds, others


@task_mutant(Prepared, vectors, "task")
class TaskNeedsY(PreparedTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, np.asarray(Y)[: len(X)] + 0)


@task_mutant(Prepared, vectors, "task")
class TaskRoundsX(PreparedTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, np.round(X, 2), Y)


@task_mutant(Prepared, vectors, "task")
class TaskScalesInPlace(PreparedTask):
    def __init__(self, problem, X, Y=None):
        X *= 1.0 + 1e-3
        super().__init__(problem, X, Y)


@mutant(pairs, "input_gradient")
class GradientNegated(Assignment):
    def input_gradient(self, x, y, w):
        return -np.asarray(super().input_gradient(x, y, w))


@mutant(sequences, "constraints")
class ConstraintsTooNarrow(SilentChain):
    def constraints(self):
        return np.eye(3), np.zeros(3)


@mutant(sequences, "constraints")
class ConstraintsChange(SilentChain):
    bound = 1.0

    def constraints(self):
        self.bound += 1
        return -np.eye(self.size_joint_feature)[:1], np.array([self.bound])


@mutant(sequences, "constraints")
class BoundIsNaN(SilentChain):
    def constraints(self):
        bounds = np.full(self.size_joint_feature, -np.inf)
        bounds[-1] = np.nan
        return WeightConstraints(lower=bounds)


@mutant(sequences, "constraints")
class BoundIsInfinite(SilentChain):
    def constraints(self):
        return WeightConstraints(lower=np.full(self.size_joint_feature, np.inf))


@mutant(sequences, "example_data")
class ExampleDataUnequal(BundledChain):
    @staticmethod
    def example_data():
        X, Y = BundledChain.example_data()
        return X, Y[:-1]


@mutant(annotated, "initial_w")
class InitialWIsRandom(Latent):
    def initial_w(self, X, rng):
        return np.random.default_rng().normal(size=self.size_joint_feature)


@mutant(annotated, "impute")
class ImputeMinimises(Latent):
    def impute(self, x, y, w):
        return self.decode(x, -w) if y is None else y


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed_alone(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)
