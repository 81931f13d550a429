"""Integer programs: outputs are 0/1 vectors that satisfy linear constraints.

Look at :class:`IntegerProgramSVM` and :class:`Program` first.
"""

from structsvm.problems.programs.bundle import BundleMethod, BundleResult
from structsvm.problems.programs.estimator import IntegerProgramSVM
from structsvm.problems.programs.partial import PartialIntegerProgram
from structsvm.problems.programs.problem import IntegerProgram
from structsvm.problems.programs.program import Program
from structsvm.problems.programs.soft_margin_loss import HammingCosts, SoftMarginLoss

__all__ = [
    "BundleMethod",
    "BundleResult",
    "HammingCosts",
    "IntegerProgram",
    "IntegerProgramSVM",
    "PartialIntegerProgram",
    "Program",
    "SoftMarginLoss",
]
