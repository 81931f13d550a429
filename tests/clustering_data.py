"""Clusterers and data that the tests of maximum margin clustering share."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from structsvm.problems import CPM3C, MMC, SDPMMC, BayesianMMC, MultivariateMMC

#: Those that search among labellings.
SEARCHING = {
    "MMC": MMC(random_state=0),
    "CPM3C": CPM3C(2, random_state=0),
    "MultivariateMMC": MultivariateMMC(random_state=0),
    "CPM3C-3": CPM3C(3, n_init=4, random_state=0),
    "MultivariateMMC-3": MultivariateMMC(3, loss="rand", n_init=4, random_state=0),
}
CLUSTERERS = {
    **SEARCHING,
    "SDPMMC": SDPMMC(tol=0.05, random_state=0),
    "SDPMMC-3": SDPMMC(n_clusters=3, tol=0.05, random_state=0),
    "BayesianMMC": BayesianMMC(random_state=0),
    "BayesianMMC-3": BayesianMMC(3, random_state=0),
}
each = pytest.mark.parametrize("name", CLUSTERERS)
searching = pytest.mark.parametrize("name", SEARCHING)


def clusterer(name, **parameters):
    """A new clusterer of the table."""
    return clone(CLUSTERERS[name]).set_params(**parameters)


def clusters_of(name):
    return 3 if name.endswith("-3") else 2


def data_for(name, each=15, **settings):
    return blobs(clusters_of(name), each, **settings)


def quietly(model, *data):
    """Fit without warnings: few rows need not converge, nor have the sizes asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*data)


@cache
def fitted(name):
    """The clusterer, fitted to its blobs."""
    return quietly(clusterer(name), data_for(name)[0])


def agreement(a, b):
    share = np.mean(a == b)
    return max(share, 1 - share)


def hinge(scores, y):
    """Every row's multiclass hinge loss."""
    rows = np.arange(len(y))
    own = scores[rows, y]
    rivals = scores.copy()
    rivals[rows, y] = -np.inf
    return np.maximum(0, 1 - own + rivals.max(axis=1))


def blobs(k, each=25, apart=8.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), each)
    angles = 2 * np.pi * truth / k
    centres = apart / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centres + rng.normal(size=centres.shape), truth


def partly(truth, step):
    """Every step-th label, -1 elsewhere."""
    return np.where(np.arange(len(truth)) % step, -1, truth)


def clouds(n=600, d=5, k=2, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return (4 * np.eye(k, d)[y] + rng.normal(size=(n, d))).astype(dtype), y
