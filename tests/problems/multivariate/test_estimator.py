"""MultivariateSVM: its optimum as a support vector machine, its scores, its manners."""

import warnings

import numpy as np
import pytest
from multivariate_data import MEASURES, cancer, each_measure
from refusals import refused
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.svm import LinearSVC

from structsvm import OneSlackCuttingPlane
from structsvm.problems import MultivariateSVM
from structsvm.problems.multivariate.measures import measured, rows_of_highest_f1


def test_error_is_the_support_vector_machine():
    X, y = cancer()
    C, solver = 0.01, OneSlackCuttingPlane(rtol=1e-5)
    ours = MultivariateSVM("error", C=C * len(y), scale=None, solver=solver)
    theirs = LinearSVC(C=C, loss="hinge", intercept_scaling=10.0, tol=1e-8, max_iter=10**6)

    def objective(svm):
        scores = svm.fit(X, y).decision_function(X)
        size = np.sum(svm.coef_**2) + (svm.intercept_[0] / 10) ** 2
        return 0.5 * size + C * np.maximum(0, 1 - np.where(y == 1, 1, -1) * scores).sum()

    best = objective(theirs)
    assert objective(ours) == pytest.approx(best, rel=2e-5)
    assert ours.result_.dual <= best * (1 + 1e-9)
    assert ours.result_.primal == pytest.approx(objective(ours), rel=1e-9)


# ---------------------------------------------------------------------- scores


def test_score_is_the_measure():
    X, y = cancer()
    X = X[:, :3]
    svm = MultivariateSVM(C=1.0).fit(X, y)
    scores = svm.decision_function(X)
    found = np.cumsum(y[np.argsort(-scores)])
    expected = {
        ("f1", None): f1_score(y, scores > 0),
        ("error", None): np.mean(y == (scores > 0)),
        ("roc_area", None): roc_auc_score(y, scores),
        ("prbep", None): found[211] / 212,
        ("precision_at_k", 10): found[9] / 10,
        ("precision_at_k", 300): found[299] / 300,
        ("recall_at_k", 300): found[299] / 212,
        ("recall_at_k", 0.25): found[141] / 212,
    }
    for (measure, k), value in expected.items():
        assert svm.set_params(measure=measure, k=k).score(X, y) == pytest.approx(value)


def test_tied_scores_at_k_count_in_expectation():
    X, y = np.array([[2.0], [0.0], [0.0], [0.0], [-1.0]]), np.array([1, 1, 0, 0, 0])
    svm = MultivariateSVM("precision_at_k", k=2, C=10.0).fit(X, y)
    assert svm.score(X, y) == pytest.approx((1 + 1 / 3) / 2)
    assert svm.score(X[::-1], y[::-1]) == svm.score(X, y)


@each_measure
def test_scores_of_one_class_and_of_few_rows(measure):
    X, y = cancer()
    svm = MultivariateSVM(measure, C=1.0).fit(X, y)
    for one_class in (0 * y, 0 * y + 1):
        if measure in ("f1", "error"):
            assert 0 <= svm.score(X, one_class) <= 1
            continue
        with pytest.raises(ValueError, match=r"needs some of both; all of these 569 are"):
            svm.score(X, one_class)
    svm.set_params(measure="precision_at_k", k=100)
    with pytest.raises(ValueError, match="k must be a number of rows from 1 to 50"):
        svm.score(X[:50], y[:50])


# ---------------------------------------------------------------------- the model


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        *((measure, ["no", "yes"]) for measure in MEASURES),
        *(("f1", names) for names in ([False, True], [-1, 1], [5, 3])),
    ],
)
def test_any_two_labels(measure, names):
    X, y = cancer()
    labels = np.array(names)[y]
    svm = MultivariateSVM(measure).fit(X, labels)
    np.testing.assert_array_equal(svm.classes_, np.unique(labels))
    assert svm.predict(X).dtype == labels.dtype
    assert np.mean(svm.predict(X) == labels) > 0.95
    assert svm.score(X, labels) > 0.95
    assert svm.verify(X, labels).matches
    assert not svm.verify(X, labels[::-1]).matches
    with pytest.raises(ValueError, match=r"unknown label .*; the classes are \["):
        svm.verify(X, np.where(y, 7, 8))


@each_measure
def test_shapes_and_sparse_rows(measure):
    X, y = cancer()
    X = np.maximum(X[::3], 0)
    y = y[::3]
    for fit_intercept in (False, True):
        svm = MultivariateSVM(measure, fit_intercept=fit_intercept, scale=None)
        dense, thin = (clone(svm).fit(rows, y) for rows in (X, sparse.csr_matrix(X)))
        assert dense.coef_.shape == (1, 30) and dense.intercept_.shape == (1,)
        assert dense.intercept_.any() == fit_intercept
        scores = dense.decision_function(X)
        np.testing.assert_allclose(scores, X @ dense.coef_[0] + dense.intercept_[0])
        np.testing.assert_array_equal(dense.predict(X), scores > 0)
        np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-6)
        np.testing.assert_allclose(thin.decision_function(sparse.csc_matrix(X)), scores, atol=1e-5)


@pytest.mark.parametrize(
    ("measure", "k", "expected"),
    [
        ("precision_at_k", 50, 50),
        ("precision_at_k", 0.1, 57),
        ("recall_at_k", 300, 300),
        ("recall_at_k", None, 212),
        ("prbep", None, 212),
        ("roc_area", None, 212),
    ],
)
def test_the_intercept_of_a_ranking_takes_in_k_rows(measure, k, expected):
    X, y = cancer()
    assert MultivariateSVM(measure, k=k).fit(X, y).predict(X).sum() == expected


def overlapping():
    y = np.arange(300) < 30
    return np.random.default_rng(0).normal(size=(300, 2)) + np.outer(y, [1.0, 0.0]), y


@pytest.mark.parametrize("measure", ["f1", "prbep", "recall_at_k", "precision_at_k"])
def test_where_w_is_0_the_order_is_trained(measure):
    X, y = overlapping()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svm = MultivariateSVM(measure).fit(X, y)
    assert svm.trained_for_ == "roc_area" and svm.verify(X, y).matches
    by_area = MultivariateSVM("roc_area").fit(X, y)
    np.testing.assert_array_equal(svm.coef_, by_area.coef_)
    scores = svm.decision_function(X)
    if measure == "f1":
        order = np.sort(scores)
        best = max(measured("f1", y, scores - t) for t in (order[:-1] + order[1:]) / 2)
        assert svm.score(X, y) == best > 0.3
    else:
        assert np.sum(scores > 0) == 30
    with pytest.warns(UserWarning, match="training ended at w = 0"):
        alone = MultivariateSVM(measure, fit_intercept=False).fit(X, y)
    assert alone.trained_for_ == measure and not alone.coef_.any()


def test_a_warm_start_where_the_order_was_trained():
    X, y = overlapping()
    svm = MultivariateSVM(warm_start=True).fit(X, y)
    first = svm.coef_
    assert svm.fit(X, y).trained_for_ == "roc_area"
    np.testing.assert_allclose(svm.coef_, first)
    svm.set_params(measure="roc_area")
    assert svm.fit(X, y).n_iter_ == 1  # its w is at hand


def test_the_number_of_rows_of_highest_f1():
    scores = np.array([3.0, 2.0, 2.0, 1.0])
    assert rows_of_highest_f1(np.array([True, False, False, False]), scores) == 1
    assert rows_of_highest_f1(np.array([True, True, False, False]), scores) == 3  # rows that tie
    assert rows_of_highest_f1(np.array([False, False, False, True]), scores) == 4


def test_one_class_for_all_rows_is_said_with_a_remedy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 2 * rng.normal(size=300) > 2
    with pytest.warns(UserWarning, match="as False, of 2 classes.*try measure='f1'$"):
        MultivariateSVM("error").fit(X, y)
    assert MultivariateSVM("f1").fit(X, y).predict(X).any()


# ---------------------------------------------------------------------- bad input


test_unusable_parameters = refused(
    lambda params: MultivariateSVM(**params).fit(*cancer()),
    ({"measure": "f2"}, "measure must be one of 'error', 'f1', .*'roc_area'; got 'f2'"),
    ({"measure": "f1", "k": 3}, "k=3 has no meaning for measure='f1'"),
    ({"measure": "prbep", "k": 0.5}, "no meaning"),
    ({"measure": "precision_at_k", "k": 0}, "k must be a number of rows from 1 to 569"),
    ({"measure": "precision_at_k", "k": 570}, "k must be below the number of rows, 569"),
    ({"measure": "recall_at_k", "k": 569}, "k must be below the number of rows, 569"),
    ({"measure": "recall_at_k", "k": 1.5}, r"a fraction of them in \(0, 1\)"),
    ({"measure": "recall_at_k", "k": True}, "got True"),
    ({"measure": "recall_at_k", "k": "ten"}, "got 'ten'"),
)


test_unusable_training_data = refused(
    lambda change: MultivariateSVM().fit(*change(*cancer())),
    (lambda X, y: (X, np.zeros_like(y)), "one class only"),
    (lambda X, y: (X, y + 0.5), r"[Uu]nknown label type"),
    (lambda X, y: load_iris(return_X_y=True), "Only binary classification .* 3 classes"),
)
