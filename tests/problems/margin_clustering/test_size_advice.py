"""Warnings that the bound on cluster sizes, rather than the rows, decided the clusters."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from structsvm.problems import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes

PINNED = np.repeat(np.arange(4), [20, 20, 90, 70])


def problem(least=0.1, k=4):
    return CPM3CProblem(n_clusters=k, min_cluster_size=least)


def test_several_clusters_of_the_least_size_are_named():
    with pytest.warns(ConvergenceWarning) as seen:
        warn_of_sizes(problem(), PINNED, PINNED, None)
    (message,) = [str(one.message) for one in seen]
    assert message.startswith("clusters 0, 1 are as small as min_cluster_size=0.1 of the rows")
    assert "may have decided their sizes" in message and "lower it;" in message


@pytest.mark.parametrize(
    ("least", "sizes"),
    [
        (0.1, (20, 21, 90, 69)),  # only one has the least size
        (0.1, (25, 30, 80, 65)),
        (0.0, (1, 1, 99, 99)),
        (0.001, (1, 1, 98, 100)),  # the least size is one row, whatever the bound
    ],
)
def test_other_sizes_are_no_cause_of_a_warning(least, sizes):
    clusters = np.repeat(np.arange(4), sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_sizes(problem(least), clusters, clusters, None)


@pytest.mark.parametrize(
    ("least", "sizes", "different", "message"),
    [
        (0.0, (100, 100), 200, "clusters 2, 3 are empty, because min_cluster_size=0 allows it"),
        (0.1, (99, 99, 1, 1), 4, "clusters 2, 3 are smaller than min_cluster_size=0.1, because X"),
        (0.1, (99, 98, 3), 3, "cluster 3 is empty, because X has 3 different rows, copies"),
    ],
)
def test_clusters_that_are_empty_or_too_small_are_named(least, sizes, different, message):
    clusters, asked = np.repeat(np.arange(len(sizes)), sizes), problem(least)
    asked.copy_of_ = np.arange(200) % different
    with pytest.warns(ConvergenceWarning, match=message):
        warn_of_sizes(asked, clusters, clusters, None)


def test_rows_against_their_scores_are_the_only_warning():
    decoded = PINNED.copy()
    decoded[:3] = 2
    with pytest.warns(ConvergenceWarning) as seen:
        warn_of_sizes(problem(), PINNED, decoded, None)
    (message,) = [str(one.message) for one in seen]
    assert message.startswith("clusters 0, 1 are as small as min_cluster_size=0.1 ")
    assert "keep 3 rows that score higher for another cluster" in message


def test_known_rows_are_where_they_are_by_their_label():
    decoded, known = PINNED.copy(), np.full(200, -1)
    decoded[:3] = 2
    known[:3] = 0
    with pytest.warns(ConvergenceWarning, match="may have decided their sizes"):
        warn_of_sizes(problem(), PINNED, decoded, known)


def test_a_fit_warns_at_the_line_of_the_caller():
    X = np.random.default_rng(0).normal(size=(90, 4))
    with pytest.warns(ConvergenceWarning, match=r"as small as min_cluster_size=0.0833") as seen:
        CPM3C(6, kernel="rbf", n_init=2, random_state=0).fit(X)
    assert seen[0].filename == __file__
