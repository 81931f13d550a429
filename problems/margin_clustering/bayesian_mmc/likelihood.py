r"""The null-category noise model: the likelihood of latent functions at data and Universum rows.

A latent function f gives a row the label + or - with the probability :math:`Z e^{-C h_\pm(f)}`,
where :math:`h_\pm(f) = (1 \mp f)_+` is the hinge and :math:`Z = 1 / (1 + e^{-2C})`. The
probabilities of + and - may sum to less than 1: the rest is the probability of no label, the null
category (Sollich, NIPS 2000; Lawrence & Jordan, NIPS 2004).

Two clusters share one latent function, which gives the label + to the rows of the second cluster.
With more than two clusters, each cluster c has a latent function :math:`f_c`, which gives the
label + to the rows of cluster c and the label - to all other rows.

A data row is in some cluster, which is unknown. If the latent functions have the values :math:`f_c`
at a data row, and the clusters have the prior probabilities :math:`\gamma_c`, the likelihood of the
row is proportional to :math:`\sum_c \gamma_c e^{-C (h_+(f_c) + \sum_{j \ne c} h_-(f_j))}`, where
:math:`h_\pm` are the hinges and C is their weight. For two clusters with the prior probabilities
:math:`\gamma` and :math:`1 - \gamma`, and hinges :math:`h_\pm` of weight C, the likelihood is
:math:`\gamma e^{-C h_+} + (1 - \gamma) e^{-C h_-}` (Dai, Hu & Niu, equation 4a).

A Universum row gets no label from any latent function. If a latent function has a value f between
the margins -1 and 1, the probability that it gives no label is :math:`1 - \cosh(C f) / \cosh C`
(Dai, Hu & Niu, equation 4b). Latent functions at Universum rows stay between the margins, because
the probability of no label falls to 0 at the margins.

The absolute value in :math:`h = \tfrac12 (|1 - f| + 1 - f)` is smoothed to
:math:`\sqrt{(1 - f)^2 + \epsilon^2}`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, softmax

from structsvm.data.arrays import Indices, Vector

#: Range of integration over a Gaussian, in standard deviations on each side.
REACH = 8.0
#: Number of steps of the trapezoidal rule. The error is at most 0.004, even if the likelihood is a
#: step function, for which Gauss-Hermite nodes are too far apart.
STEPS = 800


class Model(NamedTuple):
    """A noise model of latent functions: C, the shares of the clusters, and the prior mean.

    Attributes
    ----------
    C : float
    log_shares : ndarray of shape (n, q) or (1, q)
        For every row, the log prior probability of each cluster; with two clusters, only of the
        second cluster.
    log_rest : ndarray of shape (n,) or (1,)
        With two clusters, the log prior probability of the first cluster. With more than two
        clusters, -inf.
    mean : float
        The prior mean of every latent function.
    """

    C: float
    log_shares: Vector
    log_rest: Vector
    mean: float


class Quadratic(NamedTuple):
    """A log likelihood, and a tangent quadratic function, -W f^2 / 2 + b f plus a constant.

    For data rows the quadratic is a lower bound on the log likelihood. For Universum rows the
    quadratic is the second-order Taylor polynomial of the log likelihood.

    Attributes
    ----------
    value : float
        The log likelihood of all rows.
    W, b : ndarray of shape (n, q)
    """

    value: float
    W: Vector
    b: Vector


def prior_model(C: float, gamma: float, n_clusters: int) -> Model:
    """Return the model of rows whose clusters are unknown.

    ``gamma`` is the prior share of the second of two clusters. If there are k > 2 clusters, each
    cluster has the prior share 1 / k. The prior mean of each latent function is 2 / k - 1, the mean
    of labels of which 1 / k are 1 and the others are -1.
    """
    if n_clusters == 2:
        return Model(C, np.log([[gamma]]), np.log1p([-gamma]), 0.0)
    return Model(
        C, np.full((1, n_clusters), -np.log(n_clusters)), np.array([-np.inf]), 2 / n_clusters - 1
    )


def label_model(C: float, labels: Indices, n_clusters: int) -> Model:
    """Return the model of rows with known labels, which is a Bayesian support vector machine."""
    own = np.where(labels[:, None] == np.arange(n_clusters), 0.0, -np.inf)
    prior = prior_model(C, 0.5, n_clusters)
    if n_clusters == 2:
        return prior._replace(log_shares=own[:, 1:], log_rest=own[:, 0])
    return prior._replace(log_shares=own)


def label_values(labels: Indices, n_clusters: int) -> Vector:
    """Return the label that every latent function gives to every row, -1 or +1; shape (n, q)."""
    values = np.where(labels[:, None] == np.arange(n_clusters), 1.0, -1.0)
    return values[:, 1:] if n_clusters == 2 else values


def data_term(model: Model, f: Vector, epsilon: float) -> Quadratic:
    """Return the log likelihood of the data rows, given the values ``f`` of the latent functions.

    The lower bound on the log likelihood uses the responsibilities of the clusters, as in EM, and
    quadratic upper bounds on the hinge losses. Given the responsibilities, the lower bound on the
    log likelihood is a sum with a separate term for each latent function.
    """
    above, below = np.hypot(1 - f, epsilon), np.hypot(1 + f, epsilon)
    minus = model.C * (below + 1 + f) / 2
    gains = model.log_shares + minus - model.C * (above + 1 - f) / 2
    total = np.logaddexp(model.log_rest, np.logaddexp.reduce(gains, axis=1))
    p = np.exp(gains - total[:, None])
    half = model.C / 2
    # |u| <= (u^2 / |v| + |v|) / 2 with u = 1 -+ f and v its current value, weighted by p and 1 - p.
    W = half * (p / above + (1 - p) / below)
    b = half * (p * (1 + 1 / above) - (1 - p) * (1 + 1 / below))
    return Quadratic(float(total.sum() - minus.sum()), W, b)


def universum_term(C: float, f: Vector) -> Quadratic:
    """Return the log likelihood of the Universum rows; f must be strictly between the margins."""
    room = np.cosh(C) - np.cosh(C * f)
    slope = -C * np.sinh(C * f) / room
    # Minus the second derivative, by cosh^2 - sinh^2 = 1; it is > 0 between the margins.
    W = C**2 * (np.cosh(C) * np.cosh(C * f) - 1) / room**2
    # b gives the quadratic this slope at f.
    return Quadratic(float(np.log(room / np.cosh(C)).sum()), W, W * f + slope)


def cluster_probabilities(model: Model, mean: Vector, variance: Vector) -> Vector:
    """Return the probabilities of the clusters under Gaussian posteriors of the latent functions.

    ``mean`` and ``variance`` have a column for each of the q latent functions. For two clusters the
    formula is equation 10 of Dai, Hu & Niu. For more than two clusters, each latent function gives
    a row the label + or - independently, on condition that exactly one of the labels is +. The
    probability of a cluster is proportional to its prior probability times the odds that its latent
    function gives the label +.
    """
    if np.isfinite(model.log_rest).any():
        second = _probability_of_plus(
            model.C, mean[:, 0], variance[:, 0], model.log_shares[0, 0] - model.log_rest[0]
        )
        return np.column_stack([1 - second, second])
    plus = [
        _probability_of_plus(model.C, m, v, 0.0) for m, v in zip(mean.T, variance.T, strict=True)
    ]
    log_odds = model.log_shares[0] + logit(np.column_stack(plus))
    return np.asarray(softmax(log_odds, axis=1))


def _probability_of_plus(C: float, mean: Vector, variance: Vector, log_odds: float) -> Vector:
    """Return the probability of the label + for Gaussian latent values, by the trapezoidal rule."""
    nodes = np.linspace(-REACH, REACH, STEPS + 1)
    weights = np.exp(-(nodes**2) / 2)
    f = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    gains = C * (np.maximum(0, 1 + f) - np.maximum(0, 1 - f)) + log_odds
    return np.asarray(expit(gains) @ (weights / weights.sum()))
