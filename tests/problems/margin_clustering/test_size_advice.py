"""Warnings that the bound on cluster sizes, rather than the rows, decided the clusters."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from structsvm.problems import CPM3C, CPM3CProblem
from structsvm.problems.margin_clustering.size_advice import warn_of_sizes

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
    if message:
        with pytest.warns(ConvergenceWarning, match=message):
            warn_of_sizes(problem, clusters, decoded, y if known else None)


def test_a_fit_warns_at_the_line_of_the_caller():
    X = np.random.default_rng(0).normal(size=(90, 4))
    with pytest.warns(ConvergenceWarning, match=r"as small as min_cluster_size=0.0833") as seen:
        CPM3C(6, kernel="rbf", n_init=2, random_state=0).fit(X)
    assert seen[0].filename == __file__
