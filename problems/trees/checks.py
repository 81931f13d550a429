"""Checks of arc matrices and of trees, which name the sentence and its words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples, require_examples
from structsvm.data.conversion import is_missing, require_ordered_each
from structsvm.data.matrices import (
    in_floats,
    one_array,
    require_matrix,
    require_unmasked,
    stacked_matrices,
)
from structsvm.data.validation import require_flag
from structsvm.problems.trees.arborescence import are_trees
from structsvm.problems.trees.arcs import ArcLayout, Arcs, crossings


def stacked_arcs(X: Any) -> Arcs:
    """The arcs of n sentences in one container; a ValueError for matrices that are not arcs."""
    if isinstance(X, Arcs):
        return X
    matrices: list[Any] = []
    lengths = []
    for i in range(n_examples(X)):
        rows, length = _checked_arcs(X[i], f"X[{i}]")
        if matrices and rows.shape[1] != matrices[0].shape[1]:
            raise ValueError(
                f"X[{i}] has {rows.shape[1]} features but X[0] has {matrices[0].shape[1]}"
            )
        matrices.append(rows)
        lengths.append(length)
    return Arcs(stacked_matrices(matrices), ArcLayout(np.array(lengths, dtype=np.intp)))


def n_words(x: Any) -> int:
    """The number of words of a sentence, from its arc matrix."""
    if not sparse.issparse(x):
        return int(x.shape[0])
    return (math.isqrt(4 * x.shape[0] + 1) - 1) // 2


def _checked_arcs(x: Any, name: str) -> tuple[Any, int]:
    """The arcs of one sentence as a matrix with a row for each, and the number of words."""
    dense = isinstance(x, np.ndarray)
    if not ((dense and x.ndim == 3) or sparse.issparse(x)):
        raise ValueError(
            f"{name} must be an array of shape (m, m + 1, d), for m words, or a scipy.sparse CSR "
            f"matrix of shape (m * (m + 1), d); got {_described(x)}"
        )
    if x.shape[0] == 0:
        raise ValueError(f"{name} has no arcs; a sentence has at least one word: leave it out")
    m = n_words(x)
    if (dense and x.shape[1] != m + 1) or (not dense and x.shape[0] != m * (m + 1)):
        expected = "(m, m + 1, d)" if dense else "(m * (m + 1), d)"
        raise ValueError(
            f"{name} has shape {x.shape}; expected {expected} for m words: each has an arc from "
            "the root and one from every word, itself included"
        )
    require_unmasked(name, x)
    rows = x.reshape(m * (m + 1), -1) if dense else x
    try:
        require_matrix(rows)
    except ValueError as error:
        raise ValueError(f"{name}, the arcs of one sentence: {error}") from None
    return in_floats(rows), m


def _described(x: Any) -> str:
    return f"shape {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__


def is_labelled(Y: Any) -> bool:
    """Whether outputs are pairs of a head and a label for each word, by the first of them."""
    try:
        first = Y[0][0]
        return not np.isscalar(first) and one_array("Y[0][0]", first).ndim == 1
    except (TypeError, KeyError, IndexError, ValueError):
        return False


def flat_trees(Y: Any, layout: ArcLayout, labelled: bool, called: str = "Y") -> tuple[Indices, Any]:
    """The heads of all words, and the labels of their arcs or None.

    A ValueError if there is not one for each word, or they are of another kind; whether they
    form trees is tested by :func:`require_trees`. ``called`` is the name of Y in messages.
    """
    n = require_examples(np.empty(len(layout.lengths)), **{called: Y})
    heads, labels = [], []
    for i in range(n):
        y, m, name = Y[i], int(layout.lengths[i]), f"{called}[{i}]"
        if labelled:
            y, own = _divided(y, name)
            missing = [*map(is_missing, own)]
            if any(missing):
                raise ValueError(
                    f"the label of word {missing.index(True) + 1} in {name} is missing; label all "
                    "arcs, or give the heads alone"
                )
            labels += own
        require_unmasked(name, y)
        heads.append(_checked_heads(one_array(name, y), m, name, labelled))
    return np.concatenate(heads), labels if labelled else None


def _divided(y: Any, name: str) -> tuple[list[Any], list[Any]]:
    """The heads and the labels of pairs."""
    require_ordered_each(name, y)
    try:
        pairs = [(head, label) for head, label in y]
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must hold a pair (head, label) for each word, as the very first has one: "
            f"give all words a label, or none; got {y!r:.80}"
        ) from None
    return [head for head, _ in pairs], [label for _, label in pairs]


def _checked_heads(heads: Any, m: int, name: str, labelled: bool) -> Any:
    what = "pairs (head, label)" if labelled else "heads"
    if heads.ndim != 1 or len(heads) != m:
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


def require_projective(value: Any) -> None:
    """Raise a ValueError unless it is a value of the parameter ``projective``."""
    if not (isinstance(value, str) and value == "auto"):
        require_flag("projective, if not 'auto',", value)


def require_trees(
    heads: Indices, layout: ArcLayout, single_root: bool, projective: bool, called: str = "Y"
) -> None:
    """Raise a ValueError that names the first sentence whose heads are no tree, and its words.

    A tree must be of the requested kind: with one root, or without crossing arcs. ``called`` is
    the name of the outputs in messages.
    """
    bad = []
    for group in layout.by_length:
        m = int(layout.lengths[group.sentences[0]])
        own = heads[layout.words.rows_of(group.sentences)].reshape(-1, m)
        bad += group.sentences[~are_trees(own, single_root)].tolist()
    if projective and not bad:
        _require_projective(heads, layout, called)
    if not bad:
        return
    i = min(bad)
    own = heads[layout.words.rows(i)].tolist()
    if cycle := _cycle(own):
        word = "word" if len(cycle) == 1 else "words"
        raise ValueError(
            f"the heads in {called}[{i}] have a cycle: {word} {_listed(cycle)}; from every word "
            "the heads must lead to the root, 0"
        )
    roots = [j for j, head in enumerate(own, start=1) if head == 0]
    raise ValueError(
        f"{called}[{i}] has several roots: words {_listed(roots)} have the head 0; attach all but "
        "one of them to another word, or set single_root=False"
    )


def _require_projective(heads: Indices, layout: ArcLayout, called: str) -> None:
    for i in range(len(layout.lengths)):
        own = heads[layout.words.rows(i)]
        crossing = np.argwhere(crossings(own))
        if len(crossing):
            first, second = (f"from {own[j]} to {j + 1}" for j in crossing[0])
            raise ValueError(
                f"{called}[{i}] is not projective: the arcs {first} and {second} cross; leave out "
                "such sentences, or set projective=False or 'auto'"
            )


def _cycle(heads: list[int]) -> list[int]:
    """The words of a cycle, each followed by its head; empty without a cycle."""
    done: set[int] = {0}
    for start in range(1, len(heads) + 1):
        path, word = [], start
        while word not in done and word not in path:
            path.append(word)
            word = heads[word - 1]
        if word in path:
            return path[path.index(word) :]
        done.update(path)
    return []


def _listed(words: list[int]) -> str:
    *others, last = map(str, words)
    return f"{', '.join(others)} and {last}" if others else last
