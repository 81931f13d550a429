"""The certificate against values by hand, and the repair of infeasible points."""

import numpy as np
import pytest
from qp_instances import INF, SHAPES, assert_feasible, make_instance

from structsvm.qp.certificate import certify, clip_to_feasible, gap_rounding


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_of_w(shape):
    H, b, groups, caps = make_instance(7, shape)
    alpha = clip_to_feasible(np.random.default_rng(0).random(len(b)), groups, caps)
    certificate = certify(H, b, groups, caps, alpha)
    squared_norm, slack = alpha @ H @ alpha, np.zeros(len(caps))
    for g, residual in zip(groups, b - H @ alpha, strict=True):
        slack[g] = max(slack[g], residual)
    capped = np.isfinite(caps)
    assert certificate.primal == pytest.approx(squared_norm / 2 + caps[capped] @ slack[capped])
    assert certificate.dual == pytest.approx(b @ alpha - squared_norm / 2)
    assert certificate.gap == certificate.primal - certificate.dual


def test_any_point_becomes_feasible():
    groups, caps = np.array([0, 0, 1, 1, 2]), np.array([1.0, 1.0, INF])
    alpha = np.array([3.0, 1.0, np.nan, -1.0, 1e9])
    np.testing.assert_allclose(clip_to_feasible(alpha, groups, caps), [0.75, 0.25, 0, 0, 1e9])
    assert_feasible(clip_to_feasible(np.full(5, INF), groups, caps), groups, caps)


def test_caps_magnify_the_rounding_of_the_gap():
    eps, groups = np.finfo(float).eps, np.array([0, 0, 1])
    rounding = gap_rounding(np.array([1.0, 3.0, 9.0]), groups, np.array([1e5, INF]))
    assert rounding == pytest.approx(3e5 * eps)


def test_a_violated_hard_plane_is_not_certified():
    # alpha = 0 has primal = dual = 0, no gap at all; only the violation gives it away.
    H, b, groups, caps = np.eye(1), np.ones(1), np.zeros(1, int), np.array([INF])
    certificate = certify(H, b, groups, caps, np.zeros(1))
    assert certificate.gap == 0 and certificate.violation == 1
    assert not certificate.certified


def test_a_squared_norm_rounded_below_zero_is_no_violation():
    H = np.array([[1.0, -1 - 1e-12], [-1 - 1e-12, 1.0]])  # v, -v after rounding
    hard = certify(H, -np.ones(2), np.zeros(2, int), np.array([INF]), np.ones(2))
    assert hard.violation == 0
