"""Multiclass: its oracles against brute force, and MulticlassSVM as a classifier."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import LinearSVC

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.problems import Multiclass, MulticlassSVM

LABELS = [
    [0, 1],
    [0, 1, 2],
    [1, 2, 3],
    [-5, 0, 7, 8],
    [False, True],
    ["no", "yes"],
    ["été", "ß", "漢字", "a"],
    [0.5, 1.5, 2.5],
]
COST = np.array([[0, 1, 5], [2, 0, 0.5], [9, 1, 0.0]])


@st.composite
def instances(draw):
    """A problem, data and w; small integers, so that ties are frequent."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = np.array(draw(st.sampled_from(LABELS)))
    k, d = len(names), draw(st.integers(1, 4))
    y = names[np.r_[np.arange(k), rng.integers(k, size=4)]]
    whole = draw(st.booleans())
    X = rng.integers(-2, 3, (len(y), d)).astype(float) if whole else rng.normal(size=(len(y), d))
    cost = rng.uniform(0, 3, (k, k)) * (1 - np.eye(k)) if draw(st.booleans()) else None
    w = rng.normal(size=k * d) * draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    problem = Multiclass(cost)
    problem.initialize(X, y)
    return problem, X, y, np.round(w) if whole else w


def augmented(problem, x, y, w):
    """Losses and loss-augmented scores of every class, from joint_feature and loss alone."""
    losses = np.array([problem.loss(y, z) for z in problem.classes_])
    scores = np.array([w @ problem.joint_feature(x, z) for z in problem.classes_])
    return losses, losses + scores - w @ problem.joint_feature(x, y)


def worth(problem, values, label):
    return values[list(problem.classes_).index(label)]


@given(instances())
@settings(max_examples=60, deadline=None)
def test_oracles_against_enumeration(instance):
    problem, X, y, w = instance
    batch = problem.batch_separation_oracle(X, y, w)
    slack = problem.batch_slack_oracle(X, y, w)
    decoded = problem.batch_decode(X, w)
    for i, (x, truth) in enumerate(zip(X, y, strict=True)):
        losses, values = augmented(problem, x, truth, w)
        slacks = losses * (1 + values - losses)
        scores = values - losses
        for found in (batch[i], problem.separation_oracle(x, truth, w)):
            assert worth(problem, values, found) == pytest.approx(values.max(), abs=1e-9)
        for found in (slack[i], problem.slack_oracle(x, truth, w)):
            assert worth(problem, slacks, found) == pytest.approx(slacks.max(), abs=1e-9)
        for found in (decoded[i], problem.decode(x, w)):
            assert worth(problem, scores, found) == pytest.approx(scores.max(), abs=1e-9)


@given(instances(), st.sampled_from([0.01, 0.5, 3.0]))
@settings(max_examples=40, deadline=None)
def test_soft_oracle_against_enumeration(instance, mu):
    problem, X, y, w = instance
    losses, values = augmented(problem, X[0], y[0], w)
    soft = problem.soft_oracle(X[0], y[0], w, mu)
    p = np.exp((values - values.max()) / mu)
    p /= p.sum()
    rows = [problem.joint_feature_difference(X[0], y[0], z) for z in problem.classes_]
    assert soft.value == pytest.approx(mu * logsumexp(values / mu), rel=1e-9, abs=1e-9)
    assert soft.loss == pytest.approx(p @ losses, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(soft.joint_feature_difference, p @ np.array(rows), atol=1e-9)


@given(instances())
@settings(max_examples=40, deadline=None)
def test_batch_forms_against_single_ones(instance):
    problem, X, y, w = instance
    y_hat = problem.batch_separation_oracle(X, y, w)
    rows = np.array([problem.joint_feature_difference(*each) for each in zip(X, y, y_hat)])  # noqa: B905
    weights = np.linspace(0, 2, len(y))
    np.testing.assert_allclose(problem.batch_joint_feature_difference(X, y, y_hat), rows)
    total = problem.sum_joint_feature_difference(X, y, y_hat, weights)
    np.testing.assert_allclose(total, weights @ rows, atol=1e-12)
    losses = [problem.loss(a, b) for a, b in zip(y, y_hat, strict=True)]
    np.testing.assert_array_equal(problem.batch_loss(y, y_hat), losses)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_sparse_equals_dense(instance):
    problem, X, y, w = instance
    S = sparse.csr_matrix(X)
    y_hat = problem.batch_separation_oracle(X, y, w)
    np.testing.assert_array_equal(problem.batch_separation_oracle(S, y, w), y_hat)
    np.testing.assert_array_equal(problem.batch_decode(S, w), problem.batch_decode(X, w))
    for method in ("batch_joint_feature_difference",):
        dense, thin = (getattr(problem, method)(data, y, y_hat) for data in (X, S))
        np.testing.assert_allclose(dense, thin, atol=1e-12)
    one, two = (problem.joint_feature(data[0], y[0]) for data in (X, S))
    np.testing.assert_array_equal(one, two)
    assert problem.separation_oracle(S[0], y[0], w) == problem.separation_oracle(X[0], y[0], w)


# ---------------------------------------------------------------------- the problem


def test_psi_and_cost_are_as_documented():
    problem = Multiclass(COST)
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ["c", "a", "b"]
    problem.initialize(X, y)
    assert problem.size_joint_feature == 6
    np.testing.assert_array_equal(problem.joint_feature(X[0], "c"), [0, 0, 0, 0, 1, 2])
    assert problem.loss("a", "c") == 5
    assert problem.loss("c", "a") == 9
    assert problem.max_loss == 9


def test_it_forgets_earlier_data():
    problem = Multiclass()
    problem.initialize(np.eye(3), ["a", "b", "c"])
    problem.initialize(np.eye(2), [4, 5])
    assert problem.size_joint_feature == 4
    assert problem.classes_.tolist() == [4, 5]


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


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [0, 1], "numpy array or a scipy.sparse CSR matrix; got list"),
        (sparse.csc_matrix(np.eye(2)), [0, 1], "CSR matrix; got csc"),
        (np.ones(2), [0, 1], r"2-d .* got shape \(2,\)"),
        (np.array([["a"], ["b"]]), [0, 1], "real numbers; got dtype <U1"),
        (np.array([[np.nan], [1.0]]), [0, 1], "NaN or infinity"),
        (sparse.csr_matrix([[np.inf], [1.0]]), [0, 1], "NaN or infinity"),
        (np.eye(2), ["a", "a"], "one class only"),
        (np.eye(2), [0, np.nan], "Y contains NaN"),
        (np.eye(2), ["a", None], "none missing"),
        (np.eye(2), np.eye(2), r"1-d, one label per example; got shape \(2, 2\)"),
    ],
)
def test_unusable_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        Multiclass().initialize(X, y)


@pytest.mark.parametrize(
    ("classes", "unknown"),
    [([0, 1], 2), ([0, 1], -1), ([0, 1], 0.5), (["a", "b"], "c"), ([3, 5], 4), ([3, 5], 6)],
)
def test_an_unknown_label_is_named(classes, unknown):
    problem = Multiclass()
    problem.initialize(np.eye(2), classes)
    with pytest.raises(ValueError, match=rf"unknown label {unknown!r}; the classes are"):
        problem.batch_loss(classes, [classes[0], unknown])


@pytest.mark.parametrize(("classes", "other"), [([0, 1], "a"), ([3, 5], "a"), (["a", "b"], 1)])
def test_a_label_of_another_kind_is_unknown(classes, other):
    problem = Multiclass()
    problem.initialize(np.eye(2), classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="unknown label"):
            problem.batch_loss(classes, [other, other])


def test_a_missing_label_is_unknown():
    problem = Multiclass()
    problem.initialize(np.eye(2), [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="unknown label nan"):
            problem.batch_loss([0, 1], [0, np.nan])


def test_single_precision_is_not_copied():
    X = np.ones((20000, 100), dtype=np.float32)
    y = np.arange(20000) % 3
    problem = Multiclass()
    problem.initialize(X, y)
    w = np.linspace(0, 1, 300)
    y_hat = problem.batch_separation_oracle(X, y, w)
    tracemalloc.start()
    problem.batch_separation_oracle(X, y, w)
    problem.batch_decode(X, w)
    problem.sum_joint_feature_difference(X, y, y_hat, np.full(len(y), 1e-4))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 2


def test_sparse_data_stay_sparse():
    columns = np.random.default_rng(0).integers(200_000, size=4000)
    X = sparse.csr_matrix((np.ones(4000), columns, np.arange(0, 4001, 2)), (2000, 200_000))
    y = np.arange(2000) % 2
    tracemalloc.start()
    MulticlassSVM(C=1.0).fit(X, y).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2000 * 200_000 * 8 / 10


# ---------------------------------------------------------------------- the estimator


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
        C=len(y) * C, fit_intercept=fit_intercept, solver=OneSlackCuttingPlane(rtol=1e-4)
    ).fit(X, y)
    theirs = LinearSVC(
        C=C, multi_class="crammer_singer", fit_intercept=fit_intercept, tol=1e-6, max_iter=100_000
    ).fit(X, y)

    def objective(coef, intercept):
        scores = X @ coef.T + intercept
        truth = scores[np.arange(len(y)), y]
        slacks = (scores + 1 - np.eye(10)[y]).max(axis=1) - truth
        return 0.5 * (np.sum(coef**2) + np.sum(intercept**2)) + C * slacks.sum()

    best = objective(theirs.coef_, theirs.intercept_ if fit_intercept else 0.0)
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
    svm = MulticlassSVM(C=1000.0)
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
    svm = MulticlassSVM(C=100.0, solver=NSlackCuttingPlane(rtol=1e-6)).fit(X, y)
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
    dense, thin = (MulticlassSVM(C=1.0).fit(data, y) for data in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-6)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csr_matrix(X)))


def test_single_precision_trains_alike(digits):
    X, y = digits
    double, single = (MulticlassSVM(C=1.0).fit(data, y) for data in (X, X.astype(np.float32)))
    assert single.result_.primal == pytest.approx(double.result_.primal, rel=2e-3)
    assert single.coef_.dtype == np.float64


def test_warm_start(digits):
    X, y = digits
    svm = MulticlassSVM(C=1.0, warm_start=True).fit(X, y)
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
    svm = MulticlassSVM(C=100.0).fit(X[:100], y[:100])
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


def test_mixed_labels_are_refused():
    with pytest.raises(ValueError, match="mixes strings with others"):
        Multiclass().initialize(np.eye(4), [1, "a", 1, "a"])


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("balanced", "must be an array of shape"),
        ([[0, 1], [-1, 0]], r"cost\[1, 0\] is -1"),
        (np.zeros((2, 2)), "all its entries are 0"),
    ],
)
def test_unusable_costs_are_named(cost, message):
    with pytest.raises(ValueError, match=message):
        MulticlassSVM(cost=cost).fit(np.eye(4), [0, 1, 0, 1])
