"""Planes of a plain cutting-plane run on the digits: Psi = e_y (x) x, 0/1 loss."""

import numpy as np
from benchopt import BaseDataset

from structsvm.datasets import digits
from structsvm.qp import solve_restricted_dual

N_CLASSES = 10


class Dataset(BaseDataset):
    name = "digits"
    parameters = {
        "n, C_of_n, slacks, passes": [
            (1797, 0.1, "one", 100),
            (1797, 1.0, "one", 100),
            (1797, 100.0, "one", 100),
            (1797, 1.0, "one", 250),
            (500, 0.1, "n", 8),
            (500, 1.0, "n", 8),
        ]
    }
    test_parameters = {"n, C_of_n, slacks, passes": [(50, 1.0, "n", 3)]}

    def get_data(self):
        X, y = digits()
        order = np.random.default_rng(0).permutation(len(y))[: self.n]
        C = self.C_of_n * self.n
        return growing(X[order], y[order], C, self.slacks == "one", self.passes)


def growing(X, y, C, one_slack, passes, eps=1e-3):
    """The Gram matrix of all planes, and the number of planes of each pass's program."""
    n, d = X.shape
    margin = 1.0 - np.eye(N_CLASSES)[y]
    n_groups = 1 if one_slack else n
    caps = np.full(n_groups, C / n_groups)
    A, b, groups = np.zeros((0, N_CLASSES * d)), np.zeros(0), np.zeros(0, int)
    alpha, sizes = np.zeros(0), []
    for _ in range(passes):
        w = A.T @ alpha
        xi = np.zeros(n_groups)
        np.maximum.at(xi, groups, b - A @ w)
        y_hat = (X @ w.reshape(N_CLASSES, d).T + margin).argmax(axis=1)
        planes, losses = psi_difference(X, y, y_hat), (y_hat != y).astype(float)
        if one_slack:
            planes, losses = planes.mean(axis=0, keepdims=True), losses.mean(keepdims=True)
        new = np.flatnonzero(losses - planes @ w > xi + (eps * xi if one_slack else 1e-2))
        if not len(new):
            break
        A, b = np.r_[A, planes[new]], np.r_[b, losses[new]]
        groups, sizes = np.r_[groups, new], [*sizes, len(b)]
        start = np.r_[alpha, np.zeros(len(new))]
        alpha = solve_restricted_dual(A @ A.T, b, groups, caps, start).alpha
    H = np.ascontiguousarray(A @ A.T)
    return {"H": H, "b": b, "groups": groups, "caps": caps, "sizes": sizes}


def psi_difference(X, y, y_hat):
    """``Psi(x, y) - Psi(x, y_hat)`` of every example, one row each."""
    rows = np.zeros((len(y), N_CLASSES, X.shape[1]))
    np.add.at(rows, (np.arange(len(y)), y), X)
    np.add.at(rows, (np.arange(len(y)), y_hat), -X)
    return rows.reshape(len(y), -1)
