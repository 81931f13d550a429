"""Dynamic programs on chains, for all sequences at once: Viterbi and forward-backward.

``unary`` holds the score of every label at every stored position, shape (k, n_positions), so that
each operation on a label runs over all sequences. ``transition[a, b]`` is the score of label b
after label a. Forbidden transitions have the score -inf, and so do labels that no allowed labelling
has at a position.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.sequences.chain.data import ChainLayout

#: Numbers in a table of sequences by pairs of labels that a processor's cache holds.
CACHED = 50_000
#: A score that is lower than the highest at its position by more than this is raised to this: its
#: exponential may be subnormal, with which processors are slow.
LOWEST_EXPONENT = {np.dtype(np.float32): -80.0, np.dtype(np.float64): -700.0}
#: Least message, relative to the largest at its position, for the same reason.
LEAST_MESSAGE = {np.dtype(np.float32): 1e-30, np.dtype(np.float64): 1e-280}
#: Spread of the transition scores up to which raising does not matter: the transitions to and from
#: a label make up for twice the spread, and what is left is less than rounding.
SAFE_SPREAD = {np.dtype(np.float32): 30.0, np.dtype(np.float64): 330.0}
#: Largest spread for messages of a dtype. Beyond it, float64 replaces float32, and logarithms
#: replace float64.
LARGEST_SPREAD = {np.dtype(np.float32): 60.0, np.dtype(np.float64): 650.0}
#: Logarithm of the message to a label that no other may precede: finite, to be subtracted.
LOWEST_MESSAGE = -1e300
#: Expected labels at a position that may have been raised.
NEGLIGIBLE = 1e-7
#: Rounds of moving transition scores to the labels, which reduce the spread.
LEVELLINGS = 2


class Marginals(NamedTuple):
    """Marginals of outputs that have a probability ~ exp(score).

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        log sum exp(score).
    parts : ndarray
        The probability of every label at every position, shape (k, n_positions).
    pairs : ndarray of shape (k, k)
        The expected number of times that label b follows label a, summed over the sequences with
        their weights.
    """

    log_partition: Vector
    parts: Vector
    pairs: Vector


def viterbi(unary: Vector, transition: Vector, layout: ChainLayout) -> Indices:
    """The labelling of highest score, as a label code at every position."""
    steps = list(layout.steps())
    best = unary.T.copy()  # the best score of a sequence that ends here with this label
    for previous, step in pairwise(steps):
        # The sequences that reach this step are the first of the previous one: see ChainLayout.
        n_going_on = step.stop - step.start
        best[step] += _largest_sums(best[previous][:n_going_on], transition)
    codes = np.empty(len(best), dtype=np.intp)
    n_later, later = 0, np.empty(0, dtype=np.intp)
    for step in reversed(steps):
        here = best[step]
        # No back pointers: the best predecessor is found again from the label chosen after it.
        here[:n_later] += transition[:, later].T
        codes[step] = later = here.argmax(axis=1)
        n_later = len(later)
    return codes


def marginals(
    unary: Vector,
    transition: Vector,
    layout: ChainLayout,
    weights: Vector,
    restricted: bool = False,
) -> Marginals:
    """The forward-backward algorithm.

    The forward pass computes messages, the backward pass the probabilities themselves: each step
    follows from the next by Bayes' rule and the forward messages, so that nothing overflows.
    Results have the dtype of ``unary`` if the scores allow it, else float64.
    ``unary`` is overwritten. ``weights``, of shape (n,), belong to the sequences.
    ``restricted`` says that some scores are -inf.
    """
    forbidden = np.isneginf(transition)
    allowed = transition[~forbidden]
    if np.ptp(allowed) > SAFE_SPREAD[unary.dtype]:
        unary, transition = _levelled(unary, np.where(forbidden, allowed.min(), transition), layout)
        transition[forbidden] = -np.inf
    return _by_least_precision(unary, transition, layout, weights, restricted)


def _by_least_precision(
    unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector, restricted: bool
) -> Marginals:
    """Marginals in the dtype of ``unary`` where that is enough, else in float64 or by logarithms.

    What is not enough for some sequences alone is repeated for these.
    """
    spread = np.ptp(transition[~np.isneginf(transition)])
    for dtype in (unary.dtype, np.dtype(np.float64)):
        # If only some labels may follow a label, its transitions do not make up for raising it.
        if spread <= SAFE_SPREAD[dtype] and not restricted:
            unary = unary.astype(dtype, copy=False)
            return _marginals_by_products(unary, transition, layout, weights)
        if spread <= LARGEST_SPREAD[dtype]:
            raised = np.empty(unary.shape, dtype=bool)
            unary = unary.astype(dtype, copy=False)
            found = _marginals_by_products(unary.copy(), transition, layout, weights, raised)
            # What was raised adds no more than its probability to the partition function.
            doubt = layout.sums(np.where(raised, found.parts, 0).sum(axis=0, dtype=np.float64))
            doubtful = np.flatnonzero(doubt > NEGLIGIBLE * layout.lengths)
            if not len(doubtful):
                return found
            if len(doubtful) < len(doubt) or dtype == np.float64:
                return _corrected(doubtful, found, unary, transition, layout, weights, restricted)
    return _marginals_by_logarithms(unary.T.astype(np.float64), transition, layout, weights)


def _levelled(unary: Vector, transition: Vector, layout: ChainLayout) -> tuple[Vector, Vector]:
    """Equal scores of all labellings, with transitions of a smaller spread.

    A constant in a row or column of ``transition`` belongs to one label alone, and is moved to the
    unary scores of that label.
    """
    level = transition
    for _ in range(LEVELLINGS):
        level = level - 0.5 * (level.max(axis=0) + level.min(axis=0))
        level = level - 0.5 * (level.max(axis=1) + level.min(axis=1))[:, None]
    moved = transition - level  # a sum of one number for the row and one for the column
    of_the_first, of_the_second = moved[:, :1], (moved[0] - moved[0, 0])[:, None]
    # No transition leads to a first position or from a last one. Adding the numbers there and
    # taking them away again would leave rounding errors of their size.
    unary[:, len(layout.lengths) :] += of_the_second
    going_on = np.ones(unary.shape[1], dtype=bool)
    going_on[layout.last] = False
    unary[:, going_on] += of_the_first
    return unary, level


def _marginals_by_products(
    unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector, raised: Any = None
) -> Marginals:
    """Marginals from exponentials scaled to a largest entry of 1: one matrix product a step.

    ``unary`` is overwritten. In ``raised``, where it is given, the labels are marked whose scores
    or messages were raised.
    """
    top, highest = float(transition.max()), unary.max(axis=0)
    factors, scale = np.exp(transition - top).astype(unary.dtype), np.ones_like(highest)
    unary -= highest
    lowest, least = LOWEST_EXPONENT[unary.dtype], LEAST_MESSAGE[unary.dtype]
    tiny = float(np.finfo(unary.dtype).tiny)
    possible: Any = None  # which labels are possible; None if all are
    if raised is not None:
        possible = ~np.isneginf(unary)
        np.less(unary, lowest, out=raised)
    np.maximum(unary, lowest, out=unary)
    p = np.exp(unary, out=unary)
    if possible is not None:
        p *= possible
    steps, messages = list(layout.steps()), []
    for previous, step in pairwise(steps):
        here = p[:, step]
        # At least exp(-LARGEST_EXPONENT), as p has a largest entry of 1: safe to divide by below.
        messages.append(factors.T @ p[:, previous][:, : here.shape[1]])
        if raised is not None:  # else a product that underflows would be lower than it is
            np.maximum(messages[-1], tiny, out=messages[-1])
        here *= messages[-1]
        if raised is not None:
            np.maximum(here, tiny, out=here)
            if possible is not None:
                here *= possible[:, step]
        scale[step] = here.max(axis=0)
        inverse = 1 / scale[step]
        here *= inverse
        if raised is None:
            np.maximum(here, least, out=here)
            continue
        lowest = np.maximum(least, tiny * inverse)
        raised[:, step] |= here <= lowest
        np.maximum(here, lowest, out=here)
        if possible is not None:
            here *= possible[:, step]
    pairs, weight = np.zeros(transition.shape), weights[layout.sequence].astype(p.dtype)
    for later, step in pairwise(reversed([*steps, slice(0, 0)])):
        here, going_on = p[:, step], later.stop - later.start
        if going_on:
            # Bayes' rule: P(a, b) = forward(a) factors[a, b] P(b) / message(b).
            ratio = p[:, later] / messages.pop()
            pairs += here[:, :going_on] @ (ratio * weight[later]).T
            here[:, :going_on] *= factors @ ratio
            np.maximum(here, least, out=here)
            if possible is not None:
                here *= possible[:, step]
        # Where a sequence ends, its forward message is the marginal times a number that belongs to
        # the partition function.
        ending = here[:, going_on:]
        sums = ending.sum(axis=0)
        ending *= 1 / sums
        scale[step][going_on:] *= sums
    # Adds what the exponentials left out: ``highest`` at positions and ``top`` at transitions.
    left_out = highest.astype(np.float64) + np.log(scale.astype(np.float64))
    log_partition = layout.sums(left_out) + top * (layout.lengths - 1)
    # ``factors`` is the same at every step, so it multiplies the sum of all pairs once.
    return Marginals(log_partition, p, pairs * factors)


def _corrected(
    some: Indices,
    found: Marginals,
    unary: Vector,
    transition: Vector,
    layout: ChainLayout,
    weights: Vector,
    restricted: bool,
) -> Marginals:
    """Marginals by products, ``found``, but for some sequences more precise ones."""
    own, weights = ChainLayout(layout.lengths[some]), weights[some]
    places = layout.positions(some[own.sequence], own.step)
    scores = unary[:, places]
    if scores.dtype == np.float64:
        exact = _marginals_by_logarithms(scores.T.copy(), transition, own, weights)
    else:
        precise = scores.astype(np.float64)
        exact = _by_least_precision(precise, transition, own, weights, restricted)
    found.log_partition[some], found.parts[:, places] = exact.log_partition, exact.parts
    # As they were computed before, to be taken from the sum.
    raised = np.empty(scores.shape, dtype=bool)
    wrong = _marginals_by_products(scores, transition, own, weights, raised)
    return found._replace(pairs=found.pairs - wrong.pairs + exact.pairs)


def _marginals_by_logarithms(
    unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector
) -> Marginals:
    """Marginals for any spread of the scores, with k^2 exponentials for every position.

    ``unary`` is transposed here: a row for each position.
    """
    steps = list(layout.steps())
    forward, messages = unary.copy(), np.zeros_like(unary)
    for previous, step in pairwise(steps):
        for here, before in _blocks(step, previous, len(transition)):
            sums = log_sums(forward[before][:, :, None] + transition, axis=1)
            messages[here] = np.maximum(sums, LOWEST_MESSAGE)
            forward[here] += messages[here]
    labels, pairs = softmax(forward, axis=1), np.zeros_like(transition)
    for step, previous in pairwise(reversed(steps)):
        for here, before in _blocks(step, previous, len(transition)):
            table = forward[before][:, :, None] + transition - messages[here][:, None, :]
            joint = np.exp(table) * labels[here][:, None, :]
            pairs += np.tensordot(weights[layout.sequence[here]], joint, 1)
            labels[before] = joint.sum(axis=2)
    log_partition = log_sums(forward[layout.last], axis=1)
    return Marginals(log_partition, np.ascontiguousarray(labels.T), pairs)


def _largest_sums(best: Vector, transition: Vector) -> Vector:
    """The maximum over a of best[:, a] + transition[a, b], shape (n, k)."""
    largest = np.empty_like(best)
    for rows, _ in _blocks(slice(0, len(best)), slice(0, len(best)), len(transition)):
        largest[rows] = (best[rows][:, :, None] + transition).max(axis=1)
    return largest


def _blocks(step: slice, previous: slice, k: int) -> Iterator[tuple[slice, slice]]:
    """The positions of a step and those before them, in blocks whose tables fit into the cache."""
    size = max(1, CACHED // k**2)
    for start in range(0, step.stop - step.start, size):
        stop = min(start + size, step.stop - step.start)
        yield (
            slice(step.start + start, step.start + stop),
            slice(previous.start + start, previous.start + stop),
        )


def n_best(unary: Vector, transition: Vector, n: int) -> tuple[Indices, Vector]:
    """The n best labellings, by an extension of Viterbi's algorithm.

    For each label, the n best labellings up to a position that end with it are extensions of the n
    best up to the position before.

    Parameters
    ----------
    unary : ndarray of shape (length, k)
        The score of every label at every position; -inf where it cannot be.
    transition : ndarray of shape (k, k)
        ``transition[a, b]`` is the score of b after a; -inf where that is forbidden.
    n : int

    Returns
    -------
    codes : ndarray of shape (m, length)
        The labellings as label codes, best first; m < n where there are no more.
    scores : ndarray of shape (m,)
        Their scores, falling.
    """
    best, choices = unary[0][:, None], []
    for here in unary[1:]:
        totals = best[:, :, None] + transition[:, None, :]  # of label, rank and next label
        totals = totals.reshape(-1, len(transition))
        choices.append((_largest(totals, n), best.shape[1]))
        best = (np.take_along_axis(totals, choices[-1][0], axis=0) + here).T
    last = _largest(best.reshape(-1, 1), n)[:, 0]
    scores = best.ravel()[last]
    last, scores = last[scores > -np.inf], scores[scores > -np.inf]
    codes = np.empty((len(last), len(unary)), dtype=np.intp)
    codes[:, -1], rank = np.divmod(last, best.shape[1])
    for step in range(len(choices), 0, -1):
        chosen, width = choices[step - 1]
        codes[:, step - 1], rank = np.divmod(chosen[rank, codes[:, step]], width)
    return codes, scores


def _largest(scores: Vector, n: int) -> Indices:
    """The rows of the n largest entries of each column, largest first."""
    return np.argsort(-scores, axis=0, kind="stable")[:n]
