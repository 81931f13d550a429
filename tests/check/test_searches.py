"""Bugs planted in oracles and decoders: each is found, and blamed on the method that has it."""

import numpy as np
import pytest
from correct_problems import (
    Chain,
    Latent,
    LocalSearch,
    Matching,
    Multilabel,
    Parts,
    Relaxed,
    SilentChain,
    annotated,
    graphs,
    one_hot,
    parted,
    sequences,
    vectors,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
    eight_classes,
    greedy,
    greedy_matching,
    is_third,
    long_sequences,
    words,
)

from structsvm.problems import Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


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


@mutant(eight_classes, "separation_oracle")
class OracleTransposesTheCost(Multiclass):
    def __init__(self, cost=((0, 1, 5), (2, 0, 1), (9, 1, 0))):
        super().__init__(cost)

    def separation_oracle(self, x, y, w):
        return self.classes_[(x @ w.reshape(3, -1).T + self.cost_[:, y]).argmax()]


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


@mutant(eight_classes, "decode")
class DecoderAddsALoss(Multiclass):
    def decode(self, x, w):
        return self.separation_oracle(x, self.classes_[0], w)


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


@mutant(vectors, "slack_oracle")
class SlackOracleIsTheMarginOne(Multilabel):
    def slack_oracle(self, x, y, w):
        return self.separation_oracle(x, y, w)


@mutant(vectors, "slack_oracle")
class SilentSlackOracleIsTheMarginOne(SlackOracleIsTheMarginOne):
    outputs = None


@mutant(eight_classes, "slack_oracle")
class SlackOracleForgetsTheTruth(Multiclass):
    def slack_oracle(self, x, y, w):
        scores = 1 + x @ w.reshape(3, -1).T
        return self.classes_[(self.cost_[int(y)] * scores).argmax()]


@mutant(annotated, "impute")
class ImputeReturnsTheAnnotation(Latent):
    def impute(self, x, y, w):
        return y


@mutant(annotated, "impute")
class ImputeMinimises(Latent):
    def impute(self, x, y, w):
        return self.decode(x, -w) if y is None else y


class SilentParts(Parts):
    outputs = None


@mutant(parted, "impute")
class ImputeForgetsTheLatentPart(SilentParts):
    def impute(self, x, y, w):
        return y


@mutant(parted, "impute")
class ImputeLeavesTheLatentPartOpen(SilentParts):
    def impute(self, x, y, w):
        return (y, None)


@mutant(parted, "impute")
class ImputeReturnsItsFirstPartAlone(SilentParts):
    def impute(self, x, y, w):
        return super().impute(x, y, w)[:1]


@mutant(parted, "impute")
class ImputeReturnsNone(SilentParts):
    def impute(self, x, y, w):
        super().impute(x, y, w)


@mutant(sequences, "separation_oracle")
class RemembersWByItsNorm(SilentChain):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.known_ = {}

    def separation_oracle(self, x, y, w):
        w = self.known_.setdefault(round(float(np.linalg.norm(w)), 9), w.copy())
        return super().separation_oracle(x, y, w)


@mutant(eight_classes, "decode")
class DecodesLabelsWithWeights(Multiclass):
    def decode(self, x, w):
        weights = self.class_weights(w)
        known = np.flatnonzero(weights.any(axis=1))
        return int(known[np.argmax(weights[known] @ x)]) if len(known) else 0


@mutant(sequences, "separation_oracle")
class ReturnsAMap(SilentChain):
    def separation_oracle(self, x, y, w):
        return map(int, super().separation_oracle(x, y, w))


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)
