"""Features of arcs: from templates of words and tags, from a user's function, or from matrices.

The templates follow McDonald, Crammer & Pereira (Online Large-Margin Training of Dependency
Parsers, ACL 2005, table 1): words and tags of the head and the dependent, tags beside them, and
tags between them. Each template is used twice: alone, and with the direction and the length of the
arc. A feature is a hash of its template and of the words and tags. numpy computes the hashes for
all arcs of a block of sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples
from structsvm.data.conversion import require_ordered
from structsvm.data.matrices import one_array
from structsvm.exceptions import ProblemError
from structsvm.features.vocabulary import NAMES, Vocabulary, in_order
from structsvm.oracle.memory import require_bytes
from structsvm.problems.trees.data import ArcLayout, Arcs

#: Values of an arc: the word, its tag, the tag before and the tag after, of the head (H) and the
#: dependent (D).
H, HT, HB, HA, D, DT, DB, DA = range(8)
#: Templates. Each yields a feature of an arc, and another one with the arc's direction and length.
TEMPLATES = (
    (H, HT), (H,), (HT,),
    (D, DT), (D,), (DT,),
    (H, HT, D, DT), (HT, D, DT), (H, D, DT), (H, HT, DT), (H, HT, D), (H, D), (HT, DT),
    (HT, HA, DB, DT), (HB, HT, DB, DT), (HT, HA, DT, DA), (HB, HT, DT, DA),
    (HT, HA, DT), (HB, HT, DT), (HT, DB, DT), (HT, DT, DA),
)  # fmt: skip
#: Lengths of arcs from which on a new class of lengths begins.
LENGTHS = (1, 2, 3, 4, 5, 6, 11)
#: Number of different hashes.
N_HASHES = 2**22
#: Odd factors of the hashes.
MIX = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)

#: Number of arcs that are described together.
BLOCK = 20_000
#: Bytes for the features of an arc: about 45 features, stored twice, once for products.
DESCRIBED = 800
#: Number of stored values from which on single precision is used, which takes two thirds of the
#: memory.
MANY = 20_000_000
#: The error if one fit has features of the templates and the other has features of another kind.
OTHER_FEATURES = (
    "w_prior was fitted to features of another kind: both it and this estimator must have those of "
    "the templates, features=None, or a function of your own"
)


class Nodes(NamedTuple):
    """The words and tags of n sentences, one after the other. Each sentence begins with the root.

    Attributes
    ----------
    layout : ArcLayout
    first : ndarray of shape (n,)
        The indices of the roots.
    values : ndarray of shape (4, n_nodes), uint32
        Hashes of each word, its tag, the tag before and the tag after.
    tag : ndarray of shape (n_nodes,), int
        The index of each tag in ``tags``.
    tags : ndarray of shape (k,), uint32
        The hashes of the different tags.
    """

    layout: ArcLayout
    first: Indices
    values: Any
    tag: Indices
    tags: Any


def nodes_of(sentences: Sequence[Any]) -> Nodes:
    """Hash the words and tags of sentences, which are sequences of pairs (word, tag)."""
    words, tags = [], []
    for sentence in sentences:
        words += [0, *(crc32(word.lower().encode()) for word, _ in sentence)]
        tags += [0, *(crc32(tag.encode()) for _, tag in sentence)]
    layout = ArcLayout([*map(len, sentences)])
    first = layout.starts[:-1] + np.arange(len(layout))
    tag = np.array(tags, dtype=np.uint32)
    before, after = np.roll(tag, 1), np.roll(tag, -1)
    before[first] = after[first - 1] = 1
    values = np.array([np.array(words, dtype=np.uint32), tag, before, after])
    different, places = np.unique(tag, return_inverse=True)
    return Nodes(layout, first, values, places, different)


def all_arcs(nodes: Nodes) -> tuple[Indices, Indices]:
    """Return the indices of the heads and dependents of all arcs, in the order of the layout."""
    layout = nodes.layout
    root, widths = nodes.first[layout.owner], layout.sizes[layout.owner] + 1
    heads = np.arange(layout.n_arcs) - np.repeat(layout.from_root - root, widths)
    return heads, np.repeat(root + layout.word, widths)


def hashes(nodes: Nodes, heads: Indices, dependents: Indices, n: int) -> tuple[Any, Indices, Any]:
    """Return the features of some arcs, as hashes below n.

    Parameters
    ----------
    nodes : Nodes
    heads, dependents : ndarray of shape (n_arcs,)
        The indices of the nodes that the arcs connect.

    Returns
    -------
    table : ndarray of shape (n_arcs, 2 * len(TEMPLATES))
        The features from the templates, as hashes.
    arcs, between : ndarray of shape (n_more,)
        ``between`` holds the hashes of features for the tags of the words between head and
        dependent. ``arcs`` holds, for each hash in ``between``, the index of its arc, in ascending
        order.
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
    # A tag occurs between the ends of an arc if its count before the later end is larger than up to
    # the earlier end.
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
    """Combine a hash with further numbers into a new hash."""
    found = np.uint32(start)
    for value in values:
        found = (found + value) * MIX[0]
        found ^= found >> 15
        found *= MIX[1]
    return found


class Described:
    """A description of arcs by the features of the templates.

    There is a column for each hash that occurs on arcs of the training trees, as in CRFsuite. The
    columns of the most frequent hashes come first, so that a processor's cache holds their weights.

    Parameters
    ----------
    sentences : sequence of sequences of pairs (word, tag)
    heads : ndarray of shape (n_words,)
        The heads of all words in the training trees.
    begin : Described, optional
        An earlier description: its columns are kept, even if they do not occur in the training
        data.
    """

    _columns: Indices

    def __init__(self, sentences: Sequence[Any], heads: Indices, begin: Any = None) -> None:
        if not (begin is None or isinstance(begin, Described)):
            raise ValueError(OTHER_FEATURES)
        n = N_HASHES if begin is None else len(begin._columns)
        ends = np.cumsum([0, *map(len, sentences)])
        found: list[Any] = []
        for part in _blocks(sentences):
            nodes, own = nodes_of(sentences[part]), heads[ends[part.start] : ends[part.stop]]
            root = nodes.first[nodes.layout.owner]
            table, _, between = hashes(nodes, root + own, root + nodes.layout.word, n)
            found += table.ravel(), between
        counts = np.bincount(np.concatenate(found), minlength=n)
        some = np.flatnonzero(counts)
        order = some[np.argsort(-counts[some], kind="stable")]
        if begin is not None:
            order = np.append(order, np.setdiff1d(begin.names, order))
        self._n_columns = len(order)
        self._columns = np.full(n, -1, dtype=np.int32)
        self._columns[order] = np.arange(len(order))

    @property
    def names(self) -> list[int]:
        """The hashes of the columns."""
        some = np.flatnonzero(self._columns >= 0)
        return list(map(int, some[np.argsort(self._columns[some])]))

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """Return the features of all arcs."""
        require_sentences(sentences)
        layout = ArcLayout([*map(len, sentences)])
        require_bytes(
            DESCRIBED * float(layout.n_arcs),
            f"a sentence of m words has m (m + 1) arcs, so {len(layout)} sentences of up to "
            f"{layout.sizes.max()} words have {layout.n_arcs}, of about {DESCRIBED} bytes each",
            "split long sentences, or use fewer",
        )
        blocks = [self._block(sentences[part]) for part in _blocks(sentences)]
        indices, counts = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        ends = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(indices), dtype=np.float32 if len(indices) >= MANY else np.float64)
        shape = len(counts), self._n_columns
        return Arcs(sparse.csr_matrix((ones, indices, ends), shape), layout)

    def _block(self, sentences: Sequence[Any]) -> tuple[Indices, Indices]:
        """Return the columns of features, arc after arc, and each arc's number of features."""
        nodes = nodes_of(sentences)
        heads, dependents = all_arcs(nodes)
        table, arcs, between = hashes(nodes, heads, dependents, len(self._columns))
        columns, more = self._columns[table], self._columns[between]
        columns[heads == dependents] = -1
        kept, some = columns >= 0, more >= 0
        arcs = np.append(np.nonzero(kept)[0], arcs[some])
        order = np.argsort(arcs, kind="stable")
        counts = np.bincount(arcs, minlength=len(heads))
        return np.append(columns[kept], more[some])[order], counts


def _blocks(sentences: Sequence[Any]) -> Iterator[slice]:
    """Return slices of sentences with about BLOCK arcs, so that their features fit into a cache."""
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.intp)
    number = np.cumsum(lengths * (lengths + 1)) // BLOCK
    ends = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(sentences)]
    return (slice(start, stop) for start, stop in pairwise(ends))


class GivenMatrices:
    """A description of arcs by the user's own matrices, whose columns have no names."""

    names = None

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """Return the arcs of all sentences in one container."""
        return Arcs.of(sentences)


class OwnDescriptions:
    """A description of arcs by a user's function, with a column for each name in the training data.

    Parameters
    ----------
    function : callable
        The function is called as ``function(sentence, head, dependent)``; words are numbered from
        1, and head 0 is the root. The function returns names, or a dictionary from names to values.
    begin : OwnDescriptions, optional
        An earlier description: its columns come first, even if they do not occur in the training
        data.
    """

    def __init__(self, function: Callable[[Any, int, int], Any], begin: Any = None) -> None:
        self._function = function
        if isinstance(begin, Described):
            raise ValueError(OTHER_FEATURES)
        earlier = begin._vocabulary if isinstance(begin, OwnDescriptions) else None
        self._vocabulary: Vocabulary = Vocabulary(begin=earlier)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self._vocabulary.names

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """Return the features of all arcs. The first call determines the columns."""
        lengths = [n_examples(sentence, f"X[{i}]") for i, sentence in enumerate(sentences)]
        layout = ArcLayout(lengths)
        arcs = [
            (i, head, dependent)
            for i, m in enumerate(lengths)
            for dependent in range(1, m + 1)
            for head in range(m + 1)
        ]
        found = [self._described(sentences[i], _call(i, *arc), *arc) for i, *arc in arcs]
        return Arcs(self._vocabulary.matrix(found, lambda row: _call(*arcs[row])), layout)

    def _described(self, sentence: Any, call: str, head: int, dependent: int) -> Mapping[str, Any]:
        """Return the features of one arc; an arc from a word to itself has no features."""
        if head == dependent:
            return {}
        try:
            found = self._function(sentence, head, dependent)
        except Exception as error:
            raise ProblemError(f"{call} raised {type(error).__name__}: {error}") from error
        if isinstance(found, Mapping):
            return found
        if isinstance(found, NAMES) and all(isinstance(name, str) for name in found):
            return dict.fromkeys(in_order(found), 1)
        raise ProblemError(
            f"{call} must return a list of names, or a dictionary of names and values; it returned "
            f"{found!r:.80}"
        )


def _call(i: int, head: int, dependent: int) -> str:
    return f"features(X[{i}], {head}, {dependent})"


def require_sentences(X: Any) -> None:
    """Raise a ValueError unless X holds non-empty sequences of pairs (word, tag)."""
    for i in range(n_examples(X)):
        sentence, name = X[i], f"X[{i}]"
        no_sequence = isinstance(sentence, str) or not hasattr(sentence, "__len__")
        if no_sequence or sparse.issparse(sentence):
            raise ValueError(_unlike_sentence(name, sentence))
        require_ordered(name, sentence)
        if len(sentence) == 0:
            raise ValueError(f"{name} has no words; leave out sentences of length 0")
        for pair in sentence:
            if type(pair) is tuple and [*map(type, pair)] == [str, str]:
                continue
            if (
                isinstance(pair, str)
                or one_array(name, pair).shape != (2,)
                or not all(isinstance(text, str) for text in pair)
            ):
                raise ValueError(_unlike_sentence(name, pair))


def _unlike_sentence(name: str, found: Any) -> str:
    return (
        f"{name} must hold a pair (word, tag) of strings for each word; got {found!r:.80}. For "
        "other sentences give features=, a function of (sentence, head, dependent); or give arc "
        "matrices, as DependencyTree takes them"
    )
