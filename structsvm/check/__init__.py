"""Does a user's Problem keep its contract? Find the fault and name it.

The heart of it: for every w, the oracle's output must score at least as high as every output that
any call has ever returned, and as all outputs where the problem can enumerate them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from structsvm.check.batch import BATCH_CHECKS
from structsvm.check.checks import CHECKS
from structsvm.check.evidence import Evidence, Finding
from structsvm.exceptions import ProblemError
from structsvm.problem import Problem

__all__ = ["CheckReport", "ContractViolation", "Finding", "check_problem", "problem_checks"]


class CheckReport(NamedTuple):
    """What was tested. ``notes`` says what could not be, and what would allow it."""

    checks: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{len(self.checks)} checks passed: {', '.join(self.checks)}"]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])


class ContractViolation(ProblemError):
    """Raised by :func:`check_problem`; ``findings`` lists every fault."""

    def __init__(self, name: str, findings: list[Finding]) -> None:
        self.findings = findings
        faults = "\n".join(f"  - {finding}" for finding in findings)
        super().__init__(f"{name} breaks the contract of structsvm.Problem:\n{faults}")


def check_problem(
    problem: Problem,
    X: Any,
    Y: Any = None,
    *,
    max_examples: int = 10,
    random_state: int = 0,
) -> CheckReport:
    """Test whether a problem keeps the contract of :class:`structsvm.Problem`.

    Parameters
    ----------
    problem : Problem
        It is copied, not changed.
    X, Y : sequences
        Example data. Small inputs make a sharper test where the problem offers ``outputs``.
    max_examples : int, default=10
        Test on this many examples, drawn at random; sizes are learnt from all.
    random_state : int, default=0
        Seed of the examples and of the points w.

    Returns
    -------
    CheckReport
        What was tested, and what could not be.

    Raises
    ------
    ContractViolation
        The problem has faults; the message names each method and example.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import check_problem
    >>> from structsvm.problems import Multiclass
    >>> class Forgetful(Multiclass):
    ...     def loss(self, y, y_hat):
    ...         return 1.0
    ...     batch_loss = None
    >>> check_problem(Forgetful(), np.eye(3), [0, 1, 2])
    Traceback (most recent call last):
    structsvm.check.ContractViolation: Forgetful breaks the contract of structsvm.Problem:
      - loss: loss(y, y) must be 0; it is 1 for example 0...
    """
    findings: list[Finding] = []
    evidence = Evidence(problem, X, Y, max_examples, random_state)
    names = []
    for name, check in _all_checks():
        findings += [found for found in _run(check, evidence) if found not in findings]
        names.append(name)
    if findings:
        raise ContractViolation(type(problem).__name__, findings)
    return CheckReport(tuple(names), tuple(evidence.notes))


def problem_checks(
    problem: Problem, X: Any, Y: Any = None, *, max_examples: int = 10, random_state: int = 0
) -> list[Any]:
    """The checks as parameters for pytest, one test per check.

    Examples
    --------
    In a test file::

        @pytest.mark.parametrize("check", problem_checks(MyProblem(), X, Y))
        def test_contract(check):
            check()
    """
    import pytest

    evidence = Evidence(problem, X, Y, max_examples, random_state)

    def test(check: Callable[[Evidence], Iterator[Finding]]) -> Callable[[], None]:
        def run() -> None:
            if findings := _run(check, evidence):
                raise ContractViolation(type(problem).__name__, findings)

        return run

    return [
        pytest.param(test(check), id=f"{type(problem).__name__}-{name}")
        for name, check in _all_checks()
    ]


def _all_checks() -> list[tuple[str, Callable[[Evidence], Iterator[Finding]]]]:
    return [(check.__name__, check) for check in (*CHECKS, *BATCH_CHECKS)]


def _run(check: Callable[[Evidence], Iterator[Finding]], evidence: Evidence) -> list[Finding]:
    """The findings of one check; a fault that ends it early is a finding too."""
    findings: list[Finding] = []
    try:
        for finding in check(evidence):
            if all(finding.method != other.method for other in findings):
                findings.append(finding)
    except ProblemError as error:
        findings.append(Finding("contract", None, str(error)))
    return findings
