"""The parameters that estimators share: a new one is a line here, and a docstring of StructuredSVM.

An estimator is a dataclass that inherits them. ``eq`` and ``repr`` remain those of scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structsvm.data.choices import Auto
from structsvm.results.callbacks import Callbacks
from structsvm.solvers.shared.early_stopping import PATIENCE
from structsvm.solvers.shared.solver import Solver


@dataclass(kw_only=True, eq=False, repr=False)
class SolverParameters:
    """Parameters of a run of a solver: see :class:`structsvm.StructuredSVM`."""

    C: float | Auto = 100.0
    solver: Solver | Auto = "auto"
    rtol: float | None = None
    max_iter: int | None = None
    time_limit: float | None = None
    warm_start: bool = False
    callback: Callbacks = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class ExampleParameters(SolverParameters):
    """These and the parameters for several examples: see :class:`structsvm.StructuredSVM`."""

    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = PATIENCE
    random_state: Any = 0
