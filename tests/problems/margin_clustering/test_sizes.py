"""Labels under least sizes, against the linear program that they solve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from structsvm.problems.margin_clustering.sizes import labels_with_floors


def best_total(scores, floors):
    """Of the transportation problem, which has an integral solution."""
    n, k = scores.shape
    sums = np.kron(np.eye(n), np.ones(k))
    sizes = np.tile(np.eye(k), n)
    solution = linprog(
        -scores.ravel(), A_ub=-sizes, b_ub=-floors, A_eq=sums, b_eq=np.ones(n), bounds=(0, 1)
    )
    return -solution.fun


def instance(seed, k):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k * 3, 40))
    floors = rng.multinomial(int(rng.integers(0, n + 1)), np.ones(k) / k)
    return rng.normal(size=(n, k)) + rng.normal(size=k), floors


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_floors_are_kept_at_little_cost(seed, k):
    scores, floors = instance(seed, k)
    n = len(scores)
    labels = labels_with_floors(scores, scores.argmax(axis=1), floors)
    greedy = labels_with_floors(scores, scores.argmax(axis=1), floors, rounds=0)
    assert np.all(np.bincount(greedy, minlength=k) >= floors)
    assert np.all(np.bincount(labels, minlength=k) >= floors)
    total, best = scores[np.arange(n), labels].sum(), best_total(scores, floors)
    assert total <= best + 1e-6
    free = scores.max(axis=1).sum()
    if k == 2:
        assert total == pytest.approx(best)
        assert scores[np.arange(n), greedy].sum() == pytest.approx(best)
    else:
        assert best - total <= 0.1 * (free - best) + 0.05 * n


@pytest.mark.parametrize(
    ("floors", "sizes"),
    [
        ([1, 1, 1], [2, 1, 1]),
        ([2, 2, 2], [2, 2, 0]),
        ([6, 1, 0], [4, 0, 0]),
        ([1, 6, 2], [1, 3, 0]),
    ],
)
def test_floors_of_more_rows_than_there_are_take_what_is_left(floors, sizes):
    """Equal scores are shared out."""
    labels = labels_with_floors(np.zeros((4, 3)), np.zeros(4, dtype=int), np.array(floors))
    assert np.bincount(labels, minlength=3).tolist() == sizes
