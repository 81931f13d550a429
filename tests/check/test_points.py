"""The points w at which searches are tried."""

import numpy as np
from correct_problems import Chain, sequences

from benchmarks.robustness._planted.correct.grid import BoundedGrid, grid
from benchmarks.robustness._planted.correct.pairing import Pairing, pairs
from structsvm.check.evidence import Evidence
from structsvm.check.points import FEWEST_POINTS


def points(problem, data, seed=0, examples=10):
    return [visit.w for visit in Evidence(problem, *data, examples, seed).visits]


def test_the_first_point_is_zero_and_the_others_have_many_sizes():
    norms = np.array([np.linalg.norm(w) for w in points(Chain(), sequences(0))])
    assert norms[0] == 0
    assert norms[1:].min() < 1e-2 * np.median(norms[1:]) < np.median(norms[1:]) < norms.max() / 5


def test_the_points_depend_on_the_seed_alone():
    for one, other in zip(*(points(Chain(), sequences(0)) for _ in range(2)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(
        points(Chain(), sequences(0), seed=1)[1], points(Chain(), sequences(0))[1]
    )


def test_few_points_are_kept_where_w_is_long():
    class Long(Pairing):
        def initialize(self, X, Y):
            self.size_joint_feature = 10**6 + 3

        def joint_feature(self, x, y):
            return np.append(super().joint_feature(x, y), np.zeros(10**6))

    assert len(points(Long(), pairs(), examples=1)) == FEWEST_POINTS


def test_the_points_satisfy_the_constraints():
    for w in points(BoundedGrid(), grid()):
        assert w[4:6].min() >= -1e-6 and w[4] - w[5] <= 1e-6
