"""Pages that list estimators or solvers list all of them, and what they say of them holds."""

import re

import pytest
from page_text import text_of

import structsvm.problems
import structsvm.solvers
from structsvm import LatentSVM, StructuredSVM

BUNDLED = [
    kind
    for name in structsvm.problems.__all__
    if hasattr(kind := getattr(structsvm.problems, name), "fit") and hasattr(kind, "predict")
]
WITHOUT_SCORE = {"BayesianMMC", "CPM3C", "MMC", "MultivariateMMC", "SDPMMC"}


@pytest.mark.parametrize("kind", [*BUNDLED, LatentSVM], ids=lambda kind: kind.__name__)
def test_each_estimator_is_found_by_its_task(kind):
    assert f".{kind.__name__}`" in text_of("problems.md")


@pytest.mark.parametrize("kind", [*BUNDLED, LatentSVM, StructuredSVM], ids=lambda k: k.__name__)
def test_the_score_of_each_estimator_is_described(kind):
    assert hasattr(kind, "score") == (kind.__name__ not in WITHOUT_SCORE)
    if hasattr(kind, "score"):
        assert f"`{kind.__name__}`" in text_of("measures.md")


def test_all_but_one_leave_a_certificate():
    assert [kind.__name__ for kind in BUNDLED if not hasattr(kind, "verify")] == ["BayesianMMC"]
    assert "All but `BayesianMMC` leave a certificate" in text_of("estimators.md")


def test_each_solver_has_its_use():
    listed = re.findall(r"\{class\}`~structsvm\.(\w+)` \|", text_of("choose_a_solver.md"))
    assert sorted([*listed, "Plan"]) == sorted(structsvm.solvers.__all__)
