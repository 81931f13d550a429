"""Sums over all dependency trees: the log-partition function and the marginals of arcs.

A tree has a probability ~ exp(sum of the scores of its arcs). The sum over all trees is the
determinant of a matrix (Tutte's matrix-tree theorem; Koo, Globerson, Carreras & Collins, Structured
Prediction Models via the Matrix-Tree Theorem, EMNLP 2007). Determinant and inverse lose all digits
where scores are far apart, so the words are eliminated without subtractions instead, as
Grassmann, Taksar & Heyman (Operations Research 33, 1985) do for Markov chains, whose stationary
probabilities are sums over trees too. With weights a[i, j] = exp(score) of the arc from head i to
word j, the elimination of word k, after those above it, is

    s_k = sum_i a[i, k],    a[i, j] += a[i, k] a[k, j] / s_k    for i, j < k,

and the product of all s_k is the partition function: a word that k heads may as well be headed by
k's own heads, in proportion. For a single root the head 0 is left out of s_k for all k > 1.

The derivatives G[i, j] of log Z by a[i, j] follow in reverse order: for k, from the derivatives for
the words below k. With t_i = sum_j G[i, j] a[k, j] and f = sum_i t_i a[i, k] / s_k, which is the
expected number of words that k heads,

    G[k, j] = sum_i G[i, j] a[i, k] / s_k,    G[i, k] = (1 + t_i - f) / s_k,

where 1 - f is left out for the head 0 of a single root. The marginals are G[i, j] a[i, j]. Errors
of the difference do not grow, since what follows takes fractions of the marginals: the result has
an error of about m rounding errors of 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector

#: The logarithm of a weight below which it counts as 0: subnormal numbers are inaccurate and slow.
LOWEST = -690.0
#: By how much every s_k must be above that, as a logarithm.
MARGIN = 50.0
#: Numbers in the arrays of sentences that are evaluated together, at most: a processor's cache.
CACHED = 100_000


def tree_marginals(scores: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """The log-partition functions and the marginals of arcs, for n sentences of the same length.

    Parameters
    ----------
    scores : ndarray of shape (n, m, m + 1)
        As in :mod:`structsvm.problems.trees.arborescence`; finite. For arcs that no tree has, -inf
        is allowed too, with a single root at words that have a head among those before them.
    single_root : bool
        Whether exactly one word of a tree has the head 0.

    Returns
    -------
    log_partition : ndarray of shape (n,)
        log sum exp(score of a tree).
    marginals : ndarray of shape (n, m, m + 1)
        The probability of every arc.
    """
    n, m, _ = scores.shape
    values, found = np.empty(n), np.zeros(scores.shape)
    step = max(1, CACHED // (m * (m + 1)))
    for part in (slice(start, start + step) for start in range(0, n, step)):
        arcs = np.full((len(scores[part]), m + 1, m + 1), -np.inf)  # from heads to dependents
        arcs[:, :, 1:] = scores[part].transpose(0, 2, 1)
        arcs[:, np.arange(m + 1), np.arange(m + 1)] = -np.inf
        highest = arcs[:, :, 1:].max(axis=1)
        arcs[:, :, 1:] -= highest[:, None, :]
        own, marginals, safe = _by_weights(arcs, single_root)
        if not safe.all():
            own[~safe], marginals[~safe] = _by_logarithms(arcs[~safe], single_root)
        values[part] = own + highest.sum(axis=1)
        found[part] = marginals[:, :, 1:].transpose(0, 2, 1).clip(0, 1)
    return values, found


def _by_weights(arcs: Vector, single_root: bool) -> tuple[Vector, Vector, Any]:
    """The same for logarithms of weights from heads to dependents, the largest of each word 0.

    Also whether no weight underflows where that matters, for each sentence.
    """
    m = arcs.shape[1] - 1
    weights = np.exp(np.where(arcs < LOWEST, -np.inf, arcs))
    a, G, s = weights.copy(), np.zeros_like(weights), np.empty((len(arcs), m + 1))
    with np.errstate(all="ignore"):  # where weights underflow, the result is not used
        for k in range(m, 0, -1):
            first = int(single_root and k > 1)
            s[:, k] = a[:, first:k, k].sum(axis=1)
            share = a[:, k, 1:k] / s[:, k, None]
            a[:, :k, 1:k] += a[:, :k, k, None] * share[:, None, :]
        for k in range(1, m + 1):
            first = int(single_root and k > 1)
            p, below = a[:, :k, k] / s[:, k, None], G[:, :k, 1:k]
            G[:, k, 1:k] = np.matmul(p[:, None, :], below)[:, 0]
            t = np.matmul(below, a[:, k, 1:k, None])[:, :, 0]
            t[:, first:] += 1 - (p * t).sum(axis=1, keepdims=True)
            G[:, :k, k] = t / s[:, k, None]
        values = np.log(s[:, 1:]).sum(axis=1)
        # Elimination lowers the sum of a word's weights, so s_k is at most what it was at first.
        least = values - np.log(weights[:, :, 1:].sum(axis=1)).sum(axis=1)
        found = G * weights
        # A derivative by a weight of 0 may be infinite.
        finite = np.isfinite(values) & np.isfinite(found).all(axis=(1, 2))
        return values, found, finite & (least > LOWEST + MARGIN)


def _by_logarithms(arcs: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """The same with logarithms of all weights and derivatives, for any spread of the scores."""
    m = arcs.shape[1] - 1
    a, G, s = arcs.copy(), np.full(arcs.shape, -np.inf), np.empty((len(arcs), m + 1))
    for k in range(m, 0, -1):
        first = int(single_root and k > 1)
        s[:, k] = _log_sums(a[:, first:k, k])
        share = a[:, k, 1:k] - s[:, k, None]
        rest = a[:, :k, 1:k]
        np.logaddexp(rest, a[:, :k, k, None] + share[:, None, :], out=rest)
    for k in range(1, m + 1):
        first = int(single_root and k > 1)
        p, below = a[:, :k, k] - s[:, k, None], G[:, :k, 1:k]
        G[:, k, 1:k] = _log_sums((below + p[:, :, None]).swapaxes(1, 2))
        marginals = np.exp(p + _log_sums(below + a[:, k, None, 1:k]))
        rest = 1 - marginals.sum(axis=1, keepdims=True)
        marginals[:, first:] += np.exp(p[:, first:]) * rest
        some = marginals > 0
        np.log(marginals, out=marginals, where=some)
        G[:, :k, k] = np.where(some, marginals - a[:, :k, k], -np.inf)
    return s[:, 1:].sum(axis=1), np.exp(G + arcs)


def _log_sums(logarithms: Vector) -> Vector:
    """log sum exp along the last axis, -inf for a sum of no terms."""
    if not logarithms.shape[-1]:
        return np.full(logarithms.shape[:-1], -np.inf)
    return np.asarray(np.logaddexp.reduce(logarithms, axis=-1))
