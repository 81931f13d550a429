"""The labels of all rows as one output."""

import numpy as np
import pytest
from hypothesis import given, settings
from multivariate_data import instances

from structsvm.problems import (
    LabellingProblem,
)


@given(instances([LabellingProblem("f1")]))
@settings(max_examples=30, deadline=None)
def test_the_loss_is_one_less_f1(instance):
    problem, x, y, _ = instance
    for y_hat in problem.outputs(x):
        expected = 1 - 2 * np.sum(y & y_hat) / (np.sum(y) + np.sum(y_hat))
        assert problem.loss(y, y_hat) == pytest.approx(expected)


def test_unusable_labellings():
    labels = np.arange(3) < 1
    with pytest.raises(ValueError, match="one of"):
        LabellingProblem("prbep").initialize([np.eye(3)], [labels])
    with pytest.raises(ValueError, match="one matrix; got 2"):
        LabellingProblem().initialize([np.eye(3)] * 2, [labels] * 2)
    with pytest.raises(ValueError, match="boolean array"):
        LabellingProblem().initialize([np.eye(3)], [[0, 1, 1]])
