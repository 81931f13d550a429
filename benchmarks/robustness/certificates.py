"""Bounds, statuses and verification of all solvers on random problems, beside exact arithmetic.

    python -m benchmarks.robustness.certificates [count] [first seed]

The problems are small enough to enumerate their outputs, so the objective at any w is a ratio of
integers that is computed exactly. A reported primal value is wrong where it is below the objective
at the w returned, a dual value where it is above the lowest objective known at any w. The w's are
those of all solvers, and that of the dual with a plane for every output, each also lengthened a
little, as that removes the slacks that rounding leaves where the data can be separated.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from benchmarks.report import one_thread, report
from benchmarks.robustness._exact import as_float, objective
from benchmarks.robustness._problems import Case, random_case
from structsvm import (
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.qp import solve_restricted_dual

LIMITS = {"max_iter": 1000, "time_limit": 5.0}
SOLVERS = {
    "one slack": OneSlackCuttingPlane(**LIMITS),
    "n slacks": NSlackCuttingPlane(**LIMITS),
    "smoothed L-BFGS": SmoothedLBFGS(**LIMITS),
    "smoothed cutting plane": SmoothedCuttingPlane(**LIMITS),
    "Frank-Wolfe": BlockCoordinateFrankWolfe(**LIMITS),
    "one slack, slack rescaling": OneSlackCuttingPlane(rescaling="slack", **LIMITS),
    "n slacks, slack rescaling": NSlackCuttingPlane(rescaling="slack", **LIMITS),
}
#: A w is also tried with its length increased by these fractions.
LONGER = (0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)


class Run(NamedTuple):
    """One solver on one problem."""

    seed: int
    problem: str
    solver: str
    outcome: str
    faults: tuple[str, ...]
    used: float  # the largest error of the primal value, in units of the error reported
    seconds: float


def main() -> None:
    count, first = (int(a) for a in [*sys.argv[1:], "5000", "0"][:2]) if len(sys.argv) > 2 else (
        int(sys.argv[1]) if len(sys.argv) > 1 else 5000, 0)
    runs = [
        run
        for found in Parallel(n_jobs=-1, batch_size=10)(
            delayed(examined)(seed) for seed in range(first, first + count)
        )
        for run in found
    ]
    rows = []
    for name in SOLVERS:
        own = [run for run in runs if run.solver == name]
        outcomes, faults = Counter(r.outcome for r in own), Counter(f for r in own for f in r.faults)
        rows.append(
            {
                "solver": name,
                "problems": len(own),
                "converged": outcomes["CONVERGED"],
                "numerical": outcomes["NUMERICAL"],
                "limits": outcomes["MAX_ITER"] + outcomes["TIME_LIMIT"],
                "stalled": outcomes["STALLED"] + outcomes["QP_FAILED"],
                "errors": sum(c for o, c in outcomes.items() if "Error" in o),
                "wrong primal": faults["wrong primal"],
                "wrong dual": faults["wrong dual"],
                "verify mismatch": faults["verify mismatch"],
                "converged, not optimal": faults["not optimal"],
                "warnings": faults["warning"],
                "CPU s": sum(r.seconds for r in own),
            }
        )
    for run in runs:
        if run.faults or "Error" in run.outcome:
            print(*run)
    print("largest error in units of that reported:", max(r.used for r in runs))
    report("robustness/certificates", {"certificates": rows})


def examined(seed: int) -> list[Run]:
    """All solvers on one problem."""
    case, runs = random_case(seed), []
    with one_thread():
        found = {name: solved(case, name) for name in SOLVERS}
    lowest: dict[bool, Fraction] = {}
    for slack in (False, True):
        points = [r.w for name, (r, *_) in found.items() if r is not None and slack == ("rescaling" in name)]
        points.append(reference(case, slack))
        values = [
            objective(case.table, w * (1 + longer), case.C, slack)
            for w in points
            for longer in LONGER
            if np.isfinite(w * (1 + longer)).all()
        ]
        lowest[slack] = min(values)
    for name, (result, outcome, verified, warned, seconds) in found.items():
        faults, used = [], 0.0
        if warned:
            faults.append("warning")
        if result is not None:
            slack = "rescaling" in name
            value = objective(case.table, result.w, case.C, slack)
            best = lowest[slack]
            if not math.isfinite(result.primal) or Fraction(result.primal) < value:
                faults.append("wrong primal")
            if Fraction(result.dual) > best:
                faults.append("wrong dual")
            if not verified:
                faults.append("verify mismatch")
            if outcome == "CONVERGED" and value - best > Fraction(result.tolerance):
                faults.append("not optimal")
            computed = result.primal - result.rounding  # rounding is that of both, mostly the primal's
            used = as_float(abs(value - Fraction(computed))) / result.rounding if result.rounding else 0.0
        runs.append(Run(seed, case.name, name, outcome, tuple(faults), used, seconds))
    return runs


def solved(case: Case, name: str) -> tuple[Any, str, bool, bool, float]:
    """The result, or None; the status or error; verified; whether numpy warned; CPU seconds."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = SOLVERS[name].solve(case.problem, case.X, case.Y, case.C)
            verified = result.verify(case.problem, case.X, case.Y).matches
        except ValueError as error:
            if "slack_oracle" not in str(error):
                return None, f"{type(error).__name__}: {error}", True, False, 0.0
            return None, "not offered", True, False, 0.0
        except Exception as error:
            return None, f"{type(error).__name__}: {error}", True, False, 0.0
    warned = any(issubclass(w.category, RuntimeWarning) for w in caught)
    return result, result.status.name, verified, warned, time.process_time() - start


def reference(case: Case, slack: bool) -> Any:
    """The w of the dual with a plane for every output, with features scaled to norm 1."""
    n = len(case.table)
    scale = max(
        (as_float(rows.scaled(max(map(abs, rows.numbers.ravel().tolist())))) for rows, _ in case.table),
        default=0.0,
    ) or 1.0
    A, b, groups = [], [], []
    for i, (rows, losses) in enumerate(case.table):
        for row, loss in zip(rows.numbers, losses, strict=True):
            values = np.array([as_float(rows.scaled(int(v)) / Fraction(scale)) for v in row])
            A.append(values * (float(loss) if slack else 1.0))
            b.append(float(loss))
            groups.append(i)
    rows_, C = np.array(A), case.C / n * scale**2
    answer = solve_restricted_dual(rows_ @ rows_.T, np.array(b), np.array(groups), np.full(n, C))
    return answer.alpha @ rows_ / scale


if __name__ == "__main__":
    main()
