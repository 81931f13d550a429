"""MultivariateSVM: its oracles against enumeration, its optimum, and its manners."""

import tracemalloc
import warnings
from itertools import combinations, product

import numpy as np
import pytest
from cvxopt import matrix, solvers
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from structsvm import OneSlackCuttingPlane, check_problem
from structsvm.problems import (
    LabellingProblem,
    MultivariateSVM,
    RocAreaProblem,
    TopKProblem,
)

LABELLINGS = [LabellingProblem("f1"), LabellingProblem("error")]
RANKINGS = [RocAreaProblem(), TopKProblem(), TopKProblem(1), TopKProblem(4), TopKProblem(0.5)]
MEASURES = ["f1", "precision_at_k", "recall_at_k", "prbep", "roc_area", "error"]
each_measure = pytest.mark.parametrize("measure", MEASURES)


def example_of(problem, rows, labels):
    """The input and the true output that a problem makes of rows and labels."""
    if isinstance(problem, LabellingProblem):
        return rows, labels
    return (rows, labels), np.zeros(len(labels))


@st.composite
def instances(draw, problems):
    """A problem, an example and w; small integers often, so that ties are frequent."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem, n, d = draw(st.sampled_from(problems)), draw(st.integers(5, 7)), 2
    labels = np.arange(n) < draw(st.integers(1, min(n - 1, 3)))
    rng.shuffle(labels)
    whole = draw(st.booleans())
    rows = rng.integers(-2, 3, (n, d)).astype(float) if whole else rng.normal(size=(n, d))
    w = rng.normal(size=d) * draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    x, y = example_of(problem, rows, labels)
    problem.initialize([x], [y])
    return problem, x, y, np.round(w) if whole else w


def scores_of_outputs(problem, x, y, w, outputs):
    """Losses and scores less that of the truth, from joint_feature and loss alone."""
    losses = np.array([problem.loss(y, z) for z in outputs])
    scores = np.array([w @ problem.joint_feature(x, z) for z in outputs])
    return losses, scores - w @ problem.joint_feature(x, y)


@given(instances(LABELLINGS + RANKINGS))
@settings(max_examples=120, deadline=None)
def test_searches_against_enumeration(instance):
    problem, x, y, w = instance
    losses, scores = scores_of_outputs(problem, x, y, w, list(problem.outputs(x)))
    assert losses.min() == 0
    assert losses.max() <= problem.max_loss + 1e-12
    found = [problem.separation_oracle(x, y, w), problem.decode(x, w)]
    (loss, _), (worst, best) = scores_of_outputs(problem, x, y, w, found)
    assert loss + worst == pytest.approx((losses + scores).max(), abs=1e-9)
    assert best == pytest.approx(scores.max(), abs=1e-9)


@given(instances(LABELLINGS + RANKINGS))
@settings(max_examples=60, deadline=None)
def test_the_difference_and_sparse_rows(instance):
    problem, x, y, w = instance
    y_hat = problem.separation_oracle(x, y, w)
    difference = problem.joint_feature(x, y) - problem.joint_feature(x, y_hat)
    np.testing.assert_allclose(problem.joint_feature_difference(x, y, y_hat), difference)
    rows, labels = (x, y) if isinstance(problem, LabellingProblem) else x
    thin, _ = example_of(problem, sparse.csr_matrix(rows), labels)
    np.testing.assert_array_equal(problem.separation_oracle(thin, y, w), y_hat)
    np.testing.assert_allclose(problem.joint_feature_difference(thin, y, y_hat), difference)


# ---------------------------------------------------------------------- labellings


@given(instances([LabellingProblem("f1")]))
@settings(max_examples=30, deadline=None)
def test_the_loss_is_one_less_f1(instance):
    problem, x, y, _ = instance
    for y_hat in problem.outputs(x):
        expected = 1 - 2 * np.sum(y & y_hat) / (np.sum(y) + np.sum(y_hat))
        assert problem.loss(y, y_hat) == pytest.approx(expected)


# ---------------------------------------------------------------------- rankings


def hinge_of_pairs(scores, labels):
    return np.maximum(0, 1 - scores[labels][:, None] + scores[~labels]).mean()


@given(instances([RocAreaProblem()]))
@settings(max_examples=60, deadline=None)
def test_roc_area_is_the_pairwise_hinge(instance):
    problem, x, y, w = instance
    rows, labels = x
    y_hat = problem.separation_oracle(x, y, w)
    slack = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert slack == pytest.approx(hinge_of_pairs(rows @ w, labels))
    assert y_hat.sum() == pytest.approx(0, abs=1e-12)
    differences = (rows @ w)[labels][:, None] - (rows @ w)[~labels]
    assert problem.loss(y, problem.decode(x, w)) == pytest.approx(np.mean(differences < 0))


def test_roc_area_against_all_orderings():
    rows, labels = np.random.default_rng(1).normal(size=(6, 2)), np.arange(6) < 2
    problem, x, y = RocAreaProblem(), (rows, labels), np.zeros(6)
    problem.initialize([x], [y])
    w = np.array([0.7, -0.4])
    positive, negative = (rows @ w)[labels], (rows @ w)[~labels]
    values = []
    for places in product(range(5), repeat=2):  # how many negative rows are put before each
        order = np.argsort(-negative)
        swapped = [order[:place] for place in places]
        terms = [np.sum(1 - s + negative[j]) for s, j in zip(positive, swapped, strict=True)]
        values.append(sum(terms) / 8)
    y_hat = problem.separation_oracle(x, y, w)
    worth = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert worth == pytest.approx(max(values))


def test_roc_area_counts_tied_pairs_on_both_sides():
    """What is subtracted from one row is added to another, whatever the rounding."""
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(30, size=(400, 1)) / 10.0, rng.random(400) < 0.3
    problem, x, y = RocAreaProblem(), (rows, labels), np.zeros(400)
    problem.initialize([x], [y])
    for w in (np.array([1.0]), np.array([0.1]), np.array([1 / 3])):
        y_hat = problem.separation_oracle(x, y, w)
        assert abs(y_hat.sum()) < 1e-12


@given(instances([TopKProblem(), TopKProblem(1), TopKProblem(2), TopKProblem(4)]))
@settings(max_examples=60, deadline=None)
def test_the_slack_bounds_what_is_missed_at_k(instance):
    problem, x, y, w = instance
    rows, labels = x
    k = problem.k or np.count_nonzero(labels)
    first = np.argsort(-(rows @ w), kind="stable")[:k]
    missed = 1 - np.count_nonzero(labels[first]) / min(k, np.count_nonzero(labels))
    y_hat = problem.separation_oracle(x, y, w)
    slack = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert slack >= missed - 1e-9
    shifted = np.hstack([rows, np.ones((len(rows), 1))])
    problem.initialize([(shifted, labels)], [y])
    moved = problem.joint_feature_difference((shifted, labels), y, y_hat)
    assert moved[-1] == pytest.approx(0, abs=1e-12)


def test_the_break_even_point_is_that_of_the_paper():
    """For k = P, Psi(x, y) = 1/(2P) sum_i +-x_i over labellings with P positive rows."""
    rng = np.random.default_rng(0)
    rows, labels, w = rng.normal(size=(8, 2)), np.arange(8) < 3, np.array([0.5, -1.0])
    problem, x, y = TopKProblem(), (rows, labels), np.zeros(8)
    problem.initialize([x], [y])
    truth = np.where(labels, 1, -1) @ rows @ w / 6
    values = []
    for chosen in combinations(range(8), 3):
        y_hat = np.isin(np.arange(8), chosen)
        loss = 1 - np.count_nonzero(labels & y_hat) / 3
        values.append(loss + np.where(y_hat, 1, -1) @ rows @ w / 6 - truth)
    y_hat = problem.separation_oracle(x, y, w)
    worth = problem.loss(y, y_hat) - w @ problem.joint_feature_difference(x, y, y_hat)
    assert worth == pytest.approx(max(values))


def test_several_rankings_share_a_w():
    rng = np.random.default_rng(0)
    X = [(rng.normal(size=(n, 2)), np.arange(n) < 2) for n in (5, 6)]
    for problem in (RocAreaProblem(), TopKProblem(3)):
        check_problem(problem, X, [np.zeros(5), np.zeros(6)])


@pytest.mark.parametrize("problem", LABELLINGS + RANKINGS, ids=str)
def test_more_rows_than_can_be_enumerated(problem):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 3)).astype(np.float32), np.arange(60) < 15
    x, y = example_of(problem, rows, labels)
    check_problem(problem, [x], [y])


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.eye(3), np.zeros(3), "pair"),
        ((np.eye(3), [True, False, False]), np.zeros(3), "boolean array"),
        ((np.eye(3), np.ones(3, dtype=bool)), np.zeros(3), "one class only"),
        ((np.eye(3), np.arange(3) < 1), np.ones(3), r"numpy\.zeros\(3\)"),
        (([[1.0]], np.array([True])), np.zeros(1), "numpy array"),
    ],
)
def test_unusable_rankings(x, y, message):
    with pytest.raises(ValueError, match=message):
        RocAreaProblem().initialize([x], [y])


def test_unusable_labellings():
    labels = np.arange(3) < 1
    with pytest.raises(ValueError, match="one of"):
        LabellingProblem("prbep").initialize([np.eye(3)], [labels])
    with pytest.raises(ValueError, match="one matrix; got 2"):
        LabellingProblem().initialize([np.eye(3)] * 2, [labels] * 2)
    with pytest.raises(ValueError, match="boolean array"):
        LabellingProblem().initialize([np.eye(3)], [[0, 1, 1]])


# ---------------------------------------------------------------------- the optimum


@pytest.mark.parametrize("problem", LABELLINGS + RANKINGS, ids=str)
def test_the_optimum_is_that_of_the_enumerated_program(problem):
    """Minimise 1/2 |w|^2 + C xi with a constraint for every output."""
    rng = np.random.default_rng(3)
    labels = np.arange(6) < 2
    rows = rng.normal(size=(6, 3)) + labels[:, None]
    x, y = example_of(problem, rows, labels)
    problem.initialize([x], [y])
    outputs, C = list(problem.outputs(x)), 5.0
    differences = [problem.joint_feature(x, y) - problem.joint_feature(x, z) for z in outputs]
    G = -np.hstack([np.array(differences), np.ones((len(outputs), 1))])
    h = -np.array([problem.loss(y, z) for z in outputs])
    options = {"show_progress": False, "abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10}
    quadratic, linear = np.diag([1.0, 1, 1, 0]), np.array([0, 0, 0, C])
    program = (matrix(each) for each in (quadratic, linear, G, h))
    expected = solvers.qp(*program, options=options)["primal objective"]
    result = OneSlackCuttingPlane(rtol=1e-7).solve(problem, [x], [y], C=C)
    assert result.primal == pytest.approx(expected, rel=1e-6)


@pytest.fixture(scope="module")
def cancer():
    """Standardised, malignant the positive class."""
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), 1 - y


@pytest.mark.parametrize("C", [0.001, 0.1])
def test_error_is_the_support_vector_machine(cancer, C):
    X, y = cancer
    ours = MultivariateSVM("error", C=C * len(y), solver=OneSlackCuttingPlane(rtol=1e-5))
    theirs = LinearSVC(C=C, loss="hinge", intercept_scaling=10.0, tol=1e-8, max_iter=10**6)

    def objective(svm):
        scores = svm.fit(X, y).decision_function(X)
        size = np.sum(svm.coef_**2) + (svm.intercept_[0] / 10) ** 2
        return 0.5 * size + C * np.maximum(0, 1 - np.where(y == 1, 1, -1) * scores).sum()

    best = objective(theirs)
    assert objective(ours) == pytest.approx(best, rel=2e-5)
    assert ours.result_.dual <= best * (1 + 1e-9)
    assert ours.result_.primal == pytest.approx(objective(ours), rel=1e-9)


def test_the_slack_bounds_the_training_loss(cancer):
    X, y = cancer
    for measure in MEASURES:
        svm = MultivariateSVM(measure).fit(X, y)
        slack = (svm.result_.primal - 0.5 * svm.result_.w @ svm.result_.w) / svm.C
        assert slack >= 1 - svm.score(X, y) - 1e-9


# ---------------------------------------------------------------------- the estimator


@parametrize_with_checks([MultivariateSVM("roc_area"), MultivariateSVM("recall_at_k", k=0.4)])
def test_the_other_measures_keep_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # w = 0 is optimal for some of the data
        warnings.simplefilter("error", RuntimeWarning)
        check(estimator)


@each_measure
@pytest.mark.parametrize("names", [[0, 1], [False, True], ["no", "yes"], [-1, 1], [5, 3]], ids=str)
def test_any_two_labels(cancer, measure, names):
    X, y = cancer
    labels = np.array(names)[y]
    svm = MultivariateSVM(measure).fit(X, labels)
    np.testing.assert_array_equal(svm.classes_, np.unique(labels))
    assert svm.predict(X).dtype == labels.dtype
    assert np.mean(svm.predict(X) == labels) > 0.95
    assert svm.score(X, labels) > 0.95
    assert svm.verify(X, labels).matches


def test_verify_names_an_unknown_label(cancer):
    X, y = cancer
    svm = MultivariateSVM().fit(X, y)
    assert not svm.verify(X, y[::-1]).matches
    with pytest.raises(ValueError, match=r"unknown label 2; the classes are \[0, 1\]"):
        svm.verify(X, 2 * y)


@each_measure
def test_shapes_and_sparse_rows(cancer, measure):
    X, y = cancer
    X = np.maximum(X, 0)
    for fit_intercept in (False, True):
        dense, thin, single = (
            MultivariateSVM(measure, fit_intercept=fit_intercept).fit(convert(X), y)
            for convert in (np.asarray, sparse.csr_matrix, np.float32)
        )
        assert dense.coef_.shape == (1, 30)
        assert dense.intercept_.shape == (1,)
        assert dense.intercept_.any() == fit_intercept
        scores = dense.decision_function(X)
        np.testing.assert_allclose(scores, X @ dense.coef_[0] + dense.intercept_[0])
        np.testing.assert_array_equal(dense.predict(X), scores > 0)
        np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-6)
        np.testing.assert_allclose(thin.decision_function(sparse.csc_matrix(X)), scores, atol=1e-5)
        assert single.result_.primal == pytest.approx(dense.result_.primal, rel=2e-3)
        assert single.coef_.dtype == np.float64


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
def test_the_intercept_of_a_ranking_takes_in_k_rows(cancer, measure, k, expected):
    X, y = cancer
    assert MultivariateSVM(measure, k).fit(X, y).predict(X).sum() == expected


@pytest.mark.parametrize("positive", [False, True])
def test_score_of_a_ranking_needs_both_classes(cancer, positive):
    X, y = cancer
    one_class = np.full(len(y), int(positive))
    for measure in ("precision_at_k", "recall_at_k", "prbep", "roc_area"):
        svm = MultivariateSVM(measure, C=1.0).fit(X, y)
        with pytest.raises(ValueError, match=r"needs some of both; all of these 569 are"):
            svm.score(X, one_class)
    for measure in ("f1", "error"):
        assert 0 <= MultivariateSVM(measure, C=1.0).fit(X, y).score(X, one_class) <= 1


def test_score_is_the_measure(cancer):
    X, y = cancer
    svm = MultivariateSVM(C=1.0).fit(X[:, :3], y)
    X = X[:, :3]
    scores = svm.decision_function(X)
    first = np.argsort(-scores)
    found = np.cumsum(y[first])
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


@pytest.mark.parametrize("seed", range(3))
def test_training_for_f1_raises_f1(seed):
    """On overlapping, unbalanced classes."""
    y = np.arange(600) < 60
    X = np.random.default_rng(seed).normal(size=(600, 2)) + np.outer(y, [2.0, 0.0])
    by_f1, by_error = (MultivariateSVM(each, C=1000.0).fit(X, y) for each in ("f1", "error"))
    assert by_f1.score(X, y) > f1_score(y, by_error.predict(X)) + 0.02


def test_grid_search_uses_the_measure(cancer):
    X, y = cancer
    search = GridSearchCV(MultivariateSVM("recall_at_k", k=0.4), {"C": [1.0, 100.0]}, cv=3)
    assert 0.9 < search.fit(X, y).best_score_ <= 1


def test_warm_start(cancer):
    X, y = cancer
    svm = MultivariateSVM(warm_start=True).fit(X, y)
    first = svm.n_iter_
    assert svm.fit(X, y).n_iter_ < first


@each_measure
def test_sparse_data_stay_sparse(measure):
    columns = np.random.default_rng(0).integers(200_000, size=4000)
    X = sparse.csr_matrix((np.ones(4000), columns, np.arange(0, 4001, 2)), (2000, 200_000))
    y = np.arange(2000) % 5 == 0
    solver = OneSlackCuttingPlane(rtol=0.1)
    tracemalloc.start()
    MultivariateSVM(measure, solver=solver).fit(X, y).predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2000 * 200_000 * 8 / 10


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"measure": "f2"}, "measure must be one of error, f1, .*roc_area; got 'f2'"),
        ({"measure": ["f1"]}, "measure must be one of"),
        ({"measure": "f1", "k": 3}, "k=3 has no meaning for measure='f1'"),
        ({"measure": "prbep", "k": 0.5}, "no meaning"),
        ({"measure": "precision_at_k", "k": 0}, "k must be a number of rows from 1 to 569"),
        ({"measure": "precision_at_k", "k": 570}, "k must be below the number of rows, 569"),
        ({"measure": "recall_at_k", "k": 569}, "k must be below the number of rows, 569"),
        ({"measure": "recall_at_k", "k": 1.5}, r"a share in \(0, 1\)"),
        ({"measure": "recall_at_k", "k": True}, "got True"),
        ({"measure": "recall_at_k", "k": "ten"}, "got 'ten'"),
        ({"C": -1.0}, r"\bC\b"),
        ({"solver": "fast"}, "solver must be 'auto'"),
    ],
)
def test_unusable_parameters(cancer, params, message):
    with pytest.raises(ValueError, match=message):
        MultivariateSVM(**params).fit(*cancer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (np.where(X > 2, np.nan, X), y), "NaN"),
        (lambda X, y: (X, np.zeros_like(y)), "one class only"),
        (lambda X, y: (X[:-1], y), "inconsistent numbers of samples"),
        (lambda X, y: (X, y + 0.5), r"[Uu]nknown label type"),
        (lambda X, y: load_iris(return_X_y=True), "Only binary classification .* 3 classes"),
    ],
)
def test_unusable_training_data(cancer, change, message):
    with pytest.raises(ValueError, match=message):
        MultivariateSVM().fit(*change(*cancer))


def test_too_few_rows_for_k_are_named(cancer):
    X, y = cancer
    svm = MultivariateSVM("precision_at_k", k=100).fit(X, y)
    with pytest.raises(ValueError, match="k must be a number of rows from 1 to 50"):
        svm.score(X[:50], y[:50])
