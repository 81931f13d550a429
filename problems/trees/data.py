"""Containers of arcs and of trees of many sentences, and checks of arcs and trees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples, require_examples, take
from structsvm.data.conversion import is_missing, require_ordered_each
from structsvm.data.examples import ExampleContainer, Spans
from structsvm.data.matrices import (
    in_floats,
    one_array,
    require_matrix,
    require_unmasked,
    stacked_matrices,
)
from structsvm.problems.classification.states import StateRows, States
from structsvm.problems.trees.arborescence import are_trees


class Group(NamedTuple):
    """Sentences of the same length.

    Attributes
    ----------
    sentences : ndarray of shape (n,)
        The indices of the sentences.
    arcs : ndarray of shape (n, m, m + 1)
        For each sentence, the indices of its arcs among the arcs of all sentences.
    """

    sentences: Indices
    arcs: Indices


class ArcLayout(Spans):
    """The positions of the words and arcs of n sentences that are stored one after the other.

    The arcs to a word are stored by head: first the root, then the words of its sentence. The arc
    from a word to itself is never used.

    Parameters
    ----------
    sizes : ndarray of shape (n,), int
        Numbers of words, > 0.

    Attributes
    ----------
    arcs : Spans
        The indices of the arcs of each sentence among the arcs of all sentences.
    """

    def __init__(self, sizes: Any) -> None:
        super().__init__(np.asarray(sizes, dtype=np.intp))
        self.arcs = Spans(self.sizes * (self.sizes + 1))

    @property
    def n_arcs(self) -> int:
        """The number of arcs of all sentences."""
        return int(self.arcs.starts[-1])

    @cached_property
    def word(self) -> Indices:
        """For every word, its number in the sentence, counted from 1."""
        return np.arange(1, len(self.owner) + 1) - self.starts[self.owner]

    @cached_property
    def from_root(self) -> Indices:
        """The index of each word's arc from the root; the arc from head i has this index plus i."""
        widths = self.sizes[self.owner] + 1
        return np.cumsum(widths) - widths

    @cached_property
    def by_length(self) -> list[Group]:
        """The groups of sentences of equal length."""
        groups = []
        for m in np.unique(self.sizes).tolist():
            sentences = np.flatnonzero(self.sizes == m)
            groups.append(Group(sentences, self.arcs.rows_of(sentences).reshape(-1, m, m + 1)))
        return groups

    def tested(self, heads: Indices, test: Callable[[Indices], Any]) -> Any:
        """Apply a test to the heads of every sentence; return n bools.

        ``test`` takes the heads of several sentences of the same length, a row for each.
        """
        found = np.zeros(len(self), dtype=bool)
        for sentences, arcs in self.by_length:
            found[sentences] = test(heads[self.rows_of(sentences)].reshape(arcs.shape[:2]))
        return found


@dataclass(eq=False, repr=False)
class Arcs(ExampleContainer):
    """The features of the arcs of n sentences: ``arcs[i]`` is the i-th input of a problem.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_arcs, d)
        The features of the arcs, in the order of an :class:`ArcLayout`.
    layout : ArcLayout
    states : States, optional
        The pairs of a feature and a label that have a weight. Without ``states``, no scores can be
        computed.
    """

    rows: Any
    layout: ArcLayout
    states: States | None = None

    of_rows = ("rows",)

    @classmethod
    def of(cls, X: Any) -> Arcs:
        """Stack the arc matrices of sentences; raise a ValueError if a matrix has a wrong form."""
        if isinstance(X, Arcs):
            return X
        matrices: list[Any] = []
        for i in range(n_examples(X)):
            matrices.append(_checked_arcs(X[i], f"X[{i}]"))
            if matrices[i].shape[1] != matrices[0].shape[1]:
                raise ValueError(
                    f"X[{i}] has {matrices[i].shape[1]} features but X[0] has "
                    f"{matrices[0].shape[1]}"
                )
        return cls(stacked_matrices(matrices), ArcLayout([*map(n_words, matrices)]))

    @cached_property
    def features(self) -> StateRows:
        """The rows as :class:`StateRows`, which compute products with weights."""
        assert self.states is not None
        return self.states.rows(self.rows)

    def part(self, which: Any) -> Arcs:
        rows = take(self.rows, self.layout.arcs.rows_of(which))
        return Arcs(rows, self.layout.taken(which)[0], self.states)

    def example(self, i: int) -> Any:
        rows, m = take(self.rows, self.layout.arcs.rows(i)), self.layout.sizes[i]
        return rows if sparse.issparse(rows) else rows.reshape(m, m + 1, -1)


@dataclass(eq=False, repr=False)
class Trees(ExampleContainer):
    """Trees of n sentences: ``trees[i]`` is an array of heads or a list of pairs (head, label).

    Parameters
    ----------
    heads : ndarray of shape (n_words,), int
        The head of every word: 0 for the root, or the number of a word of its sentence.
    layout : ArcLayout
    labels : ndarray of shape (n_words,), int
        The codes of the arcs' labels; all are 0 if there are no labels.
    names : ndarray, optional
        The labels, indexed by code.
    """

    heads: Any
    layout: ArcLayout
    labels: Any = None
    names: Any = None

    of_rows = ("heads", "labels")

    @cached_property
    def crossing(self) -> Any:
        """For each tree, whether any arcs cross; shape (n,), bool."""
        return self.layout.tested(self.heads, lambda heads: crossings(heads).any(axis=(1, 2)))

    def example(self, i: int) -> Any:
        words = self.layout.rows(i)
        if self.names is None:
            return self.heads[words]
        labels = self.names[self.labels[words]].tolist()
        return list(zip(self.heads[words].tolist(), labels, strict=True))

    def differ(self, found: Trees) -> Any:
        """Return, for each word, whether ``found`` has a different head or label; bools."""
        return (self.heads != found.heads) | (self.labels != found.labels)

    def places(self, arcs: ArcLayout) -> Indices:
        """Return, for each word, the index of its arc in the tree."""
        return np.asarray(arcs.from_root + self.heads)


def crossings(heads: Indices) -> Any:
    """Return, for words i and j, whether the arc to i begins left of the arc to j and crosses it.

    ``heads`` is of shape (..., m), and the result of shape (..., m, m).
    """
    words = np.arange(1, heads.shape[-1] + 1)
    low, high = np.minimum(heads, words), np.maximum(heads, words)
    first, last = low[..., :, None], high[..., :, None]
    return (first < low[..., None, :]) & (low[..., None, :] < last) & (last < high[..., None, :])


# ---------------------------------------------------------------------- checks of arcs


def n_words(x: Any) -> int:
    """Compute the number of words of a sentence from its arc matrix."""
    if x.ndim == 3:
        return int(x.shape[0])
    return (math.isqrt(4 * x.shape[0] + 1) - 1) // 2


def _checked_arcs(x: Any, name: str) -> Any:
    """Return the arcs of one sentence as a matrix with a row for each arc."""
    dense = isinstance(x, np.ndarray) and x.ndim == 3
    m = n_words(x) if dense or sparse.issparse(x) else 0
    if m == 0 or x.shape[:-1] != ((m, m + 1) if dense else (m * (m + 1),)):
        raise ValueError(
            f"{name} must be an array of shape (m, m + 1, d), or a CSR matrix of shape "
            "(m * (m + 1), d), for m > 0 words: each has an arc from the root and one from every "
            f"word, itself included; got {type(x).__name__} {getattr(x, 'shape', '')}"
        )
    require_unmasked(name, x)
    rows = x.reshape(m * (m + 1), -1) if dense else x
    try:
        require_matrix(rows)
    except ValueError as error:
        raise ValueError(f"{name}, the arcs of one sentence: {error}") from None
    return in_floats(rows)


# ---------------------------------------------------------------------- checks of trees


def is_labelled(Y: Any) -> bool:
    """Whether outputs are pairs of a head and a label; only the first word is inspected."""
    try:
        first = Y[0][0]
        return not np.isscalar(first) and one_array("Y[0][0]", first).ndim == 1
    except (TypeError, KeyError, IndexError, ValueError):
        return False


def flat_trees(Y: Any, layout: ArcLayout, labelled: bool) -> tuple[Indices, Any]:
    """Return the heads of all words, and the labels of all arcs (None if arcs have no labels).

    Raise a ValueError unless each word has a head, and either all or no outputs have labels. The
    function :func:`require_trees` checks that the heads form trees.
    """
    heads, labels = [], []
    for i in range(require_examples(np.empty(len(layout)), Y=Y)):
        y, name = Y[i], f"Y[{i}]"
        if labelled:
            y, own = _divided(y, name)
            labels += own
        require_unmasked(name, y)
        heads.append(_checked_heads(one_array(name, y), int(layout.sizes[i]), name, labelled))
    return np.concatenate(heads), labels if labelled else None


def _divided(y: Any, name: str) -> tuple[list[Any], list[Any]]:
    """Split pairs (head, label) into heads and labels; refuse other values and missing labels."""
    require_ordered_each(name, y)
    try:
        pairs = [(head, label) for head, label in y]
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must hold a pair (head, label) for each word, as the very first has one: "
            f"give all words a label, or none; got {y!r:.80}"
        ) from None
    heads, labels = [head for head, _ in pairs], [label for _, label in pairs]
    for word, label in enumerate(labels, start=1):
        if is_missing(label):
            raise ValueError(
                f"the label of word {word} in {name} is missing; label all arcs, or give the heads "
                "alone"
            )
    return heads, labels


def _checked_heads(heads: Any, m: int, name: str, labelled: bool) -> Any:
    what = "pairs (head, label)" if labelled else "heads"
    if heads.shape != (m,):
        raise ValueError(
            f"{name} must hold {what} of {m} words, as many as X has in that sentence; got shape "
            f"{heads.shape}"
        )
    if heads.dtype.kind not in "iu":
        raise ValueError(
            f"the heads in {name} must be integers: 0 for the root, or the number of a word, from "
            f"1, and first in a pair (head, label); got dtype {heads.dtype}"
        )
    outside = np.flatnonzero((heads < 0) | (heads > m))
    if len(outside):
        j = outside[0]
        raise ValueError(
            f"the head of word {j + 1} in {name} is {heads[j]}; expected 0 for the root, or a word "
            f"from 1 to {m}"
        )
    return heads.astype(np.intp)


def require_trees(heads: Indices, layout: ArcLayout, single_root: bool, projective: bool) -> None:
    """Raise a ValueError that names the first sentence whose heads form no tree.

    With ``single_root``, a tree must have one root; with ``projective``, a tree must have no
    crossing arcs.
    """
    bad = ~layout.tested(heads, lambda own: are_trees(own, single_root))
    crossing = Trees(heads, layout).crossing if projective else np.zeros(1, dtype=bool)
    if not (bad.any() or crossing.any()):
        return
    i = int((bad if bad.any() else crossing).argmax())
    own, name = heads[layout.rows(i)], f"Y[{i}]"
    if not bad.any():
        first, second = (f"from {own[j]} to {j + 1}" for j in np.argwhere(crossings(own))[0])
        raise ValueError(
            f"{name} is not projective: the arcs {first} and {second} cross; leave out such "
            "sentences, or set projective=False or 'auto'"
        )
    lost = np.append(0, own)
    for _ in own:
        lost = lost[lost]
    if lost.any():
        raise ValueError(
            f"the heads in {name} have a cycle: from words {np.flatnonzero(lost).tolist()} they "
            "never lead to the root, 0"
        )
    raise ValueError(
        f"{name} has several roots: words {(np.flatnonzero(own == 0) + 1).tolist()} have the head "
        "0; attach all but one of them to another word, or set single_root=False"
    )
