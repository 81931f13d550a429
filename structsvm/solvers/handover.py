"""The handover of planes of single examples to one slack, where their dual no longer rises."""

from __future__ import annotations

import logging

import numpy as np
from scipy import sparse

from structsvm.planes.example_planes import ExamplePlanes
from structsvm.planes.plane import Source
from structsvm.planes.working_set import WorkingSet
from structsvm.results.status import Status
from structsvm.solvers.base import Solver
from structsvm.solvers.cutting_plane import CuttingPlanes
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.state import ExampleState

logger = logging.getLogger(__name__)

#: Number of one-slack planes that the dual solution is handed over as.
SEEDS = 16


def to_one_slack(solver: Solver, state: ExampleState) -> CuttingPlanes | Status:
    """Put planes of one slack, which nearly make the dual solution, in place of the state's.

    Returns the cutting planes that go on from the best point; STALLED where double precision is
    still to be tried.
    """
    if state.examples.may_double:
        return Status.STALLED
    assert isinstance(state.planes, ExamplePlanes) and state.best is not None
    logger.debug("%s stalled at a gap of %.3g; one slack goes on", solver, state.best.gap)
    state.planes = _working_set(state, state.planes)
    state.solve_restricted()
    return CuttingPlanes(OneSlackCuttingPlane(solver.rtol, solver.atol), state.best.w)


def _working_set(state: ExampleState, own: ExamplePlanes) -> WorkingSet:
    n, chosen, found = state.examples.n, own.labellings(SEEDS), own.outputs
    sources = []
    for places in chosen:
        weights, outputs = np.zeros(n), [state.labels[i] for i in range(n)]
        weights[own.examples[places]] = 1 / n
        for j in np.flatnonzero(places):
            outputs[own.examples[j]] = found[j]
        sources.append(Source(None, outputs, weights))
    rows, offsets = own.matrix(state.examples.size)
    means = sparse.csr_matrix(chosen / n)
    mean_rows = means @ rows
    planes = WorkingSet(state.caps, state.constraints)
    planes.add(
        mean_rows.toarray() if sparse.issparse(mean_rows) else mean_rows,
        means @ offsets,
        np.zeros(SEEDS, dtype=np.intp),
        sources,
    )
    planes.spread()
    return planes
