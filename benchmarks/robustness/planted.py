"""Bugs planted in correct problems: does check_problem name the method that is wrong?

    python -m benchmarks.robustness.planted [part of what is wrong]

Every bug breaks a sentence of the contract, and shows on the example data. The checker's findings
are compared with the names of what is wrong; an error in which the checker itself ends counts as a
wrong method. Correct problems, many of them unusual, must have no findings.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.report import one_thread, report
from benchmarks.robustness._planted import BUGS, CORRECT, Case
from benchmarks.store import Row
from structsvm import ContractViolation, Problem, check_problem

OUTCOMES = ("named alone", "named in part", "wrong method", "missed")


def main(part: str = "") -> None:
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        bugs = [examined(bug) for bug in BUGS if part in str(bug)]
        others = [examined(case) for case in CORRECT if part in str(case)]
    if part:
        print(*bugs, *others, sep="\n")
        return
    methods = dict.fromkeys(row["method"] for row in bugs)
    report("robustness/planted", {
        "totals": [
            *(totals(bugs, {"bugs": "all", "method": method}) for method in methods),
            *(totals(bugs, {"bugs": "by outputs", "outputs": listed}) for listed in (True, False)),
        ],
        "not named alone": [row for row in bugs if row["outcome"] != "named alone"],
        "false complaints": [{
            "correct problems": len(others),
            "with findings": sum(row["named"] != "" for row in others),
            "CPU s": sum(row["CPU s"] for row in others),
        }],
    })  # fmt: skip


def examined(case: Case) -> Row:
    """What the checker says: the names that it accuses, or the error in which it ends itself."""
    start, named = time.process_time(), set()
    try:
        check_problem(case.problem(), *case.data())
    except ContractViolation as violation:
        named = {finding.method for finding in violation.findings}
    except Exception as error:
        named = {type(error).__name__}
    return {
        "method": case.what.partition(":")[0],
        "bug": str(case),
        "outputs": case.problem.outputs not in (None, Problem.outputs),
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


def totals(bugs: Sequence[Row], which: Row) -> Row:
    """The number of bugs with each outcome, of those whose columns have the values in ``which``."""
    rows = [
        row for row in bugs if all(row.get(name, value) == value for name, value in which.items())
    ]
    counts = Counter(row["outcome"] for row in rows)
    return {
        **which, "number": len(rows), **{outcome: counts[outcome] for outcome in OUTCOMES},
        "CPU s": sum(row["CPU s"] for row in rows),
    }  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
