"""Bugs in the methods of self-labelled problems."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted
from benchmarks.robustness._planted_parts import (
    PARTS,
    FastParts,
    Halves,
    Parts,
    agreeing,
    features,
    parts,
    unlabelled_rows,
)

IMPUTED = "the output that scores highest at w among those that agree with annotation y"


def partly_known_sides():
    """Sides of rows, of which -1 stands for an unknown one."""
    X = unlabelled_rows()[0]
    return X, [np.where(np.arange(len(x)) % 2, 1, -1) for x in X]


@correct(partly_known_sides)
class KnownSides(Halves):
    """Annotations hold the sides of some rows."""

    def impute(self, x, y, w):
        found = self.decode(x, w)
        return found if y is None else tuple(np.where(y < 0, found, y).tolist())

    def evaluation_loss(self, y, y_hat):
        return float(np.sum((y >= 0) & (y != np.array(y_hat))))


@planted(parts, {"impute", "evaluation_loss"}, IMPUTED)
class ImputeTakesLabelZeroForNone(Parts):
    def impute(self, x, y, w):
        return super().impute(x, y if y else None, w)


@planted(parts, {"impute"}, IMPUTED)
class ImputeKeepsItsFirstW(Parts):
    first = None

    def impute(self, x, y, w):
        if self.first is None:
            self.first = w.copy()
        return super().impute(x, y, self.first)


@planted(parts, {"impute"}, IMPUTED, listed=False)
class ImputeKeepsTheLabelOfAnnotation(Parts):
    """A cache by annotation and w: all inputs with one annotation get the same output."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def impute(self, x, y, w):
        return self.cache.setdefault((y, w.tobytes()), super().impute(x, y, w))


@planted(partly_known_sides, {"impute"}, "No method may change its inputs, outputs or w in place")
class ImputeCompletesTheAnnotation(KnownSides):
    def impute(self, x, y, w):
        if y is None:
            return self.decode(x, w)
        y[:] = super().impute(x, y, w)
        return tuple(y.tolist())


@planted(
    unlabelled_rows, {"impute", "restricts_labels"}, "without an annotation, as high as decode's"
)
class ImputeBalancesWithoutDeclaration(Halves):
    def impute(self, x, y, w):
        order = np.argsort(np.argsort(x @ w))
        return tuple((order >= len(x) // 2).astype(int).tolist())


@planted(parts, {"impute"}, "Ensures: a complete output", listed=False)
class ImputeReturnsAllThatAgree(Parts):
    def impute(self, x, y, w):
        return sorted(agreeing(y), key=lambda z: -(w @ features(x, z)))


@planted(parts, {"initial_w"}, "Return a nonzero w to start from")
class StartIsAMatrix(Parts):
    def initial_w(self, X, rng):
        return rng.normal(size=(2, X.shape[2]))


@planted(unlabelled_rows, {"initial_w"}, "Return a nonzero w to start from")
class StartIsScaledByNothing(Halves):
    def initial_w(self, X, rng):
        w = np.zeros(self.size_joint_feature)
        return w / np.linalg.norm(w)


@planted(parts, {"evaluation_loss"}, "Ensures: a finite number >= 0")
class EvaluationIsNaNWithoutAnnotation(Parts):
    def evaluation_loss(self, y, y_hat):
        return float("nan") if y is None else super().evaluation_loss(y, y_hat)


@planted(partly_known_sides, {"evaluation_loss"}, "0 where y_hat agrees with y", listed=False)
class EvaluationCountsUnknownRows(KnownSides):
    def evaluation_loss(self, y, y_hat):
        return float(np.not_equal(y, y_hat).sum())


@planted(parts, {"batch_impute"}, "Apply impute to n examples")
class BatchImputeIgnoresAnnotations(FastParts):
    def batch_impute(self, X, Y, w):
        return super().batch_impute(X, None, w)


@planted(unlabelled_rows, {"batch_impute"}, "Y is the container of annotations, or None")
class BatchImputeNeedsAnnotations(Halves):
    def batch_impute(self, X, Y, w):
        return [self.impute(x, y, w) for x, y in zip(X, Y, strict=True)]


@planted(parts, {"batch_impute"}, "return n outputs", listed=False)
class BatchImputeReturnsTheAnnotatedOnly(FastParts):
    def batch_impute(self, X, Y, w):
        found = super().batch_impute(X, Y, w)
        return found if Y is None else [z for y, z in zip(Y, found, strict=True) if y is not None]


@planted(parts, {"relabelled_planes"}, "the weighted sums over the examples of loss")
class RelabelledOffsetsAreMeans(FastParts):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights, previous)
        return rows, offsets / len(Y)


@planted(parts, {"relabelled_planes"}, "planes of m earlier oracle passes", listed=False)
class RelabelledPlanesAreInReverse(FastParts):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        rows, offsets = super().relabelled_planes(X, Y, outputs, weights, previous)
        return rows[::-1], offsets[::-1]


@planted(parts, {"separation_oracle"}, "y is an output that was imputed", listed=False)
class OracleKeepsTheLatentPartOfTheTruth(Parts):
    """It changes the label alone."""

    def separation_oracle(self, x, y, w):
        candidates = [z for z in PARTS if z[1] == y[1]]
        return max(candidates, key=lambda z: self.loss(y, z) + w @ features(x, z))


@planted(parts, {"decode"}, "Ensures: an output of x")
class DecoderReturnsTheLabelAlone(Parts):
    def decode(self, x, w):
        return super().decode(x, w)[0]

    def evaluation_loss(self, y, y_hat):
        return float(y is not None and y != (y_hat[0] if isinstance(y_hat, tuple) else y_hat))


@planted(parts, {"restricts_labels"}, "restricts_labels : bool", listed=False)
class RestrictsLabelsIsAWord(Parts):
    restricts_labels = "never"
