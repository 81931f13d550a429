"""What is said of outputs that are in outputs(x), or not."""

import numpy as np
import pytest

from benchmarks.robustness._planted.correct.labels import Labels, labels
from benchmarks.robustness._planted.correct.pairing import Pairing, pairs
from structsvm import ContractViolation, check_problem


def test_the_message_names_the_output():
    class Rows(Pairing):
        def decode(self, x, w):
            return tuple((x @ w).argmax(axis=1).tolist())

    with pytest.raises(ContractViolation, match=r"\(.*\), which is no output: none of out"):
        check_problem(Rows(), *pairs())


def test_a_truth_that_is_no_output_is_reported_before_its_loss():
    class SmallLoss(Labels):
        max_loss = 2.0

        def outputs(self, x):
            return range(3)

    with pytest.raises(ContractViolation) as caught:
        check_problem(SmallLoss(), *labels())
    assert "3), is none of outputs(x)" in caught.value.findings[0].message


@pytest.mark.parametrize("form", [list, lambda y: np.array(y, dtype=float)])
def test_an_output_may_have_another_form_than_in_the_list(form):
    class OtherForm(Pairing):
        def joint_feature(self, x, y):
            return super().joint_feature(x, np.asarray(y, dtype=int))

        def decode(self, x, w):
            return form(super().decode(x, w))

        def separation_oracle(self, x, y, w):
            return form(super().separation_oracle(x, y, w))

    check_problem(OtherForm(), *pairs())
