"""The best projective tree, whose arcs do not cross, and sums over all projective trees.

The algorithm is the dynamic program of Eisner (Three New Probabilistic Models for Dependency
Parsing, COLING 1996), for n sentences of the same length together. A span is half of a tree: either
a word with all dependents on one side, or an arc with all words between its ends. A backward pass
through the spans computes derivatives with respect to the arc scores. The derivatives of the
logarithm of the sum over all trees are the marginals. The derivatives of the highest score of a
tree are 1 for the arcs of the best tree and 0 for all other arcs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from structsvm.compiled import compiled
from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums

#: Largest number of scores that are evaluated together: they fit into a processor's cache.
CACHED = 50_000
#: There are fewer projective trees of m words than this number to the power m. For large m 27/4
#: suffices (sequence A001764 of the OEIS counts trees with any number of roots).
TREES_PER_WORD = 7.0


class Semiring(NamedTuple):
    """The operations of a dynamic program: ``join`` combines arcs, and ``value`` sums over trees.

    ``zero`` is the score of an arc that no tree has, and ``one`` the score of a tree without arcs.
    ``derivatives`` returns the derivatives of the logarithm of a sum with respect to the logarithms
    of its terms. The chain rule multiplies derivatives by ``times`` and adds derivatives by
    ``plus``; the neutral elements are ``whole`` and ``none``.
    """

    zero: float
    one: float
    join: Callable[[Vector, Vector], Vector]
    value: Callable[[Vector], Vector]
    derivatives: Callable[[Vector, Vector], Vector]
    times: Callable[[Vector, Vector], Vector] = np.multiply
    plus: Callable[[Vector, Vector], Vector] = np.add
    whole: float = 1.0
    none: float = 0.0


def _is_first_of_the_largest(terms: Vector, value: Vector) -> Vector:
    first = terms.argmax(axis=-1)[..., None]
    return np.asarray(np.arange(terms.shape[-1]) == first, dtype=np.float64)


def _shares(terms: Vector, value: Vector) -> Vector:
    value = value[..., None]
    return np.divide(terms, value, out=np.zeros_like(terms), where=value > 0)


MAXIMUM = Semiring(-1e300, 0.0, np.add, lambda terms: terms.max(axis=-1), _is_first_of_the_largest)
LOG_SUM = Semiring(
    -1e300, 0.0, np.add, log_sums, lambda terms, value: np.exp(terms - value[..., None])
)
#: The derivative by an arc is the best score of a tree with this arc, minus the best score of all.
BEST_WITH = MAXIMUM._replace(
    derivatives=lambda terms, value: terms - value[..., None],
    times=np.add,
    plus=np.maximum,
    whole=0.0,
    none=-np.inf,
)
SUM = Semiring(0.0, 1.0, np.multiply, lambda terms: terms.sum(axis=-1), _shares)


@compiled("eisner")
def best_projective_trees(scores: Vector, single_root: bool) -> Indices:
    """Return the heads of the best projective trees, as ``arborescence.best_trees`` does."""
    _, chosen = _evaluated(scores, single_root, MAXIMUM)
    return np.asarray(chosen.argmax(axis=2))


def projective_max_marginals(scores: Vector, single_root: bool) -> Vector:
    """Return max-marginals of projective trees, as ``arborescence.tree_max_marginals`` does."""
    return _evaluated(scores, single_root, BEST_WITH)[1]


def projective_marginals(scores: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """Return the sums and marginals of projective trees, as ``matrix_tree.tree_marginals`` does.

    The weight of a tree is exp(score - h), where h is the sum of the highest arc scores of all
    words. Weights below the smallest positive floating-point number are rounded to 0. If rounding
    small weights to 0 may change the sum of all weights noticeably, the function computes with the
    logarithms of the weights.
    """
    m = scores.shape[1]
    scores = scores.astype(np.float64)
    scores[:, np.arange(m), np.arange(1, m + 1)] = -np.inf
    highest = scores.max(axis=2, keepdims=True)
    highest[np.isneginf(highest)] = 0.0
    sums, found = projective_sums(np.exp(scores - highest), single_root)
    limits = np.finfo(np.float64)
    least = m * np.log(TREES_PER_WORD) + np.log(limits.tiny / limits.eps)
    with np.errstate(divide="ignore"):
        values = np.log(sums)
    doubtful = np.flatnonzero(~((values > least) & (values < np.inf)))
    values += highest.sum(axis=(1, 2))
    if len(doubtful):
        values[doubtful], found[doubtful] = _evaluated(scores[doubtful], single_root, LOG_SUM)
    return values, found.clip(0, 1)  # sums of rounded fractions may be above 1


@compiled("eisner")
def projective_sums(weights: Vector, single_root: bool) -> tuple[Vector, Vector]:
    """Return the sum over trees of the products of arc weights, and each arc's share of the sum."""
    return _evaluated(weights, single_root, SUM)


def _evaluated(scores: Vector, single_root: bool, by: Semiring) -> tuple[Vector, Vector]:
    """Return the sum over all trees, and derivatives of its log with respect to log-weights."""
    step = max(1, CACHED // scores[0].size)
    parts = [
        _evaluated_at_once(scores[start : start + step], single_root, by)
        for start in range(0, len(scores), step)
    ]
    values, found = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(found)


def _evaluated_at_once(scores: Vector, single_root: bool, by: Semiring) -> tuple[Vector, Vector]:
    n, m, _ = scores.shape
    arcs = np.full((n, m + 1, m + 1), by.zero)  # from heads to dependents
    arcs[:, :, 1:] = scores.transpose(0, 2, 1)
    found = np.zeros(arcs.shape)
    if single_root:
        chart = _Chart(arcs[:, 1:, 1:], by)
        # Join the words before the root's only dependent with the words after it.
        terms = by.join(by.join(arcs[:, 0, 1:], chart.left[:, 0]), chart.right[:, :, -1])
        value = by.value(terms)
        of_roots = by.derivatives(terms, value)
        found[:, 0, 1:], found[:, 1:, 1:] = of_roots, chart.derivatives(of_roots, of_roots)
    else:
        chart = _Chart(arcs, by)
        value = chart.right[:, 0, -1]
        none = np.full((n, m + 1), by.none)
        found = chart.derivatives(none, np.where(np.arange(m + 1), none, by.whole))
    return value, found[:, :, 1:].transpose(0, 2, 1)


class _Chart:
    """The values of all spans, indexed by first and last word.

    Attributes
    ----------
    right, left : ndarray of shape (n, size, size)
        ``right`` holds the values of spans in which the first word has all its dependents to the
        right. ``left`` holds the values of spans in which the last word has all its dependents to
        the left.
    """

    def __init__(self, arcs: Vector, by: Semiring) -> None:
        self._by, self._size = by, arcs.shape[1]
        # An arc from the first word to the last, or back, with the words beneath it.
        self.right, self.left, self._onward, self._back = np.full((4, *arcs.shape), by.one)
        for width in range(1, self._size):
            first, inner, last = self._places(width)
            ends = slice(None), first[:, 0], last[:, 0]
            beneath = by.value(self._beneath(first, inner, last))
            self._onward[ends] = by.join(beneath, arcs[ends])
            self._back[ends] = by.join(beneath, arcs[:, last[:, 0], first[:, 0]])
            self.right[ends] = by.value(self._to_the_right(first, inner, last))
            self.left[ends] = by.value(self._to_the_left(first, inner, last))

    def _places(self, width: int) -> tuple[Indices, Indices, Indices]:
        first = np.arange(self._size - width)[:, None]
        return first, first + np.arange(width), first + width

    def _beneath(self, first: Indices, inner: Indices, last: Indices) -> Vector:
        return self._by.join(self.right[:, first, inner], self.left[:, inner + 1, last])

    def _to_the_right(self, first: Indices, inner: Indices, last: Indices) -> Vector:
        return self._by.join(self._onward[:, first, inner + 1], self.right[:, inner + 1, last])

    def _to_the_left(self, first: Indices, inner: Indices, last: Indices) -> Vector:
        return self._by.join(self.left[:, first, inner], self._back[:, inner, last])

    def _shares(self, terms: Vector, value: Vector, derivative: Vector) -> Vector:
        """Return derivatives by ``terms``, given the ``derivative`` by the sum of the terms."""
        return self._by.times(self._by.derivatives(terms, value), derivative[..., None])

    def derivatives(self, left: Vector, right: Vector) -> Vector:
        """Propagate derivatives from ``left[:, 0]`` and ``right[:, :, -1]`` to the arcs."""
        of_right, of_left, onward, back = np.full((4, *self.right.shape), self._by.none)
        of_left[:, 0], of_right[:, :, -1] = left, right
        for width in range(self._size - 1, 0, -1):
            first, inner, last = self._places(width)
            ends = slice(None), first[:, 0], last[:, 0]

            def add(share: Vector, *parts: tuple[Vector, Indices, Indices]) -> None:
                for part, begin, end in parts:
                    part[:, begin, end] = self._by.plus(part[:, begin, end], share)

            terms = self._to_the_right(first, inner, last)
            share = self._shares(terms, self.right[ends], of_right[ends])
            add(share, (onward, first, inner + 1), (of_right, inner + 1, last))
            terms = self._to_the_left(first, inner, last)
            share = self._shares(terms, self.left[ends], of_left[ends])
            add(share, (of_left, first, inner), (back, inner, last))
            terms = self._beneath(first, inner, last)
            of_arc = self._by.plus(onward[ends], back[ends])
            share = self._shares(terms, self._by.value(terms), of_arc)
            add(share, (of_right, first, inner), (of_left, inner + 1, last))
        return self._by.plus(onward, back.transpose(0, 2, 1))
