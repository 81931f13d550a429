"""Sums over all dependency trees: the log-partition function and the marginals of arcs.

The probability of a tree is proportional to exp(sum of its arc scores). The sum over all trees is
the determinant of a matrix (Tutte's matrix-tree theorem; Koo, Globerson, Carreras & Collins,
Structured Prediction Models via the Matrix-Tree Theorem, EMNLP 2007). If scores are far apart, the
determinant and the inverse matrix lose all digits. To keep all digits, this module eliminates word
after word without subtractions, as Grassmann, Taksar & Heyman (Operations Research 33, 1985)
eliminate the states of Markov chains. Let a[i, j] = exp(score) be the weight of the arc from head i
to word j. Words are eliminated from the last to the first. To eliminate word k, compute the sum s_k
of the weights of the arcs to word k, and increase the weights of the arcs that remain:

    s_k = sum_i a[i, k],    a[i, j] += a[i, k] a[k, j] / s_k    for i, j < k.

The partition function Z, which is the sum over all trees, is the product of s_k over all words k.
When word k is eliminated, its arcs to dependents pass to the heads of k, in proportion to the
weights of the arcs to k. If a single root is required, the sum s_k for k > 1 leaves out a[0, k],
the weight of the arc from the root to word k.

The matrix G of the derivatives of log Z with respect to the arc weights is computed from the first
word to the last:

    G[k, j] = sum_i G[i, j] a[i, k] / s_k,    G[i, k] = (1 + t_i - f) / s_k,
    t_i = sum_j G[i, j] a[k, j],    f = sum_i t_i a[i, k] / s_k    for heads i, words j < k,
    G[0, k] = t_0 / s_k    for k > 1, if a single root is required.

The marginal of an arc is exp(score) times the derivative of log Z with respect to the weight of the
arc. For a sentence of m words, the rounding error of the marginals is about m times the machine
precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Vector

#: Logarithm of the weight below which weights count as 0: subnormal numbers are inaccurate and
#: slow.
LOWEST = -690.0
#: Least distance of the logarithm of every s_k from LOWEST.
MARGIN = 50.0
#: Largest number of array entries that are evaluated together: they fit into a processor's cache.
CACHED = 100_000


def tree_marginals(scores: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """Return the log-partition functions and arc marginals of n sentences of the same length.

    Parameters
    ----------
    scores : ndarray of shape (n, m, m + 1)
        Finite scores in the format of :mod:`structsvm.problems.trees.arborescence`. Arcs that occur
        in no tree may have the score -inf. With a single root, every word but the first must have
        an arc of finite score from an earlier word.
    single_root : bool
        Whether exactly one word of a tree has the head 0.

    Returns
    -------
    log_partition : ndarray of shape (n,)
        The logarithm of the sum of exp(score) over all trees.
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
    """Compute sums and marginals from log-weights, whose largest value for each word is 0.

    The third return value is True for each sentence whose sum and marginals are accurate, even
    though small weights become 0.
    """
    m = arcs.shape[1] - 1
    weights = np.exp(np.where(arcs < LOWEST, -np.inf, arcs))
    a, G, s = weights.copy(), np.zeros_like(weights), np.empty((len(arcs), m + 1))
    with np.errstate(all="ignore"):  # if weights underflow, the result is not used
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
        # Elimination lowers the sum of a word's weights, so s_k is at most the original sum.
        least = values - np.log(weights[:, :, 1:].sum(axis=1)).sum(axis=1)
        found = G * weights
        # A derivative by a weight of 0 may be infinite.
        finite = np.isfinite(values) & np.isfinite(found).all(axis=(1, 2))
        return values, found, finite & (least > LOWEST + MARGIN)


def _by_logarithms(arcs: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """Compute sums and marginals with logarithms of all weights, for any spread of scores."""
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
    """Return log sum exp along the last axis, -inf for an empty sum."""
    if not logarithms.shape[-1]:
        return np.full(logarithms.shape[:-1], -np.inf)
    return np.asarray(np.logaddexp.reduce(logarithms, axis=-1))
