r"""The null-category noise model: likelihoods of the latent function at data and Universum rows.

With the hinges :math:`h_\pm(f) = (1 \mp f)_+` a row of label +1 or -1 has the probability
:math:`Z e^{-C h_\pm(f)}`, :math:`Z = 1 / (1 + e^{-2C})`; the remaining probability is that of the
null category, no label (Sollich, NIPS 2000; Lawrence & Jordan, NIPS 2004).

A data row has a label, which is unknown. Its likelihood, without the factor Z, is
:math:`\gamma e^{-C h_+} + (1 - \gamma) e^{-C h_-}` (Dai, Hu & Niu, equation 4a).

A Universum row has no label. Between the margins its likelihood, with Z, is
:math:`1 - \cosh(C f) / \cosh C`; it is 0 at the margins, so that f stays between them (equation
4b).

The absolute value in :math:`h = \tfrac12 (|1 - f| + 1 - f)` is smoothed to
:math:`\sqrt{(1 - f)^2 + \epsilon^2}`. The likelihood increases as epsilon decreases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from structsvm.problem import Vector

#: Range of integration over a Gaussian, in standard deviations to each side.
REACH = 8.0
#: Steps of the trapezoidal rule. Its error is at most 0.004, where the likelihood is a step;
#: Gauss-Hermite nodes are too far apart for that.
STEPS = 800


class Model(NamedTuple):
    """C and the logarithms of the prior probabilities of both labels for every data row.

    Attributes
    ----------
    C : float
    log_plus, log_minus : ndarray of shape (n,)
    """

    C: float
    log_plus: Vector
    log_minus: Vector


class Quadratic(NamedTuple):
    """A log likelihood, and a quadratic -W f^2 / 2 + b f, up to a constant, that touches it.

    For data rows the quadratic is a lower bound of the log likelihood; for Universum rows it is the
    second-order Taylor polynomial.

    Attributes
    ----------
    value : float
        The log likelihood of all rows.
    W, b : ndarray of shape (n,)
    """

    value: float
    W: Vector
    b: Vector


def prior_model(C: float, gamma: float, n: int) -> Model:
    """The model in which each of n rows has label +1 with prior probability gamma."""
    return Model(C, np.full(n, np.log(gamma)), np.full(n, np.log1p(-gamma)))


def label_model(C: float, y: Vector) -> Model:
    """The model in which the labels are known to be y: the Bayesian support vector machine."""
    return Model(C, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, -np.inf, 0.0))


def data_term(model: Model, f: Vector, epsilon: float) -> Quadratic:
    """The term of the data rows.

    The lower bound uses the responsibilities of the labels, as in EM, and the bound of the absolute
    value by a quadratic.
    """
    above, below = np.hypot(1 - f, epsilon), np.hypot(1 + f, epsilon)
    plus = model.log_plus - model.C * (above + 1 - f) / 2
    minus = model.log_minus - model.C * (below + 1 + f) / 2
    total = np.logaddexp(plus, minus)
    p, q = np.exp(plus - total), np.exp(minus - total)
    half = model.C / 2
    # |u| <= (u^2 / |v| + |v|) / 2 with u = 1 -+ f and v its current value, weighted by p and q.
    W = half * (p / above + q / below)
    b = half * (p * (1 + 1 / above) - q * (1 + 1 / below))
    return Quadratic(float(total.sum()), W, b)


def universum_term(C: float, f: Vector) -> Quadratic:
    """The term of Universum rows, whose f must be strictly between the margins."""
    room = np.cosh(C) - np.cosh(C * f)
    slope = -C * np.sinh(C * f) / room
    # Minus the second derivative, by cosh^2 - sinh^2 = 1; it is > 0 between the margins.
    W = C**2 * (np.cosh(C) * np.cosh(C * f) - 1) / room**2
    # b is such that the quadratic has this slope at f.
    return Quadratic(float(np.log(room / np.cosh(C)).sum()), W, W * f + slope)


def probability_of_plus(model: Model, mean: Vector, variance: Vector) -> Vector:
    """The probability of label +1 under a Gaussian posterior of f (equation 10), shape (n,).

    Integrated by the trapezoidal rule; ``model`` has the prior of each row, or one for all.
    """
    nodes = np.linspace(-REACH, REACH, STEPS + 1)
    weights = np.exp(-(nodes**2) / 2)
    f = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    odds = model.log_minus - model.log_plus
    logit = model.C * (np.maximum(0, 1 - f) - np.maximum(0, 1 + f)) + np.reshape(odds, (-1, 1))
    return expit(-logit) @ (weights / weights.sum())
