"""Structural support vector machines for any problem with a separation oracle.

The module :mod:`structsvm.objective` defines the training objective. The methods that a problem
defines are listed in :class:`structsvm.Problem`. The bundled problems and estimators live in
:mod:`structsvm.problems` and can also be imported from here.
"""

import importlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from structsvm import solvers
from structsvm.check import ContractViolation, check_problem
from structsvm.command_line.versions import show_versions
from structsvm.contract.constraints import WeightConstraints
from structsvm.contract.latent import LatentProblem
from structsvm.contract.problem import Problem, ScoreTerms
from structsvm.contract.products import Products
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.contract.soft_oracle import Axes, SoftOutput, SoftSum
from structsvm.data.blocks import Blocks
from structsvm.estimators.latent import LatentSVM
from structsvm.estimators.structured import StructuredSVM
from structsvm.exceptions import (
    ArchiveError,
    InfeasibleConstraintsError,
    ProblemError,
    StructSVMError,
)
from structsvm.other_names import unknown_name
from structsvm.results.callbacks import Callback, PassWriter
from structsvm.results.result import Result
from structsvm.results.status import Guarantee, Iteration, Status
from structsvm.saving import load, save
from structsvm.solvers import *  # noqa: F403
from structsvm.solvers.auto import choose_solver
from structsvm.solvers.shared.checkpoint import Checkpoint
from structsvm.solvers.shared.early_stopping import EarlyStopping
from structsvm.task.task import Task
from structsvm.version import __version__

# In an installation problems/ is inside this folder, and in a clone it is beside this folder. A
# walk over the packages of a clone imports this file again, as structsvm.structsvm, and must not
# find it once more.
_ROOT = Path(__file__).parents[1]
if __name__ == "structsvm" and (_ROOT / "problems" / "saved_names.py").is_file():
    __path__.append(str(_ROOT))  # noqa: F405

# Log records are not shown unless the user configures logging.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "ArchiveError",
    "Axes",
    "Blocks",
    "Callback",
    "Checkpoint",
    "ContractViolation",
    "EarlyStopping",
    "Guarantee",
    "InfeasibleConstraintsError",
    "Iteration",
    "LatentProblem",
    "LatentSVM",
    "PassWriter",
    "Problem",
    "ProblemError",
    "Products",
    "Result",
    "ScoreTerms",
    "SelfLabelledProblem",
    "SoftOutput",
    "SoftSum",
    "Status",
    "StructSVMError",
    "StructuredSVM",
    "Task",
    "WeightConstraints",
    "__version__",
    "check_problem",
    "choose_solver",
    "load",
    "save",
    "show_versions",
]
__all__ += solvers.__all__

if TYPE_CHECKING:
    from structsvm import problems
    from structsvm.problems import *  # noqa: F403

    __all__ += problems.__all__  # type: ignore[attr-defined]  # pyright reads it off the stub
else:

    def __getattr__(name):
        """Import `problems` on first use.

        The error for an unknown name suggests a similar name in structsvm, if there is one.
        """
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        problems = importlib.import_module("structsvm.problems")
        if name in problems.__all__:
            return getattr(problems, name)
        raise unknown_name(__name__, name, dir(problems) + __all__)


def __dir__() -> list[str]:
    return [*globals(), *importlib.import_module("structsvm.problems").__all__]
