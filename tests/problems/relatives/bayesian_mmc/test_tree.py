"""Several clusters, top down."""

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC


def test_several_clusters_top_down():
    X, y = make_blobs(120, centers=[[-6, 0], [0, 0], [6, 0], [0, 7]], random_state=0)
    fit = BayesianMMC(kernel="rbf", n_clusters=4, offset=1.0).fit(X)
    table = np.array([[np.sum((fit.labels_ == i) & (y == j)) for j in range(4)] for i in range(4)])
    assert sorted(table.max(axis=1).tolist()) == [30, 30, 30, 30]
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    assert np.mean(fit.probabilities_.argmax(axis=1) == fit.labels_) > 0.95
    np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
    assert fit.log_posterior_.shape == (3,)
    K = rbf_kernel(X, gamma=0.02)
    precomputed = BayesianMMC(kernel="precomputed", n_clusters=3, n_init=2).fit(K)
    np.testing.assert_allclose(precomputed.predict_proba(K).sum(axis=1), 1)
    assert len(np.unique(precomputed.labels_)) == 3
    graph = BayesianMMC(kernel="graph", n_clusters=3).fit(X)
    assert graph.probabilities_.shape == (120, 3)
