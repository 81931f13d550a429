"""Segments: joint features and losses by definition, and bad data."""

import numpy as np
import pytest
from cases.problems import initialized
from refusals import refused

from structsvm import StructuredSVM
from structsvm.problems import Segments


def test_a_joint_feature_is_the_sum_over_segments_and_neighbours():
    x, y = np.arange(8.0).reshape(8, 1), [(0, 2, "b"), (2, 3, "a"), (3, 4, "b")]
    problem = initialized(Segments(max_length=2), [x], [y])
    # Candidates are ordered by their end, then by their length: (0, 2) is row 3, and so on.
    features, pairs = np.split(problem.joint_feature(x, y), [2])
    np.testing.assert_array_equal(features, [4.0, 3.0 + 6.0])
    np.testing.assert_array_equal(pairs.reshape(2, 2), [[0, 1], [1, 0]])


def test_the_loss_is_the_weight_of_the_segments_that_differ():
    X, Y = Segments.example_data()
    true, found = [(0, 2, "u"), (2, 3, "d")], [(0, 3, "u")]
    for weight, loss in ((None, 3), ({"u": 3.0, "d": 0.5}, 6.5)):
        problem = initialized(Segments(class_weight=weight), X, Y)
        assert problem.loss(true, found) == loss and problem.loss(true, true) == 0
    problem = initialized(Segments(class_weight="balanced"), X, Y)
    labels = [label for y in Y for _, _, label in y]
    sums = [labels.count(c) * problem.class_weight_[k] for k, c in enumerate(problem.classes_)]
    assert sums[0] == pytest.approx(sums[1])


ONE, TWO = np.ones((6, 1)), np.ones((6, 2))
GOOD, GAP = [(0, 2, "a"), (2, 3, "a")], [(0, 1, "a"), (2, 3, "a")]


test_bad_data_are_named = refused(
    Segments(max_length=2).initialize,
    ([ONE], [["a", "b", "c"]], r"Y\[0\] must be a list of segments"),
    (
        [ONE] * 2,
        [GOOD, GAP],
        r"Y\[1\] has the segment \(2, 3, 'a'\) where one from 1 on must begin",
    ),
    ([ONE], [[(0, 1, "a"), (1, 1, "a")]], r"Y\[0\] has the segment \(1, 1, 'a'\)"),
    ([ONE], [[(0, 3, "a")]], "of 3 positions; raise max_length, which is 2"),
    ([ONE], [[(0, 2, "a")]], r"the segments of Y\[0\] end at position 2 but X\[0\] has 3"),
    ([ONE[:5]], [[(0, 2, "a")]], r"X\[0\] has 5 rows; expected a row for each of max_length=2"),
    ([ONE[:0]], [[]], r"X\[0\] has no rows"),
    ([ONE, TWO], [GOOD] * 2, r"X\[1\] has 2 columns but X\[0\] has 1"),
    ([ONE * np.nan], [GOOD], "NaN"),
    ([ONE], None, "needs the outputs Y"),
    ([ONE], [GOOD] * 2, "X has 1 examples but Y has 2"),
)


def test_bad_parameters_and_what_does_not_fit_the_training_data_are_named():
    X, Y = Segments.example_data()
    with pytest.raises(ValueError, match="max_length must be an integer >= 1"):
        Segments(max_length=0).initialize(X, Y)
    with pytest.raises(ValueError, match="class_weight must be a dict, 'balanced' or None; got"):
        Segments(class_weight="even").initialize(X, Y)
    svm = StructuredSVM(Segments()).fit(X, Y)
    with pytest.raises(ValueError, match="unknown label 'other'"):
        svm.score(X, [[(a, b, "other") for a, b, _ in y] for y in Y])
    with pytest.raises(ValueError, match=r"X\[0\] has shape \(.*, 1\); expected 2 columns"):
        svm.predict([x[:, :1] for x in X])
