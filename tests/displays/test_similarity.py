"""SimilarityDisplay: items in the order of their clusters."""

import numpy as np
import pytest

from structsvm.displays import SimilarityDisplay
from structsvm.problems import CorrelationClustering, SupervisedKMeans

pytest.importorskip("matplotlib")

K = np.array([[4.0, -1.0, 3.0], [-1.0, 5.0, 0.0], [3.0, 0.0, 6.0]])


def test_items_are_in_the_order_of_their_clusters():
    display = SimilarityDisplay(K, ["b", "a", "b"]).plot()
    assert display.order_.tolist() == [1, 0, 2]
    np.testing.assert_array_equal(display.im_.get_array(), K[np.ix_([1, 0, 2], [1, 0, 2])])
    assert display.im_.get_clim() == (-6, 6)  # so that 0 is white
    across, down = display.ax_.lines
    assert across.get_ydata()[0] == down.get_xdata()[0] == 0.5
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b"]
    assert display.ax_.get_yticks().tolist() == [0, 1.5]


@pytest.mark.parametrize("model", [CorrelationClustering(), SupervisedKMeans()], ids=str)
def test_from_estimator(model):
    X = [np.array([[0.0, 0.1], [0.1, 0.0], [1.0, 1.1]]), np.array([[1.0, 0.9], [0.0, 0.0]])]
    model.fit(X, [["a", "a", "b"], ["b", "a"]])
    display = SimilarityDisplay.from_estimator(model, X[0])
    np.testing.assert_array_equal(display.similarity, model.similarity(X[0]))
    np.testing.assert_array_equal(display.labels, model.predict([X[0]])[0])
    given = SimilarityDisplay.from_estimator(model, X[0], ["z", "y", "z"])
    assert given.order_.tolist() == [1, 0, 2]
