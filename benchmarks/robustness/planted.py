"""Bugs planted in correct problems: does check_problem name the method that is wrong?

    python -m benchmarks.robustness.planted [part of a class name]

Every bug breaks a sentence of the contract, which stands beside it, and shows on the example data.
The checker's findings are compared with the names of what is wrong; an error in which the checker
itself ends counts as a wrong method. Correct problems, many of them unusual, must have no findings.
All were written from the contract alone; those of the first set are of other kinds than those in
the tests. The second set, usual mistakes of which the tests hold some too, came after the first.
The third came after the checker had been tuned on both.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from benchmarks.report import one_thread, report
from benchmarks.robustness._planted_cases import BUGS, CORRECT, Correct, Planted
from benchmarks.store import Row
from structsvm import ContractViolation, Problem, check_problem

#: The files of bugs and of unusual correct problems, which register their cases.
SUBJECTS = (
    "features", "losses", "oracles", "decoders", "outputs", "initialize", "attributes", "bounds",
    "soft", "smoothing", "gradients", "tasks", "batches", "differences", "self_labelled",
    "unusual_data", "unusual_searches", "unusual_values", "unusual_parts",
    "second_features", "second_oracles", "second_decoders", "second_batches", "second_soft",
    "second_self_labelled",
    "third_features", "third_searches", "third_others", "third_batches",
    "fourth_latent", "fourth_others",
)  # fmt: skip
for subject in SUBJECTS:
    import_module(f"benchmarks.robustness._planted_{subject}")
SETS = ("first", "second", "third", "fourth")
LISTED = {None: "all", True: "with outputs", False: "without outputs"}
OUTCOMES = ("named alone", "named in part", "wrong method", "missed")


def main(part: str = "") -> None:
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        bugs = [examined(bug) for bug in BUGS if part in bug.problem.__name__]
        others = [accused(case) for case in CORRECT if part in case.problem.__name__]
    if part:
        print(*bugs, *others, sep="\n")
        return
    report("robustness/planted", {
        "totals": [totals(bugs, name, listed) for name in SETS for listed in LISTED],
        "not named alone": [row for row in bugs if row["outcome"] != "named alone"],
        "false complaints": [{
            "correct problems": len(others),
            "with findings": sum(row["named"] != "" for row in others),
            "CPU s": sum(row["CPU s"] for row in others),
        }],
    })  # fmt: skip


def examined(bug: Planted) -> Row:
    named, seconds = findings(bug)
    return {
        "bug": bug.problem.__name__,
        "set": next((name for name in SETS if f"_{name}_" in bug.problem.__module__), "first"),
        "outputs": offers_outputs(bug),
        "faulty": " or ".join(sorted(bug.faulty)),
        "named": ", ".join(sorted(named)),
        "outcome": outcome(named, bug.faulty),
        "CPU s": seconds,
    }


def outcome(named: set[str], faulty: set[str]) -> str:
    if not named:
        return "missed"
    if not named & faulty:
        return "wrong method"
    return "named alone" if named <= faulty else "named in part"


def accused(case: Correct) -> Row:
    named, seconds = findings(case)
    return {
        "problem": case.problem.__name__,
        "outputs": offers_outputs(case),
        "named": ", ".join(sorted(named)),
        "CPU s": seconds,
    }


def findings(case: Planted | Correct) -> tuple[set[str], float]:
    """The names that the checker accuses, or the type of the error in which it ends itself."""
    start, named = time.process_time(), set()
    try:
        check_problem(case.problem(), *case.data())
    except ContractViolation as violation:
        named = {finding.method for finding in violation.findings}
    except Exception as error:
        named = {type(error).__name__}
    return named, time.process_time() - start


def offers_outputs(case: Any) -> bool:
    return case.problem.outputs not in (None, Problem.outputs)


def totals(bugs: Sequence[Row], name: str, listed: bool | None) -> Row:
    """The number of bugs of a set with each outcome; of all, or with or without ``outputs``."""
    rows = [row for row in bugs if row["set"] == name and listed in (None, row["outputs"])]
    counts = Counter(row["outcome"] for row in rows)
    return {
        "set": name, "bugs": LISTED[listed], "number": len(rows),
        **{outcome: counts[outcome] for outcome in OUTCOMES},
        "CPU s": sum(row["CPU s"] for row in rows),
    }  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
