"""Matching with constraints on the weights: they are not negative, and they fall."""

import numpy as np
from matching import Matching

from structsvm import WeightConstraints


class NonnegativeMatching(Matching):
    def constraints(self):
        return WeightConstraints(lower=np.zeros(self.size_joint_feature))


class FallingMatching(Matching):
    def constraints(self):
        d = self.size_joint_feature
        return WeightConstraints(np.diff(np.eye(d), axis=0), np.zeros(d - 1), lower=np.zeros(d))
