"""Examples, planes and runs as the engine makes them, for tests of its parts."""

import numpy as np

from structsvm.oracle.cuts import find_violated
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import initialize
from structsvm.planes import Source
from structsvm.planes.example_planes import StackedPlanes
from structsvm.solvers.shared.algorithm import Start
from structsvm.solvers.shared.program import Program
from structsvm.solvers.shared.run import Run


def examples_of(problem, X, Y=None, **options):
    initialize(problem, X, Y)
    return Examples(problem, X, Y, **options)


def run_of(solver, problem, X, Y, C=1.0, watch=None):
    """A run before its first pass."""
    return Run(Program(examples_of(problem, X, Y), C), [solver], 0, Start(), watch)


def filled(problem, X, Y, points=4, seed=0):
    """Planes by example of what the oracle finds at some points, and their examples."""
    examples = examples_of(problem, X, Y)
    planes, rng = StackedPlanes(examples.n, examples.size), np.random.default_rng(seed)
    for _ in range(points):
        w = rng.normal(size=examples.size)
        places = np.sort(rng.permutation(examples.n)[: 2 * examples.n // 3 + 1])
        known = planes.example_slacks(w)[places]
        found = find_violated(examples.subset(places), None, w, known + 1e-9)
        new = found.violated
        sources = [Source(places[i], [found.outputs[i]], np.ones(1)) for i in new]
        planes.add(found.rows, found.losses[new], places[new], sources)
    return planes, examples
