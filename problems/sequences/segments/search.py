"""Dynamic programs over segmentations, for all sequences together.

The array ``scores`` holds the score of every candidate segment. ``scores[l - 1, b, p]`` is the
score of the segment of l positions with label b that ends at position p. A :class:`ChainLayout`
numbers the positions of all sequences. A segment that would begin before its sequence has the score
-inf. ``transition[a, b]`` is the score of a segment of label b after a segment of label a.

A recursion passes on scores from each position to the next. The entry ``windows[l - 1, b, p]``
belongs to the segment of l positions with label b that ends at the position after p. The entry
combines, by a maximum or by log-sum-exp, the scores of all segmentations of the positions before
the segment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import CACHED, LOWEST_MESSAGE, Marginals

#: Relative difference of logarithms that counts as rounding.
ROUNDING = 1e-14


def viterbi(scores: Vector, transition: Vector, layout: ChainLayout) -> tuple[Any, Any, Any]:
    """Return the best segmentations: the last position, length and label of each segment.

    Sarawagi & Cohen, Semi-Markov Conditional Random Fields for Information Extraction, NIPS 2004,
    section 3.2.
    """
    ending, windows, _ = _along(scores, transition, layout, np.maximum.reduce, np.not_equal)
    sequence, place = np.arange(len(layout)), layout.last
    label, found = ending[:, place].argmax(axis=0), []
    while len(place):
        step = layout.step[place]
        before = layout.positions(sequence, np.maximum(step - 1, 0))
        # At a first position, only a segment of one position has a score above -inf.
        taken = (scores[:, label, place] + windows[:, label, before]).argmax(axis=0) + 1
        found.append((place, taken, label))
        before = step - taken
        sequence, before, label = (a[before >= 0] for a in (sequence, before, label))
        place = layout.positions(sequence, before)
        label = (ending[:, place] + transition[:, label]).argmax(axis=0)
    places, lengths, labels = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return places, lengths, labels


def marginals(
    scores: Vector, transition: Vector, layout: ChainLayout, weights: Vector
) -> Marginals:
    """Compute marginals by the forward-backward algorithm, with logarithms.

    The field ``parts`` holds the probability of each candidate segment, in the order of ``scores``.
    """
    n, before, k = len(layout), layout.before, len(transition)
    by = scores, transition, layout, _log_sums, _differ
    parts, ending, leaving, log_partition = _with_each(*by)
    pairs, size = np.zeros_like(transition), max(1, CACHED // k**2)
    for first in range(0, len(before), size):
        here = slice(n + first, min(n + first + size, len(layout.step)))
        owner, previous = layout.sequence[here], before[first : first + size]
        table = ending[:, None, previous] + (leaving[:, here] - log_partition[owner])
        pairs += np.exp(table + transition[:, :, None]) @ weights[owner]
    return Marginals(log_partition, np.exp(parts, out=parts), pairs)


def max_marginals(scores: Vector, transition: Vector, layout: ChainLayout) -> Vector:
    """Return the best score with each label at each position, minus the best score overall.

    For k labels, the result has shape (2 k, n_positions). For each label b, row b of the result is
    for a segment that begins at the position, and row k + b for a segment that contains the
    position but begins earlier.
    """
    found, *_ = _with_each(scores, transition, layout, np.maximum.reduce, np.not_equal)
    # For each first position, the best of all segments with at least 1, 2, ... positions.
    best = np.maximum.accumulate(_by_beginning(found, layout)[::-1])[::-1]
    going_on = np.full_like(best[0], -np.inf)
    for more, own in enumerate(best[1:], 1):
        here = np.flatnonzero(layout.step >= more)
        first = layout.positions(layout.sequence[here], layout.step[here] - more)
        going_on[:, here] = np.maximum(going_on[:, here], own[:, first])
    return np.concatenate([best[0], going_on])


def _with_each(
    scores: Vector, transition: Vector, layout: ChainLayout, total: Any, differ: Any
) -> tuple[Vector, Vector, Vector, Vector]:
    """For each candidate segment, combine the scores of the segmentations that contain it.

    Returns
    -------
    parts : ndarray of the shape of ``scores``
        The combined score of the segmentations that contain each candidate segment, minus the
        combined score of all segmentations of its sequence.
    ending, leaving : ndarray of shape (k, n_positions)
        ``ending[b, p]`` is the combined score of all segmentations that end at position p with a
        segment of label b. ``leaving[b, p]`` is the combined score of all segmentations that begin
        at position p with a segment of label b.
    whole : ndarray of shape (n,)
        The combined score of all segmentations of each sequence.
    """
    n, before = len(layout), layout.before
    by_beginning, reverse = _by_beginning(scores, layout), transition.T
    leaving, windows, offsets = _along(by_beginning, reverse, layout, total, differ, -1)
    passed, beta = _sums(offsets, layout, -1)[n:], np.zeros_like(leaving)
    leaving[:, before] += passed
    beta[:, before] = windows[0, :, n:] + passed
    del by_beginning, windows
    ending, windows, offsets = _along(scores, transition, layout, total, differ)
    passed = _sums(offsets, layout)[before]
    ending[:, n:] += passed
    whole = total(ending[:, layout.last])
    beta -= whole[layout.sequence]
    parts = scores + beta
    parts[..., n:] += windows[..., before] + passed
    return parts, ending, leaving, whole


def _along(
    scores: Vector,
    transition: Vector,
    layout: ChainLayout,
    total: Callable[..., Vector],
    differ: Callable[..., Any],
    way: int = 1,
) -> tuple[Vector, Vector, Vector]:
    """Run a recursion along all sequences; ``total`` is a maximum or log sum exp over axis 0.

    If ``way`` is -1, the recursion starts at the ends of the sequences, and ``scores`` is indexed
    by the first positions of segments.

    Returns
    -------
    ending : ndarray of shape (k, n_positions)
        ``ending[b, p]`` combines, by ``total``, the scores of the segmentations of the positions up
        to p whose last segment has label b. The ``offsets`` of all positions before p are
        subtracted from ``ending[b, p]``.
    windows : ndarray of shape (longest, k, n_positions)
    offsets : ndarray of shape (n_positions,)
        The number that is subtracted from the scores at each position and at all later positions.
    """
    pieces = layout.pieces
    own = pieces.cut(scores)
    longest, k, n = own.shape
    ending, windows, offsets = np.empty((k, n)), np.empty_like(own), np.empty(n)

    def advance(before: Vector, here: Any) -> Vector:
        ending[:, here] = found = total(before + own[..., here])
        entering = total(found[:, None] + transition[:, :, None])
        offsets[here] = top = np.maximum.reduce(entering)
        window = np.empty_like(before)
        window[0] = entering - top
        np.subtract(before[:-1], top, out=window[1:])
        return window

    first = pieces.last if way < 0 else np.arange(len(pieces))
    start = np.full((longest, k, len(first)), -np.inf)
    start[0] = 0
    windows[..., first] = advance(start, first)
    pieces.run(windows, advance, differ, backwards=way < 0)
    return pieces.joined(ending), pieces.joined(windows), pieces.joined(offsets)


def _sums(values: Vector, layout: ChainLayout, way: int = 1) -> Vector:
    """Return cumulative sums along each sequence; from its end if ``way`` is -1."""
    sums = values.copy()
    if len(layout) > len(layout.starts):  # more sequences than steps
        layout.run(sums, lambda before, here: before + values[here], backwards=way < 0)
        return sums
    for i, length in enumerate(layout.lengths):
        own = layout.positions(i, np.arange(length)[::way])
        sums[own] = np.cumsum(values[own])
    return sums


@np.errstate(divide="ignore")  # of the logarithm of 0
def _log_sums(logarithms: Vector) -> Vector:
    top = np.maximum(np.maximum.reduce(logarithms), LOWEST_MESSAGE)
    return np.asarray(np.log(np.add.reduce(np.exp(logarithms - top))) + top)


def _differ(found: Vector, known: Vector) -> Any:
    """Whether logarithms differ by more than rounding errors."""
    with np.errstate(invalid="ignore"):  # -inf - -inf
        size = 1 + np.minimum(np.abs(found), np.abs(known))
        return np.abs(found - known) > ROUNDING * size


def _by_beginning(scores: Vector, layout: ChainLayout) -> Vector:
    """Return the scores of segments, indexed by first position instead of last position."""
    found = np.full_like(scores, -np.inf)
    for more, own in enumerate(scores):
        here = np.flatnonzero(layout.step + more < layout.lengths[layout.sequence])
        end = layout.positions(layout.sequence[here], layout.step[here] + more)
        found[more][:, here] = own[:, end]
    return found
