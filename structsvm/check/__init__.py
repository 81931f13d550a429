"""Test whether a user's Problem keeps its contract, and name the method that breaks it.

The main test needs no reference implementation of the oracle. At every w, the oracle's output must
score at least as high as each output that any call has returned. If the problem can enumerate all
outputs, the oracle's output must score at least as high as every enumerated output.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

from structsvm.check import imputation, measures, optional, parts, searches, setup, soft, task
from structsvm.check.blame import blamed
from structsvm.check.evidence import BASIC, LAST, Check, Evidence
from structsvm.check.findings import Finding, Unusable, attempted, broken_off, first_of_each, merged
from structsvm.check.progress import Progress
from structsvm.contract.problem import Problem
from structsvm.data.validation import require_number
from structsvm.exceptions import ProblemError

_modules = setup, measures, imputation, searches, task, soft, optional, parts
_checks = [each for module in _modules for each in vars(module).values() if isinstance(each, Check)]
#: The checks of each stage, in the order in which they run.
STAGES = [[check for check in _checks if check.stage == stage] for stage in range(LAST + 1)]

__all__ = ["CheckReport", "ContractViolation", "Finding", "check_problem", "problem_checks"]


class CheckReport(NamedTuple):
    """The report of a problem that keeps its contract: the checks that it passed.

    Attributes
    ----------
    checks : tuple of str
        Names of the checks that found neither an error nor a possible mistake.
    not_applicable : tuple of str
        Names of the skipped checks: the problem does not define the methods that they test.
    notes : tuple of str
        Notes of two kinds: limits of the tests, each with a remedy, and possible mistakes that
        break no rule. A check that found a possible mistake is not listed in ``checks``.
    cut_short : tuple of str
        Names of the checks that found no error before ``max_seconds`` ended them early.
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


class ContractViolation(ProblemError):
    """The exception of :func:`structsvm.check_problem`, whose message lists every error found.

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

    First, the methods for single examples are tested at vectors w of many sizes, at the w of a
    short training run, and at w for which several outputs have equal scores. Then, the methods of
    the problem's task are compared with the methods for single examples. Scores are meaningful only
    if joint feature, loss and constraints are correct. Oracles and task are tested only if all
    calls succeed and joint feature, loss and constraints are correct. Correct joint feature, loss
    and constraints first, and run the check again.

    Parameters
    ----------
    problem : Problem
        The problem, which is copied and not changed.
    X, Y : sequences
        Example data. If the problem defines ``outputs``, small inputs make the test stricter. If
        the problem does not define ``outputs``, more and larger inputs make the test stricter.
    max_examples : int, default=10
        Number of examples to test on, drawn at random. ``initialize`` gets all examples.
    random_state : int, default=0
        Seed of the random choice of the examples and of the vectors w.
    max_seconds : float, optional
        Wall time in seconds after which no new trial starts. The report names the checks that were
        cut short. All tests at the first w are always completed. If calls of the problem's methods
        take seconds, choose a smaller ``max_examples`` as well. Without a time limit, the result
        does not depend on the speed of the machine.
    verbose : bool, default=False
        Whether to show a progress bar, which counts calls and names the current check.

    Returns
    -------
    CheckReport
        The names of the checks, and notes on parts of the problem that could not be tested. The
        printed report leaves out the checks in ``not_applicable``.

    Raises
    ------
    ContractViolation
        If a check finds an error in the problem. The message names each method and example.
    TypeError, ValueError
        If ``problem`` is not a Problem, or if X and Y are empty or of different lengths.

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
            if (findings and stage is not STAGES[BASIC]) or evidence.unusable:
                break
    if findings:
        raise ContractViolation(type(problem).__name__, blamed(findings, evidence))
    applies = {check.name: check.applies(evidence) for stage in STAGES for check in stage}
    applied = [name for name in applies if applies[name]]
    incomplete = {*progress.cut_short, *evidence.doubted}
    return CheckReport(
        checks=tuple(name for name in applied if name not in incomplete),
        not_applicable=tuple(name for name in applies if not applies[name]),
        notes=tuple(evidence.notes),
        cut_short=tuple(name for name in applied if name in progress.cut_short),
    )


def problem_checks(
    problem: Problem, X: Any, Y: Any = None, *, max_examples: int = 10, random_state: int = 0
) -> list[Any]:
    """Return one test per check, as parameters for ``pytest.mark.parametrize``.

    Parameters
    ----------
    problem : Problem
        The problem, which is copied and not changed.
    X, Y : sequences
        Example data.
    max_examples : int, default=10
        Number of examples to test on, drawn at random. ``initialize`` gets all examples.
    random_state : int, default=0
        Seed of the random choice of the examples and of the vectors w.

    Returns
    -------
    list of pytest.param
        Each parameter holds a test: a function without arguments, which raises
        :class:`structsvm.ContractViolation` if the check fails. If a check relies on an earlier
        check that has failed, the test is skipped.

    Examples
    --------
    In a test file::

        @pytest.mark.parametrize("check", problem_checks(MyProblem(), X, Y))
        def test_contract(check):
            check()
    """
    import pytest  # imported here, since only tests need it

    evidence = Evidence(problem, X, Y, max_examples, random_state)

    def test(check: Check) -> Callable[[], None]:
        # The first two stages do not depend on each other.
        earlier = [each for stage in STAGES[: check.stage] for each in stage] * (check.stage > 1)

        def run() -> None:
            if evidence.unusable:
                pytest.skip("not tested: fix initialize first")
            if any(_run(other, evidence) for other in earlier):
                pytest.skip("not tested: it means nothing until the earlier checks pass")
            if findings := _run(check, evidence):
                raise ContractViolation(type(problem).__name__, blamed(findings, evidence))

        return run

    name = type(problem).__name__
    return [
        pytest.param(test(each), id=f"{name}-{each.name}") for stage in STAGES for each in stage
    ]


def _run(check: Check, evidence: Evidence) -> list[Finding]:
    """Run a check once, and return its findings, one per method."""
    if check.name in evidence.results:
        return evidence.results[check.name]
    evidence.progress.start(check.name)
    found: list[Finding] = []
    try:
        if not check.applies(evidence):
            return []
        is_later = check.stage > BASIC
        assert not is_later or evidence.pools  # arguments_are_unchanged reports them
        changes = evidence.calls.changes if is_later else []
        before = len(changes)
        _, error = attempted(found.extend, check.findings(evidence))  # keeps earlier findings
        found += changes[before:]
        if error:
            found.append(broken_off(error, evidence.problem, evidence.progress.latest))
    except Unusable as error:
        evidence.unusable = True
        return list(error.args)
    evidence.results[check.name] = list(first_of_each(found))
    return evidence.results[check.name]
