"""MulticlassSVM as a classifier."""

import tracemalloc
import warnings

import numpy as np
import pytest
from classification_data import COST, LABELS
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, SmoothedLBFGS
from structsvm.problems import MulticlassSVM


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.ones((2, 2)), r"shape \(3, 3\).*got \(2, 2\)"),
        (np.ones((3, 3)), "0 on the diagonal"),
        (-COST, ">= 0"),
        (np.where(COST == 5, np.nan, COST), "finite"),
    ],
)
def test_unusable_costs(cost, message):
    with pytest.raises(ValueError, match=message):
        MulticlassSVM(cost=cost).fit(*load_iris(return_X_y=True))


def test_the_unit_of_the_costs_does_not_matter():
    X, y = load_iris(return_X_y=True)
    plain, larger = (MulticlassSVM(cost=t * COST, rtol=1e-6).fit(X, y) for t in (1, 1e3))
    assert larger.C_ == pytest.approx(1e3 * plain.C_)
    np.testing.assert_allclose(larger.w_, 1e3 * plain.w_, rtol=1e-3, atol=1)


@pytest.mark.parametrize("loss", ["softmax_margin", "log_loss"])
def test_other_losses_are_in_units_of_their_own(loss):
    X, y = load_iris(return_X_y=True)
    cost = COST / 1e3 if loss == "softmax_margin" else None
    assert MulticlassSVM(cost=cost, loss=loss).fit(X, y).C_ == pytest.approx(10 * len(y))


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
    X, y = load_iris(return_X_y=True)
    svm = MulticlassSVM(loss=loss).fit(convert(X), y, sample_weight=np.full(150, 2.0))
    assert svm.C_ == pytest.approx(300 * expected)


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_c_is_that_of_scikit_learn_for_standardised_features(loss, n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = np.exp(X[y < n_classes]), y[y < n_classes]
    Z = StandardScaler().fit_transform(X)
    ours = MulticlassSVM(loss=loss, C=0.05 * Z.size, rtol=1e-7).fit(X, y)
    options = {"multi_class": "crammer_singer", "intercept_scaling": 10, "max_iter": 10**6}
    theirs = {
        "hinge": LinearSVC(C=0.05, tol=1e-8, **options),
        "log_loss": LogisticRegression(C=0.1 if n_classes == 2 else 0.05, tol=1e-8),
    }[loss].fit(Z, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(Z), atol=0.02)


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


def test_sorted_rows_are_not_of_one_class():
    y = np.repeat([0, 1], 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MulticlassSVM().fit(y[:, None] + 0.0, y)


def test_a_small_c_is_said_where_one_class_is_predicted():
    X = overlapping()[0] + 1
    y = X[:, 0] > 1
    with pytest.warns(UserWarning, match=r"'balanced', C=3e\+03, or loss='log_loss'"):
        MulticlassSVM(C=1e-4).fit(X, y)
    assert MulticlassSVM(C=3e3).fit(X, y).score(X, y) > 0.95


def test_numbers_as_objects_are_named():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"dtype object, and labels such as 0; .*y\.astype\(int\)"):
        MulticlassSVM().fit(X, y.astype(object))


def test_sparse_data_stay_sparse():
    columns = np.random.default_rng(0).integers(200_000, size=4000)
    X = sparse.csr_matrix((np.ones(4000), columns, np.arange(0, 4001, 2)), (2000, 200_000))
    y = np.arange(2000) % 2
    tracemalloc.start()
    MulticlassSVM(C=1.0, fit_intercept=False).fit(X, y).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2000 * 200_000 * 8 / 10


# ---------------------------------------------------------------------- the estimator


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("load", "least"), [(load_iris, 0.94), (load_digits, 0.90)])
def test_the_defaults_do_on_first_contact(load, least):
    """As scikit-learn users meet it: five folds, standardised; LinearSVC has .933 and .909."""
    svm = make_pipeline(StandardScaler(), MulticlassSVM())
    assert cross_val_score(svm, *load(return_X_y=True), cv=5).mean() > least


def test_the_defaults_do_without_scaling():
    assert cross_val_score(MulticlassSVM(), *load_iris(return_X_y=True), cv=5).mean() > 0.94


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::3] / 16, y[::3]


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("C", [1e-3, 1e-2])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_optimum_is_that_of_linear_svc(digits, C, fit_intercept):
    X, y = digits
    ours = MulticlassSVM(
        C=len(y) * C,
        fit_intercept=fit_intercept,
        scale=None,
        solver=OneSlackCuttingPlane(rtol=1e-4),
    ).fit(X, y)
    theirs = LinearSVC(
        C=C,
        multi_class="crammer_singer",
        fit_intercept=fit_intercept,
        intercept_scaling=10,
        tol=1e-6,
        max_iter=100_000,
    ).fit(X, y)

    def objective(coef, intercept):
        scores = X @ coef.T + intercept
        truth = scores[np.arange(len(y)), y]
        slacks = (scores + 1 - np.eye(10)[y]).max(axis=1) - truth
        return 0.5 * (np.sum(coef**2) + np.sum((intercept / 10) ** 2)) + C * slacks.sum()

    best = objective(theirs.coef_, theirs.intercept_)
    mine = objective(ours.coef_, ours.intercept_)
    assert mine == pytest.approx(best, rel=2e-4)
    assert ours.result_.primal == pytest.approx(mine, rel=1e-9)
    assert ours.result_.dual <= best * (1 + 1e-9)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.01)


@pytest.mark.parametrize("names", LABELS, ids=str)
def test_any_labels(names):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(names)), 5)
    X = np.eye(len(names))[codes] + 0.1 * rng.normal(size=(len(codes), len(names)))
    y = np.array(names)[codes]
    svm = MulticlassSVM(C=1000.0, fit_intercept=False)
    if y.dtype.kind == "f":
        with pytest.raises(ValueError, match=r"[Uu]nknown label type"):
            svm.fit(X, y)
        return
    svm.fit(X, y)
    np.testing.assert_array_equal(svm.predict(X), y)
    np.testing.assert_array_equal(svm.classes_, np.unique(y))
    assert svm.predict(X).dtype == y.dtype
    assert svm.score(X, y) == 1.0


def test_shapes():
    X, y = load_iris(return_X_y=True)
    for fit_intercept in (False, True):
        svm = MulticlassSVM(fit_intercept=fit_intercept).fit(X, y)
        assert svm.coef_.shape == (3, 4)
        assert svm.intercept_.shape == (3,)
        assert svm.intercept_.any() == fit_intercept
        assert svm.decision_function(X).shape == (150, 3)
        np.testing.assert_allclose(svm.decision_function(X), X @ svm.coef_.T + svm.intercept_)
    binary = MulticlassSVM(fit_intercept=True).fit(X[:100], y[:100])
    assert binary.coef_.shape == (2, 4)
    assert binary.decision_function(X).shape == (150,)
    np.testing.assert_array_equal(
        binary.predict(X[:100]), (binary.decision_function(X[:100]) > 0).astype(int)
    )


def test_binary_is_the_svm():
    """Two classes: w_1 = -w_0, and 1/2|w|^2 is |v|^2/4 for v = w_1 - w_0."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:] - X[50:].mean(axis=0), y[50:]
    solver = NSlackCuttingPlane(rtol=1e-6)
    svm = MulticlassSVM(C=100.0, fit_intercept=False, scale=None, solver=solver).fit(X, y)
    np.testing.assert_allclose(svm.coef_[0], -svm.coef_[1], atol=1e-6)
    theirs = LinearSVC(C=2.0, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(svm.coef_[1] - svm.coef_[0], theirs.coef_[0], rtol=0.01, atol=0.01)


def test_a_cost_shifts_the_errors():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    counts = []
    for cost in (None, [[0, 10], [1, 0]], [[0, 1], [10, 0]]):
        found = MulticlassSVM(C=100.0, cost=cost, fit_intercept=True).fit(X, y).predict(X)
        counts.append(np.sum((y == 1) & (found == 2)))
    assert counts[1] < counts[0] < counts[2]


def test_sparse_and_dense_train_alike(digits):
    X, y = digits
    svm = MulticlassSVM(C=0.1, fit_intercept=False, scale=None)
    dense, thin = (clone(svm).fit(data, y) for data in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-6)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csr_matrix(X)))


def test_single_precision_trains_alike(digits):
    X, y = digits
    svm = MulticlassSVM(C=1.0, fit_intercept=False)
    double, single = (clone(svm).fit(data, y) for data in (X, X.astype(np.float32)))
    assert single.result_.primal == pytest.approx(double.result_.primal, rel=2e-3)
    assert single.coef_.dtype == np.float64


def test_a_warm_start_with_other_labels_is_refused():
    X = np.random.default_rng(0).normal(size=(20, 2))
    svm = MulticlassSVM(warm_start=True).fit(X, np.arange(20) % 2)
    before = svm.coef_
    with pytest.raises(ValueError, match="warm_start continues the last fit, whose features or"):
        svm.fit(X, np.array(["a", "b"])[np.arange(20) % 2])
    assert svm.coef_ is before


def test_warm_start(digits):
    X, y = digits
    svm = MulticlassSVM(fit_intercept=False, warm_start=True, solver=SmoothedLBFGS()).fit(X, y)
    first = svm.n_iter_
    assert svm.fit(X, y).n_iter_ < first


@pytest.mark.parametrize("C", [0, -1, np.nan, np.inf, "1", None])
def test_unusable_C(C):
    with pytest.raises((TypeError, ValueError), match=r"\bC\b"):
        MulticlassSVM(C=C).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (np.where(X == 5.0, np.nan, X), y), "NaN"),
        (lambda X, y: (X, np.zeros_like(y)), "one class only"),
        (lambda X, y: (X[:-1], y), "inconsistent numbers of samples"),
        (lambda X, y: (X, y + 0.5), r"[Uu]nknown label type"),
    ],
)
def test_unusable_training_data(change, message):
    with pytest.raises(ValueError, match=message):
        MulticlassSVM().fit(*change(*load_iris(return_X_y=True)))


def test_a_wrong_feature_count_is_named():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="X has 3 features, but MulticlassSVM is expecting 4"):
        MulticlassSVM().fit(X, y).predict(X[:, :3])


def test_an_unusable_solver_is_named():
    with pytest.raises(ValueError, match=r"solver must be 'auto' or a solver object.*'fast'"):
        MulticlassSVM(solver="fast").fit(*load_iris(return_X_y=True))


def test_labels_not_seen_in_training_count_as_errors():
    X, y = load_iris(return_X_y=True)
    svm = MulticlassSVM(C=100.0, fit_intercept=False).fit(X[:100], y[:100])
    with pytest.warns(UserWarning, match="50 of 150 labels were not trained on"):
        assert svm.score(X, y) <= 2 / 3


@pytest.mark.parametrize("intercept", [False, True])
def test_verify_speaks_the_labels_of_the_user(intercept):
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    svm = MulticlassSVM(C=10.0, fit_intercept=intercept).fit(X, names)
    assert svm.verify(X, names).matches
    assert not svm.verify(X, names[::-1]).matches
    with pytest.raises(ValueError, match="unknown label 'bb'"):
        svm.verify(X, np.where(names == "b", "bb", names))


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("balanced", "cost must hold real numbers"),
        ([[0, 1], [-1, 0]], r"cost\[1, 0\] is -1"),
        (np.zeros((2, 2)), "all its entries are 0"),
    ],
)
def test_unusable_costs_are_named(cost, message):
    with pytest.raises(ValueError, match=message):
        MulticlassSVM(cost=cost).fit(np.eye(4), [0, 1, 0, 1])


def test_a_cost_beside_the_log_loss_is_refused():
    with pytest.raises(ValueError, match=r"cost would have no effect: .* loss='softmax_margin'"):
        MulticlassSVM(loss="log_loss", cost=1 - np.eye(3)).fit(np.eye(3), [0, 1, 2])
