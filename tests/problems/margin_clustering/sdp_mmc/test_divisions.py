"""Candidates from graphs of nearest neighbours."""

import numpy as np
import pytest
from clustering_data import agreement
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_kernel, unlinked
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from structsvm.features import DiffusionMap
from structsvm.problems import SDPMMC, BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import directions
from structsvm.problems.margin_clustering.sdp_mmc import candidates as module
from structsvm.problems.margin_clustering.sdp_mmc.admm import solve
from structsvm.problems.margin_clustering.sdp_mmc.candidates import candidates, kernel_rows
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.rounding import balanced
from structsvm.solvers.shared.loop import Limits


def graph_divisions(relaxation):
    """The values of the nodes by the rows: the difference of the scores of the two clusters."""
    rng, result = np.random.default_rng(0), solve(relaxation, 1.0, Limits(1))
    _, _, *found = candidates(relaxation, result, kernel_rows(relaxation), rng)
    return [scores[:, 1] - scores[:, 0] for scores in found]


def rings(noise=0.05, seed=0):
    return make_circles(120, factor=0.5, noise=noise, random_state=seed)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("noise", "seed"), [(0.03, 0), (0.05, 0), (0.05, 1), (0.06, 1)])
def test_near_rings_are_found(noise, seed):
    """M alone is undecided between many halves of the rings."""
    X, inner = rings(noise, seed)
    sdp = SDPMMC(solver="admm", tol=0.1, random_state=0).fit(X)
    y, K = 2.0 * inner - 1, rbf_kernel(X, gamma=sdp.gamma_)
    assert agreement(sdp.labels_, inner) == 1
    assert sdp.label_objective_ == pytest.approx(margin(K, 100.0, np.outer(y, y)), rel=1e-5)


def test_near_rings_are_not_found_without_the_graphs(monkeypatch):
    X, inner = rings()
    K = rbf_kernel(X, gamma=8.0)
    given_kernel = SDPMMC(kernel="precomputed", solver="admm", tol=0.1, random_state=0).fit(K)
    assert agreement(given_kernel.labels_, inner) == 1
    monkeypatch.setattr(module, "by_rows", lambda X, k, rng: [])
    with pytest.warns(UserWarning, match="label_gap_ is"):
        without = SDPMMC(kernel="precomputed", solver="admm", tol=0.1, random_state=0).fit(K)
    assert without.label_objective_ > 1.5 * given_kernel.label_objective_


def test_distances_are_those_of_the_kernel():
    """For inner products they are those of the rows, so the rows give the same candidates."""
    X = np.random.default_rng(0).normal(size=(40, 3)) + 5
    found = graph_divisions(Relaxation(linear_kernel(X), 1.0, 0.5, unlinked(40)))
    bayesian = np.diff(BayesianMMC().fit(X).probabilities_)[:, 0]
    graphs = [DiffusionMap(3, number).fit(X) for number in (5, 11)]
    expected = [bayesian, *(d for graph in graphs for d in directions(graph.eigenvectors_))]
    assert len(found) == 19
    for values, of_rows in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, 2 * of_rows, atol=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(4, 12))
@settings(max_examples=30, deadline=None)
def test_candidates_keep_labels_links_and_balance(seed, n):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], n)
    pairs = rng.integers(n, size=(3, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    known = np.full(n, -1)
    known[[0, 1]] = (truth[:2] + 1) // 2
    must, cannot = pairs[same], pairs[~same]
    groups = linked(n, known, must, cannot)
    balance = max(abs(truth.sum()) / n, 0.1)  # the truth shows that there are such labels
    relaxation = Relaxation(some_kernel(rng, n), 10.0, balance, groups)
    for values in graph_divisions(relaxation):
        assert values.shape == (groups.n_nodes,)
        labels = balanced(relaxation, np.column_stack([-values, values]))
        if labels is None:
            continue
        y = groups.of_rows(2.0 * labels - 1)
        assert abs(y.sum()) <= relaxation.limit + 1e-9
        assert all(y[i] == y[j] for i, j in must)
        assert all(y[i] != y[j] for i, j in cannot)
        assert (y[0] == y[1]) == (truth[0] == truth[1])


def test_the_value_of_a_node_is_that_of_its_rows():
    X = np.random.default_rng(0).normal(size=(30, 2))
    K = rbf_kernel(X)
    groups = linked(30, np.full(30, -1), [(0, 1), (1, 2)], [(2, 3)])
    of_rows = graph_divisions(Relaxation(K, 1.0, 0.9, unlinked(30)))
    of_nodes = graph_divisions(Relaxation(K, 1.0, 0.9, groups))
    for rows, nodes in zip(of_rows, of_nodes, strict=True):
        assert nodes[0] == pytest.approx(rows[0] + rows[1] + rows[2] - rows[3], abs=1e-6)
        np.testing.assert_allclose(nodes[1:], rows[4:], atol=1e-6)


def test_copies_are_one_vertex():
    X = np.random.default_rng(0).normal(size=(14, 2))
    copy_of = np.repeat(np.arange(14), np.arange(8, 22))
    once = graph_divisions(Relaxation(rbf_kernel(X), 1.0, 0.9, unlinked(14)))
    n = len(copy_of)
    often = graph_divisions(Relaxation(rbf_kernel(X[copy_of]), 1.0, 0.9, unlinked(n)))
    for values, repeated in zip(once, often, strict=True):
        np.testing.assert_allclose(repeated, values[copy_of], atol=1e-5)


def test_two_rows_beyond_copies():
    K = np.kron([[1.0, 0.2], [0.2, 1.0]], np.ones((6, 6)))
    for values in graph_divisions(Relaxation(K, 1.0, 0.9, unlinked(12))):
        assert len(set(np.sign(values[:6]))) == len(set(np.sign(values[6:]))) == 1
    assert graph_divisions(Relaxation(np.ones((4, 4)), 1.0, 0.9, unlinked(4))) == []
