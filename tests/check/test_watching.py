"""A law: whichever method changes an argument in place, it is the one that is named."""

import inspect

import pytest
from planted_bugs import with_task

from benchmarks.robustness._planted_grid import DifferentiableGrid, RefinedGrid, RefinedTask, grid
from benchmarks.robustness._planted_labels import SoftLabels, SoftLabelsTask, many_labels
from benchmarks.robustness._planted_parts import FastParts, PartsTask, parts
from benchmarks.robustness._planted_pooling import Choices, ChoicesTask, Places, choices, places
from structsvm import ContractViolation, check_problem
from structsvm.check.calls import METHODS, TASK_METHODS

#: Problems with all methods that have arrays as arguments.
KINDS = {SoftLabels: many_labels, Places: places, DifferentiableGrid: grid}
#: The same of tasks, with their problems.
TASKS = {
    SoftLabelsTask: (SoftLabels, many_labels), ChoicesTask: (Choices, choices),
    PartsTask: (FastParts, parts), RefinedTask: (RefinedGrid, grid),
}  # fmt: skip
#: Arguments that are arrays of floats.
ARRAYS = ("x", "X", "w", "weights", "probabilities")


def arguments(function):
    return list(inspect.signature(function).parameters)[1:]


def calls():
    """Every method with each of its arrays, once, of a problem or a task that defines it."""
    found = {}
    for kinds, methods in ((KINDS, METHODS), (TASKS, TASK_METHODS)):
        for kind in kinds:
            for name, function in methods.items():
                if callable(getattr(kind, name, None)) and is_defined(kind, name):
                    for argument in {*ARRAYS}.intersection(arguments(function)):
                        label = f"{kinds is TASKS}-{name}-{argument}"
                        found.setdefault(label, (kind, name, arguments(function).index(argument)))
    return [pytest.param(*call, id=name) for name, call in sorted(found.items())]


def is_defined(kind, name):
    owner = next(base for base in kind.__mro__ if name in vars(base))
    return not owner.__module__.startswith("structsvm.") and name != "task"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("kind", "name", "place"), calls())
def test_the_method_that_changes_an_argument_is_named(kind, name, place):
    def method(self, *given):
        value = getattr(super(changing, self), name)(*given)
        given[place][...] += 1
        return value

    changing = type("Changing", (kind,), {name: method})
    problem, data = changing, KINDS.get(kind)
    if kind in TASKS:
        base, data = TASKS[kind]
        problem, name = with_task(base, changing), f"Changing.{name}"
    with pytest.raises(ContractViolation) as caught:
        check_problem(problem(), *data())
    assert {finding.method for finding in caught.value.findings} == {name}
