"""Dynamic programs on chains, all sequences at once: Viterbi and forward-backward.

``unary`` holds the score of every label at every stored position, shape (k, n_positions): what runs
over the labels is then vectorised over the sequences. ``transition[a, b]`` is that of label b after
label a.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from structsvm.problem import Indices, Vector
from structsvm.problems.sequences.chain.packed import Layout

#: Numbers in a table of sequences by pairs of labels that a processor's cache holds.
CACHED = 50_000
#: Where the transitions differ by more, their exponentials span too much.
LARGEST_EXPONENT = 650.0
#: The exponential of less counts as 0. It may be subnormal, with which processors are slow.
LOWEST_EXPONENT = -700.0
#: Rounds that make the spread of the transitions smaller.
LEVELLINGS = 2


class Marginals(NamedTuple):
    """The distribution proportional to exp(score) over the labellings of every sequence.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        log sum exp(score).
    labels : ndarray of shape (k, n_positions)
        The probability of every label at every position.
    pairs : ndarray of shape (k, k)
        The expected number of times, in all sequences, that label b follows label a.
    """

    log_partition: Vector
    labels: Vector
    pairs: Vector


def viterbi(unary: Vector, transition: Vector, layout: Layout) -> Indices:
    """The labelling of highest score: the number of a label at every position."""
    steps = list(layout.steps())
    best = unary.T.copy()  # the best score of a sequence that ends here with this label
    for previous, step in pairwise(steps):
        n_going_on = step.stop - step.start
        best[step] += _largest_sums(best[previous][:n_going_on], transition)
    codes = np.empty(len(best), dtype=np.intp)
    n_later, later = 0, np.empty(0, dtype=np.intp)
    for step in reversed(steps):
        here = best[step]
        here[:n_later] += transition[:, later].T
        codes[step] = later = here.argmax(axis=1)
        n_later = len(later)
    return codes


def marginals(unary: Vector, transition: Vector, layout: Layout) -> Marginals:
    """The forward-backward algorithm.

    Forward go the messages. Backward go the probabilities themselves: those at one step follow from
    those at the next by Bayes' rule and the forward messages, and do not overflow.
    """
    if np.ptp(transition) > LARGEST_EXPONENT:
        unary, transition = _levelled(unary, transition, layout)
    if np.ptp(transition) > LARGEST_EXPONENT:
        return _marginals_by_logarithms(unary.T, transition, layout)
    return _marginals_by_products(unary, transition, layout)


def _levelled(unary: Vector, transition: Vector, layout: Layout) -> tuple[Vector, Vector]:
    """The same scores, with what a transition owes to one of its labels moved to that label."""
    level = transition
    for _ in range(LEVELLINGS):
        level = level - 0.5 * (level.max(axis=0) + level.min(axis=0))
        level = level - 0.5 * (level.max(axis=1) + level.min(axis=1))[:, None]
    moved = transition - level  # the sum of a number for its row and one for its column
    of_the_first, of_the_second = moved[:, :1], (moved[0] - moved[0, 0])[:, None]
    unary = unary + (of_the_first + of_the_second)
    unary[:, : len(layout.lengths)] -= of_the_second
    unary[:, layout.last] -= of_the_first
    return unary, level


def _marginals_by_products(unary: Vector, transition: Vector, layout: Layout) -> Marginals:
    """With exponentials that are scaled to a largest entry of 1: one matrix product a step."""
    top, highest = float(transition.max()), unary.max(axis=0)
    factors, scale = np.exp(transition - top), np.ones_like(highest)
    p = unary - highest
    p[p < LOWEST_EXPONENT] = -np.inf
    np.exp(p, out=p)
    steps, messages = list(layout.steps()), []
    for previous, step in pairwise(steps):
        here = p[:, step]
        messages.append(factors.T @ p[:, previous][:, : here.shape[1]])
        here *= messages[-1]
        scale[step] = here.max(axis=0)
        here *= 1 / scale[step]
    pairs = np.zeros_like(transition)
    for later, step in pairwise(reversed([*steps, slice(0, 0)])):
        here, going_on = p[:, step], later.stop - later.start
        if going_on:
            ratio = p[:, later] / messages.pop()
            pairs += here[:, :going_on] @ ratio.T
            here[:, :going_on] *= factors @ ratio
        ending = here[:, going_on:]
        sums = ending.sum(axis=0)
        ending *= 1 / sums
        scale[step][going_on:] *= sums
    log_partition = layout.sums(highest + np.log(scale)) + top * (layout.lengths - 1)
    return Marginals(log_partition, p, pairs * factors)


def _marginals_by_logarithms(unary: Vector, transition: Vector, layout: Layout) -> Marginals:
    """The same for any spread of the scores: an exponential for every pair of labels and step.

    Positions are rows here.
    """
    steps = list(layout.steps())
    forward, messages = unary.copy(), np.zeros_like(unary)
    for previous, step in pairwise(steps):
        for here, before in _blocks(step, previous, len(transition)):
            messages[here] = logsumexp(forward[before][:, :, None] + transition, axis=1)
            forward[here] += messages[here]
    labels, pairs = softmax(forward, axis=1), np.zeros_like(transition)
    for step, previous in pairwise(reversed(steps)):
        for here, before in _blocks(step, previous, len(transition)):
            table = forward[before][:, :, None] + transition - messages[here][:, None, :]
            joint = np.exp(table) * labels[here][:, None, :]
            pairs += joint.sum(axis=0)
            labels[before] = joint.sum(axis=2)
    log_partition = logsumexp(forward[layout.last], axis=1)
    return Marginals(log_partition, np.ascontiguousarray(labels.T), pairs)


def _largest_sums(best: Vector, transition: Vector) -> Vector:
    """max over a of best[:, a] + transition[a, b]."""
    largest = np.empty_like(best)
    for rows, _ in _blocks(slice(0, len(best)), slice(0, len(best)), len(transition)):
        largest[rows] = (best[rows][:, :, None] + transition).max(axis=1)
    return largest


def _blocks(step: slice, previous: slice, k: int) -> Iterator[tuple[slice, slice]]:
    """The positions of a step, and those before them, in parts for a table of pairs of labels."""
    size = max(1, CACHED // k**2)
    for start in range(0, step.stop - step.start, size):
        stop = min(start + size, step.stop - step.start)
        yield (
            slice(step.start + start, step.start + stop),
            slice(previous.start + start, previous.start + stop),
        )
