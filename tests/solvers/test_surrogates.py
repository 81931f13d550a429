"""Log loss and softmax-margin: against enumeration, another solver, scikit-learn, and misuse."""

import numpy as np
import pytest
from cases.problems import PROBLEMS
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
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
from structsvm.problems import (
    Chain,
    Multiclass,
    MulticlassSVM,
    TopKProblem,
)

FAMILIES = (
    *("multiclass", "multiclass-cost", "taxonomy", "chain", "chain-seen-states", "chain-weighted"),
    *(
        "chain-bio",
        "segments",
        "segments-seen-states",
        "segments-weighted",
        "tree",
        "tree-projective",
        "tree-labels",
    ),
    *("trees-seen-states", "label-set", "label-set-f1", "graphs-trees"),
)
LOSSES = ("log_loss", "softmax_margin")


def objective(problem, X, Y, C, loss):
    """P and its gradient as a function of w, by enumeration."""
    problem.initialize(X, Y)
    tables = []
    for i in range(len(Y)):
        x, y = X[i], Y[i]
        outputs = list(problem.outputs(x))
        rows = [problem.joint_feature_difference(x, y, z) for z in outputs]
        rows = np.array([r.toarray().ravel() if sparse.issparse(r) else np.ravel(r) for r in rows])
        losses = np.array([problem.loss(y, z) for z in outputs])
        tables.append((rows, losses if loss == "softmax_margin" else 0 * losses))

    def value(w):
        return 0.5 * w @ w + C / len(Y) * sum(logsumexp(b - A @ w) for A, b in tables)

    def gradient(w):
        total = w.copy()
        for A, b in tables:
            s = b - A @ w
            total -= C / len(Y) * np.exp(s - logsumexp(s)) @ A
        return total

    return value, gradient


@pytest.mark.sampled(8)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_optimum_is_that_of_enumeration(name, loss):
    problem, X, Y = PROBLEMS[name](0)
    result = SmoothedLBFGS(loss=loss, rtol=1e-4).solve(problem, X, Y, 5.0)
    assert result.status is Status.CONVERGED and result.loss == loss
    value, gradient = objective(problem, X, Y, 5.0, loss)
    best = minimize(value, np.zeros(problem.size_joint_feature), jac=gradient, tol=1e-9).fun
    assert result.dual <= best * (1 + 1e-6)
    assert value(result.w) <= result.primal * (1 + 1e-6)
    assert result.primal - result.dual <= 1e-4 * result.primal
    assert result.verify(problem, X, Y).matches


@pytest.mark.sampled(4)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", FAMILIES)
def test_cutting_planes_agree(name, loss):
    problem, X, Y = PROBLEMS[name](1)
    found = [
        solver(loss=loss, rtol=1e-3).solve(problem, X, Y, 2.0)
        for solver in (SmoothedLBFGS, OneSlackCuttingPlane)
    ]
    for result in found:
        assert result.status is Status.CONVERGED
        assert result.verify(problem, X, Y).matches
    assert found[0].dual <= found[1].primal and found[1].dual <= found[0].primal


@pytest.mark.parametrize("loss", LOSSES)
def test_a_wrong_certificate_is_found(loss):
    problem, X, Y = PROBLEMS["chain"](0)
    result = SmoothedLBFGS(loss=loss).solve(problem, X, Y, 2.0)
    for change in ({"primal": 0.9 * result.primal}, {"dual": 1.1 * result.dual}, {"loss": "hinge"}):
        broken = SmoothedLBFGS(loss=loss).solve(problem, X, Y, 2.0)
        vars(broken).update(change)
        assert not broken.verify(problem, X, Y).matches


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_count_as_copies(loss):
    X, Y = Chain.example_data()
    X, Y = X[:6], Y[:6]
    weights = np.array([2, 1, 1, 3, 1, 1])
    more = np.repeat(np.arange(6), weights)
    solver = SmoothedLBFGS(loss=loss, rtol=1e-8)
    weighted = solver.solve(Chain(), X, Y, 4.0, sample_weight=weights)
    copied = solver.solve(Chain(), [X[i] for i in more], [Y[i] for i in more], 4.0)
    np.testing.assert_allclose(weighted.w, copied.w, atol=1e-4)
    assert weighted.primal == pytest.approx(copied.primal, rel=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_result_has_the_same_bits_for_any_number_of_jobs(loss):
    X, Y = Chain.example_data()
    problem = Chain()
    problem.block_size = 3
    one, two = (
        SmoothedLBFGS(loss=loss, max_iter=8).solve(problem, X, Y, 10.0, n_jobs=n) for n in (1, 2)
    )
    assert np.array_equal(one.w, two.w) and one.dual == two.dual


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
