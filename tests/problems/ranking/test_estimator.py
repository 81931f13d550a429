"""RankingSVM: data as users have them, and bad ones."""

import logging

import numpy as np
import pandas as pd
import pytest
import sklearn
from refusals import refused
from scipy import sparse
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.svm import LinearSVC

from structsvm import OneSlackCuttingPlane
from structsvm.problems import RankingSVM

TIGHT = OneSlackCuttingPlane(rtol=1e-7)


def documents(n=30, seed=0, grades=2, d=4):
    """Queries of three to eight documents; the first feature tells the relevance."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n), rng.integers(3, 9, size=n))
    X = rng.normal(size=(len(qid), d))
    latent = X[:, 0] + 0.3 * rng.normal(size=len(qid))
    y = np.digitize(latent, np.linspace(0.5, 1.5, grades - 1))
    return X, y, qid


def mean_documents(y, qid):
    """The mean number of documents of the queries with different grades."""
    return np.mean([np.sum(qid == q) for q in np.unique(qid) if np.ptp(y[qid == q])])


@pytest.mark.parametrize("measure", ["average_precision", "ndcg", "precision_at_k", "roc_area"])
def test_it_learns_and_scores(measure):
    grades = 3 if measure in ("ndcg", "roc_area") else 2
    X, y, qid = documents(grades=grades)
    svm = RankingSVM(measure).fit(X, y, qid=qid)
    *other, others = documents(seed=1, grades=grades)
    score, weights = svm.score(*other, qid=others), svm.w_
    svm.w_ = np.zeros(4)
    assert score > svm.score(*other, qid=others) + 0.1
    svm.w_ = weights
    assert svm.coef_[0] > 3 * np.abs(svm.coef_[1:]).max()
    assert svm.result_.guarantee.text.startswith("exact oracle")
    assert svm.verify(X, y, qid=qid).matches


def test_pairs_are_those_of_a_linear_svm_on_differences():
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    y = (np.arange(60) % 2).astype(int)  # as many pairs in both queries
    pairs = np.array([
        X[i] - X[j] for i in range(60) for j in range(60) if qid[i] == qid[j] and y[i] > y[j]
    ])  # fmt: skip
    svm = RankingSVM("roc_area", C=5.0, scale=None, solver=TIGHT).fit(X, y, qid=qid)
    both, labels = np.concatenate([pairs, -pairs]), np.repeat([1, -1], len(pairs))
    options = {"loss": "hinge", "fit_intercept": False, "tol": 1e-9, "max_iter": 10**6}
    linear = LinearSVC(C=5.0 / len(both), **options).fit(both, labels)
    np.testing.assert_allclose(svm.coef_, linear.coef_[0], atol=1e-3)


def test_queries_may_be_scattered_and_named_by_strings():
    X, y, qid = documents()
    svm = RankingSVM(solver=TIGHT).fit(X, y, qid=qid)
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array([f"query {q}" for q in qid])
    for labels in (qid, names, names.astype(object), -qid.astype(float)):
        other = RankingSVM(solver=TIGHT).fit(X[order], y[order], qid=labels[order])
        assert other.result_.primal == pytest.approx(svm.result_.primal, rel=1e-6)
        np.testing.assert_allclose(other.coef_, svm.coef_, rtol=1e-2, atol=1e-2)
        score = other.score(X[order], y[order], qid=labels[order])
        assert score == pytest.approx(svm.score(X, y, qid=qid))
    np.testing.assert_array_equal(other.predict(X[order]), other.predict(X)[order])


def test_C_is_the_number_of_documents_over_the_mean_squared_distance():
    X, y, qid = documents(n=12)
    some = [q for q in range(12) if 0 < y[qid == q].sum() < sum(qid == q)]
    squares, count = 0.0, 0
    for q in some:
        own = X[qid == q]
        squares += ((own[:, None] - own) ** 2).sum() / len(own)
        count += len(own) - 1
    for rows in (X, sparse.csr_matrix(X)):
        found = RankingSVM(scale=None).fit(rows, y, qid=qid).C_
        assert found == pytest.approx(12 * mean_documents(y, qid) * count / squares)


def test_queries_that_teach_nothing_are_counted(caplog):
    X, y, qid = documents()
    idle = sum(np.ptp(y[qid == q]) == 0 for q in range(30))
    with caplog.at_level(logging.INFO, "structsvm.problems.ranking"):
        RankingSVM().fit(X, y, qid=qid)
    assert f"{idle} of 30 queries have documents of one relevance only" in caplog.text
    # Queries of one document, and with none relevant, change the mean of the slacks alone.
    extra = np.random.default_rng(0).normal(size=(6, 4))
    svm = RankingSVM(C=10.0, solver=TIGHT).fit(X, y, qid=qid)
    longer = np.concatenate([qid, [100, 101, 101, 101, 102, 102]])
    rows, grades = np.concatenate([X, extra]), np.concatenate([y, [1, 0, 0, 0, 1, 1]])
    other = RankingSVM(C=10.0 * 33 / 30, solver=TIGHT).fit(rows, grades, qid=longer)
    np.testing.assert_allclose(other.coef_, svm.coef_, atol=1e-3)
    # For the mean of pairs they are left out; elsewhere one relevant document alone counts 1, and
    # none counts 0.
    assert svm.score(rows, grades, qid=longer) == pytest.approx(svm.score(X, y, qid=qid))
    ap = RankingSVM("average_precision").fit(X, y, qid=qid)
    expected = (30 * ap.score(X, y, qid=qid) + 1 + 0 + 1) / 33
    assert ap.score(rows, grades, qid=longer) == pytest.approx(expected)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_weight_is_a_number_of_copies(convert):
    X, y, qid = documents(n=12)
    weights = np.resize([2, 1, 3, 0], 12)
    copies = [(q, copy) for q in range(12) for copy in range(weights[q])]
    rows = np.concatenate([np.flatnonzero(qid == q) for q, _ in copies])
    names = np.repeat(np.arange(len(copies)), [np.sum(qid == q) for q, _ in copies])
    expected = RankingSVM(solver=TIGHT).fit(convert(X[rows]), y[rows], qid=names)
    order = np.random.default_rng(0).permutation(len(y))
    data, given = (convert(X[order]), y[order]), qid[order]
    options = {"qid": given, "sample_weight": weights[given]}
    svm = RankingSVM(solver=TIGHT).fit(*data, **options)
    assert svm.C_ == pytest.approx(expected.C_)
    np.testing.assert_allclose(svm.coef_, expected.coef_, atol=1e-2)
    score = svm.score(*data, **options)
    assert score == pytest.approx(svm.score(convert(X[rows]), y[rows], qid=names))
    assert svm.verify(*data, **options).matches


def test_cross_validation_passes_qid():
    X, y, qid = documents(n=40)
    with sklearn.config_context(enable_metadata_routing=True):
        svm = RankingSVM().set_fit_request(qid=True).set_score_request(qid=True)
        found = cross_validate(svm, X, y, cv=GroupKFold(4), params={"qid": qid, "groups": qid})
        assert found["test_score"].min() > 0.3
        search = GridSearchCV(svm, {"C": [1.0, 100.0]}, cv=GroupKFold(4))
        search.fit(X, y, qid=qid, groups=qid)
        assert search.best_score_ > 0.3
    params = {"qid": qid}
    with pytest.raises(ValueError, match=r"set_score_request\(qid=True\)"):
        cross_validate(RankingSVM(), X, y, params=params, error_score="raise")
    with pytest.warns(UserWarning, match=r"set_score_request\(qid=True\)"):
        cross_validate(RankingSVM(), X, y, params=params)


X, Y, QID = documents()
MIXED = [q for q in range(30) if len(set(Y[QID == q])) > 1]


def fit_or_score(method, parameters, changed):
    """Call a method of a model with these parameters, with other data than those it fits."""
    svm, data = RankingSVM(**parameters), {"X": X, "y": Y, "qid": QID}
    if method == "score":
        svm.fit(**data)
    getattr(svm, method)(**data | changed)


def second(values, value, dtype=object):
    """Values with another one in the second row."""
    return np.array([values[0], value, *values[2:]], dtype)


AP, NDCG, FIRST_K = ({"measure": n} for n in ("average_precision", "ndcg", "precision_at_k"))
LINEAR = NDCG | {"gains": "linear"}
BAD = [
    ({}, {"qid": None}, "qid must say which query each row of X belongs to; it is None"),
    ({}, {"qid": [1, 1, 2]}, r"qid must say of each of the \d+ rows .* got shape \(3,\)"),
    ({}, {"qid": second(QID, np.nan)}, r"qid: no value in row 1 \(nan\); fill"),
    ({}, {"qid": second(QID, "a")}, "qid: types are mixed, .* in row 0 and 'a' in row 1"),
    ({}, {"y": second(Y, pd.NA)}, r"y has no value in row 1 \(<NA>\)"),
    ({}, {"y": np.where(Y > 0, np.inf, 0.0)}, "y must hold .* got inf"),
    ({}, {"y": np.where(Y > 0, "yes", "no")}, "y must hold real numbers"),
    ({}, {"y": [0, 1]}, r"y must hold a grade for each of the \d+ .* got shape \(2,\)"),
    ({}, {"X": X[:, 0]}, "a row for each example; got shape"),
    (
        {},
        {"sample_weight": 1 + 4 * (np.arange(len(Y)) == 1)},
        "same for all rows of a query; row 1",
    ),
    (AP, {"y": 2 * Y}, "y must hold .*1 for .* got 2 in row .*pass .y > 0.*'roc_area'"),
    (FIRST_K, {"y": -Y}, "y must hold .*1 for .* got -1 in row .*pass .y > -1.*'roc_area'"),
    (NDCG, {"y": 32 * Y}, "y must hold .* from 0 to 31; got 32 .*'roc_area'.*'linear'"),
    (NDCG, {"y": 0.5 * Y}, "y must hold .*whole numbers from 0 to 31; got 0.5 in row"),
    (LINEAR, {"y": -Y}, "y must hold .*gains, from 0 .* got -1 .*'roc_area'"),
    (LINEAR, {"y": 1e101 * Y}, r"y must hold .*gains, from 0 to 1e100; got 1e\+101"),
]
test_bad_data_are_named = refused(
    fit_or_score, *((method, *row) for row in BAD for method in ("fit", "score"))
)
test_what_cannot_be_trained_on_or_scored_is_named = refused(
    fit_or_score,
    ("fit", {}, {"y": Y + 2**53}, r"up to 9.0072e\+15, .* from 2\^53 .* subtract the smallest"),
    ("fit", {}, {"y": 0 * Y}, "no query has documents of different relevance"),
    ("score", {}, {"y": 0 * Y}, "no query has documents of different grades"),
    ("fit", {}, {"sample_weight": ~np.isin(QID, MIXED)}, "sample_weight is 0 for all queries that"),
    (
        "fit",
        {"early_stopping": True},
        {"X_val": X, "y_val": Y},
        "qid_val must say which query",
    ),
    *(("fit", FIRST_K | {"k": k}, {}, f"k={k}, but no .* more than 8 documents") for k in (8, 30)),
)


def test_what_is_just_inside_of_the_limits_is_taken():
    fit_or_score("fit", {}, {"y": Y + 2**53 - 4})
    fit_or_score("fit", FIRST_K | {"k": 7}, {})
    assert RankingSVM("ndcg").fit(X, Y, qid=QID).score(X, 0 * Y, qid=QID) == 0


def test_only_the_order_of_grades_counts_for_pairs():
    X, y, qid = documents(grades=4)
    svm = RankingSVM(solver=TIGHT).fit(X, y, qid=qid)
    other = RankingSVM(solver=TIGHT).fit(X, np.array([-1e9, -0.5, 0.25, 1e300])[y], qid=qid)
    np.testing.assert_array_equal(other.coef_, svm.coef_)
    # Two grades that do not differ in a query do not matter there.
    assert svm.score(X, y + 10 * qid, qid=qid) == svm.score(X, y, qid=qid)


def test_features_whose_squares_vanish_are_named():
    X, y, qid = documents()
    for rows in (1e-160 * X, sparse.csr_matrix(1e-160 * X)):
        with pytest.raises(ValueError, match=r"underflow; multiply the features by"):
            RankingSVM(scale=None).fit(rows, y, qid=qid)
        assert RankingSVM().fit(rows, y, qid=qid).score(X, y, qid=qid) > 0.5


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [1e5, 0.0])
def test_features_that_do_not_differ_within_queries_are_told(kind, scale):
    _, y, qid = documents()
    rows = scale * np.random.default_rng(0).normal(size=(30, 4))[qid]
    with pytest.warns(UserWarning, match="do not differ within queries"):
        svm = RankingSVM().fit(kind(rows), y, qid=qid)
    assert svm.C_ == pytest.approx(30 * mean_documents(y, qid))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_small_differences_within_queries_are_not_rounding(offset):
    X, y, qid = documents()
    expected = RankingSVM().fit(X, y, qid=qid).C_
    small = RankingSVM(max_iter=1).fit(offset + 1e-3 * X, y, qid=qid)
    assert small.C_ == pytest.approx(expected, rel=1e-5)
    plain, small = (
        RankingSVM(max_iter=1, scale=None).fit(rows, y, qid=qid).C_
        for rows in (X, offset + 1e-3 * X)
    )
    assert 1e-6 * small == pytest.approx(plain, rel=1e-5)
