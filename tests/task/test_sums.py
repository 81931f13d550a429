"""Sums by blocks: the same for any division into tasks, in slices that fit in memory."""

from functools import reduce

import numpy as np
import pytest
from scipy import sparse

from structsvm.task import sums
from structsvm.task.sums import BlockSum, Entries, dot, ends_within, plus, products, slices, whole

RNG = np.random.default_rng(0)
ROWS = np.where(RNG.random((25, 10)) < 0.4, RNG.normal(size=(25, 10)), 0.0)
WEIGHTS = RNG.normal(size=25)
ENDS = [8, 9, 17, 25]


def sum_of(convert, ends, rows=ROWS, weights=WEIGHTS):
    total = BlockSum(rows.shape[1])
    for piece in slices(ends, total.size):
        total.add(piece, weights[piece.places], convert(rows[piece.places]))
    return total.value


def added(terms, size):
    return reduce(plus, terms, np.zeros(size))


@pytest.mark.parametrize(
    ("ends", "size", "expected"),
    [
        ([25], 10, [(range(10), [0], 0), (range(10, 20), [0], 0), (range(20, 25), [0], 1)]),
        (ENDS, 10, [(range(9), [0, 8], 1), (range(9, 17), [0], 1), (range(17, 25), [0], 1)]),
        ([2, 3], 1000, [(range(1), [0], 0), (range(1, 2), [0], 1), (range(2, 3), [0], 1)]),
    ],
)
def test_slices_are_whole_blocks_or_parts_of_one(ends, size, expected, monkeypatch):
    monkeypatch.setattr(sums, "NUMBERS", 100)
    assert [tuple(found) for found in slices(ends, size)] == expected


@pytest.mark.parametrize("numbers", [sums.NUMBERS, 100, 1])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_sums_have_the_bits_of_those_of_blocks_in_order(convert, numbers, monkeypatch):
    monkeypatch.setattr(sums, "NUMBERS", numbers)
    blocks = [slice(*edges) for edges in zip([0, *ENDS[:-1]], ENDS, strict=True)]
    alone = [sum_of(convert, [own.stop - own.start], ROWS[own], WEIGHTS[own]) for own in blocks]
    found = whole(sum_of(convert, ENDS), 10)
    np.testing.assert_array_equal(found, added(alone, 10))
    np.testing.assert_allclose(found, WEIGHTS @ ROWS, rtol=1e-13)


def test_a_sum_of_few_sparse_entries_is_kept_by_its_entries():
    rows = np.hstack([ROWS[:3], np.zeros((3, 90))])
    few = sum_of(sparse.csr_matrix, [3], rows, WEIGHTS[:3])
    assert isinstance(few, Entries)
    np.testing.assert_allclose(whole(few, 100), WEIGHTS[:3] @ rows, atol=1e-15)
    twice = added([few, few], 100)
    np.testing.assert_array_equal(twice, added([whole(few, 100), few], 100))


def test_weighted_numbers_are_summed_by_blocks():
    assert dot(np.ones(4), np.array([1.0, 1e17, 1.0, -1e17]), [1, 2, 3, 4]) == 0.0
    assert dot(WEIGHTS, ROWS[:, 0], ENDS) == pytest.approx(WEIGHTS @ ROWS[:, 0])


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_product_does_not_depend_on_other_rows(convert):
    w = RNG.normal(size=10)
    np.testing.assert_allclose(products(convert(ROWS), w), ROWS @ w, atol=1e-14)
    alone = [products(convert(ROWS[i : i + 1]), w)[0] for i in range(25)]
    np.testing.assert_array_equal(products(convert(ROWS), w), alone)


@pytest.mark.parametrize(
    ("places", "expected"), [([0, 7, 8, 20], [2, 3, 4]), ([9, 9, 16], [3]), ([], [])]
)
def test_the_ends_of_blocks_among_some_examples(places, expected):
    assert ends_within(np.array(places), ENDS) == expected
