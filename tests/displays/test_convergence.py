"""ConvergenceDisplay: only values that are known."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from structsvm import OneSlackCuttingPlane
from structsvm.displays import ConvergenceDisplay
from structsvm.problems import Multiclass, MulticlassSVM

pytest.importorskip("matplotlib")

X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0], [1.0, 0.0]])
y = [0, 1, 2, 1]


@pytest.fixture(scope="module")
def svm():
    return MulticlassSVM(C=10.0, fit_intercept=False).fit(X, y)


@pytest.fixture(scope="module")
def result():
    return OneSlackCuttingPlane().solve(Multiclass(), X, y, C=10.0)


def test_shows_primal_and_dual(svm):
    display, result = ConvergenceDisplay.from_estimator(svm), svm.result_
    assert display.primal_.get_ydata()[-1] == result.primal
    assert display.dual_.get_ydata()[-1] == result.dual
    np.testing.assert_array_equal(display.dual_.get_xdata(), np.arange(1, result.iterations + 1))
    assert display.ax_.get_xlabel() == "passes over the data"


def test_the_gap_is_relative_and_logarithmic(result):
    display = ConvergenceDisplay.from_result(result, kind="gap")
    assert display.ax_.get_yscale() == "log"
    last = display.gap_.get_ydata()[-1]
    assert last == pytest.approx(result.gap / result.primal, abs=1e-12)
    dashed = [line for line in display.ax_.lines if line.get_label() == "tolerance"]
    assert dashed[0].get_ydata()[0] == pytest.approx(result.tolerance / result.primal)


def history(result, duals):
    entries = [result.history[-1]._replace(iteration=i, primal=np.inf) for i in (1, 2, 3, 4, 5)]
    changed = [
        entry._replace(dual=dual, gap=entry.best_primal - dual)
        for entry, dual in zip(entries, duals, strict=True)
    ]
    return replace(result, history=tuple(changed))


def test_a_dual_that_is_not_known_is_not_drawn(result):
    run = history(result, [0.0, 0.0, 2.0, 2.0, 3.0])
    display = ConvergenceDisplay.from_result(run)
    np.testing.assert_array_equal(display.dual_.get_ydata(), [np.nan, np.nan, 2, 2, 3])
    assert display.dual_.get_markevery() == [2, 4]  # in the fourth pass it was not computed
    assert np.isnan(display.queried_.get_ydata()).all()
    gaps = ConvergenceDisplay.from_result(run, kind="gap").gap_.get_ydata()
    assert np.isnan(gaps[:2]).all() and np.isfinite(gaps[2:]).all()


def test_a_run_without_any_dual_value_has_no_gap(result):
    run = history(result, [0.0, 0.0, -np.inf, 0.0, 0.0])
    assert np.isnan(ConvergenceDisplay.from_result(run).dual).all()
    with pytest.raises(ValueError, match="no gap is known"):
        ConvergenceDisplay.from_result(run, kind="gap")


@pytest.mark.parametrize("kind", ["objective", "gap"])
def test_several_fits_on_the_same_axes_differ_in_colour(result, kind):
    first = ConvergenceDisplay.from_result(result, kind=kind, name="one")
    second = ConvergenceDisplay.from_result(result, kind=kind, name="two", ax=first.ax_)
    lines = [getattr(it, "primal_" if kind == "objective" else "gap_") for it in (first, second)]
    assert lines[0].get_color() != lines[1].get_color()
    texts = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert [text.partition(":")[0] for text in texts] == sorted(["one", "two"] * (len(texts) // 2))


@pytest.mark.parametrize("bad", [{"kind": "primal"}, {"x": 3}])
def test_options(result, bad):
    with pytest.raises(ValueError, match="must be one of"):
        ConvergenceDisplay.from_result(result, **bad)


def test_the_first_values_do_not_hide_the_others(result):
    first = result.history[0]._replace(primal=1e9, best_primal=1e9)
    run = replace(result, history=(first, *result.history[1:]))
    low, high = ConvergenceDisplay.from_result(run).ax_.get_ylim()
    assert (low, high) == (0, pytest.approx(3 * result.primal))


def test_constant_values_of_0():
    zero = np.zeros(2)
    display = ConvergenceDisplay(
        passes=[1, 2], seconds=zero, primal=zero, best_primal=zero, dual=zero * np.nan
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display.plot()
