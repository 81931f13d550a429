"""Signals that show the motif of their class at an unknown shift, by four single methods.

An output is a class and a shift, an annotation the class (Yu & Joachims, Learning Structural SVMs
with Latent Variables, ICML 2009). There are 3 classes and 25 shifts, so 75 outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm import SelfLabelledProblem

CLASSES, SHIFTS, LENGTH = 3, 25, 20


class HiddenShift(SelfLabelledProblem):
    """An output is a class and the shift of its motif; an annotation is the class."""

    max_loss = 1.0

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = CLASSES * LENGTH

    def joint_feature(self, x: Any, y: Any) -> Any:
        label, shift = y
        psi = np.zeros((CLASSES, LENGTH))
        psi[label] = x[shift]
        return psi.ravel()

    def loss(self, y: Any, y_hat: Any) -> float:
        return self.evaluation_loss(y[0], y_hat)

    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat[0])

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return best(scores(x, w) + (np.arange(CLASSES) != y[0])[:, None])

    def decode(self, x: Any, w: Any) -> Any:
        return best(scores(x, w))

    def impute(self, x: Any, y: Any, w: Any) -> Any:
        return y, int(scores(x, w)[y].argmax())


def scores(x: Any, w: Any) -> Any:
    """The score of every class and shift."""
    return w.reshape(CLASSES, LENGTH) @ x.T


def best(found: Any) -> tuple[int, int]:
    """The class and shift of the largest entry."""
    label, shift = divmod(int(found.argmax()), found.shape[1])
    return label, shift


def signals(n: int) -> tuple[list[Any], list[int]]:
    """The parts of noisy signals that begin at each shift, and the classes of their motifs."""
    rng = np.random.default_rng(0)
    motifs = rng.normal(size=(CLASSES, LENGTH))
    X, Y = [], rng.integers(CLASSES, size=n).tolist()
    for label in Y:
        x = rng.normal(size=SHIFTS + LENGTH - 1)
        shift = rng.integers(SHIFTS)
        x[shift : shift + LENGTH] += motifs[label]
        X.append(np.lib.stride_tricks.sliding_window_view(x, LENGTH).copy())
    return X, Y
