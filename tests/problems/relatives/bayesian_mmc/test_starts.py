"""Divisions to start from."""

import numpy as np
from clustering_data import agreement

from structsvm.datasets import plane
from structsvm.problems.relatives.bayesian_mmc.starts import starts


def test_starts_are_divisions_each_once():
    X, y = plane("circles")
    divisions = starts(X, 9)
    assert 1 < len(divisions) <= 9
    assert len({(d * d[0]).tobytes() for d in divisions}) == len(divisions)
    assert all(set(d) == {-1.0, 1.0} for d in divisions)
    assert agreement(divisions[0] > 0, y) == 1
    assert len(starts(X, 1)) == 1
    np.testing.assert_array_equal(starts(X, 1)[0], divisions[0])
