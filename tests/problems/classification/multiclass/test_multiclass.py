"""Multiclass and MulticlassSVM: costs, C, other support vector machines, memory, bad data."""

import numpy as np
import pytest
from cases.problems import initialized
from peak_memory import peak_below
from refusals import refused
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from structsvm import DualCoordinateAscent, SmoothedLBFGS, Status
from structsvm.problems import Multiclass, MulticlassSVM


def test_psi_and_cost_are_as_documented():
    cost = [[0, 1, 5], [2, 0, 0.5], [9, 1, 0]]
    problem = Multiclass(cost)
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ["c", "a", "b"]
    problem.initialize(X, y)
    assert problem.size_joint_feature == 6
    np.testing.assert_array_equal(problem.joint_feature(X[0], "c"), [0, 0, 0, 0, 1, 2])
    assert problem.loss("a", "c") == 5
    assert problem.loss("c", "a") == 9
    assert problem.max_loss == 9


test_unusable_data = refused(
    lambda X, y: Multiclass().initialize(X, y),
    ([[1.0], [2.0]], [0, 1], "numpy array or a scipy.sparse matrix; got list"),
    (np.eye(2), ["a", "a"], "one class only"),
    (np.eye(2), [0, np.nan], r"Y\[1\] is NaN; every row needs a label"),
    (np.eye(2), ["a", None], r"Y\[1\] is None; every row needs a label"),
    (np.eye(2), np.eye(2), r"1-d, one label per example; got shape \(2, 2\)"),
)


def test_single_precision_is_not_copied():
    X = np.ones((5000, 100), dtype=np.float32)
    y = np.arange(5000) % 3
    problem = initialized(Multiclass(), X, y)
    w, task = np.linspace(0, 1, 300), problem.task(X, y)
    with peak_below(X.nbytes / 2):
        task.decode(w)
        task.plane(task.search(w), np.full(len(y), 1e-4))


def test_the_order_of_sparse_entries_is_left_as_it_is():
    X = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]))
    X.indices, X.data = X.indices[::-1].copy(), X.data[::-1].copy()
    X = sparse.csr_matrix((X.data, X.indices, X.indptr), X.shape)
    before = X.indices.copy(), X.data.copy()
    SmoothedLBFGS().solve(Multiclass(), X, ["a", "b", "c"], 10.0)
    np.testing.assert_array_equal(X.indices, before[0])
    np.testing.assert_array_equal(X.data, before[1])


def test_a_mini_batch_may_be_empty_rows():
    X, y = np.eye(3)[np.arange(128) % 3], np.arange(128) % 3
    X[::4] = 0  # the first of four mini-batches
    result = DualCoordinateAscent().solve(Multiclass(), sparse.csr_matrix(X), y, 100.0)
    assert result.status is Status.CONVERGED


COST = np.array([[0, 1, 5], [2, 0, 0.5], [9, 1, 0.0]])
X, Y = load_iris(return_X_y=True)


def test_the_unit_of_the_costs_does_not_matter_but_to_losses_of_units_of_their_own():
    plain, larger = (MulticlassSVM(cost=t * COST, rtol=1e-6).fit(X, Y) for t in (1, 1e3))
    assert larger.C_ == pytest.approx(1e3 * plain.C_)
    np.testing.assert_allclose(larger.w_, 1e3 * plain.w_, rtol=1e-3, atol=1)
    softmax = MulticlassSVM(cost=COST / 1e3, loss="softmax_margin").fit(X, Y)
    assert softmax.C_ == pytest.approx(10 * len(Y))


@pytest.mark.parametrize(
    ("loss", "convert", "expected"),
    [
        ("hinge", np.asarray, 10),
        ("hinge", sparse.csr_matrix, 1),
        ("log_loss", np.asarray, 10),
        ("log_loss", sparse.csr_matrix, 10),
    ],
)
def test_the_default_c_is_a_multiple_of_the_weights(loss, convert, expected):
    svm = MulticlassSVM(loss=loss).fit(convert(X), Y, sample_weight=np.full(150, 2.0))
    assert svm.C_ == pytest.approx(300 * expected)


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_c_is_that_of_scikit_learn_for_standardised_features(loss, n_classes):
    some, y = np.exp(X[Y < n_classes]), Y[Y < n_classes]
    Z = StandardScaler().fit_transform(some)
    ours = MulticlassSVM(loss=loss, C=0.05 * Z.size, rtol=1e-7).fit(some, y)
    options = {"multi_class": "crammer_singer", "intercept_scaling": 10, "max_iter": 10**6}
    theirs = {
        "hinge": LinearSVC(C=0.05, tol=1e-8, **options),
        "log_loss": LogisticRegression(C=0.1 if n_classes == 2 else 0.05, tol=1e-8),
    }[loss].fit(Z, y)
    found = ours.decision_function(some)
    np.testing.assert_allclose(found, theirs.decision_function(Z), atol=0.02)


def overlapping():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    return X, np.array(["no", "yes"])[(X[:, 0] + 2 * rng.normal(size=300) > 2).astype(int)]


@pytest.mark.parametrize("n", [300, 2001])
def test_one_class_for_all_rows_is_said_with_remedies(n):
    X, y = (np.resize(part, (n, *part.shape[1:])) for part in overlapping())
    with pytest.warns(UserWarning, match="as 'no', of 2 classes.*'balanced', or loss='log_loss'"):
        assert set(MulticlassSVM().fit(X, y).predict(X)) == {"no"}
    assert len(set(MulticlassSVM(class_weight="balanced").fit(X, y).predict(X))) == 2
    probable = MulticlassSVM(loss="log_loss").fit(X, y).predict_proba(X)[:, 1]
    assert np.std(probable) > 0.05
    X[-1], y[-1] = 100, "yes"  # a second class in the last rows is enough
    assert len(set(MulticlassSVM().fit(X, y).predict(X))) == 2


def test_a_small_c_is_said_where_one_class_is_predicted():
    X = overlapping()[0] + 1
    y = X[:, 0] > 1
    with pytest.warns(UserWarning, match=r"'balanced', C=3e\+03, or loss='log_loss'"):
        MulticlassSVM(C=1e-4).fit(X, y)
    assert MulticlassSVM(C=3e3).fit(X, y).score(X, y) > 0.95


# ---------------------------------------------------------------------- the estimator


def test_scores_are_the_weights_and_of_two_classes_their_difference():
    for fit_intercept in (False, True):
        svm = MulticlassSVM(fit_intercept=fit_intercept).fit(X, Y)
        assert svm.intercept_.shape == (3,) and svm.intercept_.any() == fit_intercept
        np.testing.assert_allclose(svm.decision_function(X), X @ svm.coef_.T + svm.intercept_)
    binary = MulticlassSVM().fit(X[:100], Y[:100])
    (a, b), scores = binary.coef_, binary.decision_function(X)
    np.testing.assert_allclose(scores, X @ (b - a) + np.diff(binary.intercept_))
    np.testing.assert_array_equal(binary.predict(X), scores > 0)


test_bad_data_and_parameters_are_named = refused(
    lambda parameters, y: MulticlassSVM(**parameters).fit(X, y),
    ({"cost": 1 - np.eye(2)}, Y, r"shape \(3, 3\).*got \(2, 2\)"),
    ({"cost": np.ones((3, 3))}, Y, "0 on the diagonal"),
    ({"cost": -COST}, Y, ">= 0"),
    ({"cost": np.where(COST == 5, np.nan, COST)}, Y, "finite"),
    ({"cost": "balanced"}, Y, "cost must hold real numbers"),
    ({"cost": 1j * COST}, Y, "cost must hold real numbers"),
    ({"cost": np.zeros((3, 3))}, Y, "all its entries are 0"),
    ({"cost": COST, "loss": "log_loss"}, Y, "no effect: .* loss='softmax_margin'"),
    ({}, Y + 0.5, r"[Uu]nknown label type"),
    ({}, Y.astype(object), r"dtype object, and labels such as 0; .*y\.astype\(int\)"),
)
