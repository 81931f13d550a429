"""MarginDisplay: where the margin and the boundary are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from structsvm.displays import MarginDisplay
from structsvm.problems import CPM3C, MulticlassSVM

pytest.importorskip("matplotlib")


def test_boundary_and_margin_of_signed_scores():
    xx0, xx1 = np.meshgrid(np.linspace(-3, 3, 61), np.linspace(-1, 1, 21))
    rows = {"X": [[-2.0, 0.0], [2.0, 0.0], [2.5, 0.5]], "labels": ["a", "b", "b"]}
    display = MarginDisplay(xx0=xx0, xx1=xx1, scores=xx0, **rows).plot()
    (boundary,) = display.boundaries_
    np.testing.assert_allclose(boundary.get_paths()[0].vertices[:, 0], 0, atol=1e-9)
    within = display.margin_.get_paths()[0].vertices[:, 0]
    assert (within.min(), within.max()) == (pytest.approx(-1), pytest.approx(1))
    assert [len(points.get_offsets()) for points in display.points_] == [1, 2]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["a", "b"]


def test_boundary_and_margin_of_several_scores():
    xx0, xx1 = np.meshgrid(np.linspace(-3, 3, 61), np.linspace(-1, 1, 21))
    scores = np.stack([-xx0, xx0, np.full(xx0.shape, -9.0)], axis=-1)
    display = MarginDisplay(xx0=xx0, xx1=xx1, scores=scores, X=[[0, 0]], labels=[0]).plot()
    (boundary,) = display.boundaries_  # the third class is nowhere the best
    np.testing.assert_allclose(boundary.get_paths()[0].vertices[:, 0], 0, atol=1e-9)
    within = display.margin_.get_paths()[0].vertices[:, 0]  # the lead is 2 |x|
    assert (within.min(), within.max()) == (pytest.approx(-0.5), pytest.approx(0.5))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "estimator", [CPM3C(3, n_init=1, random_state=0), MulticlassSVM()], ids=str
)
@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame])
def test_from_estimator(estimator, frame):
    X, y = make_blobs(60, random_state=1)
    X = frame(X)
    if frame is pd.DataFrame:
        X.columns = ["length", "width"]
    estimator.fit(X, y) if isinstance(estimator, MulticlassSVM) else estimator.fit(X)
    display = MarginDisplay.from_estimator(estimator, X, grid_resolution=30)
    np.testing.assert_array_equal(display.labels, estimator.predict(X))
    scores = estimator.decision_function(X)
    assert display.scores.shape == (30, 30, *scores.shape[1:])
    assert display.ax_.get_xlabel() == ("length" if frame is pd.DataFrame else "")


def test_unusable_arguments():
    X, y = make_blobs(60, n_features=3, random_state=1)
    svm = MulticlassSVM().fit(X, y)
    with pytest.raises(ValueError, match=r"X must be of shape \(n, 2\); got shape \(60, 3\)"):
        MarginDisplay.from_estimator(svm, X)
