"""Results of equal objective keep their order, whatever their rounding."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from structsvm.problems import MMC, SDPMMC
from structsvm.problems.margin_clustering.ranking import ranked


def test_equal_values_keep_their_order():
    assert ranked([0.3, 0.2, 0.1 + 0.2, 0.1], float) == [0.1, 0.2, 0.3, 0.1 + 0.2]
    assert ranked([0.1 + 0.2, 0.3], float)[0] == 0.1 + 0.2
    assert ranked([math.inf, 2.0, 1.0], float) == [1.0, 2.0, math.inf]
    assert ranked([1e-300, 0.0], float) == [0.0, 1e-300]
    assert ranked([], float) == []


GRID = np.array([[i, j] for i in range(8) for j in range(8)]) * 0.1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("model", "X"),
    [
        # Upper and left half, and both numberings, tie.
        (MMC(kernel="diffusion", random_state=0), GRID),
        (SDPMMC(random_state=0), scale(load_wine().data)[:40]),
    ],
    ids=["MMC", "SDPMMC"],
)
def test_labels_do_not_depend_on_the_last_bits_of_the_rows(model, X):
    first = model.fit(X).labels_
    for factor in (1 + 1e-15, 1 - 4e-16):
        np.testing.assert_array_equal(model.fit(factor * X).labels_, first)
