"""Viterbi, forward-backward and the n best labellings against the enumeration of all."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from structsvm.problems.sequences.chain import layout as layouts
from structsvm.problems.sequences.chain import search as inference
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.search import n_best

#: Spreads of transition scores, of which exponentials hardly exist.
SPREADS = {np.float32: 60.0, np.float64: 650.0}
LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=5)

both_precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def scores(seed, lengths, k, scale=1.0):
    rng = np.random.default_rng(seed)
    return (
        scale * rng.normal(size=(k, sum(lengths))),
        scale * rng.normal(size=(k, k)),
        ChainLayout(np.array(lengths)),
    )


def marginals(unary, transition, layout):
    return inference.marginals(unary.copy(), transition, layout, np.ones(len(layout.lengths)))


def by_logarithms(unary, transition, layout):
    """Marginals in double precision, without products of exponentials."""
    unary = unary.astype(np.float64)
    return inference._by_logarithms(unary, transition, layout, np.ones(len(layout.lengths)))


def assert_alike(found, expected, parts, pairs=None, **partition):
    """Compare marginals, with absolute tolerances of those of labels and of pairs."""
    np.testing.assert_allclose(found.log_partition, expected.log_partition, **partition)
    np.testing.assert_allclose(found.parts, expected.parts, atol=parts)
    np.testing.assert_allclose(found.pairs, expected.pairs, atol=pairs or parts)


def labellings(unary, transition, layout, i):
    """Every labelling of sequence i, and its score."""
    where = layout.positions(i, np.arange(layout.lengths[i]))
    codes = np.array(list(product(range(len(transition)), repeat=len(where))))
    total = unary[codes, where].sum(axis=1)
    return codes, total + sum(
        (transition[a, b] for a, b in pairwise(codes.T)), start=np.zeros(len(codes))
    )


@pytest.mark.parametrize("way", [marginals, by_logarithms])
@pytest.mark.parametrize("scale", [0.1, 1.0, 100.0])
@given(lengths=LENGTHS, k=st.integers(2, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_marginals_are_those_of_the_enumeration(way, scale, lengths, k, seed):
    unary, transition, layout = scores(seed, lengths, k, scale)
    found = way(unary, transition, layout)
    pairs = np.zeros((k, k))
    for i in range(len(lengths)):
        codes, total = labellings(unary, transition, layout, i)
        log_partition = logsumexp(total)
        p = np.exp(total - log_partition)
        where = layout.positions(i, np.arange(lengths[i]))
        expected = np.array([p @ (codes == label) for label in range(k)]).T
        assert found.log_partition[i] == pytest.approx(log_partition, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(found.parts[:, where].T, expected, atol=1e-11)
        for a, b in pairwise(codes.T):
            np.add.at(pairs, (a, b), p)
    np.testing.assert_allclose(found.pairs, pairs, atol=1e-10)


@pytest.mark.parametrize("scale", [300.0, 3000.0])
def test_marginals_of_scores_whose_exponentials_do_not_exist(scale):
    unary, transition, layout = scores(0, [5, 4, 5, 1], 4, scale)
    found, best = marginals(unary, transition, layout), inference.viterbi(unary, transition, layout)
    assert np.array_equal(found.parts.argmax(axis=0), best)
    for i in range(4):
        _, total = labellings(unary, transition, layout, i)
        assert found.log_partition[i] == pytest.approx(logsumexp(total), rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 10.0, 25.0, 100.0, 1000.0])
def test_single_precision_is_as_good_as_the_scores(scale):
    unary, transition, layout = scores(0, [9, 12, 3, 1, 30], 4, scale)
    found = marginals(unary.astype(np.float32), transition, layout)
    tolerance = 1e-5 * scale
    expected = marginals(unary, transition, layout)
    assert_alike(found, expected, tolerance, 50 * tolerance, atol=30 * tolerance)


@both_precisions
def test_a_path_through_raised_scores_is_found(dtype):
    """All transitions lead to and from a label that is far below the highest at its position."""
    layout, unit = ChainLayout(np.array([3])), SPREADS[dtype] / 2
    unary, transition = np.zeros((2, 3), dtype), unit * np.array([[0.0, 1.99], [1.99, 0.0]])
    unary[1] = -8 * unit, -5 * unit, -8 * unit
    given = unary, transition, layout
    assert_alike(marginals(*given), by_logarithms(*given), 1e-6, atol=1e-4)


def rare_path(dtype):
    """Scores of three labels: all transitions to the second position are rare, and only the label
    that is low there leads on."""
    unit = 0.48 * SPREADS[dtype]
    transition = unit * np.array([[1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]])
    unary = np.full((3, 3), -8 * unit, dtype)
    unary[[0, 1, 2], [0, 1, 2]], unary[2, 1] = 0.0, -1.8 * unit
    return unary, transition


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-4), (np.float64, 1e-6)])
def test_one_such_path_among_other_sequences(dtype, error):
    layout, (own, transition) = ChainLayout(np.array([2, 3, 4])), rare_path(dtype)
    unary = np.random.default_rng(0).normal(size=(3, 9)).astype(dtype)
    unary[:, layout.positions(1, np.arange(3))] = own
    given = unary, transition, layout
    assert_alike(marginals(*given), by_logarithms(*given), error, rtol=0.1 * error)


@pytest.mark.parametrize("scale", [1e4, 1e16])
def test_transitions_leave_no_rounding_error_in_sequences_without_any(scale):
    unary, transition, layout = scores(0, [1, 3, 1], 4)
    found = marginals(unary, scale * transition, layout)
    for i in (0, 2):
        _, total = labellings(unary, transition, layout, i)
        np.testing.assert_allclose(found.log_partition[i], logsumexp(total), rtol=1e-14)


def test_blocks_do_not_matter(monkeypatch):
    given = scores(1, [3, 5, 5, 2, 4, 4], 3)
    before = inference.viterbi(*given)
    monkeypatch.setattr(inference, "CACHED", 1)
    assert np.array_equal(inference.viterbi(*given), before)


# ---------------------------------------------------------------------- long sequences


@pytest.fixture(scope="module")
def short_pieces():
    """Sequences of six positions are long, their pieces have three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layouts, "LEAST_LENGTH", 3)
        patch.setattr(layouts, "LEAST_PIECES", 2)
        yield


def plain_viterbi(unary, transition):
    """The labels of a sequence, scores (k, length), and scores relative to the best label."""
    best = [unary[:, 0] - unary[:, 0].max()]
    for here in unary.T[1:]:
        scores = (best[-1][:, None] + transition).max(axis=0) + here
        best.append(scores - max(scores.max(), np.finfo(scores.dtype).min))
    codes = [best[-1].argmax()]
    for scores in reversed(best[:-1]):
        codes.append((scores + transition[:, codes[-1]]).argmax())
    return codes[::-1]


def long_sequences(seed, lengths, k, dtype, kind):
    """Scores of sequences that soon forget how they began, or never, and may have ties."""
    unary, transition, layout = scores(seed, lengths, k)
    if kind == "ties":
        unary, transition = unary.round(), transition.round()
    if kind == "remembering":
        transition += 40 * np.eye(k)
    if kind == "forbidden":
        transition[np.triu_indices(k, 1)] = -np.inf
    return unary.astype(dtype), transition.astype(dtype), layout


long_chains = st.builds(
    long_sequences,
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    k=st.integers(1, 5),
    dtype=st.sampled_from([np.float32, np.float64]),
    kind=st.sampled_from(["plain", "ties", "remembering", "forbidden"]),
)


@given(long_chains)
@settings(max_examples=100)
def test_viterbi_in_pieces_is_the_plain_loop_to_the_bit(short_pieces, chain):
    unary, transition, layout = chain
    found = inference.viterbi(unary, transition, layout)
    for i, length in enumerate(layout.lengths):
        where = layout.positions(i, np.arange(length))
        assert found[where].tolist() == plain_viterbi(unary[:, where], transition)


@given(long_chains)
def test_marginals_in_pieces_are_those_of_whole_sequences(short_pieces, chain):
    unary, transition, layout = chain
    found, expected = marginals(unary, transition, layout), by_logarithms(unary, transition, layout)
    error = 1e-3 if unary.dtype == np.float32 else 1e-10
    assert_alike(found, expected, error, 100 * error, atol=10 * error, rtol=error)


# ---------------------------------------------------------------------- the n best


@given(
    st.integers(1, 4), st.integers(2, 4), st.integers(1, 30), st.integers(0, 2**32 - 1),
    st.booleans(),
)  # fmt: skip
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
