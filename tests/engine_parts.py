"""Examples and runs as the engine makes them, for tests of its parts."""

from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.run import Run


def examples_of(problem, X, Y=None, **options):
    initialize(problem, X, Y)
    return Examples(problem, X, Y, **options)


def run_of(solver, problem, X, Y, C=1.0, watch=None):
    """A run before its first pass."""
    return Run(Program(examples_of(problem, X, Y), C), [solver], 0, Start(), watch)
