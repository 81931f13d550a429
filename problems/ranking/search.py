"""The search for the ranking of largest loss minus margin, where documents find places one by one.

In a split, both the relevant documents and the others are best ranked by score among themselves. So
a ranking is determined by the number of others above each relevant document, which does not fall
from one to the next.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.ranking.scored import Scored
from structsvm.problems.ranking.splits import SplitRows

#: ``rise(split, i, a)``: what the loss rises by where one more document that is not relevant, after
#: a others, goes above the relevant documents number i and later; up to a term without i.
Rise = Callable[[Indices, Indices, Indices], Vector]


def best_places(scored: Scored, rise: Rise) -> Indices:
    """The best ranking for losses to which each further document on top adds no more than the last.

    Then each of the others has a best place of its own, and these places are in order (Yue et al.
    2007, Algorithm 1). So the middle one is placed first: it bounds the places of the others before
    and after it, and the search takes O(m log m). All splits are searched at the same time.

    Parameters
    ----------
    scored : Scored
    rise : callable
        Called with arrays; i is the number of relevant documents plus 1 if no document is passed.

    Returns
    -------
    ndarray of int
        For each relevant document the number of others above.
    """
    relevant, others = scored.relevant, scored.others
    place = np.zeros(len(others.rows), dtype=np.intp)  # the first relevant document passed
    step = 1 << int(others.sizes.max(initial=0)).bit_length()
    while step := step // 2:
        some = np.flatnonzero(others.place % (2 * step) == step)
        split, number = others.split[some], others.place[some]
        none = relevant.sizes[split] + 1
        before, after = number > step, number + step <= others.sizes[split]
        least = np.where(before, place[some - step * before], 1)
        most = np.where(after, place[some + step * after], none)
        choices = SplitRows.of_sizes(most - least + 1)
        one, i = choices.split, least[choices.split] + choices.place - 1
        own = split[one]
        # Minus the margin, up to a term without i.
        scores = scored.high_sum(own, i - 1) - i * scored.low[some][one]
        gain = rise(own, i, number[one] - 1) + scores * scored.unit[own]
        place[some] = least + _first_largest(gain, choices)
    return up_to(place, others, relevant)


def up_to(place: Indices, of: SplitRows, segments: SplitRows) -> Indices:
    """For each entry of ``segments`` the number of the given places that are not above its own.

    ``place`` has a place, from 1, for each entry of ``of``, the other part of the splits.
    """
    inside = place <= segments.sizes[of.split]
    entries = (segments.starts[of.split] + place - 1)[inside]
    counts = np.cumsum(np.bincount(entries, minlength=len(segments.rows)))
    before = np.concatenate([[0], counts])[segments.starts]
    return counts - before[segments.split]


def _first_largest(values: Vector, segments: SplitRows) -> Indices:
    """The place, from 0, of the first largest value in every segment; segments are not empty."""
    largest = np.maximum.reduceat(values, segments.starts)
    at = np.flatnonzero(values == largest[segments.split])[::-1]
    first = np.empty(len(segments.sizes), dtype=np.intp)
    first[segments.split[at]] = segments.place[at] - 1  # the last to be written is the first
    return first
