"""Prediction from names and numbers, against that from the matrices that are trained on."""

import pickle
from itertools import chain, pairwise, starmap

import numpy as np
import pytest

from structsvm.problems import ChainSVM


def drawn(n=40):
    """Sequences of words, sizes, which are centred, and counts; and their labels."""
    rng = np.random.default_rng(0)
    X = [
        [
            {"word": f"w{rng.integers(30)}", "size": 1e3 + rng.normal(), "rare": int(rng.poisson())}
            for _ in range(rng.integers(1, 8))
        ]
        for _ in range(n)
    ]
    return X, [[f"{x['word'][1]}{int(x['size'] > 1e3)}" for x in own] for own in X]


def differ(a, b):
    """A rule that no label follows itself."""
    return a != b


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("rule", [None, differ])
def test_labels_and_probabilities_are_those_of_matrices(every, rule):
    X, y = drawn()
    if rule is not None:
        kept = [i for i, own in enumerate(y) if all(starmap(rule, pairwise(own)))]
        X, y = ([of[i] for i in kept] for of in (X, y))
    model = ChainSVM(all_possible_states=every, allowed_transitions=rule, loss="log_loss")
    model.fit(X, y)
    before = pickle.dumps(model)
    new = [[], *X[:9], [{"word": "unseen"}, {}, {"size": 1002.0, "word": "w1"}], []]
    given, task = model._task(new, None)
    matrices = model.problem_.task(model._encoded(given).X)
    parts = zip(task.scores(model.w_, 2.0), matrices.scores(model.w_, 2.0), strict=True)
    for found, expected in parts:
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    labels = model.predict(new)
    assert labels == [model.predict_single(x) for x in new]
    assert list(chain(*labels)) == model.classes_[matrices.decode(model.w_).flat()].tolist()
    for x, p in zip(new, model.predict_proba(new), strict=True):
        np.testing.assert_allclose(model.predict_proba([x])[0], p, atol=1e-9)
    assert pickle.dumps(model) == before  # what is kept to predict is no part of a model


def test_a_new_fit_forgets_what_was_kept():
    X, y = drawn()
    model = ChainSVM().fit(X, y)
    model.predict(X)
    other = [[{**x, "size": 7 * x["size"], "more": 1.0} for x in own] for own in X]
    assert model.fit(other, y).predict(other) == ChainSVM().fit(other, y).predict(other)
