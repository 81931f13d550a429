"""Chains whose labels are known in part: completions against all labellings, and training."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from structsvm import CCCP, LatentSVM, OneSlackCuttingPlane, check_problem
from structsvm.problems import Chain, PartialChain


def annotated_data(seed=0, share=0.5, unknown=None):
    """The example data, with labels unknown at random, and the first sequence all unknown."""
    X, Y = Chain.example_data()
    rng = np.random.default_rng(seed)
    annotations = [[unknown if rng.random() < share else label for label in y] for y in Y]
    return X, [None, *annotations[1:]]


def agrees(y, z):
    return y is None or all(a is None or a == b for a, b in zip(y, z, strict=True))


def no_repeats(a, b):
    return a != b


@pytest.mark.parametrize("rule", [None, no_repeats])
@pytest.mark.parametrize("seed", range(10))
def test_completions_are_the_best_of_all_that_agree(seed, rule):
    X, Y = annotated_data(seed)
    if rule:
        Y = [y if i % 3 else [None] * len(X[i]) for i, y in enumerate(Y)]
        Y = [y if _possible(y) else None for y in Y]
    problem = PartialChain(rule)
    problem.initialize(X, Y)
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for x, y in zip(X, Y, strict=True):
        best = max(w @ problem.joint_feature(x, z) for z in problem.outputs(x) if agrees(y, z))
        label = problem.impute(x, y, w)
        assert agrees(y, label.labels)
        assert w @ problem.joint_feature(x, label) == pytest.approx(best)


def _possible(y):
    return y is None or all(a is None or a != b for a, b in pairwise(y))


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_the_checker_finds_no_fault(weight):
    X, Y = annotated_data()
    assert check_problem(PartialChain(unknown_weight=weight), X, Y).checks


def test_where_all_labels_are_known_it_is_the_chain():
    X, Y = Chain.example_data()
    known = OneSlackCuttingPlane(rtol=1e-6).solve(Chain(class_weight="balanced"), X, Y, 10.0)
    found = CCCP(rtol=1e-6).solve(PartialChain(class_weight="balanced"), X, Y, 10.0)
    assert found.primal == pytest.approx(known.primal, rel=3e-6)


@pytest.mark.slow
def test_minus_one_is_unknown_among_integers():
    X, Y = Chain.example_data()
    names = {"low": 0, "mid": 1, "top": 2}
    numbers = [np.array([names[label] for label in y]) for y in Y]
    for y in numbers:
        y[::2] = -1
    nones = [[None if label < 0 else label for label in y.tolist()] for y in numbers]
    a, b = (CCCP().solve(PartialChain(), X, labels, 10.0) for labels in (numbers, nones))
    np.testing.assert_array_equal(a.w, b.w)
    assert all(np.min(label.labels) >= 0 for label in a.labels)


@pytest.mark.slow
def test_a_sequence_without_labels_has_no_effect_unless_it_has_a_weight():
    X, Y = Chain.example_data()
    half = [y if i % 2 else None for i, y in enumerate(Y)]
    known = CCCP(rtol=1e-6).solve(PartialChain(), X[1::2], Y[1::2], 10.0)
    latent = CCCP(rtol=1e-6).solve(PartialChain(), X, half, 20.0)  # C multiplies the mean
    np.testing.assert_allclose(latent.w, known.w, atol=2e-2)
    assert not np.allclose(CCCP().solve(PartialChain(unknown_weight=1), X, half, 20.0).w, known.w)


@pytest.mark.slow
def test_it_learns_from_few_labels():
    X, Y = annotated_data(share=0.7)
    svm = LatentSVM(PartialChain(), C=100.0, n_init=2).fit(X, Y)
    _, true = Chain.example_data()
    right = np.concatenate(list(svm.predict(X))) == np.concatenate(true)
    assert right.mean() > 0.75
    assert svm.score(X, Y) <= 1


@pytest.mark.slow
def test_in_blocks_it_is_the_same():
    X, Y = annotated_data()
    problem = PartialChain()
    problem.block_size = 5
    blocks = CCCP().solve(problem, X, Y, 10.0)
    assert blocks.primal == pytest.approx(CCCP().solve(PartialChain(), X, Y, 10.0).primal, rel=1e-2)
    assert len(blocks.labels) == len(X)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        (None, "PartialChain has nothing to learn from: all of y is None"),
        ([None] * 20, "PartialChain has nothing to learn from: all of y is None"),
        ([None] * 19 + [[None] * 4], "no label in y is known"),
        ([None] * 3 + [["low"]] * 17, r"y\[3\] has 1 labels for 2 positions"),
        ([["low", np.nan, "mid", "low"]] * 20, r"y\[0\] has nan at position 1; write None"),
        (
            [None, pd.Series([1.0, None, 1.0, 2.0]), *[None] * 18],
            r"y\[1\] has nan at position 1",
        ),
        ([None, pd.Series(["a", None], dtype="string"), *[None] * 18], r"y\[1\] has <NA> at"),
        ([None, np.nan, *[None] * 18], r"y\[1\] has nan at position 0; write None"),
    ],
)
def test_unusable_annotations_are_refused(Y, message):
    X, _ = Chain.example_data()
    with pytest.raises(ValueError, match=message):
        LatentSVM(PartialChain()).fit(X, Y)


def test_known_labels_must_allow_a_labelling():
    X, Y = Chain.example_data()
    with pytest.raises(ValueError, match="which allowed_transitions forbid"):
        LatentSVM(PartialChain(no_repeats)).fit(X, Y)


def test_the_weight_of_unknown_labels_is_not_negative():
    with pytest.raises(ValueError, match="unknown_weight must be"):
        LatentSVM(PartialChain(unknown_weight=-1.0)).fit(*annotated_data())


def test_integers_beside_names_are_refused():
    with pytest.raises(ValueError, match=r"y\[0\] mixes integers .* write None .* not -1"):
        LatentSVM(PartialChain(), C=10.0, n_init=1).fit([np.eye(3)] * 4, [["a", "b", -1]] * 4)


def test_unknown_labels_in_an_array_of_strings_are_refused():
    X, Y = [np.eye(3)] * 4, [["a", "b", -1]] * 4
    svm = LatentSVM(PartialChain(), C=10.0, n_init=1)
    with pytest.raises(
        ValueError, match=r"y\[0\] is an array of strings .* dtype=object, with None"
    ):
        svm.fit(X, [np.array(y) for y in Y])
    svm.fit(X, [np.array(["a", "b", None])] * 4)
    assert svm.problem_.classes_.tolist() == ["a", "b"]


def test_dicts_are_to_be_made_matrices():
    with pytest.raises(ValueError, match=r"X\[0\] holds dicts; expected a matrix .*DictVectorizer"):
        LatentSVM(PartialChain()).fit([[{"w": "x"}, {"w": "y"}]] * 2, [["a", "b"], ["b", None]])


def test_labels_that_were_not_trained_on_count_as_wrong():
    X, Y = [np.eye(2), np.ones((1, 2))], [["a", "b"], ["b"]]
    svm = LatentSVM(PartialChain(), C=10.0, n_init=1).fit(X, Y)
    assert svm.score(X, Y) == 1.0
    assert svm.score(X, [["new", "b"], [None]]) == 0.5
