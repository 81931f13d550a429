"""Call everything public with bad arguments, and count how that ends.

``python -m benchmarks.robustness.fuzz [--count 10000] [--seed 0] [--only NAME] [--first 0]``

A case calls one estimator or function with one to three bad arguments. It ends well with a result
that makes sense, or with an error of a documented type (docs/conventions.md); it ends badly with
another error, after more than 20 seconds of CPU time, with a crash of the interpreter, with more
than three warnings or any RuntimeWarning, or with NaN for a result. Cases run in a process of their
own, which is replaced after a crash. A case depends on the seed and its number alone:
``--first N --count 1 --verbose`` repeats one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from benchmarks.report import report
from benchmarks.robustness._fuzz_process import cases, work

#: Outcomes that are failures.
FAILURES = ("undocumented", "hang", "crash", "flood", "insane")


def main() -> int:
    parser = argparse.ArgumentParser(description="Call everything public with bad arguments.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", default="", help="part of the name of what to call")
    parser.add_argument("--verbose", action="store_true", help="print every case, in this process")
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.verbose:
        work(args.seed, numbers, args.only, verbose=True)
        return 0
    found = []
    for case in cases(args.seed, args.first, args.count, args.only):
        found.append(case)
        if case["outcome"] in FAILURES:
            print(case["number"], case["outcome"], case["target"], case["bad"], case["type"],
                  case["place"], case["message"][:200], flush=True)  # fmt: skip
    tables = _tables(found)
    if args.only or args.first or args.count < 10_000:
        for title, rows in tables.items():
            print(title, *rows, sep="\n")
    else:
        report("robustness/fuzz", tables)
    return int(any(case["outcome"] in FAILURES for case in found))


def _tables(found: list[dict[str, Any]]) -> dict[str, Any]:
    outcomes = Counter(case["outcome"] for case in found)
    errors = Counter(case["type"] for case in found if case["outcome"] == "error")
    chance = Counter(
        f"{case['type']} at {case['place']}" for case in found
        if case["outcome"] == "error" and not case["by design"]
    )  # fmt: skip
    return {
        "Outcomes": [
            {"outcome": o, "cases": outcomes[o]} for o in ("result", "error", *FAILURES)
        ],
        "Errors by type": [{"type": t, "cases": n} for t, n in errors.most_common()],
        "Errors that no check raised, the ten most frequent": [
            {"place": t, "cases": n}
            for t, n in [("all", sum(chance.values())), *chance.most_common(10)]
        ],
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
