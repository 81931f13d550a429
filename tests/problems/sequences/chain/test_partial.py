"""Chains whose labels are known in part: completions against all labellings, and training."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from cases.problems import initialized
from refusals import refused

from structsvm import CCCP, LatentSVM, OneSlackCuttingPlane
from structsvm.problems import Chain, PartialChain


def annotated_data(seed=0, share=0.5):
    """The example data, with labels unknown at random, and the first sequence all unknown."""
    X, Y = Chain.example_data()
    rng = np.random.default_rng(seed)
    annotations = [[None if rng.random() < share else label for label in y] for y in Y]
    return X, [None, *annotations[1:]]


def no_repeats(a, b):
    return a != b


def agrees(y, z):
    return y is None or all(a is None or a == b for a, b in zip(y, z, strict=True))


def keeps(y):
    return y is None or all(a is None or a != b for a, b in pairwise(y))


@pytest.mark.parametrize("rule", [None, no_repeats])
@pytest.mark.parametrize("seed", [0, 1])
def test_completions_are_the_best_of_all_that_agree(seed, rule):
    X, Y = annotated_data(seed)
    Y = [y if rule is None or keeps(y) else None for y in Y]
    problem = initialized(PartialChain(rule), X, Y)
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for x, y in zip(X, Y, strict=True):
        best = max(w @ problem.joint_feature(x, z) for z in problem.outputs(x) if agrees(y, z))
        label = problem.impute(x, y, w)
        assert agrees(y, label.labels)
        assert w @ problem.joint_feature(x, label) == pytest.approx(best)


def test_where_all_labels_are_known_it_is_the_chain():
    X, Y = Chain.example_data()
    known = OneSlackCuttingPlane(rtol=1e-6).solve(Chain(class_weight="balanced"), X, Y, 10.0)
    found = CCCP(rtol=1e-6).solve(PartialChain(class_weight="balanced"), X, Y, 10.0)
    assert found.primal == pytest.approx(known.primal, rel=3e-6)


def test_minus_one_is_unknown_among_integers():
    X, Y = (part[:5] for part in annotated_data())
    names = {"low": 0, "mid": 1, "top": 2, None: -1}
    numbers = [np.full(len(x), -1) if y is None else np.array([names[label] for label in y])
               for x, y in zip(X, Y, strict=True)]  # fmt: skip
    nones = [[None if label < 0 else label for label in y.tolist()] for y in numbers]
    a, b = (CCCP().solve(PartialChain(), X, labels, 10.0) for labels in (numbers, nones))
    np.testing.assert_array_equal(a.w, b.w)
    assert all(np.min(label.labels) >= 0 for label in a.labels)


@pytest.mark.slow
def test_a_sequence_without_labels_has_no_effect_unless_it_has_a_weight():
    X, Y = Chain.example_data()
    half = [y if i % 2 else None for i, y in enumerate(Y)]
    known = CCCP(rtol=1e-4).solve(PartialChain(), X[1::2], Y[1::2], 10.0)
    latent = CCCP(rtol=1e-4).solve(PartialChain(), X, half, 20.0)  # C multiplies the mean
    np.testing.assert_allclose(latent.w, known.w, atol=0.1)
    assert not np.allclose(CCCP().solve(PartialChain(unknown_weight=1), X, half, 20.0).w, known.w)


def test_labels_that_were_not_trained_on_count_as_wrong():
    X, Y = [np.eye(2), np.ones((1, 2))], [["a", "b"], ["b"]]
    svm = LatentSVM(PartialChain(), C=10.0, n_init=1).fit(X, Y)
    assert svm.score(X, Y) == 1.0
    assert svm.score(X, [["new", "b"], [None]]) == 0.5


def fit(Y, X=None, **parameters):
    X = Chain.example_data()[0] if X is None else X
    return LatentSVM(PartialChain(**parameters), C=10.0, n_init=1).fit(X, Y)


MISSING = pd.Series(["a", None], dtype="string")
WORDS, THREE = [[{"w": "x"}, {"w": "y"}]] * 2, [np.eye(3)] * 4
test_unusable_annotations_are_refused = refused(
    lambda Y, X=None: fit(Y, X),
    (None, "PartialChain has nothing to learn from: all of y is None"),
    ([None] * 19 + [[None] * 4], "no label in y is known"),
    ([None] * 3 + [["low"]] * 17, r"y\[3\] has 1 labels for 2 positions"),
    ([["low", np.nan, "mid", "low"]] * 20, r"y\[0\] has nan at position 1; write None"),
    ([None, MISSING, *[None] * 18], r"y\[1\] has <NA> at"),
    ([["a", "b", -1]] * 4, THREE, r"y\[0\] mixes integers .* write None .* not -1"),
    ([np.array(["a", "b", -1])] * 4, THREE, r"y\[0\] is an array of strings .*=object, with None"),
    ([["a", "b"]] * 2, WORDS, r"X\[0\] holds dicts; expected a matrix .*DictVectorizer"),
)
test_unusable_parameters_are_refused = refused(
    lambda parameters: fit(Chain.example_data()[1], **parameters),
    ({"allowed_transitions": no_repeats}, "which allowed_transitions forbid"),
    ({"unknown_weight": -1.0}, "unknown_weight must be"),
)


def test_an_array_of_objects_may_hold_unknown_labels():
    svm = fit([np.array(["a", "b", None])] * 4, [np.eye(3)] * 4)
    assert svm.problem_.classes_.tolist() == ["a", "b"]
