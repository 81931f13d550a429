"""Bugs in the methods of self-labelled problems."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import correct, planted, planted_task
from benchmarks.robustness._planted_parts import (
    PARTS,
    FastParts,
    Halves,
    Parts,
    PartsTask,
    agreeing,
    features,
    parts,
    unlabelled_rows,
)
from structsvm import Task

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


@planted_task(FastParts, parts, "impute", "Apply impute to n examples")
class BatchImputeIgnoresAnnotations(PartsTask):
    def impute(self, w):
        return [self.problem.impute(x, None, w) for x in self.X]


@planted_task(Halves, unlabelled_rows, "impute", "Y is the container of annotations, or None")
class BatchImputeNeedsAnnotations(Task):
    def impute(self, w):
        return [self.impute(x, y, w) for x, y in zip(self.X, self.Y, strict=True)]


@planted_task(FastParts, parts, "impute", "return n outputs", listed=False)
class BatchImputeReturnsTheAnnotatedOnly(PartsTask):
    def impute(self, w):
        found = super().impute(w)
        return (
            found
            if self.Y is None
            else [z for y, z in zip(self.Y, found, strict=True) if y is not None]
        )


@planted_task(FastParts, parts, "relabelled", "the weighted sums over the examples of loss")
class RelabelledOffsetsAreMeans(PartsTask):
    def relabelled(self, passes, weights, previous=None):
        rows, offsets = super().relabelled(passes, weights, previous)
        return rows, offsets / self.n


@planted_task(FastParts, parts, "relabelled", "planes of m earlier oracle passes", listed=False)
class RelabelledPlanesAreInReverse(PartsTask):
    def relabelled(self, passes, weights, previous=None):
        rows, offsets = super().relabelled(passes, weights, previous)
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
