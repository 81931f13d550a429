"""Explanations by training examples: weights, priors, held-out examples, and what is refused."""

import numpy as np
import pytest

from structsvm import load, save
from structsvm.problems import ChainSVM, MulticlassSVM
from structsvm.reasons import explain_by_examples

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
X[np.arange(60), y] += 2


def test_examples_of_the_same_class_speak_for_it():
    svm = MulticlassSVM(loss="log_loss", rtol=1e-6).fit(X, y)
    found = explain_by_examples(svm, np.array([3.0, 0.0, 0.0]), X, y)
    assert found.prediction == 0
    assert (found.contributions[:20] > 0).all() and abs(found.remainder) < 1e-2 * found.margin
    first = found.order[0]
    assert first == found.contributions.argmax()
    text = f"margin {found.margin:.4g}\nby the examples {first} {found.contributions[first]:+.4g}, "
    assert text in str(found)


def test_examples_of_weight_zero_have_no_part():
    weights = np.arange(60) % 3
    svm = MulticlassSVM(rtol=1e-6).fit(X, y, sample_weight=weights)
    found = explain_by_examples(svm, X[0], X, y, sample_weight=weights)
    assert not found.contributions[weights == 0].any() and found.contributions.any()
    assert abs(found.remainder) < 1e-2 * found.margin
    unweighted = explain_by_examples(svm, X[0], X, y)
    assert abs(unweighted.remainder) > 10 * abs(found.remainder)


def test_a_prior_has_its_part():
    svm = MulticlassSVM(scale=None, C=1e-9).fit(X, y, w_prior=np.eye(3, 4).ravel())
    found = explain_by_examples(svm, X[0], X, y)
    assert found.of_prior == pytest.approx(found.margin)
    assert abs(found.contributions).max() < 1e-6


def test_held_out_examples_have_no_part():
    svm = MulticlassSVM(early_stopping=True, n_iter_no_change=1000).fit(X, y)
    found = explain_by_examples(svm, X[0], X, y)
    held_out = np.isin(np.arange(60), svm.validation_indices_)
    assert held_out.any() and not found.contributions[held_out].any()
    assert found.contributions[~held_out].any()


def test_what_is_refused(tmp_path):
    svm = MulticlassSVM().fit(X, y)
    with pytest.raises(ValueError, match="trained on 60 examples, but X has 59"):
        explain_by_examples(svm, X[0], X[1:], y[1:])
    with pytest.raises(ValueError, match="X has other inputs than the fit, or the same in another"):
        explain_by_examples(svm, X[0], X[::-1], y[::-1])
    save(svm, tmp_path / "model.npz")
    with pytest.raises(ValueError, match="certificate=True"):
        explain_by_examples(load(tmp_path / "model.npz"), X[0], X, y)


def test_sequences():
    words = [[{"word": w} for w in line.split()] for line in ("the dog barks", "a dog", "the end")]
    tags = [["DET", "NOUN", "VERB"], ["DET", "NOUN"], ["DET", "NOUN"]]
    svm = ChainSVM(rtol=1e-6).fit(words, tags)
    found = explain_by_examples(svm, words[0], words, tags, instead={2: "NOUN"})
    assert found.order[0] == 0
    assert found.contributions.sum() == pytest.approx(found.margin, rel=5e-2)
