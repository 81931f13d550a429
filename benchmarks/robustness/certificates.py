"""Bounds, statuses and verification of all solvers on random problems, by exact arithmetic.

    python -m benchmarks robustness/certificates

The problems are small enough to enumerate their outputs, so the objective at any w is a ratio of
integers that is computed exactly. A reported primal value is wrong where it is below the objective
at the w returned, a dual value where it is above the lowest objective known at any w. The points w
come from all solvers, and from the dual with a plane for every output. Each point is also
lengthened a little, which removes the slacks that rounding leaves on separable data.
"""

from __future__ import annotations

import math
import time
import warnings
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from benchmarks.experiment import Experiment, one_thread
from benchmarks.robustness._exact import Exact, as_float, objective
from benchmarks.robustness._problems import Case, ExactTable, Region
from benchmarks.robustness._random_cases import random_case
from benchmarks.store import Row
from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    DualCoordinateAscent,
    DualInteriorPoint,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCCCP,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.qp import solve_restricted_dual

#: What a result may claim wrongly.
FAULTS = (
    "wrong primal",
    "wrong dual",
    "contradiction",
    "verify mismatch",
    "converged, not optimal",
    "numpy warning",
)
NOT_OFFERED = "the solver is not for this problem"
REFUSALS = (
    "slack_oracle",
    "needs outputs",
    "needs soft_oracle",
    "needs a soft oracle",
    "needs score_outputs",
    "needs products",
    "cannot keep to the constraints",
    "exact oracle",
    "needs the outputs Y",
    "needs a SelfLabelledProblem",
)
LIMITS = {"max_iter": 1000, "time_limit": 5.0}
SOLVERS = {
    "one slack": OneSlackCuttingPlane(**LIMITS),
    "n slacks": NSlackCuttingPlane(**LIMITS),
    "smoothed L-BFGS": SmoothedLBFGS(**LIMITS),
    "dual ascent": DualCoordinateAscent(**LIMITS),
    "interior point": DualInteriorPoint(**LIMITS),
    "smoothed cutting plane": SmoothedCuttingPlane(**LIMITS),
    "Frank-Wolfe": BlockCoordinateFrankWolfe(**LIMITS),
    "one slack, slack rescaling": OneSlackCuttingPlane(rescaling="slack", **LIMITS),
    "CCCP": CCCP(**LIMITS),
    "smoothed CCCP": SmoothedCCCP(**LIMITS),
    "n slacks, slack rescaling": NSlackCuttingPlane(rescaling="slack", **LIMITS),
}
#: A w is also tried with its length increased by these fractions, and so much further inside the
#: region where it must be.
STEPS = (0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)


#: Problems of a block.
BLOCK = 100


class Run(NamedTuple):
    """One solver on one problem; ``outcome`` is a status or an error, or that it does not apply."""

    seed: int
    problem: str
    solver: str
    outcome: str
    faults: tuple[str, ...] = ()


class Solved(NamedTuple):
    """A result, and the observations during its run."""

    result: Any
    verified: bool
    warned: bool
    seconds: float


def all_of(seeds: range) -> list[Run]:
    """All solvers on many problems; runs with faults are printed."""
    found = Parallel(n_jobs=-1, batch_size=10)(delayed(examined)(seed) for seed in seeds)
    runs = [run for of_problem in found for run in of_problem if run.outcome != NOT_OFFERED]
    for run in runs:
        if run.faults or not hasattr(Status, run.outcome):
            print(*run)
    return runs


def claims(blocks: list[list[Run]]) -> list[Row]:
    """Return the claims of each solver about its problems."""
    rows = []
    for name in SOLVERS:
        runs = [run for block in blocks for run in block if run.solver == name]
        outcomes = Counter(run.outcome for run in runs)
        faults = Counter(fault for run in runs for fault in run.faults)
        row = {"solver": name, "problems": len(runs), "converged": outcomes["CONVERGED"]}
        row["errors"] = sum(c for outcome, c in outcomes.items() if not hasattr(Status, outcome))
        rows.append(row | {fault: faults[fault] for fault in FAULTS})
    return rows


def examined(seed: int, made: Callable[[int], Case] = random_case) -> list[Run]:
    """All solvers on one problem."""
    case, runs = made(seed), []
    with one_thread():
        found = {name: solved(case, solver) for name, solver in SOLVERS.items()}
    for slack, names in objectives():
        own = {name: found[name] for name in names}
        results = [outcome.result for outcome in own.values() if isinstance(outcome, Solved)]
        if not results:
            continue
        table = case.table_for(results[0].labels)
        points = [*(result.w for result in results), reference(table, case, slack)]
        best = lowest(case, table, points, slack)
        highest = max(result.dual for result in results)
        for name, outcome in own.items():
            if isinstance(outcome, str):
                runs.append(Run(seed, case.name, name, outcome))
                continue
            value = objective(table, outcome.result.w, case.C, slack, case.prior)
            faults = faults_of(outcome, value, best, highest)
            status = outcome.result.status.name
            runs.append(Run(seed, case.name, name, status, faults))
    return runs


def objectives() -> list[tuple[bool, list[str]]]:
    """Return whether slack is rescaled, and the names of the solvers, for each objective.

    A solver that imputes labels has its own objective.
    """
    names: dict[tuple[bool, str], list[str]] = {}
    for name, solver in SOLVERS.items():
        key = solver.rescaling == "slack", "" if solver.needs_labels else name
        names.setdefault(key, []).append(name)
    return [(slack, own) for (slack, _), own in names.items()]


def lowest(case: Case, table: ExactTable, points: list[Any], slack: bool) -> Fraction:
    """The lowest objective at any feasible point, or at one a little longer or further inside."""
    prior = 0.0 if case.prior is None else case.prior
    tried = [w + step * (w - prior) for w in points for step in STEPS]
    if case.region is not None:
        inside = [w + step * (case.region.inner - w) for w in points for step in STEPS]
        tried = [w for w in (case.region.inner, *tried, *inside) if _is_inside(w, case.region)]
    finite = [w for w in tried if np.isfinite(w).all()]
    return min(objective(table, w, case.C, slack, case.prior) for w in finite)


def _is_inside(w: Any, region: Region) -> bool:
    return bool(np.isfinite(w).all()) and region.contains(w)


def faults_of(solved: Solved, value: Fraction, best: Fraction, highest: float) -> tuple[str, ...]:
    """The claims of a result that are wrong.

    ``value`` is the objective at its w, ``best`` the lowest known, and ``highest`` the highest dual
    value of all solvers. An oracle that may miss outputs claims no upper bound.
    """
    result = solved.result
    upper = result.guarantee.upper_bound
    not_optimal = value - best > Fraction(result.tolerance)
    wrong = (
        upper and (math.isnan(result.primal) or result.primal < value),
        Fraction(result.dual) > best,
        upper and result.primal < highest,
        not solved.verified,
        upper and result.status is Status.CONVERGED and not_optimal,
        solved.warned,
    )
    return tuple(fault for fault, found in zip(FAULTS, wrong, strict=True) if found)


def solved(case: Case, solver: Any) -> Solved | str:
    """The result of a solver, or the error that it raised."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = solver.solve(case.problem, case.X, case.Y, case.C, w_prior=case.prior)
            seconds = time.process_time() - start
            verified = result.verify(case.problem, case.X, case.Y).matches
        except Exception as error:
            refused = any(words in str(error) for words in REFUSALS)
            return NOT_OFFERED if refused else f"{type(error).__name__}: {error}"
    warned = any(issubclass(warning.category, RuntimeWarning) for warning in caught)
    return Solved(result, verified, warned, seconds)


def reference(table: ExactTable, case: Case, slack: bool) -> Any:
    """The w of the dual with a plane for every output, with features scaled to size 1."""
    n, prior = len(table), case.prior
    scale = max(_largest(rows) for rows, _ in table) or 1.0
    A, b, groups = [], [], []
    for i, (rows, losses) in enumerate(table):
        for row, loss in zip(rows.numbers, losses, strict=True):
            values = np.array([as_float(rows.scaled(v) / Fraction(scale)) for v in row])
            A.append(values * (float(loss) if slack else 1.0))
            b.append(float(loss) if prior is None else float(loss) - float(A[-1] @ prior) * scale)
            groups.append(i)
    planes, caps = np.array(A), np.full(n, case.C / n * scale**2)
    answer = solve_restricted_dual(planes @ planes.T, np.array(b), np.array(groups), caps)
    u = answer.alpha @ planes / scale
    return u if prior is None else prior + u


def _largest(rows: Exact) -> float:
    return as_float(rows.scaled(max(map(abs, rows.numbers.ravel().tolist()))))


EXPERIMENTS = (
    Experiment(
        "certificates",
        ("solver",),
        {(): lambda block: range(BLOCK * block, BLOCK * (block + 1))},
        all_of,
        draws=50,
        summary=claims,
    ),
)
