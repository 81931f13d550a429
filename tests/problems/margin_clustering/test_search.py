"""The searches among labellings: restarts, evolution, the smoothed objective, Ctrl-C."""

import inspect
import itertools
from dataclasses import replace

import numpy as np
import pytest
from clustering_data import blobs, clusterer, data_for, hinge, searching
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3C, MMC, CPM3CProblem, MMCProblem
from structsvm.problems.margin_clustering import evolution, restarts, search
from structsvm.problems.margin_clustering.evolution import added
from structsvm.problems.margin_clustering.search import Effort
from structsvm.problems.margin_clustering.smoothed_margin import (
    TEMPERATURE,
    Member,
    PrincipalCoordinates,
    SmoothedMargin,
)

#: Models, and a method that their search calls.
SEARCHES = {
    "cccp": (MMC(kernel="linear", search="cccp", n_init=3), MMCProblem, "decode"),
    "two": (CPM3C(2, kernel="linear"), SmoothedMargin, "descend"),
    "three": (CPM3C(3, kernel="linear"), SmoothedMargin, "descend"),
    "auto": (CPM3C(2), SmoothedMargin, "descend"),
}
#: Calls of it at which Ctrl-C is pressed.
PRESSED = [("cccp", 2), ("cccp", 5), ("cccp", 25), ("cccp", 60),
           ("two", 1), ("two", 30), ("three", 2), ("auto", 2)]  # fmt: skip


@pytest.mark.parametrize(("search", "call"), PRESSED)
def test_ctrl_c_at_any_time_keeps_what_was_found(search, call, monkeypatch):
    model, owner, name = SEARCHES[search]
    method, calls = getattr(owner, name), itertools.count(1)

    def interrupted(*args):
        if next(calls) == call:
            raise KeyboardInterrupt
        return method(*args)

    monkeypatch.setattr(owner, name, interrupted)
    X = np.random.default_rng(0).normal(size=(60, 4))  # with many local optima
    if (search, call) in (("cccp", 2), ("two", 1)):  # nothing has been found yet
        with pytest.raises(KeyboardInterrupt):
            model.set_params(random_state=0).fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model.set_params(random_state=0).fit(X)
    assert model.result_.status.name == "INTERRUPTED"
    assert model.verify(X).matches


def test_ctrl_c_before_a_descent_has_begun_keeps_the_search(monkeypatch):
    impute, interruptions = MMCProblem.impute, []

    def interrupted(problem, x, y, w):
        if not interruptions and all(f.function != "restarts" for f in inspect.stack(0)):
            interruptions.append(0)
            raise KeyboardInterrupt
        return impute(problem, x, y, w)

    monkeypatch.setattr(MMCProblem, "impute", interrupted)
    X, _ = data_for("MMC")
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        mmc = MMC(kernel="linear", search="cccp", n_init=1, random_state=0).fit(X)
    assert mmc.verify(X).matches


def test_the_time_that_is_left_is_that_of_the_whole_fit(monkeypatch):
    now = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: float(next(now)))
    effort = Effort(4, 1e-3, 100, 0, deadline=2.5)
    left = [effort.solver().time_limit for _ in range(4)]
    assert left == [2.5, 1.5, 0.5, np.finfo(float).tiny]


def test_a_start_that_ends_without_a_margin_is_not_chosen(monkeypatch):
    X, problem = np.random.default_rng(0).normal(size=(2, 4)), CPM3CProblem(2)
    effort, solve, ends = Effort(4, 1e-3, 100, 0), restarts.solved, []

    def noted(*arguments):
        ends.append((found := solve(*arguments)).w.any())
        return found

    monkeypatch.setattr(restarts, "solved", noted)
    assert restarts.restarts(problem, X, None, 1.0, effort).starts
    assert any(ends) and not all(ends)
    assert search.best_result(restarts.restarts, problem, X, None, 1.0, effort)[0].w.any()


@pytest.mark.sampled(3)
@searching
def test_without_any_margin_c_is_named(name, monkeypatch):
    solve = search.solved
    monkeypatch.setattr(
        search, "solved", lambda *a: replace(found := solve(*a), w=np.zeros_like(found.w))
    )
    with pytest.raises(ValueError, match=r"every start ended at w = 0, .* C=7 is too small"):
        clusterer(name, C=7.0, n_init=1).fit(data_for(name)[0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [2, 4])
def test_it_is_not_above_the_search_of_the_papers(k):
    X = np.random.default_rng(k).normal(size=(80, 4))
    ours, papers = (
        CPM3C(k, C=20.0, kernel="linear", search=search, n_init=4, random_state=0).fit(X)
        for search in ("evolutionary", "cccp")
    )
    assert ours.objective_ <= papers.objective_ * 1.01


def test_more_rows_than_the_search_uses(monkeypatch):
    monkeypatch.setattr(evolution, "SEARCH_ROWS", 100)
    X, truth = blobs(3, each=200)
    cpm3c = CPM3C(3, n_init=1, kernel="linear", random_state=0).fit(X)
    assert len(cpm3c.labels_) == 600
    assert adjusted_rand_score(truth, cpm3c.labels_) > 0.97
    assert cpm3c.verify(X).matches


@pytest.mark.filterwarnings("error", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_huge_C_neither_overflows_nor_loses_separable_clusters():
    X, truth = blobs(3, apart=30.0)
    cpm3c = CPM3C(3, C=1e40, kernel="linear", n_init=2, random_state=0).fit(X)
    assert adjusted_rand_score(cpm3c.labels_, truth) == 1


# ---------------------------------------------------------------------- the population


def test_of_equal_clusterings_the_best_is_kept_whatever_their_numbers():
    labels, population = np.repeat([0, 1, 2], 50), []
    few = np.where(np.arange(150) < 10, 1, labels)
    for objective, given, kept in (
        (1.0, labels, [1.0]),
        (1.0005, (labels + 1) % 3, [1.0]),
        (0.9995, (labels + 2) % 3, [0.9995]),
        (1.2, labels, [0.9995, 1.2]),  # of another objective: its weights are others
        (1.0, few, [0.9995, 1.0]),  # of two members at most
    ):
        population = added(population, Member(objective, np.zeros((3, 1)), given), 2)
        assert [one.objective for one in population] == kept


def margin_for(X, k, C=10.0, balance=0.0, center=True):
    problem = CPM3CProblem(k, balance, 0.0, center)
    problem.initialize([X], None)
    coordinates = PrincipalCoordinates(problem.rows_, X)
    return SmoothedMargin(problem, coordinates, None, C), coordinates, problem


def test_the_gradient_is_that_of_the_objective():
    margin, _, _ = margin_for(blobs(3)[0], 3)
    w = np.random.default_rng(0).normal(size=3 * margin.r)
    step = 1e-3  # scores of float32 round differences over smaller steps
    slopes = [
        (margin._value(w + step * unit)[0] - margin._value(w - step * unit)[0]) / (2 * step)
        for unit in np.eye(len(w))
    ]
    gradient = margin._value(w)[1]
    np.testing.assert_allclose(slopes, gradient, atol=2e-3 * np.linalg.norm(gradient))


def test_the_smoothed_objective_is_above_the_objective_by_the_temperature_at_most():
    X, _ = blobs(4)
    margin, coordinates, problem = margin_for(X, 4)
    W = np.random.default_rng(0).normal(size=(4, margin.r))
    smoothed, (objective, _, labels) = margin._value(W.ravel())[0], margin._member(W)
    assert objective <= smoothed <= objective + margin.C * TEMPERATURE * np.log(4)
    w = problem.weights(coordinates.weights(W - W.mean(axis=0)))
    scores = problem.scores(X, w)
    np.testing.assert_array_equal(labels, scores.argmax(axis=1))
    common = 4 * np.square(W.mean(axis=0)).sum() / 2
    true = w @ w / 2 + margin.C * hinge(scores, labels).mean()
    assert objective == pytest.approx(true + common)


def test_with_offsets_a_cluster_between_others_is_found_and_the_balance_kept():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(x, 0.5, (60, 2)) for x in (-4, 0, 4)])
    truth = np.repeat([0, 1, 2], 60)
    for balance, center in ((0.3, False), (2.0, True)):
        margin, coordinates, problem = margin_for(X, 3, 20.0, balance=balance, center=center)
        W = margin.discriminant(truth)
        found = margin.descend(W, 25)
        for one in (W, found.W):
            means = problem.scores(X, problem.weights(coordinates.weights(one))).mean(axis=0)
            assert np.ptp(means) <= balance * (1 + 1e-9)
    np.testing.assert_array_equal(margin._member(W).labels, truth)
