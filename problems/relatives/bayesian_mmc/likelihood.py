r"""The null-category noise model: what data rows and Universum rows say of the latent function.

With the hinges :math:`h_\pm(f) = (1 \mp f)_+` a row of label +1 or -1 has the probability
:math:`Z e^{-C h_\pm(f)}`, :math:`Z = 1 / (1 + e^{-2C})`, and what is missing to 1 is that of no
label at all (Sollich, NIPS 2000; Lawrence & Jordan, NIPS 2004).

A row of the data has a label, but an unknown one. Its likelihood, but for Z, is
:math:`\gamma e^{-C h_+} + (1 - \gamma) e^{-C h_-}` (Dai, Hu & Niu, equation 4a).

A Universum row has none. Between the margins its likelihood, Z in place, is
:math:`1 - \cosh(C f) / \cosh C`; at the margins it is 0, so it stays between them (equation 4b).

The absolute value in :math:`h = \tfrac12 (|1 - f| + 1 - f)` is smoothed to
:math:`\sqrt{(1 - f)^2 + \epsilon^2}`. The smaller epsilon, the higher the likelihood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from structsvm.problem import Vector

#: Standard deviations that are integrated over, and in how many steps. The trapezoidal rule errs by
#: .004 at most, where the likelihood is a step; Gauss-Hermite nodes are too far apart for that.
REACH, STEPS = 8.0, 800


class Model(NamedTuple):
    """C, and for every data row the logarithms of the prior shares of the two labels.

    Attributes
    ----------
    C : float
    log_plus, log_minus : ndarray of shape (n,)
    """

    C: float
    log_plus: Vector
    log_minus: Vector


class Quadratic(NamedTuple):
    """A log likelihood, and the quadratic -W f^2 / 2 + b f, up to a constant, that touches it.

    For data rows it is below the log likelihood everywhere; for Universum rows it is the second
    order of their Taylor series.

    Attributes
    ----------
    value : float
    W, b : ndarray of shape (n,)
    """

    value: float
    W: Vector
    b: Vector


def share_model(C: float, gamma: float, n: int) -> Model:
    """Every row is of label +1 with probability gamma."""
    return Model(C, np.full(n, np.log(gamma)), np.full(n, np.log1p(-gamma)))


def label_model(C: float, y: Vector) -> Model:
    """Every row has a known label: the Bayesian support vector machine."""
    return Model(C, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, -np.inf, 0.0))


def data_term(model: Model, f: Vector, epsilon: float) -> Quadratic:
    """Of the data rows, by the responsibilities of the labels and a bound of the absolute value."""
    above, below = np.hypot(1 - f, epsilon), np.hypot(1 + f, epsilon)
    plus = model.log_plus - model.C * (above + 1 - f) / 2
    minus = model.log_minus - model.C * (below + 1 + f) / 2
    total = np.logaddexp(plus, minus)
    p, q = np.exp(plus - total), np.exp(minus - total)
    half = model.C / 2
    W = half * (p / above + q / below)
    b = half * (p * (1 + 1 / above) - q * (1 + 1 / below))
    return Quadratic(float(total.sum()), W, b)


def universum_term(C: float, f: Vector) -> Quadratic:
    """Of Universum rows, strictly between the margins."""
    room = np.cosh(C) - np.cosh(C * f)
    slope = -C * np.sinh(C * f) / room
    W = C**2 * (np.cosh(C) * np.cosh(C * f) - 1) / room**2
    return Quadratic(float(np.log(room / np.cosh(C)).sum()), W, W * f + slope)


def probability_of_plus(model: Model, mean: Vector, variance: Vector) -> Vector:
    """The probability of label +1 under a Gaussian posterior of f (equation 10), shape (n,).

    By the trapezoidal rule; ``model`` has the prior shares of these rows, or one for all.
    """
    nodes = np.linspace(-REACH, REACH, STEPS + 1)
    weights = np.exp(-(nodes**2) / 2)
    f = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    odds = model.log_minus - model.log_plus
    logit = model.C * (np.maximum(0, 1 - f) - np.maximum(0, 1 + f)) + np.reshape(odds, (-1, 1))
    return expit(-logit) @ (weights / weights.sum())
