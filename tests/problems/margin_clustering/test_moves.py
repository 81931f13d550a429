"""Merge-and-split moves lead out of a wrong clustering."""

from types import SimpleNamespace

import numpy as np
from clustering_data import blobs
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3CProblem
from structsvm.problems.margin_clustering.moves import (
    PROPOSALS,
    merge_and_split,
)
from structsvm.problems.margin_clustering.restarts import centres


def moved(X, clusters):
    """The proposals for these clusters, with scores by the nearest mean."""
    k = clusters.max() + 1
    problem = CPM3CProblem(k, balance=1.0)
    problem.initialize([X])
    w = problem.start(X, centres(problem, X, clusters), 1.0)
    result = SimpleNamespace(labels=[problem.output_of(clusters)], w=w)
    return list(merge_and_split(problem, X, result, np.random.default_rng(0)))


def test_the_first_proposal_fixes_a_blob_in_halves_and_two_blobs_in_one():
    X, truth = blobs(3, each=40)
    wrong = np.where(truth == 0, 0, 1)
    wrong[(truth == 0) & (X[:, 1] > 0)] = 2
    proposals = moved(X, wrong)
    assert adjusted_rand_score(wrong, truth) < 0.8
    assert adjusted_rand_score(proposals[0], truth) == 1
    assert all(set(np.unique(p)) == {0, 1, 2} for p in proposals)


def test_there_are_no_more_proposals_than_the_limit_and_none_for_tiny_clusters():
    X, truth = blobs(8, each=10, apart=20.0)
    assert len(moved(X, truth)) == PROPOSALS
    X, truth = blobs(3, each=3)
    assert moved(X, truth) == []
