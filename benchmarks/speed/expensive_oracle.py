"""Calls of an expensive oracle by each solver, to a certified gap of 1e-2 and of 1e-3.

The oracle is the search of a chain, on the handwritten words of one fold. A call for one example is
assumed to cost 10 ms, which is added to the CPU time, not spent. The soft oracle is not used: these
are the solvers for problems without one. *Plain* is the one-slack algorithm as published, which
queries the oracle at the restricted optimum; ours queries it halfway between that and the best
point.

    python -m benchmarks speed/expensive_oracle    # needs ocr_letters in STRUCTSVM_DATA
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from structsvm import (
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
)
from structsvm.problems import Chain
from structsvm.solvers.one_slack import OneSlack

#: Assumed cost of a call for one example.
SECONDS_PER_CALL = 0.01
TARGETS = (1e-2, 1e-3)
#: Limit on passes; the plain one-slack algorithm needs hundreds.
MOST_PASSES = 1000
C = 0.1


class PlainOneSlack(OneSlackCuttingPlane):
    """The published algorithm, which queries the oracle at the restricted optimum.

    Compared with OneSlackCuttingPlane, it shows the gain from the query halfway.
    """

    def begin(self, program: Any, start: Any) -> Any:
        return AtTheOptimum(program, start, self.prune_after)


class AtTheOptimum(OneSlack):
    """One-slack cutting planes that query the oracle at the restricted optimum."""

    def advance(self, query: Any, cuts: Any, bounds: Any) -> Any:
        following = super().advance(query, cuts, bounds)
        return None if following is None else self.planes.solution.w


#: Solvers, and the targets that they are run to.
SOLVERS: dict[str, tuple[Any, tuple[float, ...]]] = {
    "one slack, plain": (PlainOneSlack, TARGETS),
    "OneSlackCuttingPlane": (OneSlackCuttingPlane, TARGETS),
    "BlockCoordinateFrankWolfe": (BlockCoordinateFrankWolfe, TARGETS),
    "NSlackCuttingPlane": (NSlackCuttingPlane, TARGETS[:1]),
    "SmoothedCuttingPlane": (SmoothedCuttingPlane, TARGETS),
}


def trained(data: tuple[Any, Any], kind: Any, targets: tuple[float, ...]) -> list[Row]:
    """A row for each target."""
    n, rows = len(data[0]), []
    for target in targets:
        solver = kind(rtol=target, max_iter=MOST_PASSES)
        seconds, result = cpu_seconds(partial(solver.solve, Chain(), *data, C * n), 1)
        row: Row = {"target": target, "status": result.status.name}
        row |= {"certified": result.gap / result.primal, "passes": result.oracle_calls / n}
        row |= {"with 10 ms a call": seconds + SECONDS_PER_CALL * result.oracle_calls}
        rows.append(row)
    return rows


EXPERIMENTS = (
    Experiment(
        "calls of the oracle, as passes over the data",
        ("data", "solver", "target"),
        {f"OCR words, C={C:g}": partial(letter_words, fold=1)},
        {
            name: partial(trained, kind=kind, targets=targets)
            for name, (kind, targets) in SOLVERS.items()
        },
    ),
)
