"""Packed sequences read as the sequences."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structsvm.problems.sequences.chain.data import ChainLayout, Packed

LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@given(LENGTHS)
def test_packed_sequences_are_the_sequences(lengths):
    rows = np.arange(2 * sum(lengths)).reshape(-1, 2)
    sequences = np.split(rows, np.cumsum(lengths)[:-1])
    packed = Packed.of(rows, ChainLayout(np.array(lengths)))
    assert packed.shape == (len(lengths),) and len(packed) == len(lengths)
    some = np.random.default_rng(0).permutation(len(lengths))[: len(lengths) // 2 + 1]
    parts = [(packed, range(len(lengths))), (packed[some], some), (packed[1:], range(1, 9))]
    for part, index in parts:
        for k, i in zip(range(len(part)), index, strict=False):
            assert np.array_equal(part[k], sequences[i])
    assert np.array_equal(packed[-1], sequences[-1])


def test_packed_sequences_are_shown():
    packed = Packed.of(np.array([1, 0, 1]), ChainLayout(np.array([2, 1])), np.array(["a", "b"]))
    assert str(packed) == repr(packed) == f"Packed({[packed[0], packed[1]]})"
