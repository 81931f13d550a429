"""Bugs planted in correct problems: does check_problem name the method that is wrong?

Every bug breaks a sentence of the contract, and shows on the example data. The checker's findings
are compared with the names of what is wrong; an error in which the checker itself ends counts as a
wrong method. Correct problems, many of them unusual, must have no findings.

    python -m benchmarks robustness/planted
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.experiment import Experiment
from benchmarks.robustness._planted import BUGS, CORRECT, Case
from benchmarks.store import Row
from structsvm import ContractViolation, check_problem

OUTCOMES = ("named alone", "named in part", "wrong method", "missed")


def examined(case: Case) -> Row:
    """Return the names that the checker accuses, or the error that ended it."""
    start, named = time.process_time(), set()
    try:
        check_problem(case.problem(), *case.data())
    except ContractViolation as violation:
        named = {finding.method for finding in violation.findings}
    except Exception as error:
        named = {type(error).__name__}
    return {
        "bug": str(case),
        "faulty": " or ".join(sorted(case.faulty)),
        "named": ", ".join(sorted(named)),
        "outcome": outcome(named, case.faulty),
        "CPU s": time.process_time() - start,
    }


def outcome(named: set[str], faulty: Iterable[str]) -> str:
    if not named:
        return "missed"
    if not named.intersection(faulty):
        return "wrong method"
    return "named alone" if named.issubset(faulty) else "named in part"


def totals(rows: Sequence[Row]) -> Row:
    """The number of bugs with each outcome."""
    counts = Counter(row["outcome"] for row in rows)
    seconds = sum(row["CPU s"] for row in rows)
    return {"number": len(rows), **{name: counts[name] for name in OUTCOMES}, "CPU s": seconds}


def complaints(rows: Sequence[Row]) -> Row:
    """Findings in correct problems."""
    return {"correct problems": len(rows), "with findings": sum(row["named"] != "" for row in rows)}


def method(bug: Case) -> str:
    return bug.what.partition(":")[0]


EXPERIMENTS = (
    Experiment(
        "totals",
        ("bugs", "method"),
        {
            ("all", name): lambda name=name: [bug for bug in BUGS if method(bug) == name]
            for name in dict.fromkeys(map(method, BUGS))
        },
        lambda cases: totals(list(map(examined, cases))),
    ),
    Experiment(
        "false complaints",
        (),
        {(): lambda: CORRECT},
        lambda cases: complaints(list(map(examined, cases))),
    ),
)
