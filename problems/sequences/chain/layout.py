"""The storage of sequences in arrays: all first positions, then all second positions, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices

#: Least length of a piece: most chains forget their beginning within this length.
LEAST_LENGTH = 64
#: Approximate number of pieces that advance together: with more of them a step takes longer.
BESIDE = 100
#: Least number of pieces for which cutting pays: some positions are visited more than once.
LEAST_PIECES = 4

Advance = Callable[[Any, Any], Any]
Differ = Callable[[Any, Any], Any]


class ChainLayout:
    """The order in which the positions of sequences are stored.

    The sequences are ranked by decreasing length. The layout stores the first positions of all
    sequences, the longest sequence first, then all second positions, and so on.

    Parameters
    ----------
    lengths : ndarray of shape (n,), int
        The lengths of the sequences, > 0.
    width : int, default=1
        The number of rows that are stored for each position.

    Attributes
    ----------
    rank : ndarray of shape (n,)
        The rank of every sequence by decreasing length; the longest sequence has rank 0.
    starts : ndarray of shape (n_steps + 1,)
        Position number t of each sequence, counted from 0, is stored between the indices
        ``starts[t]`` and ``starts[t + 1]``.
    sequence, step : ndarray of shape (n_positions,)
        The sequence of each stored position, and the number of the position in its sequence, from
        0.
    """

    def __init__(self, lengths: Indices, width: int = 1) -> None:
        self.lengths, self.width = lengths, width
        order = (-lengths).argsort(kind="stable")
        self.rank = np.empty_like(order)
        self.rank[order] = np.arange(len(order))
        # The numbers of sequences that are longer than 0, 1, 2, ... positions.
        sizes = len(lengths) - np.bincount(lengths).cumsum()[:-1]
        self.starts = np.concatenate([[0], sizes.cumsum()])
        self.step = np.arange(len(sizes)).repeat(sizes)
        self.sequence = order[np.arange(self.starts[-1]) - self.starts[self.step]]

    def __len__(self) -> int:
        return len(self.lengths)

    def steps(self) -> Iterator[slice]:
        """Yield the slice of all first positions, then of all second positions, and so on."""
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield slice(int(start), int(stop))

    def links(self) -> list[tuple[Any, Any]]:
        """For each step t >= 1, return slices of positions t - 1 and t of the same sequences."""
        # The sequences that reach a step are the first ones of the step before.
        return [
            (slice(before.start, before.start + here.stop - here.start), here)
            for before, here in pairwise(self.steps())
        ]

    @property
    def pieces(self) -> ChainLayout:
        """This layout, or a :class:`CutLayout` if sequences are long."""
        return self._cut or self

    @cached_property
    def _cut(self) -> CutLayout | None:
        counts = self.lengths // max(LEAST_LENGTH, self.lengths.sum() // BESIDE)
        is_long = (counts >= LEAST_PIECES).any()
        return CutLayout(self, np.maximum(1, counts)) if is_long else None

    def cut(self, values: Any) -> Any:
        """Reorder the last axis of ``values`` from this layout to the layout ``pieces``."""
        return values

    def joined(self, values: Any) -> Any:
        """Reorder the last axis of ``values`` from the layout ``pieces`` to this layout."""
        return values

    def run(
        self, states: Any, advance: Advance, differ: Differ = np.not_equal, backwards: bool = False
    ) -> None:
        """Compute ``states[..., i]`` for all positions i, given the sequences' first states.

        ``advance`` computes the states of some positions from the states of their predecessors.
        With ``backwards``, the run starts from the last positions and goes back to the first.
        ``differ(new, old)`` returns a mask of the states that have changed.
        """
        for before, here in reversed(self.links()) if backwards else self.links():
            source, places = (here, before) if backwards else (before, here)
            states[..., places] = advance(states[..., source], places)

    @cached_property
    def before(self) -> Indices:
        """The indices of the predecessors of all positions except the first of each sequence."""
        later = np.arange(len(self.lengths), self.starts[-1])
        # A sequence has the same rank in every step, so its positions are one step's size apart.
        return later - np.diff(self.starts)[self.step[later] - 1]

    @cached_property
    def last(self) -> Indices:
        """The indices of the last positions of the sequences."""
        return np.asarray(self.positions(np.arange(len(self.lengths)), self.lengths - 1))

    @cached_property
    def places(self) -> Indices:
        """The index of each stored row in the concatenation of all sequences."""
        starts = self.lengths.cumsum() - self.lengths
        return self._rows_of(starts[self.sequence] + self.step)

    def positions(self, sequence: Any, step: Any) -> Any:
        """Return the index of each stored position, given its sequence and its step."""
        return self.starts[step] + self.rank[sequence]

    def rows(self, i: int) -> Indices:
        """Return the indices of the rows of one sequence."""
        return self._rows_of(self.positions(i, np.arange(self.lengths[i])))

    def taken(self, which: Any) -> tuple[ChainLayout, Indices]:
        """Return a layout of some sequences, and the indices of their rows in the whole layout."""
        kept = np.arange(len(self.lengths))[which]
        layout = ChainLayout(self.lengths[kept], self.width)
        return layout, self._rows_of(self.positions(kept[layout.sequence], layout.step))

    def _rows_of(self, positions: Indices) -> Indices:
        return (positions[:, None] * self.width + np.arange(self.width)).ravel()

    def sums(self, values: Any) -> Any:
        """Return, for each sequence, the sum of the values at its positions."""
        return np.bincount(self.sequence, values, len(self.lengths))


class CutLayout(ChainLayout):
    """The layout of pieces of sequences, where long sequences are cut into several pieces.

    A recursion over positions first treats each piece as a separate sequence, and processes all
    pieces at the same time. Then the first values of each piece are computed again from the end of
    the preceding piece, until they no longer change. In most chains, only the first few values of a
    piece are computed twice; in the worst case, the values at all positions are computed again.
    Maleki, Musuvathi & Mytkowicz, Parallelizing Dynamic Programming Through Rank Convergence, PPoPP
    2014.

    Parameters
    ----------
    whole : ChainLayout
    counts : ndarray of shape (n,), int
        The number of pieces of every sequence.

    Attributes
    ----------
    of_whole : ndarray of shape (n_positions,)
        The indices of the positions in ``whole``.
    preceding, following : ndarray of shape (n_positions,)
        The indices of the predecessor and of the successor of each position in its sequence; -1 if
        there is none.
    joints : pair of ndarrays
        The indices of the last positions of pieces, and of the first positions of the next pieces
        of the same sequences.
    """

    def __init__(self, whole: ChainLayout, counts: Indices) -> None:
        owner = np.repeat(np.arange(len(counts)), counts)
        lengths, number = whole.lengths[owner], np.arange(len(owner))
        number -= (np.cumsum(counts) - counts)[owner]
        begin, end = (i * lengths // counts[owner] for i in (number, number + 1))
        super().__init__(end - begin)
        owner, step = owner[self.sequence], begin[self.sequence] + self.step
        self.of_whole = whole.positions(owner, step)
        # The concatenated pieces of a sequence are the sequence.
        place = np.append(np.argsort(self.places), -1)
        self.preceding = np.where(step > 0, place[self.places - 1], -1)
        self.following = np.where(step < whole.lengths[owner] - 1, place[self.places + 1], -1)
        begins = np.flatnonzero(self.preceding[: len(self)] >= 0)
        self.joints = self.preceding[begins], begins

    def cut(self, values: Any) -> Any:
        return values.take(self.of_whole, axis=-1)

    def joined(self, values: Any) -> Any:
        found = np.empty_like(values)
        found[..., self.of_whole] = values
        return found

    def run(
        self, states: Any, advance: Advance, differ: Differ = np.not_equal, backwards: bool = False
    ) -> None:
        super().run(states, advance, differ, backwards)
        source, target, places = self.preceding, self.following, self.joints[1]
        if backwards:
            source, target, places = target, source, self.joints[0]
        while len(places):
            found = advance(states.take(source[places], axis=-1), places)
            changed = differ(found, states.take(places, axis=-1))
            changed = changed.reshape(-1, len(places)).any(axis=0)
            places = places[changed]
            states[..., places] = found[..., changed]
            places = target[places]
            places = places[places >= 0]
