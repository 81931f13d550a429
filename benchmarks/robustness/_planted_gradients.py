"""Bugs in gradients in x."""

from __future__ import annotations

import numpy as np

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import (
    POINTS,
    DifferentiableGrid,
    distribution,
    features,
    grid,
    slope,
)
from benchmarks.robustness._planted_labels import softmax


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x")
class InputGradientForgetsTheInnerDerivative(DifferentiableGrid):
    def input_gradient(self, x, y, w):
        return slope(0 * x, y, w)


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x", listed=False)
class InputGradientAddsUp(DifferentiableGrid):
    """It is never set back to zero."""

    total = 0.0

    def input_gradient(self, x, y, w):
        self.total = self.total + slope(x, y, w)
        return self.total


@planted(grid, {"input_gradient"}, "the gradient of the score <w, Psi(x, y)> in x")
class InputGradientIsClipped(DifferentiableGrid):
    def input_gradient(self, x, y, w):
        return np.clip(slope(x, y, w), -1, 1)


@planted(grid, {"soft_input_gradient"}, "the expectation in the distribution of soft_oracle")
class SoftInputGradientLeavesOutTheLoss(DifferentiableGrid):
    def soft_input_gradient(self, x, y, w, mu):
        s = np.array([features(x, z) for z in POINTS]) @ w
        p = softmax(s[None], mu)[1][0]
        return p @ np.array([slope(x, z, w) for z in POINTS]) - slope(x, y, w)


@planted(grid, {"soft_input_gradient"}, "numbers of the shape of x", listed=False)
class SoftInputGradientIsOfTheMostProbable(DifferentiableGrid):
    def soft_input_gradient(self, x, y, w, mu):
        p = distribution(x, y, w, mu)[3]
        return slope(x, POINTS[int(p.argmax())], w) - slope(x, y, w)
