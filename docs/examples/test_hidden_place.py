"""The hidden places of the examples: the contract, and the places and motifs that it finds."""

import numpy as np
import pytest
from hidden_place import HiddenPlace, MostInk, hidden_digits, windows

from structsvm import CCCP, LatentSVM, check_problem


def planted(n=60, places=8, d=5, seed=0):
    """Return noise and a 1, with a motif of class 1 at random places, and these places."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, places, d)), np.arange(n) % 2
    shown = rng.integers(places, size=n)
    X[labels == 1, shown[labels == 1]] += 4 * np.eye(d)[1] - 4 * np.eye(d)[3]
    return np.concatenate([X, np.ones((n, places, 1))], axis=2), labels, shown


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("kind", [HiddenPlace, MostInk])
def test_the_checker_finds_no_fault(kind, background):
    X, labels, _ = planted(n=12, places=3)
    report = check_problem(kind(2, background), X, labels.tolist())
    assert {"impute_maximises", "task_answers_as_single_forms"} <= set(report.checks)


def test_a_planted_motif_is_found():
    X, labels, shown = planted()
    svm = LatentSVM(HiddenPlace(2, background=True), C=10.0, n_init=4).fit(X, labels)
    found = np.array(svm.predict(X))
    assert np.mean(found[:, 0] == labels) > 0.95
    assert np.mean(found[labels == 1, 1] == shown[labels == 1]) > 0.95
    assert svm.w_[:5].argmax() == 1 and svm.w_[:5].argmin() == 3
    assert len(svm.objectives_) == 4 and svm.result_.primal <= svm.objectives_.min()


def test_digits_are_found_from_the_brightest_windows():
    images, digits, _ = hidden_digits(side=10)
    few = digits < 3
    X, digits = windows(images)[few], digits[few]
    svm = LatentSVM(MostInk(3), n_init=1, C=10.0, solver=CCCP(search=False, rtol=2e-2))
    assert svm.fit(X[:150], digits[:150]).score(X[150:], digits[150:]) > 0.9
