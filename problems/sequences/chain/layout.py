"""Sequences of different lengths stored step by step, so that all of them advance at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from structsvm.data.arrays import Indices

#: Least length of a piece: by then most chains have forgotten how they began.
LEAST_LENGTH = 64
#: About how many pieces advance beside each other: more of them would take longer for a step.
BESIDE = 100
#: Pieces of a sequence from which cutting pays: some positions are visited more than once.
LEAST_PIECES = 4

Advance = Callable[[Any, Any], Any]
Differ = Callable[[Any, Any], Any]


class ChainLayout:
    """The places where the positions of the sequences are stored.

    The sequences are ranked by falling length. First come the first positions of all sequences in
    that order, then all second positions, and so on: the sequences that reach a step are always the
    first ones of the step before.

    Parameters
    ----------
    lengths : ndarray of shape (n,), int
        The lengths of the sequences, > 0.
    width : int, default=1
        The number of rows that each position has, one after the other.

    Attributes
    ----------
    rank : ndarray of shape (n,)
        The rank of every sequence.
    starts : ndarray of shape (n_steps + 1,)
        Where each step begins; the last entry is the number of all positions.
    sequence, step : ndarray of shape (n_positions,)
        Which sequence a stored position belongs to, and which of its steps it is.
    """

    width = 1  # files of earlier versions hold no other

    def __init__(self, lengths: Indices, width: int = 1) -> None:
        self.lengths, self.width = lengths, width
        order = (-lengths).argsort(kind="stable")
        self.rank = np.empty_like(order)
        self.rank[order] = np.arange(len(order))
        # How many sequences are longer than 0, 1, 2 ... positions.
        sizes = len(lengths) - np.bincount(lengths).cumsum()[:-1]
        self.starts = np.concatenate([[0], sizes.cumsum()])
        self.step = np.arange(len(sizes)).repeat(sizes)
        self.sequence = order[np.arange(self.starts[-1]) - self.starts[self.step]]

    def __len__(self) -> int:
        return len(self.lengths)

    def steps(self) -> Iterator[slice]:
        """The slice of stored positions of every step, from the first."""
        for start, stop in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield slice(int(start), int(stop))

    def links(self) -> list[tuple[Any, Any]]:
        """The places of the positions that have a next one, and of these, from the first step."""
        # The sequences that reach a step are the first ones of the step before.
        return [
            (slice(before.start, before.start + here.stop - here.start), here)
            for before, here in pairwise(self.steps())
        ]

    @property
    def pieces(self) -> ChainLayout:
        """This layout, or a :class:`CutLayout` where sequences are long."""
        return self._cut or self

    @cached_property
    def _cut(self) -> CutLayout | None:
        counts = self.lengths // max(LEAST_LENGTH, self.lengths.sum() // BESIDE)
        is_long = (counts >= LEAST_PIECES).any()
        return CutLayout(self, np.maximum(1, counts)) if is_long else None

    def cut(self, values: Any) -> Any:
        """Values at the positions of the sequences, the last axis, in the order of the pieces."""
        return values

    def joined(self, values: Any) -> Any:
        """Values in the order of the sequences again."""
        return values

    def run(
        self, states: Any, advance: Advance, differ: Differ = np.not_equal, backwards: bool = False
    ) -> None:
        """Set the states of all positions, ``states[..., place]``, from those of the first ones.

        ``advance`` returns the states at places from those at the positions before them.
        ``backwards`` starts from the last positions, and positions after take the place of those
        before. States that do not ``differ`` are as good as equal.
        """
        for before, here in reversed(self.links()) if backwards else self.links():
            source, places = (here, before) if backwards else (before, here)
            states[..., places] = advance(states[..., source], places)

    @cached_property
    def before(self) -> Indices:
        """The places of the predecessors of all positions but the first ones."""
        later = np.arange(len(self.lengths), self.starts[-1])
        # A sequence has the same rank in every step, so its positions are one step's size apart.
        return later - np.diff(self.starts)[self.step[later] - 1]

    @cached_property
    def last(self) -> Indices:
        """The places of the last positions of the sequences."""
        return np.asarray(self.positions(np.arange(len(self.lengths)), self.lengths - 1))

    @cached_property
    def places(self) -> Indices:
        """The places of all stored rows in sequences that are one after the other."""
        starts = self.lengths.cumsum() - self.lengths
        return self._rows_of(starts[self.sequence] + self.step)

    def positions(self, sequence: Any, step: Any) -> Any:
        """The places of these steps of these sequences."""
        return self.starts[step] + self.rank[sequence]

    def rows(self, i: int) -> Indices:
        """The rows of one sequence."""
        return self._rows_of(self.positions(i, np.arange(self.lengths[i])))

    def taken(self, which: Any) -> tuple[ChainLayout, Indices]:
        """The layout of some of the sequences, and the places of their rows in this one."""
        kept = np.arange(len(self.lengths))[which]
        layout = ChainLayout(self.lengths[kept], self.width)
        return layout, self._rows_of(self.positions(kept[layout.sequence], layout.step))

    def _rows_of(self, positions: Indices) -> Indices:
        return (positions[:, None] * self.width + np.arange(self.width)).ravel()

    def sums(self, values: Any) -> Any:
        """The sums over each sequence of numbers at its positions, shape (n,)."""
        return np.bincount(self.sequence, values, len(self.lengths))


class CutLayout(ChainLayout):
    """The pieces of sequences, of which long ones are cut into several.

    A recursion runs over all pieces at once, as if each were a sequence of its own. Then it goes on
    from the end of each piece into the next one, as far as that changes anything: a chain soon
    forgets how it began. Where it does not, every piece is at last reached from the first one.
    Maleki, Musuvathi & Mytkowicz, Parallelizing Dynamic Programming Through Rank Convergence,
    PPoPP 2014.

    Parameters
    ----------
    whole : ChainLayout
    counts : ndarray of shape (n,), int
        The number of pieces of every sequence.

    Attributes
    ----------
    of_whole : ndarray of shape (n_positions,)
        The places of the positions in ``whole``.
    preceding, following : ndarray of shape (n_positions,)
        The place of the position before each one in its sequence, or after it; -1 if there is none.
    joints : pair of ndarrays
        The places where pieces end, and where the next ones of their sequences begin.
    """

    def __init__(self, whole: ChainLayout, counts: Indices) -> None:
        owner = np.repeat(np.arange(len(counts)), counts)
        lengths, number = whole.lengths[owner], np.arange(len(owner))
        number -= (np.cumsum(counts) - counts)[owner]
        begin, end = (i * lengths // counts[owner] for i in (number, number + 1))
        super().__init__(end - begin)
        owner, step = owner[self.sequence], begin[self.sequence] + self.step
        self.of_whole = whole.positions(owner, step)
        # The pieces of a sequence, one after the other, are the sequence.
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
