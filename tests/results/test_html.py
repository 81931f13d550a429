"""What notebooks show: tables of results, all text escaped; no links to what is not ours."""

import math
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from structsvm import OneSlackCuttingPlane, StructuredSVM
from structsvm.features import KernelMap
from structsvm.problems import MMC, Multiclass, MulticlassSVM
from structsvm.results.html import curve, table

X, y = Multiclass.example_data()


@pytest.fixture(scope="module")
def result():
    return OneSlackCuttingPlane().solve(Multiclass(), X, y, C=10.0)


def cells(html):
    """The rows of the first table, as text."""
    rows = ElementTree.fromstring(html.replace("<br>", "")).iter("tr")
    return {row[0].text: row[1].text for row in rows}


def test_a_result_is_a_table(result):
    shown = cells(result._repr_html_())
    assert shown["status"] == f"CONVERGED: {result.message}" and "qp" in shown["seconds"]
    for name in ("primal", "dual", "gap", "tolerance"):
        assert float(shown[name]) == pytest.approx(getattr(result, name), rel=1e-2)
    assert shown["guarantee"] == result.guarantee.text and shown["solver"] == result.solver
    assert shown["iterations"] == str(result.iterations)
    assert shown["oracle calls"] == str(result.oracle_calls)


def test_the_curve_has_the_passes_whose_gap_is_known(result):
    steps = re.search(r'd="(.*?)"', result._repr_html_())[1].count("H") + 1
    assert steps == sum(entry.dual_is_known for entry in result.history) < result.iterations
    unknown = replace(result, history=result.history[:1])
    assert "<svg" not in unknown._repr_html_()


def test_the_curve_is_drawn_from_the_upper_left_to_the_lower_right():
    path = re.search(
        r'd="(.*?)"', curve([(1, 100.0), (2, 10.0), (3, 0.0), (4, math.inf), (5, 1.0)], "gap")
    )[1]
    assert path == "M4.0,4.0H67.0V40.0H256.0V76.0"
    flat = re.search(r'd="(.*?)"', curve([(1, 2.0), (2, 2.0)], "gap"))[1]
    assert flat == "M4.0,76.0H256.0V76.0"


def test_all_text_is_escaped(result):
    bad = "<script>alert('&')</script>"
    for html in (
        table(bad, {bad: bad}),
        curve([(1, 1.0), (2, 2.0)], bad),
        replace(result, solver=bad, advice=bad)._repr_html_(),
    ):
        assert bad not in html and "alert(&#x27;&amp;&#x27;)" in html
    svm = MulticlassSVM().fit(X, np.where(y == y[0], bad, "b"))
    html = svm._repr_mimebundle_()["text/html"]
    assert bad not in html
    assert "classes_" not in html or "alert(&#x27;&amp;&#x27;)" in html  # before scikit-learn 1.8


def test_verifications_are_tables(result):
    shown = cells(result.verify(Multiclass(), X, y)._repr_html_())
    assert shown["matches"] == "True"
    assert float(shown["primal"]) == pytest.approx(result.primal)


FITTED = [MulticlassSVM(), MMC(n_init=1, random_state=0)]


@pytest.mark.parametrize("estimator", FITTED, ids=lambda e: type(e).__name__)
def test_an_estimator_shows_its_parameters_and_its_result(estimator):
    before = estimator._repr_mimebundle_()["text/html"]
    assert "fitted" in before and "<table>" not in before
    if "tol" in LinearSVC()._repr_mimebundle_()["text/html"]:  # since scikit-learn 1.7
        assert all(name in before for name in estimator.get_params(deep=False))
    estimator.fit(X, y) if hasattr(estimator, "score") else estimator.fit(X)
    assert estimator._repr_mimebundle_()["text/html"].endswith(estimator.result_._repr_html_())


@pytest.mark.parametrize(
    "estimator",
    [*FITTED, StructuredSVM(Multiclass()), KernelMap(), OneSlackCuttingPlane()],
    ids=lambda e: type(e).__name__,
)
def test_estimators_link_to_no_page_that_is_not_theirs(estimator):
    assert "href=" not in estimator._repr_mimebundle_()["text/html"]


def test_no_picture_needs_matplotlib(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "<svg" in result._repr_html_()
