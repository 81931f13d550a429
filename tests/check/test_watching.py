"""A law: whichever method changes an argument in place, it is the one that is named."""

import inspect

import pytest

from benchmarks.robustness._planted_grid import DifferentiableGrid, RefinedGrid, grid
from benchmarks.robustness._planted_labels import SoftLabels, many_labels
from benchmarks.robustness._planted_parts import FastParts, parts
from benchmarks.robustness._planted_pooling import Choices, Places, choices, places
from structsvm import ContractViolation, LatentProblem, check_problem
from structsvm.check.calls import METHODS
from structsvm.contract.capabilities import offers

#: Problems with all methods that have arrays as arguments.
KINDS = {
    SoftLabels: many_labels, Choices: choices, FastParts: parts, Places: places,
    RefinedGrid: grid, DifferentiableGrid: grid,
}  # fmt: skip
#: Methods that every problem has.
REQUIRED = ("initialize", "joint_feature", "loss", "separation_oracle", "decode")
#: Arguments that are arrays of floats.
ARRAYS = ("x", "X", "w", "weights", "probabilities")


def arguments(method):
    return list(inspect.signature(getattr(LatentProblem, method)).parameters)[1:]


def calls():
    """Every method of the contract with each of its arrays, once, of a problem that offers it."""
    found = {}
    for kind in KINDS:
        for name in filter(METHODS.__contains__, dir(kind)):
            if name in REQUIRED or offers(kind(), name):
                for argument in {*ARRAYS}.intersection(arguments(name)):
                    found.setdefault(f"{name}-{argument}", (kind, name, argument))
    return [pytest.param(*call, id=name) for name, call in sorted(found.items())]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("kind", "name", "argument"), calls())
def test_the_method_that_changes_an_argument_is_named(kind, name, argument):
    place = arguments(name).index(argument)

    def method(self, *given):
        value = getattr(super(changing, self), name)(*given)
        given[place][...] += 1
        return value

    changing = type("Changing", (kind,), {name: method})
    with pytest.raises(ContractViolation) as caught:
        check_problem(changing(), *KINDS[kind]())
    assert {finding.method for finding in caught.value.findings} == {name}
