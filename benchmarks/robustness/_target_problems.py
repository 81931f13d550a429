"""Problems, trained by StructuredSVM with any solver, and examined by choose_solver."""

from __future__ import annotations

import structsvm
from benchmarks.robustness._pool import Make, Pool, labels, rows
from benchmarks.robustness._pool_anything import ANYTHING, PLAIN
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Insane,
    Target,
    require_sane_result,
)
from benchmarks.robustness._target_data import (
    BIPARTITE,
    GRAPHS,
    PARTITIONS,
    PROGRAMS,
    several,
)
from benchmarks.robustness._target_parameters import parameters
from structsvm import problems, solvers


def problem_target(name: str) -> Target:
    """A problem, trained by StructuredSVM with any solver, and examined by choose_solver."""
    cls = getattr(problems, name)
    good, pools = parameters(cls)
    X, Y = cls.example_data()
    kind = X[0] if isinstance(X, list) else X
    ranked = isinstance(kind, tuple)
    good |= {
        "X": lambda: cls.example_data()[0], "Y": lambda: cls.example_data()[1],
        "C": lambda: 1.0, "solver": lambda: "auto",
    }  # fmt: skip
    inputs = {**several(MATRICES, rows), **MATRICES, **ANYTHING}
    if ranked:
        inputs |= {
            f"[({key}, labels)]": lambda make=make: [(make(), labels() > 0)]
            for key, make in MATRICES.items()
        }
    if name == "Assignment":
        inputs |= BIPARTITE
    if name.endswith("Labelling"):
        inputs |= GRAPHS
    if name.endswith("IntegerProgram"):
        inputs |= PROGRAMS
    pools |= {
        "X": inputs, "Y": {**PARTITIONS, "example": lambda: Y}, "C": PLAIN,
        "solver": {**PLAIN, **{s: getattr(solvers, s) for s in solvers.__all__ if s != "Plan"},
                   f"{name}()": cls},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        X, Y, C, solver = (given.pop(key) for key in ("X", "Y", "C", "solver"))
        problem = cls(**given)
        structsvm.choose_solver(problem, X, Y)
        svm = structsvm.StructuredSVM(problem, C=C, solver=solver).fit(X, Y)
        require_sane_result(svm.result_)
        if len(svm.predict(X)) != svm.result_.n_examples:
            raise Insane("another number of predictions than inputs")
        svm.result_.verify(svm.problem_, X, Y)

    return Target(name, good, pools, call)


def problem_names() -> list[str]:
    found = [getattr(problems, name) for name in problems.__all__]
    return [c.__name__ for c in found if isinstance(c, type) and issubclass(c, structsvm.Problem)]


def check_problem_target() -> Target:
    good: dict[str, Make] = {
        "problem": problems.Multiclass, "X": rows, "Y": labels,
        "max_examples": lambda: 3, "random_state": lambda: 0,
    }  # fmt: skip
    pools: dict[str, Pool] = {
        "problem": {**PLAIN, **{p: getattr(problems, p) for p in problem_names()}},
        "X": {**MATRICES, **ANYTHING}, "Y": {**LABELS, **ANYTHING},
        "max_examples": PLAIN, "random_state": PLAIN,
    }  # fmt: skip

    def call(given: Arguments) -> None:
        str(structsvm.check_problem(**given))

    return Target("check_problem", good, pools, call)
