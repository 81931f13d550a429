"""Proximal terms: what w is with them, and which features have one."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.solvers.dual_ascent.proximal import DOMINATING, Proximal, dominating

T = 9.0


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def proximal():
    return Proximal(1 / (1 + T), (2, 3))


def test_w_minimises_the_lagrangian_with_the_terms(proximal, rng):
    v, center = rng.normal(size=(2, 2, 3))
    proximal._center = center
    w = proximal.w(v)
    np.testing.assert_allclose(w - v + T * (w - center), 0, atol=1e-14)


def test_w_tends_to_v_where_it_stays(proximal, rng):
    v = rng.normal(size=(2, 3))
    distances = []
    for _ in range(100):
        proximal.recenter(v)
        distances.append(np.abs(proximal.w(v) - v).max())
    assert distances[20] < 0.2 * distances[0]  # without momentum .1 of the way each time
    assert distances[-1] < 1e-4


def rows_of(energies):
    """Two rows whose squares add up to these, by column."""
    half = np.sqrt(np.asarray(energies) / 2)
    return sparse.csr_matrix(np.array([half, -half]))


def test_features_larger_than_all_others_dominate(rng):
    energies = rng.uniform(size=1000)
    energies[[7, 300, 301]] = 4000.0, 30.0, 90.0
    features, shrink = dominating(rows_of(energies))
    np.testing.assert_array_equal(features, [7, 300, 301])
    ratio = 4120 / np.delete(energies, features).sum()
    assert shrink == pytest.approx(DOMINATING / ratio)


@pytest.mark.parametrize(
    "energies",
    [
        np.ones(1000),
        np.zeros(1000),
        1 / np.arange(1, 100_001),  # as words by their frequency
        np.append(np.ones(1000), 900.0),  # one that is large, but not very
        np.append(np.zeros(1000), 1.0),  # no others
    ],
)
def test_no_feature_dominates(energies):
    features, shrink = dominating(rows_of(energies))
    assert not len(features) and shrink == 1
