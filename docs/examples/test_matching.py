"""The checks of the checker, each as a test of its own."""

import pytest
from matching import Matching

from structsvm.check import problem_checks


@pytest.mark.parametrize("check", problem_checks(Matching(), *Matching.example_data()))
def test_matching_keeps_the_contract(check):
    check()
