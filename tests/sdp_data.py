"""Kernels and labellings that the tests of the semidefinite relaxation share."""

from itertools import product

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems.margin_clustering.sdp_mmc.features import KernelFeatures
from structsvm.problems.margin_clustering.sdp_mmc.groups import linked
from structsvm.problems.margin_clustering.sdp_mmc.program import simplex


def unlinked(n):
    return linked(n, np.full(n, -1), None, None)


def some_kernel(rng, n, gamma=0.5):
    return rbf_kernel(rng.normal(size=(n, 2)), gamma=gamma)


def margin(K, C, M):
    """f(M) by another solver."""
    G = K * M

    def negative(lam):
        return lam @ G @ lam - 2 * lam.sum(), 2 * G @ lam - 2

    n = len(K)
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10000, "maxfun": 100000}
    box = [(0, C)] * n
    found = minimize(
        negative, np.zeros(n), jac=True, bounds=box, method="L-BFGS-B", options=options
    )
    return -found.fun


def circles(n=40, seed=0):
    X, inner = make_circles(n, factor=0.4, noise=0.03, random_state=seed)
    return X, inner


def unit_rows(rng, n, r=3):
    V = rng.standard_normal((n, r))
    return V / np.linalg.norm(V, axis=1, keepdims=True)


def some_features(rng, n, p=3):
    """Features and a residual, and their kernel matrix."""
    features = KernelFeatures(rng.normal(size=(n, p)), rng.exponential(0.5, n))
    return features, features.rows @ features.rows.T + np.diag(features.residual)


def codes_within(program):
    """The codes of the nodes of every labelling within the balance, and their matrix of rows."""
    groups, codes = program.groups, simplex(program.n_clusters)
    for y in product(range(program.n_clusters), repeat=program.n_nodes):
        nodes = codes[list(y)]
        if np.linalg.norm(program.sizes @ nodes) <= program.limit * (1 + 1e-12):
            yield nodes, groups.pairs_of_rows(nodes @ nodes.T)
