"""Requirements of solvers: what is declared is checked, and is all that is checked."""

import pytest
from cases.solvers import KINDS
from correct_problems import Chain as SingleChain
from toy_problems import Assignment, LocalSearchMultilabel, Multilabel

from structsvm import Problem, Task
from structsvm.problems import MMCProblem, Multiclass
from structsvm.solvers import CCCP
from structsvm.solvers.shared.requirements import Requirements
from structsvm.solvers.shared.solver import Solver


@pytest.mark.parametrize("kind", KINDS)
def test_requirements_name_methods_of_the_contract(kind):
    assert issubclass(kind, Solver) and isinstance(kind.requires, Requirements)
    assert all(hasattr(Problem, method) for method in kind.requires.problem)
    assert all(hasattr(Task, method) for method in kind.requires.task)


@pytest.mark.parametrize(
    ("requirements", "suits", "lacks", "words"),
    [
        (Requirements(), Multilabel(), None, "nothing more than the four methods"),
        (Requirements(("soft_oracle",)), SingleChain(), Assignment(), "`soft_oracle`"),
        (Requirements(exact=True), Multilabel(), LocalSearchMultilabel(), "an exact oracle"),
        (CCCP.requires, MMCProblem(), Multilabel(), "a `SelfLabelledProblem`"),
        (Requirements(task=("products",)), Multiclass(), None, "`products` of its task"),
    ],
)
def test_what_is_required_is_checked(requirements, suits, lacks, words):
    assert requirements.error(suits, "S") is None and requirements.are_met(suits)
    assert requirements.described() == words
    if lacks is not None:
        error = requirements.error(lacks, "S")
        assert str(error).startswith("S needs ") and "use OneSlackCuttingPlane" in str(error)
        assert not requirements.are_met(lacks)
