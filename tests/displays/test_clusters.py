"""ClusterDisplay: where images are, and in which colour."""

import numpy as np
import pytest

from structsvm.datasets import digits_pair
from structsvm.displays import ClusterDisplay
from structsvm.displays.drawing import BLUE, ORANGE, RED
from structsvm.problems import MMC, MulticlassSVM

pytest.importorskip("matplotlib")


def corners(display, n_rows, n_columns):
    """The first pixel of every image of 2 x 2 pixels."""
    pixels = display.im_.get_array().reshape(n_rows, 3, n_columns, 3, 4)
    return pixels[:, 0, :, 0]


def test_images_lie_at_their_scores_in_the_colour_of_their_cluster():
    images = np.full((4, 2, 2), 0.75)
    scores = np.array([-2.0, -2.0, 2.0, 0.1])
    mistakes = np.array([False, False, False, True])
    display = ClusterDisplay(images, scores, mistakes).plot(n_columns=4, n_rows=2)
    assert display.im_.get_extent() == [-2, 2, 0, 2]
    shown = corners(display, 2, 4)
    # The mistake, in the third column, is inverted.
    np.testing.assert_array_equal(shown[..., 3], [[0.75, 0, 0, 0], [0.75, 0, 0.25, 0.75]])
    np.testing.assert_array_equal(shown[0, 0, :3], BLUE)
    np.testing.assert_array_equal(shown[1, 2, :3], RED)
    np.testing.assert_array_equal(shown[1, 3, :3], ORANGE)


def test_high_piles_are_sampled_in_proportion():
    scores = np.r_[np.linspace(-1, -0.9, 40), np.linspace(0.9, 1, 10)]
    display = ClusterDisplay(np.ones((50, 2, 2)), scores).plot(n_columns=2, n_rows=4)
    np.testing.assert_array_equal(corners(display, 4, 2)[..., 3].sum(axis=0), [4, 1])


def test_more_clusters_have_a_row_each_by_margin():
    scores = np.array([[3.0, 0, 0], [1.0, 0, 0], [0, 0, 5.0]])  # nothing in the second cluster
    images = np.array([0.1, 0.2, 0.3])[:, None, None] * np.ones((3, 2, 2))
    display = ClusterDisplay(images, scores).plot(n_columns=2)
    np.testing.assert_array_equal(corners(display, 2, 2)[..., 3], [[0.2, 0.1], [0.3, 0]])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["0", "2"]


def test_mistakes_are_those_of_another_class_than_most_of_their_cluster():
    X, y = digits_pair(3, 8)
    mmc = MMC(n_init=1, random_state=0).fit(X)
    display = ClusterDisplay.from_estimator(mmc, X, y, shape=(8, 8))
    wrong = (mmc.labels_ == 0) != (y == y[mmc.labels_ == 0][0])
    np.testing.assert_array_equal(display.mistakes, wrong)
    assert 0 < wrong.sum() < 10
    assert not ClusterDisplay.from_estimator(mmc, X, shape=(8, 8)).mistakes.any()


def test_classes_may_be_text():
    X = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    y = np.array(["a", "b", "c", "c"])
    svm = MulticlassSVM().fit(X, y)
    display = ClusterDisplay.from_estimator(svm, X, ["a", "a", "c", "b"], shape=(1, 2))
    scores = svm.decision_function(X)
    assert scores.shape == (4, 3)
    assert display.mistakes.sum() == len(set(scores[2:].argmax(axis=1))) % 2


def test_images_that_are_not_grey_values():
    with pytest.raises(ValueError, match="grey values from 0 to 1; divide by the largest"):
        ClusterDisplay(np.full((6, 2, 2), 16.0), np.arange(6.0))


def test_rows_that_are_no_images_of_this_shape():
    X = np.random.default_rng(0).random((20, 16))
    mmc = MMC(n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="cannot reshape"):
        ClusterDisplay.from_estimator(mmc, X, shape=(7, 8))
