"""Rows to test feature maps with, and what no rotation of coordinates changes."""

import numpy as np
from scipy import sparse

MAPS = ("rbf", "poly", "whiten", "diffusion")


def rows(n=60, d=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[np.abs(X) < 0.3] = 0
    return X


def gram(Z):
    """Inner products about the mean, which no rotation changes."""
    Z = Z - Z.mean(axis=0)
    return Z @ Z.T


def centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def dense(Z):
    return Z.toarray() if sparse.issparse(Z) else Z
