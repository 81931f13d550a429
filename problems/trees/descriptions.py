"""The features of the arcs of sentences: by templates, or by a function of the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples
from structsvm.data.conversion import require_ordered
from structsvm.data.matrices import one_array
from structsvm.exceptions import ProblemError
from structsvm.features.vocabulary import NAMES, Vocabulary, in_order
from structsvm.problems.trees.arcs import ArcLayout, Arcs
from structsvm.problems.trees.checks import stacked_arcs
from structsvm.problems.trees.templates import all_arcs, hashes, nodes_of

#: Arcs that are described at once.
BLOCK = 20_000
#: Bytes that the features of an arc take: some 45, once as they are and once for products.
DESCRIBED = 800
#: Stored numbers from which on they are in single precision, which takes two thirds of the memory.
MANY = 20_000_000
#: What is wrong where one fit has features by templates, and the other features of another kind.
OTHER_FEATURES = (
    "w_prior was fitted to features of another kind: both it and this estimator must have those of "
    "the templates, features=None, or a function of your own"
)


class Described:
    """The features of arcs by :mod:`structsvm.problems.trees.templates`.

    There is a column for each hash of the arcs of the trees learned from, as in CRFsuite; the most
    frequent ones come first, so that a processor's cache holds their weights.

    Parameters
    ----------
    sentences : sequence of sequences of pairs (word, tag)
    heads : ndarray of shape (n_words,)
        The heads of all words in the training trees.
    n_hashes : int
    begin : Described, optional
        Its columns are there too, whether or not they occur.
    """

    def __init__(
        self, sentences: Sequence[Any], heads: Indices, n_hashes: int, begin: Any = None
    ) -> None:
        ends = np.cumsum([0, *map(len, sentences)])
        found: list[Any] = []
        for part in _blocks(sentences):
            nodes, own = nodes_of(sentences[part]), heads[ends[part.start] : ends[part.stop]]
            root = nodes.first[nodes.layout.words.owner]
            table, _, between = hashes(nodes, root + own, root + nodes.layout.word, n_hashes)
            found += table.ravel(), between
        counts = np.bincount(np.concatenate(found), minlength=n_hashes)
        some = np.flatnonzero(counts)
        order = some[np.argsort(-counts[some], kind="stable")]
        if begin is not None:
            if not isinstance(begin, Described):
                raise ValueError(OTHER_FEATURES)
            if begin._n_hashes != n_hashes:
                raise ValueError(
                    f"w_prior was fitted with n_features={begin._n_hashes}; here it is {n_hashes}. "
                    "Give both the same"
                )
            order = np.append(order, np.setdiff1d(begin.names, order))
        self._n_hashes: int = n_hashes
        self._n_columns = len(order)
        self._columns = np.full(n_hashes, -1, dtype=np.int32)
        self._columns[order] = np.arange(len(order))

    @property
    def names(self) -> list[int]:
        """The hashes of the columns."""
        some = np.flatnonzero(self._columns >= 0)
        return some[np.argsort(self._columns[some])].tolist()

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """The features of all arcs."""
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.intp)
        layout = ArcLayout(lengths)
        layout.require_bytes(DESCRIBED)
        blocks = [self._block(sentences[part]) for part in _blocks(sentences)]
        indices, counts = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        ends = np.concatenate([[0], np.cumsum(counts)])
        ones = np.ones(len(indices), dtype=np.float32 if len(indices) >= MANY else np.float64)
        shape = len(counts), self._n_columns
        return Arcs(sparse.csr_matrix((ones, indices, ends), shape), layout)

    def _block(self, sentences: Sequence[Any]) -> tuple[Indices, Indices]:
        """The columns of arcs, one arc after the other, and their numbers."""
        nodes = nodes_of(sentences)
        heads, dependents = all_arcs(nodes)
        table, arcs, between = hashes(nodes, heads, dependents, self._n_hashes)
        columns, more = self._columns[table], self._columns[between]
        columns[heads == dependents] = -1
        kept, some = columns >= 0, more >= 0
        arcs, more = arcs[some], more[some]
        counts = np.count_nonzero(kept, axis=1), np.bincount(arcs, minlength=len(heads))
        ends = [np.cumsum(count) for count in counts]
        found = np.empty(ends[0][-1] + ends[1][-1], dtype=np.int32)
        before = np.repeat(ends[1] - counts[1], counts[0])
        found[np.arange(len(before)) + before] = columns[kept]
        found[np.arange(len(more)) + ends[0][arcs]] = more
        return found, counts[0] + counts[1]


def _blocks(sentences: Sequence[Any]) -> Iterator[slice]:
    """Slices of sentences with about BLOCK arcs, so that what describes them fits into a cache."""
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.intp)
    number = np.cumsum(lengths * (lengths + 1)) // BLOCK
    ends = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(sentences)]
    return (slice(start, stop) for start, stop in pairwise(ends))


class GivenMatrices:
    """The features of arcs that are given as matrices, whose columns have no names."""

    names = None

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """The arcs of all sentences in one container."""
        return stacked_arcs(sentences)


class OwnDescriptions:
    """The features of arcs by a function, with a column for each name that training data have.

    Parameters
    ----------
    function : callable
        Called as ``function(sentence, head, dependent)``, with the numbers of words from 1 and
        head 0 for the root. It returns names, or a dictionary of names and values.
    begin : OwnDescriptions, optional
        Its columns come first, whether or not they occur.
    """

    def __init__(self, function: Callable[[Any, int, int], Any], begin: Any = None) -> None:
        self._function = function
        self._vocabulary: Vocabulary
        if isinstance(begin, Described):
            raise ValueError(OTHER_FEATURES)
        earlier = begin._vocabulary if isinstance(begin, OwnDescriptions) else None
        self._vocabulary = Vocabulary(begin=earlier)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self._vocabulary.names

    def __call__(self, sentences: Sequence[Any]) -> Arcs:
        """The features of all arcs; features in the first sentences given get the columns."""
        lengths = [n_examples(sentence, f"X[{i}]") for i, sentence in enumerate(sentences)]
        layout = ArcLayout(np.array(lengths, dtype=np.intp))
        found = [
            self._described(sentence, i, head, dependent)
            for i, (sentence, m) in enumerate(zip(sentences, lengths, strict=True))
            for dependent in range(1, m + 1)
            for head in range(m + 1)
        ]

        def place(row: int) -> str:
            i = int(np.searchsorted(np.cumsum(layout.lengths * (layout.lengths + 1)), row, "right"))
            own = row - int(sum(m * (m + 1) for m in lengths[:i]))
            dependent, head = divmod(own, lengths[i] + 1)
            return f"features(X[{i}], {head}, {dependent + 1})"

        return Arcs(self._vocabulary.matrix(found, place), layout)

    def _described(self, sentence: Any, i: int, head: int, dependent: int) -> Mapping[str, Any]:
        """The features of one arc."""
        if head == dependent:
            return {}
        call = f"features(X[{i}], {head}, {dependent})"
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


def require_sentences(X: Any) -> None:
    """Raise a ValueError unless X holds sequences of pairs (word, tag), of at least one word."""
    for i in range(n_examples(X)):
        sentence = X[i]
        if (
            isinstance(sentence, str)
            or sparse.issparse(sentence)
            or not hasattr(sentence, "__len__")
        ):
            raise ValueError(_unlike_sentence(i, sentence))
        require_ordered(f"X[{i}]", sentence)
        if len(sentence) == 0:
            raise ValueError(f"X[{i}] has no words; leave out sentences of length 0")
        for pair in sentence:
            if not _are_two_texts(pair, f"X[{i}]"):
                raise ValueError(_unlike_sentence(i, pair))


def _are_two_texts(pair: Any, name: str) -> bool:
    if isinstance(pair, str) or one_array(name, pair).shape != (2,):
        return False
    return all(isinstance(text, str) for text in pair)


def _unlike_sentence(i: int, found: Any) -> str:
    return (
        f"X[{i}] must hold a pair (word, tag) of strings for each word; got {found!r:.80}. For "
        "other sentences give features=, a function of (sentence, head, dependent); or give arc "
        "matrices, as DependencyTree takes them"
    )
