"""Proximal terms: what w is with them, on a mini-batch and whole, and which entries have one."""

import numpy as np
import pytest

from structsvm.solvers.dual_ascent.proximal import Proximal, dominating

PLACES = np.array([2, 5])
BATCHES = [np.array([5, 0, 2]), np.array([1, 3]), np.array([2, 4])]
T = 9.0


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def proximal():
    return Proximal(PLACES, T, BATCHES, 6)


def test_w_minimises_the_lagrangian_with_the_terms(proximal, rng):
    v, center = rng.normal(size=(2, 6))
    proximal._center = center[PLACES]
    w = proximal.w(v)
    gradient = w - v
    gradient[PLACES] += T * (w - center)[PLACES]
    np.testing.assert_allclose(gradient, 0, atol=1e-14)


@pytest.mark.parametrize("j", range(len(BATCHES)))
def test_a_mini_batch_has_its_entries_of_w(proximal, rng, j):
    v = rng.normal(size=6)
    proximal.recenter(v)
    own, moved = BATCHES[j], v.copy()
    np.testing.assert_array_equal(proximal.w(v[own], j), proximal.w(v)[own])
    move = rng.normal(size=len(own))
    moved[own] += move
    expected = (proximal.w(moved) - proximal.w(v))[own]
    np.testing.assert_allclose(proximal.shrunk(move, j), expected, atol=1e-15)


def test_w_tends_to_v_where_it_stays(proximal, rng):
    v = rng.normal(size=6).astype(np.float32)
    distances = []
    for _ in range(100):
        proximal.recenter(v)
        distances.append(np.abs(proximal.w(v) - v).max())
    assert distances[20] < 0.2 * distances[0]  # without momentum .1 of the way each time
    assert distances[-1] < 1e-4
    assert proximal.w(v).dtype == np.float32


def test_entries_that_move_more_than_all_others_dominate(rng):
    energies = rng.uniform(size=1000)
    energies[[7, 300, 301]] = 4000.0, 30.0, 90.0
    places, ratio = dominating(energies)
    np.testing.assert_array_equal(places, [7, 300, 301])
    assert ratio == pytest.approx(4120 / np.delete(energies, places).sum())


@pytest.mark.parametrize(
    "energies",
    [
        np.ones(1000),
        np.zeros(1000),
        1 / np.arange(1, 100_001),  # as words by their frequency
        np.append(np.ones(1000), 900.0),  # one that moves, but not much
        np.append(np.zeros(1000), 1.0),  # no others
    ],
)
def test_no_entry_dominates(energies):
    places, ratio = dominating(energies)
    assert not len(places)
    assert ratio == 0
