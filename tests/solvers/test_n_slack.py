"""N-slack cutting planes: a slack for each example, and fewer passes than with one."""

from itertools import pairwise

import numpy as np
from toy_problems import Multilabel, multilabel_data

from structsvm import NSlackCuttingPlane

X, Y = multilabel_data()


def test_planes_belong_to_examples_whose_sums_are_capped():
    C = 100.0
    result = NSlackCuttingPlane(rtol=1e-6).solve(Multilabel(), X, Y, C)
    mass = np.zeros(len(X))
    for (example, outputs, weights), alpha in result.support:
        assert len(outputs) == len(weights) == 1
        assert alpha > 0
        mass[example] += alpha
    assert np.all(mass <= C / len(X) * (1 + 1e-9))
    w = sum(
        alpha * Multilabel().joint_feature_difference(X[i], Y[i], outputs[0])
        for (i, outputs, _), alpha in result.support
    )
    np.testing.assert_allclose(result.w, w, atol=1e-3)


def test_examples_without_violation_get_no_plane():
    result = NSlackCuttingPlane(rtol=1e-6).solve(Multilabel(), X, Y, 100.0)
    planes = [step.n_planes for step in result.history]
    assert planes[1] == len(X), "at w = 0 every example is violated"
    assert all(after < before + len(X) for before, after in pairwise(planes[1:]))
