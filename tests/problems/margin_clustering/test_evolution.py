"""The evolutionary search: what it finds, what it keeps, and that it repeats itself."""

import warnings
from itertools import permutations, product

import numpy as np
import pytest
from clustering_data import blobs, interrupt
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering import evolution
from structsvm.problems.margin_clustering.evolution import added
from structsvm.problems.margin_clustering.partitions import (
    matching,
    numbered,
)
from structsvm.problems.margin_clustering.smoothed_margin import Member, SmoothedMargin
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
@pytest.mark.parametrize(("k", "n"), [(2, 8), (3, 6)])
def test_no_labelling_of_few_rows_has_a_lower_objective(k, n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    settings = {"kernel": "linear", "min_cluster_size": 1 / n, "rtol": 1e-5, "random_state": 0}
    fit = CPM3C(k, C=20.0, **settings).fit(X)
    assert fit.objective_ <= lowest(X, k, 20.0, 1 / n) * (1 + 1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("k", [2, 4])
def test_it_is_not_above_the_search_of_the_papers(k):
    X = np.random.default_rng(k).normal(size=(80, 4))
    ours, papers = (
        CPM3C(k, C=20.0, kernel="linear", search=search, n_init=4, random_state=0).fit(X)
        for search in ("evolutionary", "cccp")
    )
    assert ours.objective_ <= papers.objective_ * 1.01


@pytest.mark.parametrize("call", [1, 2, 30])
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


def test_more_rows_than_the_search_uses(monkeypatch):
    monkeypatch.setattr(evolution, "SEARCH_ROWS", 100)
    X, truth = blobs(3, each=200)
    cpm3c = CPM3C(3, n_init=1, kernel="linear", random_state=0).fit(X)
    assert len(cpm3c.labels_) == 600
    assert adjusted_rand_score(truth, cpm3c.labels_) > 0.97
    assert cpm3c.verify(X).matches


def test_partitions_get_the_numbers_of_known_labels():
    labels = np.array([0, 0, 1, 1, 2, 2])
    known = np.array([2, -1, 0, -1, -1, 1])
    assert numbered(labels, 3, known).tolist() == [2, 2, 0, 0, 1, 1]
    assert numbered(labels, 3, None) is labels


@pytest.mark.sampled(2)
@pytest.mark.parametrize("C", [1e6, 1e40])
def test_a_huge_C_neither_overflows_nor_loses_separable_clusters(C):
    X, truth = blobs(3, apart=30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        cpm3c = CPM3C(3, C=C, kernel="linear", n_init=2, random_state=0).fit(X)
    assert adjusted_rand_score(cpm3c.labels_, truth) == 1


# ---------------------------------------------------------------------- the population


def test_matched_clusters_share_most_rows():
    rng = np.random.default_rng(0)
    for _ in range(20):
        k = int(rng.integers(2, 5))
        labels, others = rng.integers(k, size=(2, 30))
        matched = matching(labels, others, k)
        best = max(np.sum(np.array(p)[labels] == others) for p in permutations(range(k)))
        assert np.sum(matched[labels] == others) == best


def added_to(population, objective, labels):
    return added(population, Member(objective, np.zeros((3, 1)), labels), 2)


def test_of_equal_clusterings_the_best_is_kept_whatever_their_numbers():
    labels = np.repeat([0, 1, 2], 50)
    population = added_to(added_to([], 1.0, labels), 1.0005, (labels + 1) % 3)
    assert len(population) == 1
    population = added_to(population, 0.9995, (labels + 2) % 3)
    assert [one.objective for one in population] == [0.9995]
    population = added_to(population, 1.2, labels)  # of another objective: its weights are others
    few = labels.copy()
    few[:10] = 1
    assert [one.objective for one in population] == [0.9995, 1.2]
    population = added_to(population, 1.0, few)  # of two members at most
    assert [one.objective for one in population] == [0.9995, 1.0]
