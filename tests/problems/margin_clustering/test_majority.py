"""Majority accuracy by hand, and arrays that do not fit."""

import numpy as np
import pytest

from structsvm.problems import majority_accuracy

CLASSES = np.array([0, 0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    ("labels", "right"),
    [
        ([5, 5, 5, 5, 7, 7], 4),
        ([1, 1, 1, 0, 0, 9], 6),
        (["c"] * 6, 3),
        (range(6), 6),
        # A class may have several clusters, and a cluster one class only.
        ([0, 1, 1, 2, 0, 0], 4),
    ],
)
def test_each_cluster_is_named_after_its_most_frequent_class(labels, right):
    assert majority_accuracy(CLASSES, list(labels)) == pytest.approx(right / 6)
    names = np.array(["x", "y", "z"])[CLASSES]
    assert majority_accuracy(names, list(labels)) == pytest.approx(right / 6)


@pytest.mark.parametrize("labels", [[0, 1], [[0]] * 6, 3])
def test_arrays_that_do_not_fit(labels):
    with pytest.raises(ValueError, match=r"class and a cluster for each row, .* shapes \(6,\) and"):
        majority_accuracy(CLASSES, labels)
    with pytest.raises(ValueError, match="of one row at least"):
        majority_accuracy([], [])
