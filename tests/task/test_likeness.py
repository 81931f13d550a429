"""Outputs are compared with others of the same examples by their form alone."""

import numpy as np
import pytest

from structsvm.task.likeness import Likeness, likeness

ALIKE, UNSETTLED, UNLIKE = Likeness.ALIKE, Likeness.UNSETTLED, Likeness.UNLIKE


@pytest.mark.parametrize(
    ("outputs", "others", "expected"),
    [
        ([10**30], [np.int64(7)], ALIKE),
        (["a"], [np.str_("b")], ALIKE),
        ([[(0, 3, "a")]], [[(1, 2, "b")]], ALIKE),
        ([np.ones((2, 3))], [np.zeros((2, 3))], ALIKE),
        ([(np.nan,)], [(np.nan,)], ALIKE),
        ([(0, 1)], [(1, 1, 1)], UNSETTLED),
        ([{0}], [{1}], UNSETTLED),
        ([np.nan], [1], UNLIKE),
        ([(0, -np.inf)], [(0, 1)], UNLIKE),
        ([np.array([[0, np.nan]])], [np.array([[0.0, 1]])], UNLIKE),
        (["ab"], [(0, 1)], UNLIKE),
        ([(0, "a")], [(0, 1)], UNLIKE),
        ([np.ones(2)], [np.ones((2, 3))], UNLIKE),
        ([{0}], [(0, 1)], UNLIKE),
        # The worst of several counts.
        ([1, "a", 2], [1, 2, 3], UNLIKE),
        ([1, {0}], [1, {1}], UNSETTLED),
    ],
)
def test_forms(outputs, others, expected):
    assert likeness(outputs, others) is expected
