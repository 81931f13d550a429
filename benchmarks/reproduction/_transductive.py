"""A transductive support vector machine as a problem of the engine: labelled and latent rows.

Joachims (ICML 1999) minimises the objective of a support vector machine over the labels of the
unlabelled rows, too. Here an example is a row, its annotation 1, -1 or 0 for unknown, and CCCP
imputes the unknown ones. He exchanges labels in pairs, to keep the fraction of positive
ones; here that is a constraint on w, as in Collobert et al. (JMLR 2006): the mean score of the
unlabelled rows is the mean label of the labelled ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm import CCCP, SelfLabelledProblem
from structsvm.features import KernelMap
from structsvm.task.task import Task


class TransductiveTask(Task):
    """Rows, and signs in an array; annotations are 0 where they are unknown."""

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(np.asarray(labels))

    def search(self, w: Any) -> Any:
        return np.where(self.Y * (self.X @ w) < 1, -self.Y, self.Y)

    def losses(self, outputs: Any) -> Any:
        return (self.Y != np.asarray(outputs)).astype(float)

    def plane(self, outputs: Any, weights: Any) -> Any:
        return (weights * (self.Y - np.asarray(outputs)) / 2) @ self.X


class TransductiveProblem(SelfLabelledProblem):
    """Rows x with outputs +1 and -1; Psi = y x / 2 and a loss of 1, so that slacks are hinges."""

    max_loss = 1.0

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = X.shape[1]
        unlabelled = X[Y == 0].mean(axis=0)
        self.rows_ = np.array([unlabelled, -unlabelled])
        mean = Y[Y != 0].mean()
        self.bounds_ = np.array([mean, -mean]) + 0.05

    def constraints(self) -> tuple[Any, Any]:
        return self.rows_, self.bounds_

    def joint_feature(self, x: Any, y: Any) -> Any:
        return y * x / 2

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat)

    def decode(self, x: Any, w: Any) -> Any:
        return 1 if x @ w >= 0 else -1

    def impute(self, x: Any, y: Any, w: Any) -> Any:
        return y or self.decode(x, w)

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return -y if y * (x @ w) < 1 else y

    def outputs(self, x: Any) -> Any:
        return -1, 1

    def task(self, X: Any, Y: Any = None) -> Task:
        return TransductiveTask(self, X, Y)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        return np.random.default_rng(0).normal(size=(8, 2)), np.array([1, -1, 0, 0, 0, 0, 0, 0])


def transductive_labels(K: Any, y: Any, C: float, start: Any) -> Any:
    """Labels -1 and 1 for the rows of a kernel matrix, y with 0 for unknown.

    ``start`` holds the scores of a support vector machine trained on the labelled rows; C is the
    weight of each row's slack. A constant feature is appended for the offset.
    """
    Z = np.column_stack([KernelMap("precomputed").fit_transform(K), np.ones(len(K))])
    w0 = np.linalg.lstsq(Z, start, rcond=None)[0]
    result = CCCP(search=False).solve(TransductiveProblem(), Z, y, C * len(K), w0=w0)
    scores = Z @ result.w
    return np.where(y == 0, np.where(scores >= 0, 1, -1), y)
