"""Matching with what is known about the weights: they are not negative, and they fall."""

import numpy as np
from matching import Matching


class NonnegativeMatching(Matching):
    def lower_bounds(self):
        return np.zeros(self.size_joint_feature)


class FallingMatching(NonnegativeMatching):
    def constraints(self):
        d = self.size_joint_feature
        return np.diff(np.eye(d), axis=0), np.zeros(d - 1)
