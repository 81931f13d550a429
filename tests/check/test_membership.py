"""What is said of outputs that are in outputs(x), or not."""

import numpy as np
import pytest
from correct_problems import EnumeratedMatching, Multilabel, graphs, vectors

from structsvm import ContractViolation, check_problem


def test_the_message_names_the_output():
    class Rows(EnumeratedMatching):
        def decode(self, x, w):
            return (x @ w).argmax(axis=1)

    with pytest.raises(
        ContractViolation, match=r"array\(\[.*\]\), which is no output: none of out"
    ):
        check_problem(Rows(), *graphs(0))


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


@pytest.mark.parametrize("form", [tuple, lambda y: y.astype(float)])
def test_an_output_may_have_another_form_than_in_the_list(form):
    class OtherForm(EnumeratedMatching):
        def joint_feature(self, x, y):
            return super().joint_feature(x, np.asarray(y, dtype=int))

        def decode(self, x, w):
            return form(super().decode(x, w))

        def separation_oracle(self, x, y, w):
            return form(super().separation_oracle(x, y, w))

    check_problem(OtherForm(), *graphs(0))
