"""Graphs over labels: Chow-Liu trees against all trees, given edges, and bad ones."""

from itertools import combinations

import networkx
import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from structsvm.problems.label_sets.data import chow_liu_tree, label_edges, mutual_information


def likelihood(Y, edges):
    """The log-likelihood of label sets under the best distribution with the edges of a forest."""
    n, n_labels = Y.shape

    def entropy(columns):
        _, counts = np.unique(Y[:, columns], axis=0, return_counts=True)
        return -np.sum(counts / n * np.log(counts / n))

    information = sum(entropy([a]) + entropy([b]) - entropy([a, b]) for a, b in edges)
    return n * (information - sum(entropy([label]) for label in range(n_labels)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(5))
def test_no_tree_is_more_likely_than_that_of_chow_and_liu(seed):
    rng = np.random.default_rng(seed)
    Y = (rng.normal(size=(40, 2)) @ rng.normal(size=(2, 5)) > 0.3).astype(int)
    every = combinations(combinations(range(5), 2), 4)
    trees = [edges for edges in every if networkx.is_tree(networkx.Graph(edges))]
    assert len(trees) == 125
    found = chow_liu_tree(Y)
    assert networkx.is_tree(networkx.Graph(found.tolist()))
    assert likelihood(Y, found) == pytest.approx(max(likelihood(Y, tree) for tree in trees))


def test_mutual_information_of_copies_is_their_entropy():
    Y = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 1]])
    found = mutual_information(Y)
    assert found[0, 1] == pytest.approx(np.log(2))
    np.testing.assert_allclose(found[2], 0, atol=1e-15)  # a label that all have


def test_trees_of_labels_that_never_or_always_occur_span_all_labels():
    Y = np.array([[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0]])
    assert networkx.is_tree(networkx.Graph(chow_liu_tree(Y).tolist()))
    assert chow_liu_tree(Y[:, :1]).shape == (0, 2)


@pytest.mark.parametrize(
    "structure, expected",
    [
        ("independent", []),
        ("pairs", [[0, 1], [0, 2], [1, 2]]),
        ("auto", [[0, 1], [0, 2], [1, 2]]),
        ([("c", "a")], [[0, 2]]),
        ([], []),
        (networkx.Graph([("b", "a")]), [[0, 1]]),
        (networkx.DiGraph([("b", "a")]), [[0, 1]]),
    ],
)
def test_structures_by_name_and_by_edges(structure, expected):
    assert label_edges(structure, np.eye(3, dtype=int), ["a", "b", "c"]).tolist() == expected


def test_auto_is_a_tree_for_many_labels():
    Y = np.random.default_rng(0).integers(2, size=(30, 15))
    assert len(label_edges("auto", Y, range(15))) == 14


test_bad_structures_are_refused = refused(
    lambda structure: label_edges(structure, np.eye(3, dtype=int), ["a", "b", "c"]),
    ("forest", "one of"),
    (3, "one of"),
    (sparse.csr_matrix(np.eye(3)), "pairs of different labels"),
    ([("a", "d")], "'d', which is none of"),
    ([("a", "a")], "pairs of different labels"),
    ([("a", "b"), ("b", "a")], "twice"),
    (networkx.Graph([("a", "a")]), "pairs of different labels"),
)
