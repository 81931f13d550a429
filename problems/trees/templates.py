"""Features of arcs from the words and tags of sentences, all arcs at once.

The templates follow McDonald, Crammer & Pereira (Online Large-Margin Training of Dependency
Parsers, ACL 2005, table 1): words and tags of the head and the dependent, tags beside them, and
tags between them, alone and with the direction and the length of the arc. A feature is a hash of
its template and of the values in it, computed by numpy for all arcs of a block of sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from structsvm.data.arrays import Indices
from structsvm.problems.trees.arcs import ArcLayout

#: Values of an arc: word, tag, tag before and tag after, of the head (H) and the dependent (D).
H, HT, HB, HA, D, DT, DB, DA = range(8)
#: Templates. Each makes one feature of an arc, and another with its direction and length.
TEMPLATES = (
    (H, HT), (H,), (HT,),
    (D, DT), (D,), (DT,),
    (H, HT, D, DT), (HT, D, DT), (H, D, DT), (H, HT, DT), (H, HT, D), (H, D), (HT, DT),
    (HT, HA, DB, DT), (HB, HT, DB, DT), (HT, HA, DT, DA), (HB, HT, DT, DA),
    (HT, HA, DT), (HB, HT, DT), (HT, DB, DT), (HT, DT, DA),
)  # fmt: skip
#: Lengths of arcs, and more, that count as different.
LENGTHS = (1, 2, 3, 4, 5, 6, 11)
#: Odd numbers, by which hashes are multiplied.
MIX = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)


class Nodes(NamedTuple):
    """The words and tags of n sentences, one after the other, each with the root first.

    Attributes
    ----------
    layout : ArcLayout
    first : ndarray of shape (n,)
        The places of the roots.
    values : ndarray of shape (4, n_nodes), uint32
        Hashes of the word, its tag, the tag before and the tag after.
    tag : ndarray of shape (n_nodes,), int
        The place of the tag among the different ones.
    tags : ndarray of shape (k,), uint32
        The different tags, hashed.
    """

    layout: ArcLayout
    first: Indices
    values: Any
    tag: Indices
    tags: Any


def nodes_of(sentences: Sequence[Any]) -> Nodes:
    """Hash the words and tags of sentences, which are sequences of pairs (word, tag)."""
    known: dict[str, int] = {}

    def hashed(text: str) -> int:
        found = known.get(text)
        if found is None:
            found = known[text] = crc32(text.encode())
        return found

    words, tags = [], []
    for sentence in sentences:
        words += [0, *(hashed(word.lower()) for word, _ in sentence)]
        tags += [0, *(hashed(tag) for _, tag in sentence)]
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.intp)
    first = np.cumsum(lengths + 1) - lengths - 1
    tag = np.array(tags, dtype=np.uint32)
    before, after = np.roll(tag, 1), np.roll(tag, -1)
    before[first] = after[first - 1] = 1
    values = np.array([np.array(words, dtype=np.uint32), tag, before, after])
    different, places = np.unique(tag, return_inverse=True)
    return Nodes(ArcLayout(lengths), first, values, places, different)


def all_arcs(nodes: Nodes) -> tuple[Indices, Indices]:
    """The heads and the dependents of all arcs, in the order of the layout, as nodes."""
    layout = nodes.layout
    root, widths = nodes.first[layout.words.owner], layout.lengths[layout.words.owner] + 1
    heads = np.arange(layout.n_arcs) - np.repeat(layout.from_root - root, widths)
    return heads, np.repeat(root + layout.word, widths)


def hashes(nodes: Nodes, heads: Indices, dependents: Indices, n: int) -> tuple[Any, Indices, Any]:
    """The features of some arcs, as numbers below n.

    Parameters
    ----------
    nodes : Nodes
    heads, dependents : ndarray of shape (n_arcs,)
        The places of the nodes that the arcs join.

    Returns
    -------
    table : ndarray of shape (n_arcs, 2 * len(TEMPLATES))
        The features of the templates.
    arcs, between : ndarray of shape (n_more,)
        The features of the tags between, by rising arc.
    """
    values = [*nodes.values[:, heads], *nodes.values[:, dependents]]
    apart = dependents - heads
    length = np.searchsorted(LENGTHS, np.abs(apart), side="right").astype(np.uint32)
    direction = (apart > 0).astype(np.uint32)
    shape = 2 * length + direction
    table = np.empty((len(heads), 2 * len(TEMPLATES)), dtype=np.uint32)
    for j, template in enumerate(TEMPLATES):
        found = _mixed(j, *(values[v] for v in template))
        table[:, 2 * j] = found % n
        table[:, 2 * j + 1] = _mixed(found, shape) % n
    # A tag is between where more words have it up to the later end than up to the earlier one.
    low, high = np.minimum(heads, dependents), np.maximum(heads, dependents)
    counts = np.zeros((nodes.values.shape[1] + 1, len(nodes.tags)), dtype=np.int32)
    counts[np.arange(1, len(counts)), nodes.tag] = 1
    np.cumsum(counts, axis=0, out=counts)
    arcs, tags = np.nonzero(counts[high] > counts[low + 1])
    found = _mixed(len(TEMPLATES), values[HT], values[DT])[arcs]
    found = _mixed(found, nodes.tags[tags])
    both = np.stack([found, _mixed(found, shape[arcs])], axis=1)
    return table, np.repeat(arcs, 2), (both % n).ravel()


def _mixed(start: Any, *values: Any) -> Any:
    """A hash of numbers that follow another hash."""
    found = np.uint32(start)
    for value in values:
        found = (found + value) * MIX[0]
        found ^= found >> 15
        found *= MIX[1]
    return found
