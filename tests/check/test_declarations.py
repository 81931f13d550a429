"""Bugs planted in constructors and declarations; and notes on names and pickling."""

import threading

import numpy as np
import pytest
from correct_problems import Chain, Latent, SilentChain, annotated, sequences
from planted_bugs import FIELDS, Mutants, assert_caught, eight_classes

from structsvm import check_problem
from structsvm.problems import Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(sequences, "__init__")
class ReplacesItsDefault(SilentChain):
    def __init__(self, n_labels=3, names=None):
        self.n_labels = n_labels
        self.names = names or ["a", "b", "c"]


@mutant(sequences, "__init__")
class RoundsItsParameter(SilentChain):
    def __init__(self, n_labels=3, scale=1.5):
        self.n_labels = n_labels
        self.scale = round(scale)


@mutant(annotated, "restricts_labels")
class RestrictsByAWord(Latent):
    restricts_labels = "no"


@mutant(sequences, "oracle_quality")
class QualityOfItsOwn(SilentChain):
    oracle_quality = "approximate"


@mutant(sequences, "parallelism")
class ParallelInFibres(SilentChain):
    parallelism = "fibres"


@mutant(sequences, "block_size")
class BlocksOfNothing(SilentChain):
    block_size = 0


@mutant(sequences, "__init__")
class ParameterRenamed(SilentChain):
    def __init__(self, k=3):
        self.n_labels = k


@mutant(eight_classes, "__init__")
class ParameterConverted(Multiclass):
    def __init__(self, cost=((0, 1, 1), (1, 0, 1), (1, 1, 0))):
        self.cost = np.array(cost)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_a_misspelt_name_is_noted():
    class Misspelt(SilentChain):
        def constraint(self):
            return -np.eye(2), np.zeros(2)

    note = "Misspelt.constraint is not in the contract: is constraints meant?"
    assert note in check_problem(Misspelt(), *sequences(0)).notes


def test_a_problem_that_cannot_be_pickled_is_noted():
    class Locked(Chain):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.lock = threading.Lock()

    (note,) = check_problem(Locked(), *sequences(0)).notes
    assert "n_jobs needs a problem that can be pickled" in note
    Locked.parallelism = "threads"
    assert not check_problem(Locked(), *sequences(0)).notes


@pytest.mark.parametrize(("name", "meant"), [("upper_bounds", "constraints"), ("tasks", "task")])
def test_a_method_that_is_in_no_contract_is_noted_and_its_check_not_passed(name, meant):
    kind = type("Other", (SilentChain,), {name: lambda self: None})
    report = check_problem(kind(), *sequences(0))
    assert f"Other.{name} is not in the contract: is {meant} meant?" in report.notes
    assert "no_method_is_misspelt" not in report.checks + report.not_applicable
