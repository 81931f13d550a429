"""Bugs planted in what searches return: outputs(x) proves that it is no output."""

import numpy as np
import pytest
from correct_problems import (
    EnumeratedMatching,
    Multilabel,
    Parts,
    Relaxed,
    graphs,
    one_hot,
    parted,
    vectors,
)
from planted_bugs import FIELDS, Mutants, assert_caught

from structsvm import ContractViolation, check_problem

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(graphs, "separation_oracle", seeds=3)
class OracleTakesTheBestOfEveryRow(EnumeratedMatching):
    def separation_oracle(self, x, y, w):
        return (x @ w + (np.arange(len(y)) != y[:, None]) / len(y)).argmax(axis=1)


@mutant(graphs, "decode", seeds=3)
class DecoderTakesTheBestOfEveryRow(EnumeratedMatching):
    def decode(self, x, w):
        return (x @ w).argmax(axis=1)


@mutant(vectors, "slack_oracle", seeds=3)
class SlackOracleReturnsHalves(Multilabel):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cost_ = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [9.0, 9.0, 9.0]])

    def slack_oracle(self, x, y, w):
        return np.full(3, 2)


@mutant(vectors, "slack_oracle")
class ALossAboveMaxLossIsTheOracles(SlackOracleReturnsHalves):
    max_loss = 6.0


@mutant(one_hot, "separation_oracle")
class RelaxedDeclaredExact(Relaxed):
    oracle_quality = "exact"


@mutant(graphs, "outputs", seeds=3)
class OutputsWithoutTheTruth(EnumeratedMatching):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self._truths = {tuple(y) for y in Y}

    def outputs(self, x):
        return (y for y in super().outputs(x) if tuple(y) not in self._truths)


@mutant(parted, "impute")
class ImputesARowBeyondTheLast(Parts):
    def joint_feature(self, x, y):
        return super().joint_feature(np.vstack([x, x[0] + x[1]]), y)

    def impute(self, x, y, w):
        return (y, 3)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_the_message_names_the_output():
    with pytest.raises(
        ContractViolation, match=r"array\(\[.*\]\), which is no output: none of out"
    ):
        check_problem(DecoderTakesTheBestOfEveryRow(), *graphs(0))


def test_a_truth_that_is_no_output_is_reported_before_its_loss():
    class SmallLoss(Multilabel):
        max_loss = 4.0

        def outputs(self, x):
            return (y for y in super().outputs(x) if y.sum() < 3)

    X, Y = vectors(0)
    Y = [np.ones_like(y) if i % 2 else np.zeros_like(y) for i, y in enumerate(Y)]
    with pytest.raises(ContractViolation) as caught:
        check_problem(SmallLoss(), X, Y)
    assert "array([1, 1, 1]), is none of outputs(x)" in caught.value.findings[0].message


@pytest.mark.parametrize("form", [tuple, list, np.array, lambda y: y.astype(float)])
def test_an_output_may_have_another_form_than_in_the_list(form):
    class OtherForm(EnumeratedMatching):
        def joint_feature(self, x, y):
            return super().joint_feature(x, np.asarray(y, dtype=int))

        def decode(self, x, w):
            return form(super().decode(x, w))

        def separation_oracle(self, x, y, w):
            return form(super().separation_oracle(x, y, w))

    check_problem(OtherForm(), *graphs(0))


def test_relaxed_outputs_are_no_error_where_they_are_declared():
    check_problem(Relaxed(), *one_hot(0))
