"""Candidates: from graphs of nearest neighbours, and by k-means."""

import numpy as np
import pytest
from clustering_data import agreement, quietly
from hypothesis import given, settings
from hypothesis import strategies as st
from sdp_data import margin, some_kernel, unlinked
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import SDPMMC
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


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("noise", "seed"), [(0.05, 0), (0.06, 1)])
def test_near_rings_are_found(noise, seed):
    """M alone is undecided between many halves of the rings."""
    X, inner = rings(noise, seed)
    sdp = SDPMMC(solver="admm", tol=0.1, random_state=0).fit(X)
    y, K = 2.0 * inner - 1, rbf_kernel(X, gamma=sdp.gamma_)
    assert agreement(sdp.labels_, inner) == 1
    assert sdp.label_objective_ == pytest.approx(margin(K, 100.0, np.outer(y, y)), rel=1e-5)


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


def test_two_rows_beyond_copies():
    K = np.kron([[1.0, 0.2], [0.2, 1.0]], np.ones((6, 6)))
    for values in graph_divisions(Relaxation(K, 1.0, 0.9, unlinked(12))):
        assert len(set(np.sign(values[:6]))) == len(set(np.sign(values[6:]))) == 1
    assert graph_divisions(Relaxation(np.ones((4, 4)), 1.0, 0.9, unlinked(4))) == []


def test_copies_of_few_rows_have_candidates():
    X = np.repeat(np.arange(3.0)[:, None], 40, axis=0)
    _, by_k_means = module.by_rows(X, 3, np.random.default_rng(0))  # graphs have no scale
    assert len(set(zip(X[:, 0], by_k_means.argmax(axis=1), strict=True))) == 3
    X = np.repeat(np.arange(5.0)[:, None], 8, axis=0)
    sdp = SDPMMC(n_clusters=6, n_components=10, random_state=0)  # BayesianMMC refuses
    assert len(np.unique(quietly(sdp, X).labels_)) == 6
