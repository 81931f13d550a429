"""Allowed transitions in all oracles, against the enumeration of the labellings that they allow."""

from itertools import pairwise, product

import numpy as np
import pytest
from cases.problems import initialized
from enumeration import assert_oracles_are_those_of_all_outputs, drawn_w
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused

from structsvm import ProblemError, StructuredSVM
from structsvm.problems import Chain, ChainSVM, WeightedLabels, bio_transitions
from structsvm.problems.sequences.chain import search as inference
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.problems.sequences.chain.transitions import Allowed

NAMES = "abcd"


def allowed_labellings(pairs, names, length):
    """The labellings with allowed pairs only, None being before the first and after the last."""
    for labels in product(names, repeat=length):
        if all(pair in pairs for pair in pairwise([None, *labels, None])):
            yield labels


def drawn(seed, share=0.7):
    """A problem with random pairs and weights, its examples, and the pairs."""
    rng = np.random.default_rng(seed)
    names = NAMES[: rng.integers(2, 5)]
    pairs = {p for p in product([None, *names], [*names, None]) if rng.random() < share}
    X, Y = [], []
    for length in rng.integers(1, 6, size=6):
        possible = list(allowed_labellings(pairs, names, length))
        if possible:
            X.append(rng.normal(size=(length, 3)))
            labels = np.array(possible[rng.integers(len(possible))])
            Y.append(WeightedLabels(labels, rng.integers(1, 4, size=length)))
    labels = {label for y in Y for label in y}
    if len(labels) < 2:
        return drawn(seed + 100)
    weights = {name: float(rng.integers(1, 4)) for name in sorted(labels)}
    pairs = {pair for pair in pairs if labels.issuperset({*pair} - {None})}
    return Chain(sorted(pairs, key=str), weights), X, Y, pairs


@pytest.mark.parametrize("way", ["products", "logarithms"])
@pytest.mark.parametrize("seed", range(3))
def test_the_oracles_search_all_allowed_labellings_and_no_others(seed, way, monkeypatch):
    if way == "logarithms":
        monkeypatch.setattr(inference, "NEGLIGIBLE", -1.0)
    problem, X, Y, pairs = drawn(seed)
    problem.initialize(X, Y)
    for scale, mu in ((0.1, 3.0), (1.0, 0.3), (30.0, 0.01)):
        w = drawn_w(problem, scale, seed)
        assert_oracles_are_those_of_all_outputs(problem, X, Y, w, mu)
    for x, y in zip(X, Y, strict=True):
        every = list(allowed_labellings(pairs, problem.classes_.tolist(), len(x)))
        assert {tuple(z) for z in problem.outputs(x)} == set(every)
        assert {tuple(problem.decode(x, w)), tuple(problem.separation_oracle(x, y, w))} <= {*every}


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 40.0, 400.0]))
@settings(max_examples=25)
def test_impossible_labels_and_pairs_have_no_probability(seed, scale):
    rng = np.random.default_rng(seed)
    k, lengths = 3, rng.integers(1, 6, size=4)
    rule = {p for p in product([None, *range(k)], [*range(k), None]) if rng.random() < 0.6}
    allowed = Allowed.by(lambda a, b: (a, b) in rule, np.arange(k))
    layout = ChainLayout(lengths)
    every = [list(allowed_labellings(rule, range(k), length)) for length in lengths]
    assume(all(every))
    for dtype in (np.float32, np.float64):
        unary = (scale * rng.normal(size=(k, lengths.sum()))).astype(dtype)
        transition = scale * rng.normal(size=(k, k))
        transition = allowed.forbid(unary, transition, layout)
        found = inference.marginals(unary, transition, layout, np.ones(4))
        assert not found.pairs[~allowed.pairs].any()
        for i, labellings in enumerate(every):
            p = found.parts[:, layout.positions(i, np.arange(lengths[i]))]
            possible = np.zeros(p.shape, dtype=bool)
            for labels in labellings:
                possible[labels, np.arange(len(labels))] = True
            assert not p[~possible].any()
            np.testing.assert_allclose(p.sum(axis=0), 1, rtol=1e-5)


def test_pairs_and_a_function_are_the_same_rule():
    names = np.array(["B", "I", "O"])
    rule = Allowed.by(bio_transitions, names)
    pairs = [
        p for p in product([None, "B", "I", "O"], ["B", "I", "O", None]) if bio_transitions(*p)
    ]
    for one, other in zip(rule, Allowed.by(pairs, names), strict=True):
        np.testing.assert_array_equal(one, other)
    # Without a pair that says so, any label begins and ends a sequence.
    inside = Allowed.by([("B", "I"), ("I", "O")], names)
    assert inside.first.all() and inside.last.all() and inside.pairs.sum() == 2


BIO = bio_transitions


test_labels_against_the_rule_and_bad_rules_are_named = refused(
    lambda y, rule: Chain(rule).initialize([np.zeros((len(y), 1))], [list(y)]),
    ([*"OIB"], BIO, r"Y\[0\] has 'I' after 'O' at position 1, which allowed_transitions forbid"),
    (["I", "O"], BIO, r"Y\[0\] begins with 'I', which allowed_transitions forbid"),
    ("BO", ["BO", (None, "B"), ("B", None)], r"Y\[0\] ends with 'O', .* the pair \('O', None\)"),
    (["B", "O"], [1, 2], "must be a function of a label and the next, or pairs"),
    (["B", "NOUN"], BIO, "not of the BIO scheme"),
    (["B-a", "O", "0"], BIO, "the label '0' is not of the BIO scheme: expected 'O'"),
    (["B", "O"], [("B", "o")], r"'o', which no output has: the labels are \['B', 'O'\]"),
    (["B", "O"], [("start", "B"), ("B", "O")], "the label 'start', which no output has"),
)


def test_a_length_without_an_allowed_labelling_is_named():
    # Sequences end after "b", which only the second position can have.
    X, Y = [np.ones((2, 1))] * 2, [["a", "b"], ["c", "b"]]
    rule = [(None, "a"), (None, "c"), ("a", "b"), ("c", "b"), ("b", None)]
    with pytest.warns(UserWarning, match="training ended at w = 0"):
        svm = StructuredSVM(Chain(rule)).fit(X, Y)
    with pytest.raises(ValueError, match=r"no labelling of X\[1\], which has 3 positions"):
        svm.predict([np.ones((2, 1)), np.ones((3, 1))])


def never_returns(a, b):
    raise KeyError(b)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda a: True, r"\('a', 'a'\) raised TypeError: .*2 were given"),
        (lambda a, b: a < b, r"\(None, 'a'\) raised TypeError"),
        (lambda a, b: "no", r"\('a', 'a'\) returned 'no'"),
        (lambda a, b: 7, r"\('a', 'a'\) returned 7"),
        (lambda a, b: np.ones(2), r"\('a', 'a'\) returned array"),
        (never_returns, r"\('a', 'a'\) raised KeyError"),
    ],
)
def test_a_bad_function_is_named_with_what_it_takes_and_returns(rule, message):
    contract = "it is called with a label and the next, .* must return True or False"
    for model in (StructuredSVM(Chain(rule)), ChainSVM(allowed_transitions=rule)):
        with pytest.raises(ProblemError, match=f"^allowed_transitions{message}.*; {contract}"):
            model.fit([np.eye(2), np.eye(2)], [["a", "b"], ["a", "a"]])


def test_numbers_of_a_table_and_pairs_in_an_array_are_rules():
    table = {("a", "b"): 1, (None, "a"): np.bool_(True), ("b", None): np.int8(1)}
    allowed = Allowed.by(lambda a, b: table.get((a, b), 0), np.array(["a", "b"]))
    np.testing.assert_array_equal(allowed.pairs, [[False, True], [False, False]])
    problem = initialized(Chain(np.array([["a", "b"], ["b", "a"]])), [np.eye(2)], [["a", "b"]])
    assert len(list(problem.outputs(np.eye(2)))) == 2
