"""What a problem defines, and how good its oracle and its decoder are."""

import pytest
from toy_problems import Multilabel, multilabel_data

from structsvm import ContractViolation, OneSlackCuttingPlane, Problem, ProblemError, check_problem
from structsvm.contract.capabilities import (
    computes_with_arrays,
    oracle_is_exact,
    oracle_may_miss,
)
from structsvm.problems import Multiclass


class Bare(Problem):
    """Nothing defined."""


class Withdrawn(Multilabel):
    slack_oracle = None


def test_optional_methods_are_none_until_a_class_defines_them():
    assert Bare().slack_oracle is Bare().soft_oracle is Bare().constraints is None
    assert Multilabel().slack_oracle is not None and Withdrawn().slack_oracle is None


@pytest.mark.parametrize(
    ("quality", "exact", "misses"),
    [("exact", True, False), ("undergenerating", False, True), ("overgenerating", False, False)],
)
def test_the_quality_of_the_oracle_is_read_when_it_is_needed(quality, exact, misses):
    problem = Bare()
    assert oracle_is_exact(problem) and not oracle_may_miss(problem)
    problem.oracle_quality = quality  # on the instance
    for declared in (problem, type("Declared", (Bare,), {"oracle_quality": quality})()):
        assert (oracle_is_exact(declared), oracle_may_miss(declared)) == (exact, misses)


def test_overridden_methods_are_told_from_defaults():
    assert computes_with_arrays(Multiclass()) and not computes_with_arrays(Multilabel())


class Narrow(Multilabel):
    """It predicts only outputs whose labels are the same."""

    def decode(self, x, w):
        outputs = ((0,) * self.n_labels, (1,) * self.n_labels)
        return max(outputs, key=lambda z: w @ self.joint_feature(x, z))


@pytest.mark.parametrize("declared", [False, True])
def test_a_decoder_that_searches_fewer_outputs_than_Y_holds_declares_it(declared, recwarn):
    kind = type("Declared", (Narrow,), {"decode_may_miss": declared})
    X, Y = multilabel_data(n=20)
    OneSlackCuttingPlane().solve(kind(), X, Y, C=50.0)
    warned = any("misses outputs" in str(warning.message) for warning in recwarn)
    assert warned is not declared
    if declared:
        assert check_problem(kind(), X, Y, max_examples=3).checks
    else:
        with pytest.raises(ContractViolation, match="decode"):
            check_problem(kind(), X, Y, max_examples=3)
    kind.decode_may_miss = "yes"
    with pytest.raises((ValueError, ProblemError), match="decode_may_miss must be"):
        OneSlackCuttingPlane().solve(kind(), X, Y)
