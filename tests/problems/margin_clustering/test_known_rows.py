"""Known rows of every cluster: their weight, and the choice of features and C by them."""

import numpy as np
import pytest
from clustering_data import blobs, hinge, partly
from scipy import sparse
from sklearn.datasets import load_wine

from structsvm.problems import CPM3C, MMC, CPM3CProblem, MulticlassSVM, MultivariateMMCProblem
from structsvm.problems.margin_clustering import known_rows
from structsvm.problems.margin_clustering.known_rows import (
    FOLDS,
    HINGE_WEIGHT,
    MOST_HINGE,
    _classifier,
    _folds,
    _sample,
    cross_validated_loss,
)


def problem_for(X, known, k):
    problem = CPM3CProblem(k)
    problem.initialize([X], [known])
    return problem


# ---------------------------------------------------------------------- their weight


def test_known_and_unknown_rows_have_their_weights_in_the_objective():
    X, truth = blobs(3, each=30, apart=4.0)
    known = partly(truth, 7)
    cpm3c = CPM3C(3, random_state=0).fit(X, known)
    result = cpm3c.result_
    losses = hinge(cpm3c.decision_function(X), cpm3c.labels_)
    mean = losses[known >= 0].mean() + 0.2 * losses[known < 0].mean()
    assert losses.sum() > 1
    assert result.primal == pytest.approx(result.w @ result.w / 2 + cpm3c.C_ * mean)
    assert cpm3c.verify(X, known).matches


@pytest.mark.parametrize(
    ("labels", "enough"),
    [([0, 1, 2, 0, 1], True), ([0, 0, 0, 1, 2], True), ([0, 1, 2, 0], False),
     ([0, 0, 0, 1, 1, 1], False), ([], False)],
)  # fmt: skip
def test_one_known_row_of_each_cluster_and_two_more_are_enough(labels, enough):
    X, _ = blobs(3)
    known = np.full(len(X), -1)
    known[: len(labels)] = labels
    problem = problem_for(X, known, 3)
    assert (problem.balance_ == np.inf) == problem.learns_from(known) == enough
    assert np.all(problem.row_weights_ == 1) != enough


def test_a_loss_of_whole_clusterings_gives_all_rows_the_same_weight():
    X, truth = blobs(2)
    problem = MultivariateMMCProblem("rand")
    problem.initialize([X], [partly(truth, 3)])
    assert np.all(problem.row_weights_ == 1) and problem.balance_ == 0


def test_without_unknown_rows_it_is_the_support_vector_machine():
    X, truth = blobs(3, apart=3.0)
    problem = problem_for(X, truth, 3)
    assert np.all(problem.row_weights_ == 1)
    W = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    moves = problem.separation_oracle(X, truth, W)
    value = problem.loss(truth, moves) - W @ problem.joint_feature_difference(X, truth, moves)
    assert value == pytest.approx(hinge(problem.scores(X, W), truth).mean())


# ---------------------------------------------------------------------- what they bring


def test_columns_of_other_units_are_standardised():
    X, y = load_wine(return_X_y=True)
    known = partly(y, 5)
    auto = CPM3C(3, random_state=0).fit(X, known)
    linear = CPM3C(3, kernel="linear", random_state=0).fit(X, known)
    assert auto.kernel_ == "standardise"
    assert np.mean(auto.labels_ == y) > 0.93 > 0.8 > np.mean(linear.labels_ == y)


def test_the_least_loss_over_C_is_kept():
    rng = np.random.default_rng(0)
    truth = np.arange(240) % 2
    X = np.hstack([rng.normal(size=(240, 1)) + 2 * truth[:, None], rng.normal(size=(240, 30))])
    known = np.where(np.arange(240) < 40, truth, -1)
    mmc = MMC(kernel="linear", random_state=0).fit(X, known)
    losses = {C: cross_validated_loss(mmc.problem_, X, known, C) for C in (20.0, 200.0, 2000.0)}
    assert mmc.C_ == min(losses, key=losses.get)
    assert max(losses.values()) > min(losses.values())
    assert MMC(kernel="linear", C=50.0, random_state=0).fit(X, known).C_ == 50


# ---------------------------------------------------------------------- cross-validation


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("kind", "shift"), [(np.asarray, 5.0), (sparse.csr_matrix, 0.0)])
def test_the_classifier_is_the_support_vector_machine(k, kind, shift):
    points, truth = blobs(k, apart=3.0)
    X = kind(points + shift)
    problem = problem_for(X, partly(truth, 5), k)
    W = _classifier(problem.rows_, X, truth, 10.0)
    standard = (points + shift - problem.rows_.mean) / problem.rows_.scale
    svm = MulticlassSVM(C=10.0, scale=None, rtol=1e-6).fit(standard, truth)
    own = problem.rows_.scores(X, W)
    assert hinge(own, truth).mean() == pytest.approx(
        hinge(standard @ svm.coef_.T + svm.intercept_, truth).mean(), rel=0.05
    )
    assert np.mean(own.argmax(axis=1) == svm.predict(standard)) > 0.97


def test_the_cross_validated_loss_row_by_row():
    X, truth = blobs(3, apart=2.5)
    known = partly(truth, 3)
    problem = problem_for(X, known, 3)
    rows = np.flatnonzero(known >= 0)
    folds = _folds(known[rows])
    losses = []
    for row, fold in zip(rows, folds, strict=True):
        others = rows[folds != fold]
        scores = problem.scores(X, _classifier(problem.rows_, X[others], known[others], 10.0))[row]
        margin = scores[known[row]] - np.delete(scores, known[row]).max()
        losses.append((margin <= 0) + HINGE_WEIGHT * min(MOST_HINGE, max(0, 1 - margin)))
    assert 0.1 < np.mean(losses) < 1.5
    assert cross_validated_loss(problem, X, known, 10.0) == pytest.approx(np.mean(losses))


def test_no_fold_has_all_rows_of_a_cluster():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [1, 2, 4, 30]))
    folds = _folds(y)
    assert np.all((folds == -1) == (y == 0))
    assert set(folds) == {-1, *range(FOLDS)}
    for cluster in (1, 2, 3):
        of_cluster = np.bincount(folds[y == cluster], minlength=FOLDS)
        assert of_cluster.max() < np.sum(y == cluster) and np.ptp(of_cluster) <= 1


def test_some_of_many_known_rows_are_asked_and_one_of_each_cluster(monkeypatch):
    known = np.full(1000, -1)
    known[::2] = 0
    known[500] = 1
    assert len(_sample(known)) == 500
    monkeypatch.setattr(known_rows, "ASKED", 40)
    rows = _sample(known)
    assert 40 <= len(rows) <= 42 and set(known[rows]) == {0, 1}
