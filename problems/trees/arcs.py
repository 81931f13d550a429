"""The arcs of many sentences in one matrix, and their trees in one array."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import in_double, take
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.oracle.memory import require_bytes
from structsvm.problems.classification.states import StateRows, States

#: Bytes that an arc takes at least: a few numbers in double precision.
ARC = 40


class Group(NamedTuple):
    """Sentences whose arcs make one array, shorter ones in a corner of their place.

    Attributes
    ----------
    sentences : ndarray of shape (n,)
        Their places among all.
    arcs : ndarray of shape (n_arcs,)
        The places of their arcs among all arcs, one sentence after the other.
    inside : ndarray of shape (n, size, size + 1), bool
        Where the arcs are in the array.
    """

    sentences: Indices
    arcs: Indices
    inside: Any

    def array(self, values: Vector) -> Vector:
        """The values of all arcs as an array of shape (n, size, size + 1), -inf elsewhere."""
        found = np.full(self.inside.shape, -np.inf)
        found[self.inside] = values[self.arcs]
        return found


class ArcLayout:
    """The places of words, and of arcs, of n sentences that are stored one after the other.

    A word has an arc for each head: the root first, then the words of its sentence. The arc from
    a word to itself is never used.

    Parameters
    ----------
    lengths : ndarray of shape (n,), int
        Numbers of words, > 0.

    Attributes
    ----------
    words, arcs : Spans
        Their places.
    n_words, n_arcs : int
        The sums over all sentences.

    Raises
    ------
    MemoryError
        A few numbers for each arc take more memory than there is.
    """

    def __init__(self, lengths: Indices) -> None:
        self.lengths, self.words = lengths, Spans(lengths)
        self.arcs = Spans(lengths * (lengths + 1))
        self.n_words, self.n_arcs = int(self.words.starts[-1]), int(self.arcs.starts[-1])
        self.require_bytes(ARC)

    def require_bytes(self, of_arc: int) -> None:
        """Raise a MemoryError where so many bytes for each arc are more than there are."""
        require_bytes(
            of_arc * float(self.n_arcs),
            f"a sentence of m words has m (m + 1) arcs, so {len(self.lengths)} sentences of up to "
            f"{self.lengths.max(initial=0)} words have {self.n_arcs}, which take {of_arc} bytes "
            "each or more",
            "split long sentences, or use fewer",
        )

    @cached_property
    def word(self) -> Indices:
        """The number of every word in its sentence, from 1."""
        return np.arange(1, self.n_words + 1) - self.words.starts[self.words.owner]

    @cached_property
    def from_root(self) -> Indices:
        """The place of every word's arc from the root; the arc from head i is i places further."""
        widths = self.lengths[self.words.owner] + 1
        return np.cumsum(widths) - widths

    def sums(self, values: Any) -> Any:
        """The sums over each sentence of numbers at its words, shape (n,)."""
        return np.bincount(self.words.owner, values, len(self.lengths))

    @cached_property
    def by_length(self) -> list[Group]:
        """A group for each length."""
        return list(self._groups(self.lengths))

    @cached_property
    def by_size(self) -> list[Group]:
        """Fewer groups, of sentences of about the same length."""
        # With a step of about a sixteenth of the length.
        steps = 2 ** np.maximum(np.log2(self.lengths).astype(np.intp) - 3, 0)
        return list(self._groups(-(-self.lengths // steps) * steps))

    def _groups(self, sizes: Indices) -> Iterator[Group]:
        for size in np.unique(sizes).tolist():
            sentences = np.flatnonzero(sizes == size)
            lengths = self.lengths[sentences][:, None, None]
            words = np.arange(size)[:, None] < lengths
            inside = words & (np.arange(size + 1) <= lengths)
            yield Group(sentences, self.arcs.rows_of(sentences), inside)


class Arcs(ExampleContainer):
    """The features of the arcs of n sentences: ``arcs[i]`` is the i-th input of a problem.

    A slice of sentences shares the memory.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_arcs, d)
        In the order of a :class:`ArcLayout`.
    layout : ArcLayout
    states : States, optional
        Of the d features; needed for products.
    """

    def __init__(self, rows: Any, layout: ArcLayout, states: States | None = None) -> None:
        self.rows, self.layout, self.states = rows, layout, states

    @cached_property
    def features(self) -> StateRows:
        """The rows, for products."""
        assert self.states is not None
        return self.states.rows(self.rows)

    def __len__(self) -> int:
        return len(self.layout.lengths)

    def example(self, i: int) -> Any:
        rows, length = take(self.rows, self.layout.arcs.rows(i)), int(self.layout.lengths[i])
        return rows if sparse.issparse(rows) else rows.reshape(length, length + 1, -1)

    def in_double(self) -> Arcs:
        return Arcs(in_double(self.rows), self.layout, self.states)

    def part(self, which: Any) -> Arcs:
        rows = take(self.rows, self.layout.arcs.rows_of(which))
        return Arcs(rows, ArcLayout(self.layout.lengths[which]), self.states)


class Trees(ExampleContainer):
    """Trees of n sentences: ``trees[i]`` is an array of heads or a list of pairs (head, label).

    Parameters
    ----------
    heads : ndarray of shape (n_words,), int
        The head of every word: 0 for the root, or the number of a word of its sentence.
    layout : ArcLayout
    labels : ndarray of shape (n_words,), int, optional
        The label codes of the arcs to the heads.
    names : ndarray, optional
        The labels by code.
    """

    def __init__(
        self, heads: Any, layout: ArcLayout, labels: Any = None, names: Any = None
    ) -> None:
        self.heads, self.layout, self.labels, self.names = heads, layout, labels, names

    @cached_property
    def crossing(self) -> Any:
        """Whether arcs cross in each tree, shape (n,), bool."""
        found = np.zeros(len(self), dtype=bool)
        for group in self.layout.by_length:
            heads = self.heads[self.layout.words.rows_of(group.sentences)]
            heads = heads.reshape(len(group.sentences), -1)
            found[group.sentences] = crossings(heads).any(axis=(1, 2))
        return found

    def __len__(self) -> int:
        return len(self.layout.lengths)

    def example(self, i: int) -> Any:
        words = self.layout.words.rows(i)
        if self.labels is None:
            return self.heads[words]
        labels = self.names[self.labels[words]].tolist()
        return list(zip(self.heads[words].tolist(), labels, strict=True))

    def part(self, which: Any) -> Trees:
        words = self.layout.words.rows_of(which)
        labels = None if self.labels is None else self.labels[words]
        return Trees(self.heads[words], ArcLayout(self.layout.lengths[which]), labels, self.names)

    def differ(self, found: Trees) -> Any:
        """Whether words have other heads, or other labels, in ``found``; shape (n_words,), bool."""
        differ = self.heads != found.heads
        return differ if self.labels is None else differ | (self.labels != found.labels)

    def places(self, arcs: ArcLayout) -> Indices:
        """The places of the trees' arcs, one for each word."""
        return arcs.from_root + self.heads


def crossings(heads: Indices) -> Any:
    """Whether the arcs to two words cross, shape (..., m, m), bool; where the first begins first.

    ``heads`` is of shape (..., m).
    """
    words = np.arange(1, heads.shape[-1] + 1)
    low, high = np.minimum(heads, words), np.maximum(heads, words)
    first, last = low[..., :, None], high[..., :, None]
    return (first < low[..., None, :]) & (low[..., None, :] < last) & (last < high[..., None, :])
