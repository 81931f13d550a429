"""The evolutionary search: what it finds, what it keeps, and that it repeats itself."""

import warnings
from itertools import product

import numpy as np
import pytest
from clustering_data import blobs, data_for, every, interrupt
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.datasets import digits_pair
from structsvm.problems import CPM3C, MMC, CPM3CProblem
from structsvm.problems.margin_clustering import evolution
from structsvm.problems.margin_clustering.partitions import numbered, starting_partitions
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin
from structsvm.solvers import CCCP


def lowest(X, k, C, least):
    """The lowest objective from all labellings whose clusters are large enough."""
    problem = CPM3CProblem(k, min_cluster_size=least)
    problem.initialize([X])
    found = []
    for rest in product(range(k), repeat=len(X) - 1):
        labels = np.array([0, *rest])
        first = np.unique(labels, return_index=True)[1]
        if np.all(np.diff(first) > 0) and np.bincount(labels, minlength=k).min() >= least * len(X):
            centres = problem.rows_.weighted_sums(X, np.eye(k)[:, labels])
            w0 = problem.start(X, centres, 1.0)
            if w0.any():
                descent = CCCP(rtol=1e-5, search=False)
                found.append(descent.solve(problem, [X], None, C, w0=w0, copy=False).primal)
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "seed"), [(2, 9, 0), (2, 9, 1), (3, 7, 0), (3, 7, 1)])
def test_no_labelling_of_few_rows_has_a_lower_objective(k, n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    least = 1 / n
    best = lowest(X, k, 20.0, least)
    fit = CPM3C(k, C=20.0, kernel="linear", min_cluster_size=least, rtol=1e-5, random_state=0).fit(
        X
    )
    assert fit.objective_ <= best * (1 + 1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [2, 4, 6])
def test_it_is_not_above_the_search_of_the_papers(k):
    X = np.random.default_rng(k).normal(size=(150, 4))
    ours, papers = (
        CPM3C(k, C=20.0, kernel="linear", search=search, n_init=4, random_state=0).fit(X)
        for search in ("evolutionary", "cccp")
    )
    assert ours.objective_ <= papers.objective_ * 1.01


@pytest.mark.sampled(5)
@every
def test_a_seed_gives_equal_bits(clusterer):
    X, _ = data_for(clusterer)
    one, other = (clone(clusterer).fit(X) for _ in range(2))
    assert np.array_equal(one.result_.w, other.result_.w)
    assert one.n_iter_ == other.n_iter_


@pytest.mark.parametrize("call", [1, 2, 15, 30, 60])
@pytest.mark.parametrize("k", [2, 3])
def test_ctrl_c_at_any_time_keeps_what_was_found(call, k, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 4))  # with many local optima
    interrupt(monkeypatch, SmoothedMargin, "descend", call)
    cpm3c = CPM3C(k, kernel="linear", random_state=0)
    if call == 1:
        with pytest.raises(KeyboardInterrupt, match="no start was completed"):
            cpm3c.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        cpm3c.fit(X)
    assert cpm3c.verify(X).matches


def test_the_search_ends_when_it_finds_nothing_better():
    X, _ = digits_pair(1, 7)
    passes = [MMC(kernel="linear", n_init=n, random_state=0).fit(X).n_iter_ for n in (2, 4, 8)]
    assert passes[0] < passes[1] < passes[2]


def test_progress_is_shown(capsys):
    X, _ = blobs(3)
    CPM3C(3, kernel="linear", n_init=1, random_state=0, verbose=True).fit(X)
    assert "descent" in capsys.readouterr().err


@pytest.mark.slow
def test_clusters_are_numbered_by_their_first_rows():
    X, _ = blobs(3, apart=20.0)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        labels = CPM3C(3, random_state=seed).fit(X[order]).labels_
        first = np.unique(labels, return_index=True)[1]
        assert np.all(np.diff(first) > 0)


def test_more_rows_than_the_search_uses():
    X, truth = blobs(3, each=1000)
    labels = CPM3C(3, n_init=1, random_state=0).fit(X).labels_
    assert len(labels) == 3000 > evolution.SEARCH_ROWS
    assert len(np.unique(truth * 3 + labels)) < 9


def test_starting_partitions_are_of_several_kinds():
    X, _ = blobs(3)
    found = list(starting_partitions(X, 3, 12, np.random.default_rng(0)))
    assert len(found) == 12
    assert all(labels.shape == (75,) and set(labels) <= {0, 1, 2} for labels in found)
    copies = np.repeat([[0.0, 1.0], [3.0, 0.0]], 30, axis=0)  # no graph has neighbours that differ
    assert len(list(starting_partitions(copies, 2, 8, np.random.default_rng(0)))) == 8


def test_partitions_get_the_numbers_of_known_labels():
    labels = np.array([0, 0, 1, 1, 2, 2])
    known = np.array([2, -1, 0, -1, -1, 1])
    assert numbered(labels, 3, known).tolist() == [2, 2, 0, 0, 1, 1]
    assert numbered(labels, 3, None) is labels


@pytest.mark.sampled(2)
@pytest.mark.parametrize("C", [1e6, 1e40])
def test_a_huge_C_neither_overflows_nor_loses_separable_clusters(C):
    X, truth = blobs(3, each=40, apart=30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        cpm3c = CPM3C(3, C=C, kernel="linear", random_state=0).fit(X)
    assert adjusted_rand_score(cpm3c.labels_, truth) == 1
