"""TransitionDisplay: the weight of each transition at its place."""

import numpy as np
import pytest

from structsvm.displays import TransitionDisplay
from structsvm.problems import ChainSVM, SegmentSVM, bio_transitions

pytest.importorskip("matplotlib")

X = [[{"word": word} for word in text.split()] for text in ("in new york", "john ran", "mary ran")]
y = [["O", "B-LOC", "I-LOC"], ["B-PER", "O"], ["B-PER", "O"]]


@pytest.fixture(scope="module")
def svm():
    return ChainSVM(allowed_transitions=bio_transitions).fit(X, y)


def test_shows_all_weights(svm):
    display = TransitionDisplay.from_estimator(svm)
    shown = display.im_.get_array()
    k = len(svm.classes_)
    assert shown.shape == (k + 1, k + 1)
    expected = np.ma.masked_array(svm.transitions_, np.isneginf(svm.transitions_))
    np.testing.assert_array_equal(shown[:k, :k].mask, expected.mask)
    np.testing.assert_array_equal(shown[:k, :k].compressed(), expected.compressed())
    np.testing.assert_array_equal(shown[k, :k].filled(-np.inf), svm.start_transitions_)
    np.testing.assert_array_equal(shown[:k, k].filled(-np.inf), svm.end_transitions_)
    assert shown.mask[k, k]
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [*svm.classes_, "start"]
    assert len(display.text_) == shown.count()


def test_chosen_labels_in_their_order(svm):
    display = TransitionDisplay.from_estimator(svm, labels=["O", "B-LOC"])
    places = [list(svm.classes_).index(label) for label in ("O", "B-LOC")]
    np.testing.assert_array_equal(display.transitions, svm.transitions_[np.ix_(places, places)])
    np.testing.assert_array_equal(display.start, svm.start_transitions_[places])


def test_segments_have_no_start_and_no_end():
    candidates = [np.array([[1.0, 0.0], [0.1, 0.1], [0.0, 1.0], [0.2, 0.0]])]
    svm = SegmentSVM(max_length=2).fit(candidates, [[(0, 1, "a"), (1, 2, "b")]])
    display = TransitionDisplay.from_estimator(svm)
    np.testing.assert_array_equal(display.im_.get_array(), svm.transitions_)


def test_numbers_have_the_precision_of_the_largest():
    weights = np.array([[-0.00031, -12.3], [3.26, 0.0]])
    display = TransitionDisplay(weights, ["a", "b"]).plot()
    assert [text.get_text() for text in display.text_] == ["0", "-12", "3", "0"]
    small = TransitionDisplay(weights / 100, ["a", "b"]).plot()
    assert [text.get_text() for text in small.text_] == ["0.00", "-0.12", "0.03", "0.00"]
    assert not TransitionDisplay(np.eye(11), range(11)).plot().text_


def test_weights_that_are_all_0():
    display = TransitionDisplay(np.zeros((2, 2)), ["a", "b"]).plot()
    assert display.im_.get_clim() == (-1, 1)


def test_labels_that_were_not_trained_on(svm):
    with pytest.raises(ValueError, match="got 'X'"):
        TransitionDisplay.from_estimator(svm, labels=["O", "X"])
