"""The second set: bugs in joint features, differences, losses and what initialize learns."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import BoundedGrid, Grid, grid
from benchmarks.robustness._planted_initialize import Words, worded
from benchmarks.robustness._planted_labels import Documents, K, Labels, documents, labels
from benchmarks.robustness._planted_pairing import Pairing, pairs
from benchmarks.robustness._planted_tagging import Tagging, sequences
from benchmarks.robustness._planted_topics import Topics, topics, topics_with_an_empty_set

PSI = "Return Psi(x, y)"
FINITE = "Ensures: finite real numbers of shape (size_joint_feature,)"
DIFFERENCE = "Return Psi(x, y) - Psi(x, y_hat)"
LOSS = "Ensures: a finite number >= 0, and 0 for loss(y, y)"
IN_PLACE = "No method may change its inputs, outputs or w in place"


@planted(sequences, {"joint_feature"}, PSI)
class PsiTransposesTheTransitions(Tagging):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return np.r_[psi[:-9], psi[-9:].reshape(3, 3).T.ravel()]


@planted(sequences, {"joint_feature"}, PSI, listed=False)
class PsiJoinsTheLastTagToTheFirst(Tagging):
    """At the first position y[t - 1] is the last tag."""

    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        psi[-9 + 3 * y[-1] + y[0]] += 1
        return psi


@planted(grid, {"joint_feature"}, PSI, listed=False)
class PsiIsStoredInIntegers(Grid):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y).astype(int)


@planted(topics_with_an_empty_set, {"joint_feature"}, "Ensures: the same at every call")
class PsiIsNotFilledForTheEmptySet(Topics):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.last = np.zeros(self.size_joint_feature)

    def joint_feature(self, x, y):
        if y:
            self.last = super().joint_feature(x, y)
        return self.last


@planted(labels, {"joint_feature"}, "Ensures: finite real numbers", listed=False)
class PsiIsComplex(Labels):
    def joint_feature(self, x, y):
        return np.emath.sqrt(super().joint_feature(x, y)) ** 2


@planted(grid, {"joint_feature"}, "Ensures: finite real numbers")
class PsiIsNaNAtTheOrigin(Grid):
    def joint_feature(self, x, y):
        norm = np.hypot(*y)
        return super().joint_feature(x, y) * norm / norm


@planted(pairs, {"joint_feature"}, FINITE)
class PsiIsAColumn(Pairing):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y)[:, None]


@planted(pairs, {"joint_feature", "separation_oracle"}, PSI, listed=False)
class PsiDividesByTheLongestLength(Pairing):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * len(x) / 4


@planted(documents, {"joint_feature"}, PSI)
class PsiCountsEveryWordOnce(Documents):
    def joint_feature(self, x, y):
        return (super().joint_feature(x, y) > 0).astype(float)


@planted(labels, {"joint_feature_difference"}, DIFFERENCE, listed=False)
class DifferenceHasItsSignReversed(Labels):
    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, y_hat) - self.joint_feature(x, y)


@planted(topics, {"joint_feature_difference"}, DIFFERENCE)
class DifferenceIsThatOfTheSymmetricSet(Topics):
    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, set(y) ^ set(y_hat))


@planted(sequences, {"joint_feature_difference"}, DIFFERENCE, listed=False)
class DifferenceStopsBeforeTheLastPosition(Tagging):
    def joint_feature_difference(self, x, y, y_hat):
        return super().joint_feature_difference(x[:-1], y[:-1], y_hat[:-1])


@planted(topics, {"loss"}, LOSS)
class LossIsASignedSum(Topics):
    """Missed topics less added ones."""

    def loss(self, y, y_hat):
        return float(len(set(y) - set(y_hat)) - len(set(y_hat) - set(y)))


@planted(pairs, {"loss", "separation_oracle"}, "Return Delta(y, y_hat)")
class LossDividesIntegers(Pairing):
    def loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum() // len(y))


@planted(sequences, {"loss", "separation_oracle"}, "Return Delta(y, y_hat)", listed=False)
class LossIsZeroOneAndTheOracleIsHamming(Tagging):
    def loss(self, y, y_hat):
        return float(not np.array_equal(y, y_hat))


@planted(labels, {"loss"}, LOSS)
class LossIsAnArrayOfOneNumberForEachLabel(Labels):
    def loss(self, y, y_hat):
        return super().loss(y, y_hat) * np.ones(K)


@planted(sequences, {"loss"}, "Ensures: 0 for loss(y, y)", listed=False)
class LossComparesWithTheShiftedTags(Tagging):
    def loss(self, y, y_hat):
        return float(np.not_equal(y, np.roll(y_hat, 1)).sum())


@planted(worded, {"initialize"}, "A later call with other data overwrites all that was learned")
class VocabularySizeIsAMaximum(Words):
    def initialize(self, X, Y):
        old = getattr(self, "size_joint_feature", 0)
        super().initialize(X, Y)
        self.size_joint_feature = max(old, self.size_joint_feature)


@planted(grid, {"initialize"}, IN_PLACE, listed=False)
class InitializeScalesTheInputs(Grid):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        X /= abs(X).max(axis=0)


@planted(topics, {"initialize", "joint_feature"}, "Length of w and of every joint feature")
class InitializeForgetsThePairs(Topics):
    def initialize(self, X, Y):
        self.size_joint_feature = K * X.shape[1]


@planted(labels, {"outputs"}, "Enumerate all outputs of x")
class OutputsBeginAtOne(Labels):
    def outputs(self, x):
        return range(1, K)


@planted(grid, {"outputs"}, "Enumerate all outputs of x")
class OutputsHaveOneRowTooMany(Grid):
    """The bound of the first coordinate is taken as included."""

    def outputs(self, x):
        return [(a, b) for a in range(6) for b in range(5)]


@planted(grid, {"constraints"}, "A of shape (n_constraints, size_joint_feature)")
class ConstraintIsAVector(BoundedGrid):
    def constraints(self):
        A, b = super().rows()
        return A[0], b


@planted(grid, {"constraints"}, "Return a pair (A, b) with A w <= b, or None", listed=False)
class ConstraintsAreSwapped(BoundedGrid):
    def constraints(self):
        A, b = super().rows()
        return b, sparse.csr_matrix(A)


@planted(grid, {"constraints"}, "Ensures: shape (size_joint_feature,)", listed=False)
class BoundsHoldOnlyTheBoundedWeights(BoundedGrid):
    def lower(self):
        return np.zeros(2)
