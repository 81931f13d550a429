"""Copies of a row share a cluster, clusters are numbered by their first rows, empty ones are named.

A law over all clusterers of rows, their searches and their kernels.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from structsvm.data.labels import first_seen, in_order
from structsvm.problems import CPM3C, MMC, SDPMMC, BayesianMMC, MultivariateMMC
from structsvm.problems.margin_clustering.copies import distinct_rows, undivided

SEED = {"random_state": 0}
SMALL = {"n_init": 2, **SEED}
SPOTS = np.random.default_rng(5).normal(size=(8, 3))
#: Numbers of copies of each of some rows.
COUNTS = [(10, 10), (18, 1, 1), (3, 30, 2, 5), (2, 2, 2, 2, 2, 2, 2, 2), (1, 1, 40, 1, 1, 6)]
SEARCHING = [
    kind.set_params(kernel=kernel, search=search)
    for kernel in ("auto", "linear", "rbf", "poly", "whiten", "standardise")
    for search in ("evolutionary", "cccp")
    for kind in (
        MMC(**SMALL), CPM3C(2, **SMALL), CPM3C(3, **SMALL), CPM3C(4, balance=0.5, **SMALL),
        MultivariateMMC(2, **SMALL), MultivariateMMC(3, loss="rand", **SMALL),
        CPM3C(3, min_cluster_size=0.0, **SMALL),
    )
]  # fmt: skip
OTHERS = [
    SDPMMC(balance=0.9, **SEED),
    SDPMMC(n_clusters=3, balance=0.6, **SEED),
    BayesianMMC(2, **SEED),
    BayesianMMC(3, offset=0.01, **SEED),
]


def rows(counts):
    which = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(1).permutation(which)


def fitted(clusterer, X):
    """The labels, and the warnings of the fit."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = clone(clusterer).fit(X)
    return model, [str(one.message) for one in seen]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("clusterer", SEARCHING, ids=str)
@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_copies_share_a_cluster(clusterer, counts):
    which = rows(counts)
    X, k = SPOTS[which], getattr(clusterer, "n_clusters", 2)
    model, messages = fitted(clusterer, X)
    labels = model.labels_
    assert len(set(zip(which, labels, strict=True))) == len(counts)
    np.testing.assert_array_equal(labels, in_order(labels))
    empty = k - len(np.unique(labels))
    assert not empty or len(counts) < k or clusterer.min_cluster_size == 0
    assert bool(empty) == any("empty, because" in message for message in messages)
    assert model.verify(X).matches


@pytest.mark.sampled(4)
@pytest.mark.parametrize("clusterer", OTHERS, ids=str)
@pytest.mark.parametrize("counts", [(10, 10, 10), (12, 8, 9, 10)], ids=str)
def test_clusterers_without_a_search(clusterer, counts):
    which = rows(counts)
    labels = fitted(clusterer, SPOTS[which])[0].labels_
    assert len(set(zip(which, labels, strict=True))) == len(counts)
    np.testing.assert_array_equal(labels, in_order(labels))


@pytest.mark.parametrize("search", ["evolutionary", "cccp"])
def test_more_clusters_than_different_rows(search):
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="cluster 2 is empty, because X has 2 different"):
        labels = CPM3C(3, search=search, random_state=0).fit_predict(X)
    np.testing.assert_array_equal(labels, np.repeat([0, 1], 10))


def test_known_labels_keep_their_numbers_and_their_rows():
    X, known = SPOTS[[0, 0, 1, 1, 2, 2, 2]], np.array([1, 0, 0, -1, -1, -1, -1])
    labels = fitted(CPM3C(2, kernel="linear", **SMALL), X)[0].labels_
    np.testing.assert_array_equal(fitted(CPM3C(2, **SMALL), X)[0].labels_[:2], [0, 0])
    model = CPM3C(2, kernel="linear", **SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = model.fit(X, known).labels_
    np.testing.assert_array_equal(labels[:3], known[:3])
    assert len(set(labels[4:])) == 1


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


def test_first_seen():
    np.testing.assert_array_equal(first_seen(np.array([3, 1, 3, 0]), 5), [3, 1, 0, 2, 4])
