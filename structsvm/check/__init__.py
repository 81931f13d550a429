"""Test whether a user's Problem keeps its contract, and name the method that breaks it.

The main idea: for every w, the oracle's output must score at least as high as every output that any
call has returned, at this or another w, and as all outputs if the problem can enumerate them. So no
reference implementation of the oracle is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

from structsvm.check.blame import USERS, blamed
from structsvm.check.cheap_searches import refine_never_worsens, search_pool_finds_the_best
from structsvm.check.differences import difference_agrees_with_joint_feature
from structsvm.check.evidence import Evidence
from structsvm.check.findings import (
    Finding,
    Unusable,
    attempted,
    describe,
    first_of_each,
    merged,
    method_running,
    unusable,
)
from structsvm.check.measures import BASICS, MEASURES, Check
from structsvm.check.optional import (
    curvature_axes_are_orthonormal,
    curvature_is_that_of_the_soft_sums,
    expected_differences_agree,
    minibatches_agree,
    output_scores_agree,
    products_agree,
    relabelled_planes_agree,
    term_sizes_bound_the_numbers,
)
from structsvm.check.progress import Progress
from structsvm.check.searches import SEARCHES
from structsvm.check.setup import constructor_keeps_parameters
from structsvm.check.soft import input_gradients_are_slopes, soft_input_gradients_are_slopes
from structsvm.check.task import (
    soft_sums_agree,
    task_answers_as_single_forms,
    task_keeps_the_examples,
)
from structsvm.contract.capabilities import defines
from structsvm.contract.latent import LatentProblem
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.validation import require_number
from structsvm.exceptions import ProblemError, StructSVMError
from structsvm.results.html import table

__all__ = ["CheckReport", "ContractViolation", "Finding", "check_problem", "problem_checks"]


class CheckReport(NamedTuple):
    """The checks that a problem passed.

    Attributes
    ----------
    checks : tuple of str
        Names of the checks that found no error, and no reason for a doubt.
    not_applicable : tuple of str
        Names of the checks of methods that the problem does not offer.
    notes : tuple of str
        Limits of the tests, with a remedy, and possible mistakes that break no rule. A check that
        found one is in no other list.
    cut_short : tuple of str
        Names of the checks that found no error in ``max_seconds``, but were not complete.
    """

    checks: tuple[str, ...]
    not_applicable: tuple[str, ...]
    notes: tuple[str, ...]
    cut_short: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{len(self.checks)} checks passed: {', '.join(self.checks)}"]
        if self.cut_short:
            lines.append(f"cut short by max_seconds: {', '.join(self.cut_short)}")
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        rows = {f"{len(self.checks)} checks passed": ", ".join(self.checks)}
        if self.cut_short:
            rows["cut short by max_seconds"] = ", ".join(self.cut_short)
        notes = {f"note {i}": note for i, note in enumerate(self.notes, start=1)}
        return table("CheckReport", rows | notes)


class ContractViolation(ProblemError):
    """Raised by :func:`structsvm.check_problem`; the message lists every error found.

    Parameters
    ----------
    name : str
        The name of the problem's class.
    findings : list of structsvm.check.Finding
        The errors, one for each method.

    Attributes
    ----------
    findings : list of structsvm.check.Finding
        The errors, one for each method.
    """

    def __init__(self, name: str, findings: list[Finding]) -> None:
        self.findings = findings
        listed = "\n".join(f"  - {finding}" for finding in findings)
        super().__init__(f"{name} breaks the contract of structsvm.Problem:\n{listed}")


def check_problem(
    problem: Problem,
    X: Any = None,
    Y: Any = None,
    *,
    max_examples: int = 10,
    random_state: int = 0,
    max_seconds: float | None = None,
    verbose: bool = False,
) -> CheckReport:
    """Test whether a problem keeps the contract of :class:`structsvm.Problem`.

    First the methods for single examples are tested, at points w of many sizes, along a short
    training run and where outputs tie; then those of the task against them. Oracles and task are
    tested only if all calls succeed and joint feature, loss and constraints are correct, since
    scores mean nothing otherwise: fix those first and run again.

    Parameters
    ----------
    problem : Problem
        It is copied, not changed.
    X, Y : sequences
        Example data. Small inputs make a stricter test if the problem offers ``outputs``, more and
        larger ones if it does not.
    max_examples : int, default=10
        Number of examples, drawn at random, to test on; ``initialize`` gets all of them.
    random_state : int, default=0
        Seed of the examples and of the points w.
    max_seconds : float, optional
        After this wall time no new trial starts; the report says which checks were cut short. The
        first point w is always finished: lower ``max_examples`` too where calls take seconds.
        Without a limit the result does not depend on the speed of the machine.
    verbose : bool, default=False
        Show a progress bar, which counts calls and names the check.

    Returns
    -------
    CheckReport
        Names of the checks, and notes on what could not be tested. Printing it leaves out the
        checks of methods that are not offered: see its ``not_applicable``.

    Raises
    ------
    ContractViolation
        The problem has errors; the message names each method and example.
    TypeError, ValueError
        ``problem`` is no Problem, or X and Y are empty or of different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import check_problem
    >>> from structsvm.problems import Multiclass
    >>> class Forgetful(Multiclass):
    ...     def loss(self, y, y_hat):
    ...         return 1.0
    >>> check_problem(Forgetful(), np.eye(3), [0, 1, 2])
    Traceback (most recent call last):
    structsvm.check.ContractViolation: Forgetful breaks the contract of structsvm.Problem:
      - loss (example 0 and 2 more): loss(y, y) must be 0; it is 1
    """
    if max_seconds is not None:
        require_number("max_seconds", max_seconds, "> 0")
    progress = Progress(type(problem).__name__, max_seconds, verbose)
    evidence = Evidence(problem, X, Y, max_examples, random_state, progress)
    findings: list[Finding] = []
    with closing(progress):
        for stage in STAGES:
            for check in stage:
                findings = merged([*findings, *_run(check, evidence)])
            if (findings and stage is not BASICS) or evidence.unusable:
                break
    if findings:
        raise ContractViolation(type(problem).__name__, _blamed(findings, evidence))
    checks = [check for stage in STAGES for check in stage]
    applied = [check.__name__ for check in checks if _applies(check, evidence)]
    incomplete = {*progress.cut_short, *evidence.doubted}
    return CheckReport(
        checks=tuple(name for name in applied if name not in incomplete),
        not_applicable=tuple(check.__name__ for check in checks if check.__name__ not in applied),
        notes=tuple(evidence.notes),
        cut_short=tuple(name for name in applied if name in progress.cut_short),
    )


def problem_checks(
    problem: Problem, X: Any, Y: Any = None, *, max_examples: int = 10, random_state: int = 0
) -> list[Any]:
    """Return the checks as parameters for pytest, one test per check.

    Parameters
    ----------
    problem : Problem
        It is copied, not changed.
    X, Y : sequences
        Example data.
    max_examples : int, default=10
        Number of examples, drawn at random, to test on; ``initialize`` gets all of them.
    random_state : int, default=0
        Seed of the examples and of the points w.

    Returns
    -------
    list of pytest.param
        Each holds a function without arguments that raises
        :class:`structsvm.ContractViolation`, or skips the test if it means nothing until an earlier
        check passes.

    Examples
    --------
    In a test file::

        @pytest.mark.parametrize("check", problem_checks(MyProblem(), X, Y))
        def test_contract(check):
            check()
    """
    import pytest  # here, since only tests need it

    evidence = Evidence(problem, X, Y, max_examples, random_state)

    def test(check: Check, earlier: tuple[Check, ...]) -> Callable[[], None]:
        def run() -> None:
            if evidence.unusable:
                pytest.skip("not tested: fix initialize first")
            if any(_run(other, evidence) for other in earlier):
                pytest.skip("not tested: it means nothing until the earlier checks pass")
            if findings := _run(check, evidence):
                raise ContractViolation(type(problem).__name__, _blamed(findings, evidence))

        return run

    return [
        pytest.param(
            # The first two stages do not depend on each other; see STAGES.
            test(check, tuple(chain(*STAGES[:number])) if number > 1 else ()),
            id=f"{type(problem).__name__}-{check.__name__}",
        )
        for number, stage in enumerate(STAGES)
        for check in stage
    ]


#: Checks of optional methods: each applies if the problem defines any of these.
OF_PROBLEM = {
    "difference_agrees_with_joint_feature": ("joint_feature_difference",),
    "constraints_are_valid": ("constraints",),
    "example_data_is_accepted": ("example_data",),
    "true_outputs_are_listed": ("outputs",),
    "results_are_outputs": ("outputs",),
    "slack_oracle_maximises": ("slack_oracle",),
    "input_gradients_are_slopes": ("input_gradient",),
    "soft_oracle_is_consistent": ("soft_oracle",),
    "soft_sums_agree": ("soft_oracle",),
    "soft_input_gradients_are_slopes": ("soft_input_gradient",),
    "task_keeps_the_examples": ("task",),
    "task_answers_as_single_forms": ("task",),
}
#: Checks of optional methods of the task: each applies if the task has any of these.
OF_TASK = {
    "refine_never_worsens": ("refine",),
    "search_pool_finds_the_best": ("search_pool", "pool_outputs"),
    "minibatches_agree": ("minibatches",),
    "output_scores_agree": ("score_outputs",),
    "expected_differences_agree": ("expected_difference",),
    "products_agree": ("products",),
    "curvature_is_that_of_the_soft_sums": ("curvature",),
    "curvature_axes_are_orthonormal": ("axes",),
    "term_sizes_bound_the_numbers": ("term_sizes",),
    "relabelled_planes_agree": ("relabelled",),
}
#: Checks of self-labelled problems alone: with annotations, and all.
ANNOTATED = ("evaluation_loss_is_valid", "loss_depends_on_known_parts")
SELF_LABELLED = (*ANNOTATED, "impute_maximises", "initial_w_is_valid")

#: Stages run in this order and end at a stage with findings; the first never ends them, as its
#: checks do not affect the scores of the second.
STAGES: tuple[tuple[Check, ...], ...] = (
    BASICS,
    (*MEASURES, difference_agrees_with_joint_feature, task_keeps_the_examples),
    (
        *SEARCHES,
        refine_never_worsens,
        search_pool_finds_the_best,
        input_gradients_are_slopes,
        task_answers_as_single_forms,
        relabelled_planes_agree,
        term_sizes_bound_the_numbers,
    ),
    (
        soft_sums_agree,
        soft_input_gradients_are_slopes,
        minibatches_agree,
        output_scores_agree,
        expected_differences_agree,
        products_agree,
        curvature_is_that_of_the_soft_sums,
        curvature_axes_are_orthonormal,
    ),
)


def _applies(check: Check, evidence: Evidence) -> bool:
    problem, name = evidence.problem, check.__name__
    if name in SELF_LABELLED:
        annotated = evidence.Y is not None or name not in ANNOTATED
        return isinstance(problem, SelfLabelledProblem) and annotated
    if name in OF_TASK:
        # task_keeps_the_examples reports where it cannot be made.
        task, _ = attempted(lambda: evidence.calls.task)
        return any(getattr(task, method, None) is not None for method in OF_TASK[name])
    return name not in OF_PROBLEM or any(defines(problem, each) for each in OF_PROBLEM[name])


def _blamed(findings: list[Finding], evidence: Evidence) -> list[Finding]:
    """The findings of the methods to blame; if data cannot be used, all findings stay."""
    found = findings if evidence.unusable else blamed(findings, evidence)
    kind: Any = type(evidence.problem)
    if getattr(kind, "impute", None) is LatentProblem.impute:  # the user writes complete
        found = [each._replace(method=USERS.get(each.method, each.method)) for each in found]
    return found


def _run(check: Check, evidence: Evidence) -> list[Finding]:
    """Return the findings of one check, one per method; the results are kept for a second call."""
    if check not in evidence.results:
        evidence.progress.start(check.__name__)
        try:
            if not _applies(check, evidence):
                return []
            evidence.results[check] = list(first_of_each(_findings(check, evidence)))
        except Unusable as error:
            evidence.unusable = True
            return [error.finding]
    return evidence.results[check]


def _findings(check: Check, evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings of a check; one may say that the check could not go on.

    This happens if a method raised an exception, or returned what the check cannot read. Blamed is
    the method that was running, else the method called last, or the one that the check is about.
    """
    found: list[Finding] = []
    calls, is_later = evidence.calls, check not in BASICS
    assert not is_later or evidence.pools  # arguments_are_unchanged reports these calls
    changes = len(calls.changes)
    _, error = attempted(found.extend, check(evidence))  # it keeps what came before the error
    yield from found
    if is_later:
        yield from calls.changes[changes:]
    if error:
        problem, running = evidence.problem, method_running(error, evidence.problem)
        method = running or evidence.progress.latest or _subject(check, problem)
        if running or isinstance(error, StructSVMError):
            yield Finding(method, None, describe(error, problem, method))
        else:
            yield Finding(method, None, unusable(error, problem))


def _subject(check: Check, problem: Problem) -> str:
    """The method that a check is about."""
    if check is constructor_keeps_parameters:
        return "__init__"
    methods = OF_PROBLEM.get(check.__name__, ())
    return next((method for method in methods if defines(problem, method)), "initialize")
