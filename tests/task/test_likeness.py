"""Outputs are compared with others of the same examples by their form alone."""

import numpy as np
import pytest

from structsvm.task.likeness import Likeness, likeness


@pytest.mark.parametrize(
    ("output", "other", "expected"),
    [
        (1, 7, Likeness.ALIKE),
        (10**30, 7, Likeness.ALIKE),
        (np.int64(1), 7, Likeness.ALIKE),
        ("a", np.str_("b"), Likeness.ALIKE),
        ((0, 1), (1, 1), Likeness.ALIKE),
        ([(0, 3, "a")], [(1, 2, "b")], Likeness.ALIKE),
        (np.ones((2, 3)), np.zeros((2, 3)), Likeness.ALIKE),
        (np.empty(0), np.empty(0), Likeness.ALIKE),
        ((np.nan,), (np.nan,), Likeness.ALIKE),
        ((0, 1), (1, 1, 1), Likeness.UNSETTLED),
        ((0, 1), [1, 1], Likeness.UNSETTLED),
        ({0}, {1}, Likeness.UNSETTLED),
        (np.nan, 1, Likeness.UNLIKE),
        ((0, -np.inf), (0, 1), Likeness.UNLIKE),
        (np.array([[0, np.nan]]), np.array([[0.0, 1]]), Likeness.UNLIKE),
        (7, (0, 1), Likeness.UNLIKE),
        ("ab", (0, 1), Likeness.UNLIKE),
        ((0, "a"), (0, 1), Likeness.UNLIKE),
        (np.ones(2), np.ones((2, 3)), Likeness.UNLIKE),
        ({0}, (0, 1), Likeness.UNLIKE),
    ],
)
def test_forms(output, other, expected):
    assert likeness([output], [other]) is expected


def test_the_worst_of_several_counts():
    assert likeness([1, "a", 2], [1, 2, 3]) is Likeness.UNLIKE
    assert likeness([1, {0}], [1, {1}]) is Likeness.UNSETTLED
