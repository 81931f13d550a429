"""Sums over the parts of splits."""

import numpy as np

from structsvm.data.examples import Spans
from structsvm.problems.ranking.splits import FirstSums


def test_first_sums_are_those_of_each_split_by_itself():
    parts = Spans(np.array([3, 0, 2, 1]))
    sums = FirstSums(np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), parts)
    split, count = np.array([[0], [2]]), np.array([0, 1, 2])
    np.testing.assert_array_equal(sums(split, count), [[0, 1, 3], [0, 8, 24]])
    assert sums(np.array([0, 1, 3]), np.array([3, 0, 1])).tolist() == [7, 0, 32]


def test_first_sums_are_not_rounded_by_the_splits_before():
    sizes, rng = np.full(1000, 5), np.random.default_rng(0)
    values = rng.random(5000)
    values[:-5] *= 1e9
    sums = FirstSums(values, Spans(sizes))
    expected = np.cumsum(values[-5:])
    found = sums(np.full(5, 999), np.arange(1, 6))
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    values[:-5] /= 1e9  # as they are in use, where the largest score of each split is 1
    found = FirstSums(values, Spans(sizes))(np.full(5, 999), np.arange(1, 6))
    np.testing.assert_allclose(found, expected, rtol=1e-15)
