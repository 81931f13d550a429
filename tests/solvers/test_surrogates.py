"""Log loss and softmax-margin: against enumeration, another solver, scikit-learn, and misuse."""

from dataclasses import replace

import numpy as np
import pytest
from cases.problems import PROBLEMS
from cases.solvers import Case
from sklearn.linear_model import LogisticRegression

from structsvm import (
    DualCoordinateAscent,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedLBFGS,
    Status,
    StructuredSVM,
    choose_solver,
)
from structsvm.problems import Multiclass, MulticlassSVM, TopKProblem

#: Problems with a soft oracle, each a code of its own.
FAMILIES = ["multiclass-cost", "taxonomy", "chain", "chain-weighted", "segments", "tree",
            "tree-roots", "label-set", "label-set-f1", "graphs-trees"]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss", ["log_loss", "softmax_margin"])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_optimum_is_that_of_enumeration(name, loss):
    problem, X, Y = PROBLEMS[name](0)
    best, _ = Case(SmoothedLBFGS, {"loss": loss}).optimum(problem, X, Y, 5.0)
    for solver in (SmoothedLBFGS(loss=loss, rtol=1e-4), OneSlackCuttingPlane(loss=loss)):
        result = solver.solve(problem, X, Y, 5.0)
        assert result.status is Status.CONVERGED and result.loss == loss
        assert result.dual <= best * (1 + 1e-6) and best <= result.primal * (1 + 1e-6)
        assert result.verify(problem, X, Y).matches
        assert not replace(result, loss="hinge").verify(problem, X, Y).matches


def test_the_log_loss_of_classes_is_logistic_regression():
    X, y = Multiclass.example_data()
    options = {"loss": "log_loss", "fit_intercept": False, "scale": None}
    svm = MulticlassSVM(C=2.0 * len(y), rtol=1e-9, **options).fit(X, y)
    other = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(svm.coef_, other.coef_, atol=1e-4)
    np.testing.assert_allclose(svm.predict_proba(X), other.predict_proba(X), atol=1e-5)


def test_auto_plans_for_the_loss():
    X, y = Multiclass.example_data()
    solver, reason = choose_solver(Multiclass(), X, y, "log_loss")
    assert str(solver) == "SmoothedLBFGS -> OneSlackCuttingPlane"
    assert "log_loss" in reason and {stage.loss for stage in solver.stages} == {"log_loss"}
    assert {stage.loss for stage in SmoothedLBFGS(loss="log_loss").stages} == {"log_loss"}


def test_misuse_is_named():
    X, y = Multiclass.example_data()
    with pytest.raises(ValueError, match="loss must be one of 'hinge', 'softmax_margin', 'log_"):
        SmoothedLBFGS(loss="logistic").solve(Multiclass(), X, y)
    with pytest.raises(ValueError, match="no slack rescaling; use rescaling='margin'"):
        OneSlackCuttingPlane(rescaling="slack", loss="log_loss").solve(Multiclass(), X, y)
    queries = TopKProblem.example_data()
    with pytest.raises(TypeError, match=r"needs a soft_oracle .* TopKProblem"):
        OneSlackCuttingPlane(loss="log_loss").solve(TopKProblem(), *queries)
    with pytest.raises(TypeError, match="needs a soft_oracle"):
        choose_solver(TopKProblem(), *queries, "log_loss")
    with pytest.raises(ValueError, match="must have the same loss"):
        Plan([DualCoordinateAscent(), SmoothedLBFGS(loss="log_loss")]).solve(Multiclass(), X, y)
    with pytest.raises(ValueError, match=r"solver=OneSlackCuttingPlane\(loss='log_loss'\)"):
        MulticlassSVM(loss="log_loss", solver=OneSlackCuttingPlane()).fit(X, y)
    hinge = SmoothedLBFGS().solve(Multiclass(), X, y)
    with pytest.raises(ValueError, match=r"loss 'hinge'; here are 30 .* loss 'log_loss'"):
        SmoothedLBFGS(loss="log_loss").solve(Multiclass(), X, y, warm_start=hinge)
    with pytest.raises(TypeError):
        NSlackCuttingPlane(loss="log_loss")
    svm = StructuredSVM(Multiclass(), solver=SmoothedLBFGS(loss="log_loss")).fit(X, y)
    assert svm.result_.loss == "log_loss"
