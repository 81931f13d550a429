"""The errors that structsvm defines can be caught as ValueError, and apart from others."""

import pytest

from structsvm import ContractViolation, exceptions

OWN = [
    ContractViolation,
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type)),
]


@pytest.mark.parametrize("kind", OWN)
def test_each_is_a_value_error_and_one_of_structsvm(kind):
    assert issubclass(kind, ValueError)
    assert issubclass(kind, exceptions.StructSVMError)


def test_a_contract_violation_is_a_problem_error():
    assert issubclass(ContractViolation, exceptions.ProblemError)
