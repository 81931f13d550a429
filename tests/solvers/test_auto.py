"""solver='auto': what is chosen for which problem, and that the choice is logged."""

import logging

import numpy as np
import pytest
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    Tasked,
    multilabel_data,
    topics_data,
)

from structsvm import OneSlackCuttingPlane, StructuredSVM, choose_solver
from structsvm.problems import Multiclass, Segments
from structsvm.solvers import auto

ONE, FEW, MANY = (multilabel_data(n=n) for n in (1, 40, 120))


class WithoutSoft(Tasked):
    soft_oracle = None


class Compiled(Multilabel):
    oracle_cost = "cheap"


class TaskOfSearches(WithoutSoft):
    oracle_cost = "expensive"


class Relaxed(Multiclass):
    oracle_quality = "overgenerating"


SMOOTHED = "SmoothedLBFGS -> OneSlackCuttingPlane"
CACHED = "SmoothedCuttingPlane -> OneSlackCuttingPlane"
ALL = f"DualInteriorPoint -> DualCoordinateAscent -> {SMOOTHED}"
SOFT = "its task has a soft oracle"


@pytest.mark.parametrize(
    ("problem", "data", "solver", "reason"),
    [
        (Multiclass(), (np.eye(3), [0, 1, 2]), ALL, SOFT),
        (Segments(), Segments.example_data(), ALL, SOFT),
        (Relaxed(), (np.eye(3), [0, 1, 2]), "OneSlackCuttingPlane", "its task computes with"),
        (LatentTopics(), (topics_data(), None), "CCCP", "the problem is self-labelled"),
        (ConstrainedMultilabel("balanced"), FEW, "NSlackCuttingPlane", "w, and 40 examples are f"),
        (ConstrainedMultilabel("balanced"), ONE, "OneSlackCuttingPlane", "there are constraints"),
        (LocalSearchMultilabel(), FEW, "NSlackCuttingPlane", "one example at a time, and 40 exam"),
        (LocalSearchMultilabel(), MANY, CACHED, "the oracle takes one example at a time"),
        (Multilabel(), FEW, "NSlackCuttingPlane", "one example at a time, and 40 examples are few"),
        (Multilabel(), MANY, CACHED, "the oracle takes one example at a time"),
        (Multilabel(), ONE, "OneSlackCuttingPlane", "one example has one slack"),
        (WithoutSoft(), MANY, "OneSlackCuttingPlane", "its task computes with arrays"),
        (Compiled(), MANY, "OneSlackCuttingPlane", "oracle_cost is 'cheap'"),
        (TaskOfSearches(), MANY, CACHED, "oracle_cost is 'expensive'"),
        (TaskOfSearches(), FEW, "NSlackCuttingPlane", "oracle_cost is 'expensive', and 40"),
    ],
)
def test_what_is_chosen(problem, data, solver, reason):
    choice = choose_solver(problem, *data)
    assert choice.solver.name == solver
    assert reason in choice.reason


@pytest.mark.parametrize("data", [FEW, MANY])
def test_planes_by_example_are_not_kept_where_they_need_much_memory(monkeypatch, data):
    monkeypatch.setattr(auto, "MEMORY", 100)
    choice = choose_solver(Multilabel(), *data)
    assert type(choice.solver) is OneSlackCuttingPlane
    assert f"but {len(data[1])} x 9 is much to keep" in choice.reason


def test_the_choice_is_in_the_result_and_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="structsvm"):
        svm = StructuredSVM(LocalSearchMultilabel(), C=5.0).fit(*FEW)
    reason = "because the oracle takes one example at a time, and 40 examples are few"
    made = f"NSlackCuttingPlane, {svm.n_iter_} passes, converged; chosen {reason}"
    assert svm.result_.solver == made and made in str(svm.result_)
    assert f"NSlackCuttingPlane, {reason}" in caplog.text
    given = StructuredSVM(Multilabel(), solver=OneSlackCuttingPlane(rtol=0.1)).fit(*FEW)
    assert given.result_.solver == f"OneSlackCuttingPlane, {given.n_iter_} passes, converged"


@pytest.mark.parametrize("solver", ["one-slack", OneSlackCuttingPlane, None, 3, Multilabel()])
def test_solver_of_the_wrong_kind(solver):
    named = "solver must be 'auto' or a solver object"
    if solver is OneSlackCuttingPlane:
        named += ".*the class OneSlackCuttingPlane: pass an object"
    with pytest.raises(ValueError, match=named):
        StructuredSVM(Multilabel(), solver=solver).fit(*FEW)
