"""Solvers, StructuredSVM and LatentSVM."""

from __future__ import annotations

from typing import Any

import structsvm
from benchmarks.robustness._pool import Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, PLAIN
from benchmarks.robustness._pool_labels import LABELS, WEIGHTS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Target,
    length,
    require_sane,
    require_sane_result,
)
from benchmarks.robustness._target_data import (
    several,
)
from benchmarks.robustness._target_parameters import fitted, parameters, unfair
from benchmarks.robustness._target_problems import problem_names
from structsvm import problems, solvers


def solver_target(name: str) -> Target:
    cls = getattr(solvers, name)
    required = {"solvers": [solvers.OneSlackCuttingPlane()]} if name == "Plan" else {}
    good, pools = parameters(cls, **required)
    own = set(good)
    latent = name.endswith("CCCP")
    problem, outputs = {
        "CCCP": (problems.MMCProblem, lambda: None),
        "SmoothedCCCP": (problems.PartialChain, lambda: [labels()]),
    }.get(name, (problems.Multiclass, labels))
    good |= {
        "problem": problem, "X": (lambda: [rows()]) if latent else rows,
        "Y": outputs, "C": lambda: 1.0, "w0": lambda: None,
        "callback": lambda: None, "n_jobs": lambda: None, "verbose": lambda: False,
        "sample_weight": lambda: None,
    }  # fmt: skip
    pools |= {
        "problem": {**PLAIN, **{p: getattr(problems, p) for p in problem_names()}},
        "X": {**(several(MATRICES, rows) if latent else MATRICES), **ANYTHING},
        "Y": {**(several(LABELS, labels) if latent else LABELS), **ANYTHING},
        "C": PLAIN, "w0": {**PLAIN, **MATRICES}, "callback": PLAIN, "verbose": PLAIN,
        "n_jobs": {key: make for key, make in PLAIN.items() if not unfair("n_jobs", key)},
        "sample_weight": {**WEIGHTS, **ANYTHING},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        parameters = {key: given.pop(key) for key in list(given) if key in own}
        given["verbose"] = given["verbose"] if given["verbose"] is not True else False
        require_sane_result(cls(**parameters).solve(**given))

    return Target(name, good, pools, call)


class SemiSupervised(structsvm.LatentProblem, problems.Multiclass):
    """Classes that are known for some rows."""


def structured_svm(estimator: Any, problem: Any, **more: Any) -> Target:
    good = {
        "problem": problem, "X": rows, "Y": labels, "query": rows, "sample_weight": lambda: None,
        **{key: (lambda v=value: v) for key, value in (
            ("C", 1.0), ("solver", "auto"), ("warm_start", False), ("n_jobs", None),
            ("callback", None), ("verbose", False), *more.items())},
    }  # fmt: skip
    pools: dict[str, Pool] = {
        key: {k: m for k, m in PLAIN.items() if not unfair(key, k)} for key in good
    }
    pools |= {"X": {**MATRICES, **ANYTHING}, "Y": {**LABELS, **ANYTHING}}
    pools |= {"query": pools["X"], "sample_weight": {**WEIGHTS, **ANYTHING}}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        given["verbose"] = given["verbose"] if given["verbose"] is not True else False
        svm = fitted(estimator, given, X, Y)
        require_sane_result(svm.result_)
        require_sane(svm.predict(query), length(query))
        require_sane(svm.score(X, Y))
        svm.verify(X, Y)

    return Target(estimator.__name__, good, pools, call)
