"""Every estimator that learns from outputs takes weights: a row of weight 2 is two rows."""

import inspect

import numpy as np
import pytest
import sklearn
from cases.estimators import ESTIMATORS
from cases.problems import open_sets, parsed, programs, sequences, two_sets
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_validate

from structsvm import StructuredSVM
from structsvm.datasets import shortest_path_costs
from structsvm.problems import (
    AssignmentSVM,
    Chain,
    ChainSVM,
    CorrelationClustering,
    DecisionFocusedRegressor,
    DependencyParser,
    GraphSVM,
    IntegerProgramSVM,
    LabelSet,
    MulticlassSVM,
    MultiLabelSVM,
    Segments,
    SegmentSVM,
    SupervisedKMeans,
    TaxonomySVM,
    TreeLabelling,
)
from structsvm.problems.decisions import GridPaths


def iris():
    X, y = load_iris(return_X_y=True)
    return X[::5], np.array(["a", "b", "c"])[y[::5]]


def costs_of_paths():
    X, costs = shortest_path_costs(20, 2, 3, 3, degree=4, noise=0.5)
    return X, costs


#: Estimators, and a function that makes data for them.
DATA = [
    (MulticlassSVM(), iris),
    (MulticlassSVM(class_weight="balanced"), iris),
    (ChainSVM(), lambda: sequences(0)),
    (SegmentSVM(max_length=10), Segments.example_data),
    (AssignmentSVM(), lambda: two_sets(0)),
    (IntegerProgramSVM(), lambda: programs(0)),
    (DecisionFocusedRegressor(GridPaths(3, 3)), costs_of_paths),
    (DependencyParser(), lambda: parsed(0)),
    (SupervisedKMeans(), lambda: open_sets(0)),
    (CorrelationClustering(), lambda: open_sets(0)),
    (GraphSVM(), TreeLabelling.example_data),
    (MultiLabelSVM(), LabelSet.example_data),
    (TaxonomySVM(cost="distance"), iris),
    (StructuredSVM(Chain()), Chain.example_data),
]
#: Those that learn without outputs, or whose loss is one of all rows together.
OTHERS = {
    "BayesianMMC",
    "CPM3C",
    "MMC",
    "MultivariateMMC",
    "MultivariateSVM",
    "PairMap",
    "SDPMMC",
}


def test_all_that_learn_from_outputs_take_weights():
    takes = {type(e).__name__ for e in ESTIMATORS if "sample_weight" in parameters(e)}
    assert takes == {type(e).__name__ for e in ESTIMATORS} - OTHERS
    # RankingSVM, whose weights are those of queries, is tested with the others of its family.
    assert takes - {"RankingSVM"} <= {type(e).__name__ for e, _ in DATA}
    assert all(hasattr(estimator, "set_fit_request") for estimator, _ in DATA)


def parameters(estimator):
    return inspect.signature(estimator.fit).parameters


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("estimator", "make"), DATA, ids=lambda e: type(e).__name__)
def test_a_weight_is_a_number_of_copies(estimator, make):
    X, y = make()
    weights = np.resize([2, 1, 3, 0, 2], len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    if isinstance(X, list):
        some = [X[i] for i in copies], [y[i] for i in copies]
    else:
        some = X[copies], y[copies]
    estimator = sklearn.clone(estimator).set_params(rtol=1e-7)
    expected = estimator.fit(*some).result_
    found = estimator.fit(X, y, sample_weight=weights).result_
    assert found.C == pytest.approx(expected.C)
    assert found.primal == pytest.approx(expected.primal, rel=1e-5)
    np.testing.assert_allclose(found.w, expected.w, atol=5e-3 * np.sqrt(2 * expected.primal))
    assert estimator.verify(X, y, sample_weight=weights).matches


#: Models that are scored, well fitted or not.
after_one_pass = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:the learned similarity"
)


@after_one_pass
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("estimator", "make"), DATA, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights[:-1], "sample_weight must hold .* got shape"),
        (lambda weights: -weights, r"sample_weight\[0\] is -1"),
        (lambda weights: np.nan * weights, r"sample_weight\[0\] is nan"),
        (lambda weights: 0 * weights, "sample_weight is zero for all"),
        (lambda weights: 1j * weights, "sample_weight must hold real numbers"),
        (lambda weights: weights.astype(str), "sample_weight must hold real numbers"),
        (lambda weights: [10**400, *weights[1:]], "sample_weight must hold real numbers"),
        (lambda weights: np.ma.masked_array(weights, weights > 0), "must not be masked"),
    ],
)
def test_unusable_weights(estimator, make, change, message):
    X, y = make()
    wrong = change(np.ones(len(y)))
    with pytest.raises(ValueError, match=message):
        sklearn.clone(estimator).fit(X, y, sample_weight=wrong)
    if "sample_weight" in inspect.signature(estimator.score).parameters:
        fitted = sklearn.clone(estimator).set_params(max_iter=1).fit(X, y)
        with pytest.raises(ValueError, match=message):
            fitted.score(X, y, sample_weight=wrong)


@after_one_pass
@pytest.mark.parametrize(("estimator", "make"), DATA, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("size", [1e-320, 1e308])
def test_the_score_of_huge_and_tiny_weights_is_that_of_equal_ones(estimator, make, size):
    if "sample_weight" not in inspect.signature(estimator.score).parameters:
        pytest.skip("score takes no weights")
    X, y = make()
    fitted = sklearn.clone(estimator).set_params(max_iter=1).fit(X, y)
    weighted = fitted.score(X, y, sample_weight=np.full(len(y), size))
    assert weighted == pytest.approx(fitted.score(X, y))


def test_class_weights_multiply_those_of_the_rows():
    X, y = iris()
    weights = np.random.default_rng(0).uniform(size=len(y))
    of_classes = {"a": 2.0, "b": 0.5}
    found = MulticlassSVM(class_weight=of_classes).fit(X, y, sample_weight=weights)
    both = weights * np.array([of_classes.get(label, 1.0) for label in y])
    np.testing.assert_array_equal(found.coef_, MulticlassSVM().fit(X, y, sample_weight=both).coef_)


def test_balanced_classes_have_the_same_sum_of_weights():
    X, y = iris()
    rows = np.r_[0:10, 12:15, 20:22]
    svm = MulticlassSVM(class_weight="balanced").fit(X[rows], y[rows])
    weights = svm._encoded(X[rows], y[rows]).weights
    sums = [weights[y[rows] == label].sum() for label in svm.classes_]
    np.testing.assert_allclose(sums, sums[0])


@pytest.mark.parametrize("class_weight", ["even", {"a": -1.0}, {"a": np.nan}, 3, np.ones(3)])
def test_unusable_class_weights(class_weight):
    with pytest.raises(ValueError, match="class_weight"):
        MulticlassSVM(class_weight=class_weight).fit(*iris())


def test_weights_of_positions_and_of_sequences_of_a_chain():
    X, y = sequences(0)
    of_sequences = np.arange(1.0, len(y) + 1)
    found = ChainSVM(C=9.0, rtol=1e-8).fit(X, y, sample_weight=of_sequences)
    other = ChainSVM(C=9.0, rtol=1e-8).fit(X, y, sample_weight=list(of_sequences))
    np.testing.assert_array_equal(found.w_, other.w_)
    ones = [np.ones(len(labels)) for labels in y]
    plain = ChainSVM(C=9.0).fit(X, y)
    np.testing.assert_array_equal(plain.w_, ChainSVM(C=9.0).fit(X, y, sample_weight=ones).w_)
    assert not np.allclose(plain.w_, found.w_, atol=1e-3)


def test_weights_are_routed():
    X, y = iris()
    weights = np.random.default_rng(0).uniform(size=len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        svm = MulticlassSVM().set_fit_request(sample_weight=True)
        svm = svm.set_score_request(sample_weight=True)
        scores = cross_validate(svm, X, y, cv=3, params={"sample_weight": weights})
    assert scores["test_score"].min() > 0.5
