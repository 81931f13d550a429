"""solver='auto': what is chosen for which problem, and that the choice is logged."""

import logging
import time

import numpy as np
import pytest
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    StructuredSVM,
    choose_solver,
)
from structsvm.problems import Chain, Multiclass, MulticlassSVM
from structsvm.solvers import auto

MANY = multilabel_data(n=40)


class Costly(Multilabel):
    def separation_oracle(self, x, y, w):
        time.sleep(0.002)
        return super().separation_oracle(x, y, w)


class Cheap(Multilabel):
    def batch_separation_oracle(self, X, Y, w):
        return list(Y)


class Relaxed(Multiclass):
    oracle_quality = "overgenerating"


@pytest.mark.parametrize(
    ("problem", "data", "solver", "reason"),
    [
        (Multiclass(), (np.eye(3), [0, 1, 2]), SmoothedLBFGS, "sum_soft_oracle is offered"),
        (Chain(), Chain.example_data(), SmoothedLBFGS, "sum_soft_oracle is offered"),
        (Relaxed(), (np.eye(3), [0, 1, 2]), OneSlackCuttingPlane, "3 examples are few"),
        (LatentTopics(), (topics_data(), None), CCCP, "the problem is self-labelled"),
        (ConstrainedMultilabel("balanced"), MANY, OneSlackCuttingPlane, "there are constraints"),
        (LocalSearchMultilabel(), MANY, NSlackCuttingPlane, "undergenerates, and 40 are few"),
        (Costly(), MANY, SmoothedCuttingPlane, "ms an example"),
        (Cheap(), MANY, OneSlackCuttingPlane, "ms an example"),
        (Costly(), multilabel_data(n=6), OneSlackCuttingPlane, "6 examples are few"),
    ],
)
def test_what_is_chosen(problem, data, solver, reason):
    choice = choose_solver(problem, *data)
    assert type(choice.solver) is solver
    assert reason in choice.reason


def test_planes_by_example_are_not_kept_where_they_need_much_memory(monkeypatch):
    monkeypatch.setattr(auto, "MEMORY", 100)
    choice = choose_solver(Costly(), *MANY)
    assert type(choice.solver) is OneSlackCuttingPlane
    assert "but 40 x 9 is much to keep" in choice.reason


def test_many_examples_of_a_local_search(monkeypatch):
    monkeypatch.setattr(auto, "FEW", 39)
    choice = choose_solver(LocalSearchMultilabel(), *MANY)
    assert type(choice.solver) is OneSlackCuttingPlane and "many" in choice.reason


def test_the_choice_is_in_the_result_and_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="structsvm"):
        svm = StructuredSVM(LocalSearchMultilabel(), C=5.0).fit(*MANY)
    chosen = "NSlackCuttingPlane, because the oracle undergenerates, and 40 are few"
    assert svm.result_.solver == chosen
    assert chosen in str(svm.result_) and chosen in caplog.text


def test_a_solver_that_was_given_is_named():
    svm = StructuredSVM(Multilabel(), solver=OneSlackCuttingPlane()).fit(*MANY)
    assert svm.result_.solver == "OneSlackCuttingPlane"


def test_estimators_of_problems_choose_too():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    svm = MulticlassSVM(C=10.0).fit(np.eye(3)[y] + 0.3 * rng.normal(size=(60, 3)), y)
    assert svm.result_.solver == "SmoothedLBFGS, because sum_soft_oracle is offered"


def test_unusable_data_are_refused():
    with pytest.raises(ValueError, match="X has 40 examples but Y has 39"):
        StructuredSVM(Multilabel()).fit(MANY[0], MANY[1][:-1])
    with pytest.raises(ValueError, match="needs the outputs Y; it is None"):
        StructuredSVM(Multilabel()).fit(MANY[0])
    with pytest.raises(TypeError, match="problem must be an instance"):
        choose_solver(Multilabel, *MANY)


@pytest.mark.parametrize("solver", ["one-slack", OneSlackCuttingPlane, None, 3, Multilabel()])
def test_solver_of_the_wrong_kind(solver):
    with pytest.raises(ValueError, match="solver must be 'auto' or a solver object"):
        StructuredSVM(Multilabel(), solver=solver).fit(*MANY)


def test_a_class_in_place_of_a_solver_is_named():
    with pytest.raises(ValueError, match=r"SmoothedLBFGS, .*a class: add \(\)"):
        StructuredSVM(Multilabel(), solver=OneSlackCuttingPlane).fit(*multilabel_data())
