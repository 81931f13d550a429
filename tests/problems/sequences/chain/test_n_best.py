"""The n best labellings against the enumeration of all."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structsvm.problems.sequences.chain.search import n_best


@given(
    st.integers(1, 4),
    st.integers(2, 4),
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_they_are_the_best_of_all_labellings(length, k, n, seed, forbid):
    rng = np.random.default_rng(seed)
    unary, transition = rng.normal(size=(length, k)), rng.normal(size=(k, k))
    if forbid:
        transition[rng.random((k, k)) < 0.4] = -np.inf
        unary[rng.random((length, k)) < 0.2] = -np.inf
    every = {
        codes: unary[np.arange(length), codes].sum()
        + sum(transition[a, b] for a, b in pairwise(codes))
        for codes in product(range(k), repeat=length)
    }
    best = sorted((score for score in every.values() if score > -np.inf), reverse=True)[:n]
    codes, scores = n_best(unary, transition, n)
    np.testing.assert_allclose(scores, best)
    assert len({tuple(c) for c in codes}) == len(codes) == len(best)
    for c, score in zip(codes, scores, strict=True):
        assert every[tuple(c)] == pytest.approx(score)


def test_labellings_of_equal_score_are_all_found():
    codes, scores = n_best(np.zeros((2, 2)), np.zeros((2, 2)), 9)
    assert {tuple(c) for c in codes} == set(product(range(2), repeat=2))
    assert not scores.any()
