"""Labels with weights read as the labels; bad weights are named."""

import numpy as np
import pytest

from structsvm.problems import Chain, WeightedLabels
from structsvm.problems.classification.labels import checked_class_weight
from structsvm.problems.classification.weighted_labels import flat_weights


def test_weighted_labels_are_read_as_the_labels():
    y = WeightedLabels(["a", "b", "b"], [1, 5, 0])
    assert len(y) == 3 and list(y) == ["a", "b", "b"] and y[1] == "b"
    np.testing.assert_array_equal(np.asarray(y), ["a", "b", "b"])
    assert repr(y) == f"WeightedLabels(['a', 'b', 'b'], {np.array([1.0, 5.0, 0.0])!r})"
    np.testing.assert_array_equal(flat_weights([["a"], y]), [1, 1, 5, 0])
    assert flat_weights([["a"], ["b"]]) is None


def test_the_loss_is_the_weight_of_the_wrong_positions():
    y = WeightedLabels(["a", "b", "b"], [1.0, 5.0, 0.5])
    chain = Chain(class_weight={"b": 2.0})
    chain.initialize([np.zeros((3, 1))], [y])
    assert chain.loss(y, ["b", "b", "a"]) == 1 + 2 * 0.5
    assert chain.loss(y, y) == 0
    assert chain.loss(["a", "b", "b"], ["a", "a", "b"]) == 2


def test_balanced_weights_are_those_of_scikit_learn():
    found = checked_class_weight("balanced", np.array([0, 0, 0, 1]), np.array(["a", "b"]), None)
    np.testing.assert_allclose(found, [4 / (2 * 3), 4 / (2 * 1)])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"expected a weight for each of 2 labels; got shape \(1,\)"),
        ([1.0, -1.0], r"weights must be finite and >= 0; weights\[1\] is -1"),
        ([np.nan, 1.0], r"weights must be finite and >= 0; weights\[0\] is nan"),
        (["x", "y"], "weights must hold real numbers"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        WeightedLabels(["a", "b"], weights)
