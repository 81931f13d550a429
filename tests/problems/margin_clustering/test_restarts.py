"""Starts, the search from each, and what is kept after Ctrl-C."""

import inspect
import itertools
from dataclasses import replace

import numpy as np
import pytest
from clustering_data import clusterer, data_for, interrupt, searching
from sklearn.exceptions import ConvergenceWarning

from structsvm.datasets import digits_pair
from structsvm.problems import MMC, CPM3CProblem, MMCProblem
from structsvm.problems.margin_clustering import restarts, search
from structsvm.problems.margin_clustering.search import Effort


@pytest.mark.parametrize("call", [2, 5, 25, 60])
def test_ctrl_c_at_any_time_keeps_what_was_found(call, monkeypatch):
    interrupt(monkeypatch, MMCProblem, "decode", call)
    X, _ = digits_pair(1, 7)
    mmc = MMC(kernel="linear", search="cccp", n_init=3, random_state=0)
    if call <= 2:  # nothing has been found yet
        with pytest.raises(KeyboardInterrupt):
            mmc.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        mmc.fit(X)
    assert mmc.result_.status.name == "INTERRUPTED"
    assert mmc.verify(X).matches


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
