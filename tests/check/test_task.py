"""What is said of tasks, beyond the name of the method."""

import numpy as np
import pytest

from benchmarks.robustness._planted.correct.labels import (
    FastLabels,
    LabelsTask,
    SoftLabels,
    SoftLabelsTask,
    labels,
)
from structsvm import ContractViolation, Task, check_problem


def with_task(problem, kind):
    """The class of problems that has these tasks."""
    return type(kind.__name__, (problem,), {"task": lambda self, X, Y=None: kind(self, X, Y)})


def findings(problem, data):
    with pytest.raises(ContractViolation) as caught:
        check_problem(problem(), *data)
    return caught.value.findings


def test_what_a_method_raises_is_told_with_its_line():
    class Raises(LabelsTask):
        def losses(self, outputs):
            return 1 / 0

    (found,) = findings(with_task(FastLabels, Raises), labels())
    assert found.method == "Raises.losses"
    assert "Raises.losses raised ZeroDivisionError" in found.message
    assert "(test_task.py:" in found.message


def test_every_plane_that_is_not_made_by_the_task_follows_from_its_differences():
    class OneError(LabelsTask):
        plane = Task.plane

        def differences(self, outputs, places):
            return 2 * super().differences(outputs, places)

    found = findings(with_task(FastLabels, OneError), labels())
    assert [finding.method for finding in found] == ["OneError.differences"]


class Scored(Task):
    def evaluation_losses(self, outputs):
        return 2 * self.losses(outputs)


class Halved(with_task(FastLabels, LabelsTask)):
    def loss(self, y, y_hat):
        return super().loss(y, y_hat) / 2


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (with_task(FastLabels, Scored), r"- Scored.evaluation_losses \(example .*: it differs"),
        (Halved, r"Halved overrides loss, which the task of .* does not call"),
    ],
)
def test_losses_of_a_score_and_ignored_methods_are_named(kind, message):
    with pytest.raises(ContractViolation, match=message):
        check_problem(kind(), *labels())


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (3.0, "Odd.soft must return a SoftSum; it returned 3.0"),
        (([], np.zeros(6), 0.0, None), "; got shape (0,)"),
    ],
)
def test_soft_sums_that_are_something_else_are_told(found, message):
    class Odd(SoftLabelsTask):
        def soft(self, w, mu, weights):
            return found

    (finding,) = findings(with_task(SoftLabels, Odd), labels())
    assert message in finding.message and "raised" not in finding.message
