"""Searches along long sequences, which are cut into pieces."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structsvm.problems.sequences.chain import layout as layouts
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.segments.search import marginals, viterbi


def found(scores, transition, lengths, width, least):
    layout = ChainLayout(lengths, width)
    layouts.LEAST_LENGTH, layouts.LEAST_PIECES = least, 2
    segments = sorted(
        zip(*map(np.ndarray.tolist, viterbi(scores, transition, layout)), strict=True)
    )
    return segments, marginals(scores, transition, layout, np.arange(1.0, 1 + len(lengths)))


@given(
    st.integers(0, 2**32 - 1), st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.integers(1, 4), st.integers(1, 7), st.sampled_from([0.1, 1.0, 100.0]), st.booleans(),
)  # fmt: skip
def test_pieces_find_what_whole_sequences_do(seed, lengths, k, longest, scale, ties):
    rng, lengths = np.random.default_rng(seed), np.array(lengths)
    scores = scale * rng.normal(size=(longest, k, lengths.sum()))
    transition = scale * rng.normal(size=(k, k))
    if ties:
        scores, transition = scores.round(), transition.round()
    for more, own in enumerate(scores):
        own[:, ChainLayout(lengths).step < more] = -np.inf
    usual = layouts.LEAST_LENGTH, layouts.LEAST_PIECES
    try:
        best, expected = found(scores, transition, lengths, longest, 100)
        in_pieces, soft = found(scores, transition, lengths, longest, 3)
    finally:
        layouts.LEAST_LENGTH, layouts.LEAST_PIECES = usual
    assert in_pieces == best
    for values, others in zip(soft, expected, strict=True):
        np.testing.assert_allclose(values, others, rtol=1e-12, atol=1e-10)
