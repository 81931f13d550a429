"""Dynamic programs over segmentations, for all sequences at once.

``scores`` holds the score of every candidate segment, shape (n_positions, longest, k): segment
``scores[p, l - 1, b]`` ends at stored position p, has l positions and label b. A segment that would
begin before its sequence has -inf. ``transition[a, b]`` is the score of a segment of label b after
one of label a.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import Marginals


def viterbi(scores: Vector, transition: Vector, layout: ChainLayout) -> tuple[Any, Any, Any]:
    """The segmentations of highest score: stored last position, length and label of all segments.

    Sarawagi & Cohen, Semi-Markov Conditional Random Fields for Information Extraction, NIPS 2004,
    section 3.2.
    """
    best = np.empty((len(scores), scores.shape[2]))
    length = np.empty(best.shape, dtype=np.intp)
    entering = np.empty_like(best)
    for step, total in _totals(scores, entering, layout):
        choice = total.argmax(axis=1)
        length[step] = choice + 1
        best[step] = np.take_along_axis(total, choice[:, None], axis=1)[:, 0]
        entering[step] = (best[step][:, :, None] + transition).max(axis=1)
    sequence, place = np.arange(len(layout.lengths)), layout.last
    label, found = best[place].argmax(axis=1), []
    while len(place):
        taken = length[place, label]
        found.append((place, taken, label))
        before = layout.step[place] - taken
        sequence, before, label = (a[before >= 0] for a in (sequence, before, label))
        place = layout.positions(sequence, before)
        label = (best[place] + transition[:, label].T).argmax(axis=1)
    places, lengths, labels = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return places, lengths, labels


def marginals(
    scores: Vector, transition: Vector, layout: ChainLayout, weights: Vector
) -> Marginals:
    """The forward-backward algorithm, with logarithms.

    The parts are candidate segments, shape (n_positions, longest, k).
    """
    alpha = np.empty((len(scores), scores.shape[2]))
    entering, forward = np.empty_like(alpha), np.empty_like(scores)
    for step, total in _totals(scores, entering, layout):
        forward[step] = total
        alpha[step] = log_sums(total, axis=1)
        entering[step] = log_sums(alpha[step][:, :, None] + transition, axis=1)
    log_partition = log_sums(alpha[layout.last], axis=1)
    of_position = log_partition[layout.sequence][:, None]
    beta, pairs, steps = np.zeros_like(alpha), np.zeros_like(transition), list(layout.steps())
    for t in range(len(steps) - 2, -1, -1):
        here = slice(steps[t].start, steps[t].start + _size(steps[t + 1]))  # those that go on
        leaving = np.full((_size(here), scores.shape[1], scores.shape[2]), -np.inf)
        for j, end in enumerate(steps[t + 1 : t + 1 + scores.shape[1]]):
            leaving[: _size(end), j] = scores[end, j] + beta[end]
        table = transition + log_sums(leaving, axis=1)[:, None, :]
        beta[here] = log_sums(table, axis=2)
        joint = alpha[here] - of_position[here]
        pairs += np.tensordot(weights[layout.sequence[here]], np.exp(joint[:, :, None] + table), 1)
    forward += (beta - of_position)[:, None, :]
    return Marginals(log_partition, np.exp(forward, out=forward), pairs)


def _totals(
    scores: Vector, entering: Vector, layout: ChainLayout
) -> Iterator[tuple[slice, Vector]]:
    """Yield every step with the scores of segments that end there, plus ``entering`` before them.

    ``entering`` at a step must be set before the next step is requested.
    """
    steps = list(layout.steps())
    for t, step in enumerate(steps):
        total = scores[step].copy()
        for j in range(min(scores.shape[1], t)):
            start = steps[t - 1 - j].start
            total[:, j] += entering[start : start + _size(step)]
        yield step, total


def _size(step: slice) -> int:
    return int(step.stop - step.start)
