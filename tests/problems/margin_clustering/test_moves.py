"""Merge-and-split moves lead out of a wrong clustering."""

from types import SimpleNamespace

import numpy as np
from clustering_data import blobs
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3CProblem
from structsvm.problems.margin_clustering.moves import (
    PROPOSALS,
    merge_and_split,
    random_move,
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


def drawn_move(x, labels, seed):
    """A move drawn for these labels, with weights that confuse all clusters alike."""
    k = labels.max() + 1
    margin, member = SimpleNamespace(x=x, k=k), SimpleNamespace(W=np.zeros((k, 2)), labels=labels)
    return random_move(margin, member, np.random.default_rng(seed))


def test_a_drawn_move_merges_two_clusters_and_splits_a_third():
    X, truth = blobs(4, each=20)
    for seed in range(20):
        moved_labels = drawn_move(X, truth, seed)
        assert set(moved_labels) == {0, 1, 2, 3}
        shared = np.zeros((4, 4), dtype=int)
        np.add.at(shared, (truth, moved_labels), 1)
        assert sorted(np.count_nonzero(shared, axis=1)) == [1, 1, 1, 2]  # of the old ones
        assert sorted(np.count_nonzero(shared, axis=0)) == [1, 1, 1, 2]  # of the new ones


def test_a_cluster_of_a_single_row_is_never_split():
    X, truth = blobs(3, each=20)
    X, labels = np.vstack([X, [[9.0, 9.0]]]), np.append(truth, 3)
    for seed in range(60):
        assert len(drawn_move(X, labels, seed)) == 61
    tiny = np.repeat([0, 1, 2], 3)
    assert len(set(drawn_move(X[:9], tiny, 0))) == 2  # merged only


def test_of_two_clusters_one_gives_the_other_a_half():
    X, _ = blobs(2, each=20)
    labels = (X[:, 0] > np.median(X[:, 0])).astype(int)
    for seed in range(20):
        moved_labels = drawn_move(X, labels, seed)
        changed = labels != moved_labels
        assert 0 < np.count_nonzero(changed) < 20
        assert len(set(labels[changed])) == 1
    assert (drawn_move(X[:6], np.repeat([0, 1], 3), 0) == np.repeat([0, 1], 3)).all()
