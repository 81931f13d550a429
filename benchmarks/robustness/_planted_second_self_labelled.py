"""The second set: bugs in the methods of self-labelled problems."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted, planted_task
from benchmarks.robustness._planted_parts import FastParts, Parts, PartsTask, agreeing, parts

IMPUTED = "the output that scores highest at w among those that agree with annotation y"


@planted(parts, {"impute"}, IMPUTED)
class ImputeReturnsTheFirstThatAgrees(Parts):
    def impute(self, x, y, w):
        return agreeing(y)[0]


@planted(parts, {"evaluation_loss", "impute"}, "Ensures: 0 where y_hat agrees with y", listed=False)
class EvaluationComparesALabelWithAPair(Parts):
    def evaluation_loss(self, y, y_hat):
        return float(y is not None and y != y_hat)


@planted_task(FastParts, parts, "relabelled", "the weighted sums over the examples", listed=False)
class RelabelledPlanesLeaveOutTheWeights(PartsTask):
    def relabelled(self, passes, weights, previous=None):
        return super().relabelled(passes, np.ones_like(weights), previous)


@planted(parts, {"initial_w"}, "Return a nonzero w to start from")
class StartIsTooLong(Parts):
    def initial_w(self, X, rng):
        return rng.normal(size=self.size_joint_feature + 1)
