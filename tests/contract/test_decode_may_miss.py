"""Decoders that search fewer outputs than Y holds, and say so."""

import pytest
from toy_problems import Multilabel, multilabel_data

from structsvm import OneSlackCuttingPlane, ProblemError, check_problem
from structsvm.check import ContractViolation


class Narrow(Multilabel):
    """It predicts only outputs whose labels are the same."""

    def decode(self, x, w):
        outputs = ((0,) * self.n_labels, (1,) * self.n_labels)
        return max(outputs, key=lambda z: w @ self.joint_feature(x, z))


class Declared(Narrow):
    decode_may_miss = True


def test_the_checker_reports_a_narrow_decoder_unless_it_is_declared():
    X, Y = multilabel_data(n=20)
    with pytest.raises(ContractViolation, match="decode"):
        check_problem(Narrow(), X, Y)
    assert check_problem(Declared(), X, Y).checks


@pytest.mark.parametrize("kind, warned", [(Narrow, True), (Declared, False)])
def test_solvers_warn_of_a_narrow_decoder_unless_it_is_declared(kind, warned, recwarn):
    OneSlackCuttingPlane().solve(kind(), *multilabel_data(n=20), C=50.0)
    assert any("misses outputs" in str(warning.message) for warning in recwarn) is warned


def test_the_declaration_is_true_or_false():
    class Odd(Narrow):
        decode_may_miss = "yes"

    with pytest.raises((ValueError, ProblemError), match="decode_may_miss must be"):
        OneSlackCuttingPlane().solve(Odd(), *multilabel_data(n=20))
