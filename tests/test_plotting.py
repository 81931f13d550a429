"""The pictures: what they show, on axes of their own or the caller's."""

import sys

import numpy as np
import pytest

from structsvm import plotting
from structsvm.problems import MulticlassSVM

figure = pytest.importorskip("matplotlib.figure")


@pytest.fixture(scope="module")
def result():
    X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0], [1.0, 0.0]])
    return MulticlassSVM(C=10.0, fit_intercept=False).fit(X, [0, 1, 2, 1]).result_


def test_convergence_shows_primal_and_dual(result):
    lines = {line.get_label(): line for line in plotting.plot_convergence(result).lines}
    assert lines["dual"].get_ydata()[-1] == result.dual
    primal = next(line for label, line in lines.items() if label.startswith("primal"))
    assert primal.get_ydata()[-1] == result.primal
    assert len(primal.get_xdata()) == result.iterations


def test_gap_is_relative_and_logarithmic(result):
    ax = plotting.plot_gap(result)
    assert ax.get_yscale() == "log"
    last = ax.lines[0].get_ydata()[-1]
    assert last == pytest.approx(result.gap / result.primal, abs=1e-12)


@pytest.mark.parametrize("plot", [plotting.plot_convergence, plotting.plot_gap])
def test_draws_on_the_axes_given(result, plot):
    ax = figure.Figure().subplots()
    assert plot(result, ax) is ax


def test_images_lie_at_their_scores_in_the_colour_of_their_cluster():
    images = np.ones((4, 2, 2))
    scores = np.array([-2.0, -2.0, 2.0, 0.1])
    mistakes = np.array([False, False, False, True])
    ax = plotting.plot_image_clusters(images, scores, mistakes, n_columns=4, n_rows=2)
    picture = ax.images[0].get_array().reshape(2, 3, 4, 3, 4)[:, 0, :, 0]  # one pixel per image
    assert ax.images[0].get_extent() == [-2, 2, 0, 2]
    np.testing.assert_array_equal(picture[..., 3], [[1, 0, 0, 0], [1, 0, 1, 1]])
    np.testing.assert_array_equal(picture[0, 0, :3], plotting.BLUE)
    np.testing.assert_array_equal(picture[1, 2, :3], plotting.RED)
    np.testing.assert_array_equal(picture[1, 3, :3], plotting.ORANGE)


def test_high_piles_are_sampled_in_proportion():
    scores = np.r_[np.linspace(-1, -0.9, 40), np.linspace(0.9, 1, 10)]
    ax = plotting.plot_image_clusters(np.ones((50, 1, 1)), scores, n_columns=2, n_rows=4)
    ink = ax.images[0].get_array().reshape(4, 2, 2, 2, 4)[:, 0, :, 0, 3]
    np.testing.assert_array_equal(ink.sum(axis=0), [4, 1])


def test_without_matplotlib_the_error_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plotting.plot_convergence(result)


@pytest.mark.parametrize("plot", [plotting.plot_convergence, plotting.plot_gap])
def test_what_is_no_result_or_no_axes(plot, result):
    with pytest.raises(TypeError, match=r"result must be a Result.*got 'text'"):
        plot("text")
    with pytest.raises(TypeError, match="ax must be axes of matplotlib or None; got 7"):
        plot(result, 7)


IMAGES = {"images": np.zeros((6, 2, 2)), "scores": np.arange(6.0)}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"images": np.zeros((6, 4))}, r"images must be finite and of shape \(n, height, width\)"),
        ({"images": "text"}, "images must hold real numbers"),
        ({"images": np.zeros((0, 2, 2))}, "images must be finite and of shape"),
        ({"images": np.full((6, 2, 2), np.nan)}, "got NaN or infinity"),
        ({"scores": np.arange(5)}, r"scores must be finite and of shape \(6\); got shape \(5,\)"),
        ({"scores": [np.inf] * 6}, "scores must be finite"), ({"scores": 3.0}, "scores must be"),
        ({"mistakes": [True]}, "mistakes must be"), ({"mistakes": "text"}, "mistakes must hold"),
        ({"n_columns": 0}, "n_columns must be an integer >= 1"),
        ({"n_rows": 2.5}, "n_rows must be an integer >= 1"),
        ({"n_rows": 10**9}, "n_rows must be at most 1000"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_images_that_cannot_be_drawn(bad, message):
    with pytest.raises(ValueError, match=message):
        plotting.plot_image_clusters(**{**IMAGES, **bad})
