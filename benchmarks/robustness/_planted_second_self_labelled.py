"""The second set: bugs in the methods of self-labelled problems."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_parts import FastParts, Parts, agreeing, parts

IMPUTED = "the output that scores highest at w among those that agree with annotation y"


@planted(parts, {"impute"}, IMPUTED)
class ImputeReturnsTheFirstThatAgrees(Parts):
    def impute(self, x, y, w):
        return agreeing(y)[0]


@planted(parts, {"evaluation_loss", "impute"}, "Ensures: 0 where y_hat agrees with y", listed=False)
class EvaluationComparesALabelWithAPair(Parts):
    def evaluation_loss(self, y, y_hat):
        return float(y is not None and y != y_hat)


@planted(parts, {"relabelled_planes"}, "the weighted sums over the examples", listed=False)
class RelabelledPlanesLeaveOutTheWeights(FastParts):
    def relabelled_planes(self, X, Y, outputs, weights, previous=None):
        return super().relabelled_planes(X, Y, outputs, np.ones_like(weights), previous)


@planted(parts, {"initial_w"}, "Return a nonzero w to start from")
class StartIsTooLong(Parts):
    def initial_w(self, X, rng):
        return rng.normal(size=self.size_joint_feature + 1)
