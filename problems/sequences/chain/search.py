"""Dynamic programs on chains, for all sequences together: Viterbi and forward-backward.

``unary`` holds the score of every label at every stored position, shape (k, n_positions), so that
each operation on a label runs over all sequences. ``transition[a, b]`` is the score of label b
after label a. Forbidden transitions have the score -inf. A label has the score -inf at a position
if no allowed labelling has it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.sequences.chain.layout import ChainLayout, CutLayout

#: Number of entries in a table of sequences and pairs of labels that fit into a processor's cache.
CACHED = 50_000
#: Least probability of a label, relative to the largest at its position. Lower ones are raised to
#: it, because they may be subnormal numbers, with which processors are slow.
LEAST = {np.dtype(np.float32): 1e-30, np.dtype(np.float64): 1e-280}
#: Spread of transition scores up to which raising is harmless: the transitions to and from a label
#: make up for at most twice the spread, so the effect is below rounding.
SAFE = 25.0
#: Spread of transition scores above which float64 replaces float32 from the start.
WIDE = 40.0
#: Logarithm of the message to a label without predecessors: finite, so that it can be subtracted.
LOWEST_MESSAGE = -1e300
#: Relative difference of numbers that counts as rounding, in units of the machine precision.
ROUNDING = 64
#: Largest negligible expected number of raised labels per position.
NEGLIGIBLE = 1e-7


class Marginals(NamedTuple):
    """The marginals of outputs whose probability is proportional to exp(score).

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        The logarithm of the sum of exp(score) over the outputs.
    parts : ndarray
        The probability of every label at every position, shape (k, n_positions).
    pairs : ndarray of shape (k, k)
        The expected number of times that label b follows label a, summed over the sequences with
        their weights.
    """

    log_partition: Vector
    parts: Vector
    pairs: Vector


@compiled("chain")
def viterbi(unary: Vector, transition: Vector, layout: ChainLayout) -> Indices:
    """Return the labelling of highest score, as a label code at every position."""
    pieces, transition = layout.pieces, transition.astype(unary.dtype)
    best = np.ascontiguousarray(_best_paths(pieces, pieces.cut(unary), transition).T)
    onto = np.ascontiguousarray(transition.T)

    def backward(after: Indices, here: Any) -> Indices:
        # Without back pointers, the best predecessor is computed again from the label chosen after
        # it.
        return np.asarray((best[here] + onto[after]).argmax(axis=1))

    codes, ends = np.empty(len(best), dtype=np.intp), pieces.last
    codes[ends] = best[ends].argmax(axis=1)
    pieces.run(codes, backward, backwards=True)
    return np.asarray(pieces.joined(codes))


@compiled("chain")
def max_marginals(unary: Vector, transition: Vector, layout: ChainLayout) -> Vector:
    """Return the best score with each label at each position, minus the best score overall.

    The shape is (k, n_positions); entries are -inf if no allowed labelling has the label.
    """
    pieces = layout.pieces
    unary, transition = pieces.cut(unary), transition.astype(unary.dtype)
    found = _best_paths(pieces, unary, transition)
    found += _best_paths(pieces, unary, np.ascontiguousarray(transition.T), backwards=True)
    with np.errstate(invalid="ignore"):  # -inf - -inf
        found -= unary
    found[np.isnan(found)] = -np.inf
    found -= np.maximum(found.max(axis=0), np.finfo(unary.dtype).min)
    return np.asarray(pieces.joined(found))


def _best_paths(pieces: Any, unary: Vector, onto: Vector, backwards: bool = False) -> Vector:
    """Return the best score of a path to each label, minus that of the path to the best label.

    Paths begin at the start of a sequence or, backwards, at the end.
    """
    best, lowest = np.empty_like(unary), np.finfo(unary.dtype).min
    first: Any = pieces.last if backwards else slice(len(pieces))

    def advance(before: Vector, here: Any) -> Vector:
        scores = _largest_sums(before, onto)
        scores += unary[:, here]
        scores -= np.maximum(np.maximum.reduce(scores), lowest)
        return scores

    best[:, first] = unary[:, first] - np.maximum(unary[:, first].max(axis=0), lowest)
    pieces.run(best, advance, backwards=backwards)
    return best


def marginals(unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector) -> Marginals:
    """Compute marginals by the forward-backward algorithm.

    Results have the dtype of ``unary`` if the scores allow it, otherwise float64. ``unary`` may be
    overwritten. ``weights`` of shape (n,) holds the weights of the sequences.
    """
    spread = np.ptp(transition[np.isfinite(transition)])
    if spread <= SAFE and np.isfinite([unary.min(initial=0.0), transition.min()]).all():
        return _by_products(unary, transition, layout, weights)
    if spread > WIDE:
        unary = unary.astype(np.float64)
    raised = np.isneginf(unary)
    found = _by_products(unary.copy(), transition, layout, weights, raised)
    # A raised label adds no more than its probability to the partition function.
    doubt = layout.sums(np.where(raised, found.parts, 0).sum(axis=0, dtype=np.float64))
    doubtful = np.flatnonzero(doubt > NEGLIGIBLE * layout.lengths)
    found.parts[raised] = 0.0
    if not len(doubtful):
        return found
    own, places = layout.taken(doubtful)
    scores, weights = unary[:, places], weights[doubtful]
    more_precise = marginals if unary.dtype == np.float32 else _by_logarithms
    exact = more_precise(scores.astype(np.float64), transition, own, weights)
    wrong = _by_products(scores, transition, own, weights)
    found.log_partition[doubtful], found.parts[:, places] = exact.log_partition, exact.parts
    return found._replace(pairs=found.pairs - wrong.pairs + exact.pairs)


def _by_products(
    unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector, raised: Any = None
) -> Marginals:
    """Compute marginals without logarithms, by one matrix product per step.

    The forward pass computes messages, the backward pass the probabilities themselves. The
    probabilities at a step follow from the next step by Bayes' rule and the forward messages, so
    that nothing overflows. Probabilities that would underflow are replaced by the smallest allowed
    value. The mask ``raised``, if given, is set to True where a probability was replaced. ``unary``
    is overwritten.
    """
    least = LEAST[unary.dtype]
    # Move the highest score of a transition to a label to the label.
    top = transition.max(axis=0, keepdims=True)
    top[np.isneginf(top)] = 0.0
    factors = np.exp(transition - top).astype(unary.dtype)
    unary[:, len(layout) :] += top.T
    highest = unary.max(axis=0)
    unary -= highest
    p = np.maximum(np.exp(unary, out=unary), least, out=unary)
    if raised is not None:
        raised |= p <= least
    weight, pieces = weights[layout.sequence].astype(p.dtype), layout.pieces
    if isinstance(pieces, CutLayout):
        scale, pairs = _by_pieces(p, factors, pieces, weight, raised)
    else:
        scale, pairs = _by_steps(p, factors, layout, weight, raised)
    log_partition = layout.sums(highest.astype(np.float64) + np.log(scale.astype(np.float64)))
    # ``factors`` is the same at every step, so it multiplies the sum of all pairs once.
    return Marginals(log_partition, p, pairs * factors)


def _by_steps(
    p: Vector, factors: Vector, layout: ChainLayout, weight: Vector, raised: Any
) -> tuple[Vector, Vector]:
    """Overwrite ``p`` with the marginals, step by step.

    The first result is an array with the divisor of the forward probabilities at each position. The
    second result is a (k, k) matrix: the expected numbers of transitions from label to label,
    divided by ``factors``.
    """
    links, messages = layout.links(), []
    least, tiny = LEAST[p.dtype], np.finfo(p.dtype).tiny
    scale = np.ones_like(p[0])
    for before, step in links:
        here, message = p[:, step], factors.T @ p[:, before]
        messages.append(np.maximum(message, least, out=message))
        here *= message
        largest = np.maximum(here.max(axis=0), tiny)
        scale[step], inverse = largest, 1 / largest
        here *= inverse
        lowest = np.maximum(least, tiny * inverse)
        np.maximum(here, lowest, out=here)
        if raised is not None:
            raised[:, step] |= (here <= lowest) | (message <= least)
    # At the end of a sequence the forward message is the marginal times a factor of the partition
    # function.
    sums = p[:, layout.last].sum(axis=0)
    p[:, layout.last] /= sums
    scale[layout.last] *= sums
    pairs = np.zeros(factors.shape)
    for step, later in reversed(links):
        # Bayes' rule: P(a, b) = forward(a) factors[a, b] P(b) / message(b).
        here, ratio = p[:, step], p[:, later] / messages.pop()
        pairs += here @ (ratio * weight[later]).T
        here *= factors @ ratio
        np.maximum(here, least, out=here)
    return scale, pairs


def _by_pieces(
    p: Vector, factors: Vector, pieces: CutLayout, weight: Vector, raised: Any
) -> tuple[Vector, Vector]:
    """Overwrite ``p`` with the marginals; long sequences are cut into pieces."""
    states, p = p, pieces.cut(p)
    states[:] = p
    least, tiny = LEAST[p.dtype], np.finfo(p.dtype).tiny
    messages, scale = np.ones_like(p), np.ones_like(p[0])

    def forward(before: Vector, here: Any) -> Vector:
        message: Vector = factors.T @ before
        messages[:, here] = np.maximum(message, least, out=message)
        message *= p[:, here]
        scale[here] = largest = np.maximum(message.max(axis=0), tiny)
        message /= largest
        np.maximum(message, np.maximum(least, tiny / largest), out=message)
        return message

    def backward(after: Vector, here: Any) -> Vector:
        found = factors @ after
        found *= shares[:, here]
        return found

    pieces.run(states, forward, _differ)
    if raised is not None:
        lowest = np.maximum(least, tiny / scale)
        raised |= pieces.joined((states <= lowest) | (messages <= least))
    shares, ends = np.divide(states, messages, out=messages), pieces.last
    totals, ratios = states[:, ends].sum(axis=0), p  # ratios of probabilities and messages
    scale[ends] *= np.where(pieces.following[ends] < 0, totals, 1)
    ratios[:, ends] = shares[:, ends] / totals
    pieces.run(ratios, backward, _differ, backwards=True)
    labels = np.divide(ratios, shares, out=shares)
    labels *= states
    np.maximum(labels, least, out=labels)
    sums = labels.sum(axis=0)  # 1, except for differences where a run ends
    labels /= sums
    ratios *= pieces.cut(weight) / sums
    pairs = np.zeros(factors.shape)
    for before, here in [*pieces.links(), pieces.joints]:
        pairs += states[:, before] @ ratios[:, here].T
    states[:, pieces.of_whole] = labels
    return pieces.joined(scale), pairs


def _differ(found: Vector, known: Vector) -> Any:
    """Whether states differ by more than rounding errors."""
    return np.abs(found - known) > ROUNDING * np.finfo(known.dtype).eps * known


def _by_logarithms(
    unary: Vector, transition: Vector, layout: ChainLayout, weights: Vector
) -> Marginals:
    """Compute marginals for any spread of the scores, with k^2 exponentials per position."""
    steps, forward = list(layout.steps()), unary.T.copy()  # a row for each position
    messages = np.zeros_like(forward)
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
    """Return the maximum over a of best[a] + transition[a, b], shape (k, n)."""
    if transition.size * best.shape[1] <= CACHED:
        return np.asarray(np.maximum.reduce(best[:, None] + transition[:, :, None]))
    largest: Vector = best[0] + transition[0][:, None]
    for before, row in zip(best[1:], transition[1:], strict=True):
        np.maximum(largest, before + row[:, None], out=largest)
    return largest


def _blocks(step: slice, previous: slice, k: int) -> Iterator[tuple[slice, slice]]:
    """Divide the slices ``step`` and ``previous`` into blocks whose tables fit into the cache."""
    size, shift = max(1, CACHED // k**2), previous.start - step.start
    for start in range(step.start, step.stop, size):
        stop = min(start + size, step.stop)
        yield slice(start, stop), slice(start + shift, stop + shift)


def n_best(unary: Vector, transition: Vector, n: int) -> tuple[Indices, Vector]:
    """Return the n best labellings, by an extension of Viterbi's algorithm.

    The search extends labellings by one position at a time, and keeps the n best labellings for
    each last label.

    Parameters
    ----------
    unary : ndarray of shape (length, k)
        The score of every label at every position, -inf if the label is forbidden.
    transition : ndarray of shape (k, k)
        ``transition[a, b]`` is the score of b after a, -inf if b after a is forbidden.
    n : int

    Returns
    -------
    codes : ndarray of shape (m, length)
        The labellings as label codes, best first; m < n if there are fewer labellings.
    scores : ndarray of shape (m,)
        The scores of the labellings, decreasing.
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
    """Return the row indices of the n largest entries of each column, largest first."""
    return np.argsort(-scores, axis=0, kind="stable")[:n]
