"""Clusterers and data that the tests of maximum margin clustering share."""

import numpy as np
import pytest

from structsvm.problems import (
    CPM3C,
    MMC,
    MultivariateMMC,
)


def agreement(a, b):
    share = np.mean(a == b)
    return max(share, 1 - share)


def interrupt(monkeypatch, owner, name, call):
    """Let the call of this number of a method of a class raise a KeyboardInterrupt."""
    method, calls = getattr(owner, name), []

    def interrupted(*args):
        calls.append(0)
        if len(calls) == call:
            raise KeyboardInterrupt
        return method(*args)

    monkeypatch.setattr(owner, name, interrupted)


def hinge(scores, y):
    """Every row's multiclass hinge loss."""
    rows = np.arange(len(y))
    own = scores[rows, y]
    rivals = scores.copy()
    rivals[rows, y] = -np.inf
    return np.maximum(0, 1 - own + rivals.max(axis=1))


TWO = [MMC(random_state=0), CPM3C(2, random_state=0), MultivariateMMC(random_state=0)]
THREE = [
    CPM3C(3, n_init=4, random_state=0),
    MultivariateMMC(3, loss="rand", n_init=4, random_state=0),
]
two = pytest.mark.parametrize("clusterer", TWO, ids=lambda c: type(c).__name__)
every = pytest.mark.parametrize("clusterer", TWO + THREE, ids=str)


def blobs(k, each=25, apart=8.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), each)
    angles = 2 * np.pi * truth / k
    centres = apart / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centres + rng.normal(size=centres.shape), truth


def clusters_of(clusterer):
    return getattr(clusterer, "n_clusters", 2)


def data_for(clusterer, **settings):
    return blobs(clusters_of(clusterer), **settings)


def clouds(n=600, d=5, k=2, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return (4 * np.eye(k, d)[y] + rng.normal(size=(n, d))).astype(dtype), y
