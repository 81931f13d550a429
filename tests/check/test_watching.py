"""A law: whichever method changes an argument in place, it is the one that is named."""

import inspect

import pytest

from benchmarks.robustness._planted.correct.grid import DifferentiableGrid, RefinedGrid
from benchmarks.robustness._planted.correct.labels import SoftLabels
from benchmarks.robustness._planted.correct.parts import FastParts
from benchmarks.robustness._planted.correct.pools import Choices, Places
from benchmarks.robustness._planted.register import DATA, changed
from structsvm import ContractViolation, check_problem
from structsvm.check.calls import METHODS, TASK_METHODS

#: Problems with all methods that have arrays as arguments, and those whose tasks have.
KINDS = (SoftLabels, Places, DifferentiableGrid)
TASKS = (SoftLabels, Choices, FastParts, RefinedGrid)
#: Arguments that are arrays of floats.
ARRAYS = ("x", "X", "w", "weights", "probabilities")


def calls():
    """Every method with each of its arrays, once, of a problem or a task that defines it."""
    found = {}
    for kinds, methods, point in ((KINDS, METHODS, ""), (TASKS, TASK_METHODS, ".")):
        for kind in kinds:
            for name, function in methods.items():
                names = list(inspect.signature(function).parameters)[1:]
                if is_defined(kind.batches if point else kind, name):
                    for argument in {*ARRAYS}.intersection(names):
                        call = (kind, point + name, names.index(argument))
                        found.setdefault(f"{point}{name}-{argument}", call)
    return [pytest.param(*call, id=name) for name, call in sorted(found.items())]


def is_defined(kind, name):
    if name == "task" or not callable(getattr(kind, name, None)):
        return False
    owner = next(base for base in kind.__mro__ if name in vars(base))
    return not owner.__module__.startswith("structsvm.")


@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("kind", "name", "place"), calls())
def test_the_method_that_changes_an_argument_is_named(kind, name, place):
    def changing(right, owner, *given):
        value = right(*given)
        given[place][...] += 1
        return value

    with pytest.raises(ContractViolation) as caught:
        check_problem(changed(kind, name, changing)(), *DATA[kind]())
    owner = kind.batches.__name__ if name[0] == "." else ""
    assert {finding.method for finding in caught.value.findings} == {owner + name}
