"""Labels of copies and under least sizes, their order and majorities, and what is said of sizes."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from structsvm.data.labels import in_order
from structsvm.problems import CPM3C, MMC, SDPMMC, CPM3CProblem, majority_accuracy
from structsvm.problems.margin_clustering.copies import distinct_rows, undivided
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes
from structsvm.problems.margin_clustering.sizes import labels_with_floors


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distinct_rows(convert, dtype):
    X = np.array([[0.0, 1], [2, 0], [-0.0, 1], [0, 0], [2, 0]], dtype=dtype)
    first, copy_of = distinct_rows(convert(X))
    np.testing.assert_array_equal(first, [0, 1, 3])
    np.testing.assert_array_equal(copy_of, [0, 1, 0, 2, 1])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_undivided_labels(seed, k, different):
    rng = np.random.default_rng(seed)
    copy_of = in_order(rng.integers(different, size=30))
    scores, floors = rng.normal(size=(different, k))[copy_of], rng.integers(4, size=k)
    labels = rng.integers(k, size=30)
    found = undivided(labels, copy_of, floors, lambda: scores)
    assert len(set(zip(copy_of, found, strict=True))) == copy_of.max() + 1
    if floors.all() and copy_of.max() + 1 >= k:
        assert np.bincount(found, minlength=k).min() > 0


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_floors_are_kept_at_little_cost(seed, k):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k * 3, 40))
    floors = rng.multinomial(int(rng.integers(0, n + 1)), np.ones(k) / k)
    scores = rng.normal(size=(n, k)) + rng.normal(size=k)
    labels = labels_with_floors(scores, scores.argmax(axis=1), floors)
    greedy = labels_with_floors(scores, scores.argmax(axis=1), floors, rounds=0)
    assert np.all(np.bincount(greedy, minlength=k) >= floors)
    assert np.all(np.bincount(labels, minlength=k) >= floors)
    # The transportation problem has an integral solution.
    sums, sizes = np.kron(np.eye(n), np.ones(k)), np.tile(np.eye(k), n)
    least = {"A_ub": -sizes, "b_ub": -floors, "A_eq": sums, "b_eq": np.ones(n), "bounds": (0, 1)}
    best = -linprog(-scores.ravel(), **least).fun
    total = scores[np.arange(n), labels].sum()
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


SIZES = (20, 20, 90, 70)
PINNED = "^clusters 0, 1 are as small as min_cluster_size=0.1 of the rows"


@pytest.mark.parametrize(
    ("least", "sizes", "different", "moved", "known", "message"),
    [
        (0.1, SIZES, 200, 0, 0, PINNED + ".* may have decided their sizes.*lower it;"),
        (0.1, SIZES, 200, 3, 0, PINNED + ".* keep 3 rows that score higher for another cluster"),
        (0.1, SIZES, 200, 3, 3, PINNED + ".* may have decided their sizes"),
        (0.1, (20, 21, 90, 69), 200, 0, 0, None),  # only one has the least size
        (0.1, (25, 30, 80, 65), 200, 0, 0, None),
        (0.0, (1, 1, 99, 99), 200, 0, 0, None),
        (0.001, (1, 1, 98, 100), 200, 0, 0, None),  # the least size is one row
        (0.0, (100, 100), 200, 0, 0, "clusters 2, 3 are empty, because min_cluster_size=0 allows"),
        (0.1, (99, 99, 1, 1), 4, 0, 0, "clusters 2, 3 are smaller than .*=0.1, because X"),
        (0.1, (99, 98, 3), 3, 0, 0, "cluster 3 is empty, because X has 3 different rows, copies"),
    ],
)
def test_sizes_that_are_advised_on(least, sizes, different, moved, known, message):
    """Some rows score higher for another cluster, and the labels of some are known."""
    problem = CPM3CProblem(n_clusters=4, min_cluster_size=least)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    problem.copy_of_ = np.arange(len(clusters)) % different
    first = np.arange(len(clusters))
    decoded, y = np.where(first < moved, 2, clusters), np.where(first < known, 0, -1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_of_sizes(problem, clusters, decoded, y if known else None)
    assert len(seen) == (message is not None)
    assert message is None or re.search(message, str(seen[0].message))


def test_a_fit_warns_at_the_line_of_the_caller():
    X = np.random.default_rng(0).normal(size=(90, 4))
    with pytest.warns(ConvergenceWarning, match=r"as small as min_cluster_size=0.0833") as seen:
        CPM3C(6, kernel="rbf", n_init=2, random_state=0).fit(X)
    assert seen[0].filename == __file__


def test_equal_values_keep_their_order():
    assert ranked([0.3, 0.2, 0.1 + 0.2, 0.1], float) == [0.1, 0.2, 0.3, 0.1 + 0.2]
    assert ranked([0.1 + 0.2, 0.3], float)[0] == 0.1 + 0.2
    assert ranked([math.inf, 2.0, 1.0], float) == [1.0, 2.0, math.inf]
    assert ranked([1e-300, 0.0], float) == [0.0, 1e-300]
    assert ranked([], float) == []


GRID = np.array([[i, j] for i in range(8) for j in range(8)]) * 0.1


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore:the clusters, of 22 and 18 rows")
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
