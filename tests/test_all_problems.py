"""Every problem of structsvm keeps the contract; every estimator keeps scikit-learn's."""

import warnings

import numpy as np
import pytest
from cases.estimators import DECLARED, ESTIMATORS, ON_ROWS
from cases.problems import PUBLIC
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from structsvm import StructuredSVM
from structsvm.problems import MMC, SDPMMC, BayesianMMC, Multiclass, MulticlassSVM, PairMap

#: scikit-learn asks for one cluster here, which is no clustering by a margin.
ONE_CLUSTER = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_methods_subset_invariance",
    ),
    "n_clusters must be at least 2",
)


#: These take all that has probabilities for a classifier, once it accepts sparse rows.
PROBABILITIES = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "a clusterer with predict_proba has no classifier tags",
)


#: scikit-learn compares scores to 1e-7; tests/problems/test_sample_weight.py compares objectives.
WEIGHTS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "scores agree as far as the gap tells",
)


def expected_failures(estimator):
    several = hasattr(estimator, "n_clusters") and not isinstance(estimator, SDPMMC)
    failures = ONE_CLUSTER if several else {}
    failures = failures | WEIGHTS if is_classifier(estimator) else failures
    return failures | PROBABILITIES if isinstance(estimator, BayesianMMC) else failures


@pytest.mark.slow
@parametrize_with_checks(ON_ROWS, expected_failed_checks=expected_failures)
def test_estimator_keeps_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of labels that are all known, for example
        check(estimator)


def test_each_estimator_declares_what_pages_and_tests_ask():
    kinds = [kind for kind in PUBLIC if isinstance(kind, type) and hasattr(kind, "predict")]
    assert sorted(map(repr, kinds)) == sorted(map(repr, DECLARED))
    assert all("about" in vars(kind) for kind in kinds)  # and inherits it from no other
    assert {type(estimator) for estimator in ESTIMATORS} == {*kinds, PairMap}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("estimator", ON_ROWS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, np.float32])
def test_training_spills_no_warnings(estimator, convert):
    if convert is sparse.csr_matrix and not get_tags(estimator).input_tags.sparse:
        pytest.skip("it takes dense X")
    # Classes that overlap: where they do not, the objective of a fit in single precision may be so
    # small that its rounding errors are above the tolerance, which a warning says.
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=4.0, random_state=0)
    labels = None
    if is_classifier(estimator):
        labels = y if get_tags(estimator).classifier_tags.multi_class else y == 0
    # Two clusters of three such classes are undecided, which a warning of SDPMMC says.
    settings = {"n_clusters": 3} if isinstance(estimator, SDPMMC) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = clone(estimator).set_params(**settings).fit(convert(X), labels)
        fitted.predict(convert(X))


def test_grid_search_and_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), MulticlassSVM(C=1.0, fit_intercept=True))
    grid = {"multiclasssvm__C": [1.0, 30.0], "multiclasssvm__cost": [None, 1 - np.eye(3)]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.93


def test_grid_search_over_a_problem():
    X, y = load_iris(return_X_y=True)
    svm = StructuredSVM(Multiclass())
    costs = [None, (1 - np.eye(3)).tolist()]
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(svm, {"C": [1.0, 100.0], "problem__cost": costs}, cv=folds).fit(X, y)
    assert search.best_params_["C"] == 100.0
    assert search.best_score_ > 0.9


def test_a_training_cut_short_warns():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        MMC(n_init=1, max_iter=1, random_state=0).fit(X)
    from structsvm import OneSlackCuttingPlane

    with pytest.warns(ConvergenceWarning, match="gap"):
        MulticlassSVM(C=1e3, fit_intercept=False, solver=OneSlackCuttingPlane(max_iter=2)).fit(X, y)
