"""What all displays have in common: axes, errors, pyplot only where no axes are given."""

import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from structsvm.displays import (
    ClusterDisplay,
    ConvergenceDisplay,
    ExplanationDisplay,
    MarginDisplay,
    SimilarityDisplay,
    TransitionDisplay,
)
from structsvm.problems import MulticlassSVM

pyplot = pytest.importorskip("matplotlib.pyplot")
Figure = pytest.importorskip("matplotlib.figure").Figure

IMAGES = np.linspace(0, 1, 24).reshape(6, 2, 2)


def displays():
    """One of each, not drawn yet."""
    grid = np.meshgrid(np.arange(4.0), np.arange(4.0))
    one, two = np.ones(2), np.array([1.0, 2.0])
    yield ConvergenceDisplay(passes=two, seconds=two, primal=two, best_primal=two, dual=one)
    rows = {"X": np.eye(2), "labels": [0, 1]}
    yield MarginDisplay(xx0=grid[0], xx1=grid[1], scores=grid[0] - 1.5, **rows)
    yield ClusterDisplay(IMAGES, np.arange(6) - 2.5)
    yield SimilarityDisplay(np.eye(3), [0, 0, 1])
    yield TransitionDisplay(np.eye(2), ["a", "b"])
    yield ExplanationDisplay(["a", "b"], one - two)


each_display = pytest.mark.parametrize(
    "display", list(displays()), ids=lambda it: type(it).__name__
)


@each_display
def test_draws_on_the_axes_given_and_leaves_pyplot_alone(display):
    ax = Figure().subplots()
    assert display.plot(ax=ax) is display
    assert display.ax_ is ax and display.figure_ is ax.get_figure()
    assert not pyplot.get_fignums()
    with pytest.raises(TypeError, match="ax must be axes of matplotlib or None; got 7"):
        display.plot(ax=7)


@pytest.mark.sampled(2)
@each_display
def test_without_axes_it_draws_on_a_new_figure_of_pyplot(display):
    other = pyplot.figure()
    assert display.plot().figure_ is pyplot.gcf() is not other


@each_display
def test_without_matplotlib_the_error_says_what_to_install(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        display.plot()


X = np.random.default_rng(0).normal(size=(10, 2))
FROM = [
    lambda it: ConvergenceDisplay.from_estimator(it),
    lambda it: MarginDisplay.from_estimator(it, X),
    lambda it: ClusterDisplay.from_estimator(it, X, shape=(1, 2)),
    lambda it: SimilarityDisplay.from_estimator(it, X),
    lambda it: TransitionDisplay.from_estimator(it),
]


@pytest.mark.parametrize("draw", FROM)
def test_estimators_that_are_not_fitted_or_without_what_is_drawn(draw):
    with pytest.raises((NotFittedError, AttributeError)):
        draw(MulticlassSVM())
    with pytest.raises(AttributeError, match="KMeans"):
        draw(KMeans(2).fit(X))
