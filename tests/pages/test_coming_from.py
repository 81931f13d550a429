"""The conversion of CRFsuite's c2 on docs/coming_from.md, at the weights that CRFsuite finds."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from structsvm.problems import ChainSVM

C2 = 0.05
LABELS = "ab"
ATTRIBUTES = "uvw"


def joint_feature(x, y):
    """Counts of attributes by label, and of pairs of labels that follow each other."""
    states, transitions = np.zeros((2, 3)), np.zeros((2, 2))
    for attribute, label in zip(x, y, strict=True):
        states[LABELS.index(label), ATTRIBUTES.index(attribute)] += 1
    for label, following in pairwise(y):
        transitions[LABELS.index(label), LABELS.index(following)] += 1
    return np.concatenate([states.ravel(), transitions.ravel()])


def trained(X, Y, folder):
    """CRFsuite's weights, in the order of the joint feature."""
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="pip install python-crfsuite")
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": C2, "epsilon": 1e-8, "max_iterations": 1000})
    trainer.set_params({"feature.possible_states": True, "feature.possible_transitions": True})
    for x, y in zip(X, Y, strict=True):
        trainer.append([[attribute] for attribute in x], y)
    trainer.train(str(folder / "crf"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "crf"))
    info = tagger.info()
    states = [info.state_features[key] for key in product(ATTRIBUTES, LABELS)]
    transitions = [info.transitions[key] for key in product(LABELS, LABELS)]
    return np.concatenate([np.reshape(states, (3, 2)).T.ravel(), transitions])


def test_c2_of_crfsuite_is_n_over_twice_C(tmp_path):
    """At the optimum w is C times the mean of the true minus the expected joint features."""
    rng = np.random.default_rng(0)
    X = [rng.choice(list(ATTRIBUTES), size=4).tolist() for _ in range(12)]
    Y = [["ab"[(a == "u") ^ (rng.random() < 0.2)] for a in x] for x in X]
    w = trained(X, Y, tmp_path)
    descent = np.zeros_like(w)
    for x, y in zip(X, Y, strict=True):
        features = np.array([joint_feature(x, z) for z in product(LABELS, repeat=4)])
        descent += (joint_feature(x, y) - softmax(features @ w) @ features) / len(X)
    C = len(X) / (2 * C2)
    assert np.linalg.norm(w) > 1
    np.testing.assert_allclose(w, C * descent, atol=1e-3 * np.linalg.norm(w))


def test_c2_is_that_of_a_logistic_regression():
    """Chains of one position are LogisticRegression, whose C is 1 / (2 c2)."""
    rng = np.random.default_rng(0)
    rows = 30 * rng.normal(size=(60, 4))
    y = (rows[:, 0] + 15 * rng.normal(size=60) > 0).astype(int)
    X, Y = [row[None] for row in rows], [[label] for label in y]
    svm = ChainSVM(loss="log_loss", C=len(X) / (2 * C2), scale=None, rtol=1e-6).fit(X, Y)
    with_marks = np.hstack([rows, np.ones((60, 2))])  # of first and last positions
    # Two vectors of weights, w and -w, have half the penalty of their difference.
    logistic = LogisticRegression(C=1 / C2, fit_intercept=False, tol=1e-8, max_iter=10_000)
    expected = logistic.fit(with_marks, y).coef_[0, :4]
    np.testing.assert_allclose(svm.coef_[1] - svm.coef_[0], expected, rtol=1e-2)
