"""Bugs in joint features and their differences."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import Grid, grid
from benchmarks.robustness._planted_labels import (
    ONE_HOT,
    Documents,
    Labels,
    documents,
    labels,
    many_labels,
)
from benchmarks.robustness._planted_pairing import ListPairing, Pairing, features, pair_lists, pairs
from benchmarks.robustness._planted_tagging import Tagging, sequences
from benchmarks.robustness._planted_tagging import features as tag_features
from benchmarks.robustness._planted_topics import Topics, topics

DRAWS = np.random.default_rng(0)


def with_a_zero_row():
    X, Y = labels()
    X[7] = 0
    return X, Y


# --------------------------------------------------------------- joint_feature


@planted(many_labels, {"joint_feature"}, "Ensures: numbers of shape (size_joint_feature,)", False)
class PsiOfOneExampleIsLonger(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.largest = X[:, 0].max()

    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return np.append(psi, 1.0) if x[0] == self.largest else psi


@planted(labels, {"joint_feature"}, "A new object, or one that does not change")
class PsiRefillsItsBuffer(Labels):
    def joint_feature(self, x, y):
        if not hasattr(self, "psi"):
            self.psi = np.empty(self.size_joint_feature)
        self.psi[:] = super().joint_feature(x, y)
        return self.psi


@planted(labels, {"joint_feature"}, "of one kind for all outputs")
class PsiIsSparseForOneLabel(Labels):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return sparse.csr_array(psi[None]) if y == 2 else psi


@planted(labels, {"joint_feature"}, "Return Psi(x, y), the joint feature of an input and an output")
class PsiIsCachedByOutput(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def joint_feature(self, x, y):
        if y not in self.cache:
            self.cache[y] = super().joint_feature(x, y)
        return self.cache[y]


@planted(labels, {"joint_feature"}, "the same at every call", listed=False)
class PsiIsScaledByTheLastW(Labels):
    norm = 1.0

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) / self.norm

    def separation_oracle(self, x, y, w):
        self.norm = max(1.0, float(np.linalg.norm(w)))
        return super().separation_oracle(x, y, w)


@planted(with_a_zero_row, {"joint_feature"}, "Ensures: finite real numbers", listed=False)
class PsiDividesByTheNorm(Labels):
    def joint_feature(self, x, y):
        return super().joint_feature(x / np.sqrt(x @ x), y)

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x / (np.linalg.norm(x) or 1.0), y, w)

    def decode(self, x, w):
        return super().decode(x / (np.linalg.norm(x) or 1.0), w)

    slack_oracle = None


@planted(documents, {"joint_feature"}, "a scipy.sparse row of shape (1, size_joint_feature)")
class PsiIsAsLongAsItsLastEntry(Documents):
    def joint_feature(self, x, y):
        columns = y * x.shape[1] + x.indices
        return sparse.csr_matrix((x.data, columns, [0, x.nnz]))


@planted(pair_lists, {"joint_feature"}, "No method may change its inputs, outputs or w in place")
class PsiSortsItsOutput(ListPairing):
    def joint_feature(self, x, y):
        psi = features(x, y)
        y.sort()
        return psi


@planted(topics, {"joint_feature"}, "the same at every call", listed=False)
class PsiDropsOut(Topics):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) * (DRAWS.random(self.size_joint_feature) < 0.9)


@planted(labels, {"joint_feature"}, "a 1-d array or sequence, or a scipy.sparse row")
class PsiIsADictionary(Labels):
    def joint_feature(self, x, y):
        return dict(enumerate(super().joint_feature(x, y)))


# ---------------------------------------------------- joint_feature_difference

DIFFERENCE = "Return Psi(x, y) - Psi(x, y_hat)"


@planted(sequences, {"joint_feature_difference"}, DIFFERENCE)
class DifferenceForgetsTransitionsAtTheBorder(Tagging):
    """Transitions change beside a changed tag too, not only between two of them."""

    def joint_feature_difference(self, x, y, y_hat):
        y, y_hat = np.asarray(y), np.asarray(y_hat)
        psi = tag_features(x, y) - tag_features(x, y_hat)
        changed = y != y_hat
        both = changed[:-1] & changed[1:]
        table = np.zeros((3, 3))
        np.add.at(table, (y[:-1][both], y[1:][both]), 1)
        np.subtract.at(table, (y_hat[:-1][both], y_hat[1:][both]), 1)
        psi[-9:] = table.ravel()
        return psi


@planted(labels, {"joint_feature_difference"}, DIFFERENCE)
class DifferenceIsNaNAtTheTruth(Labels):
    def joint_feature_difference(self, x, y, y_hat):
        psi = self.joint_feature(x, y) - self.joint_feature(x, y_hat)
        return psi / psi.any() if psi.any() else psi / 0.0


@planted(pairs, {"joint_feature_difference"}, DIFFERENCE, listed=False)
class DifferenceKeepsTheTruthOfAnotherInput(Pairing):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.truths = {}

    def joint_feature_difference(self, x, y, y_hat):
        psi = self.truths.setdefault((len(x), y), features(x, y))
        return psi - features(x, y_hat)


@planted(
    labels,
    {"joint_feature_difference", "joint_feature"},
    "A new object, or one that does not change",
)
class DifferenceSubtractsFromTheCache(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def joint_feature(self, x, y):
        return self.cache.setdefault((x.tobytes(), y), np.outer(ONE_HOT[y], x).ravel())

    def joint_feature_difference(self, x, y, y_hat):
        psi = self.joint_feature(x, y)
        psi -= np.outer(ONE_HOT[y_hat], x).ravel()
        return psi


@planted(grid, {"joint_feature_difference"}, DIFFERENCE)
class DifferenceIsLinearInTheOutput(Grid):
    """Joint features of differences are differences only where they are linear."""

    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, (y[0] - y_hat[0], y[1] - y_hat[1]))


@planted(grid, {"joint_feature_difference"}, DIFFERENCE, listed=False)
class DifferenceHasHalfThePrecision(Grid):
    def joint_feature_difference(self, x, y, y_hat):
        return (self.joint_feature(x, y) - self.joint_feature(x, y_hat)).astype(np.float16)
