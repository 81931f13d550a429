"""Data that the tests of Bayesian clustering share."""

from sklearn.datasets import make_blobs


def blobs(n=60, seed=0):
    return make_blobs(n, centers=[[-3, 0], [3, 0]], random_state=seed)
