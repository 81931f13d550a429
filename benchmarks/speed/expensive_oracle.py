"""Calls of an expensive oracle by each solver, to a certified gap of 1e-2 and of 1e-3.

The oracle is that of a chain, on the handwritten words of one fold and on generated sequences. A
call for one example is assumed to cost 10 ms, which is added to the CPU time, not spent. The soft
oracle is not used: these are the solvers for problems without one. *Plain* is the one-slack
algorithm as published, which queries the oracle at the restricted optimum; ours queries it halfway
between that and the best point.

    python -m benchmarks.speed.expensive_oracle    # the words need the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.speed._data import letter_words
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


def data_sets() -> Iterator[tuple[str, Any, Any, float]]:
    """Yield name, X, Y and C, which multiplies the sum of the slacks."""
    rng = np.random.default_rng(0)
    Y = [np.cumsum(rng.integers(2, size=length)) % 5 for length in rng.integers(3, 11, size=300)]
    X = [np.eye(5, 20)[y] + 0.8 * rng.normal(size=(len(y), 20)) for y in Y]
    yield "generated sequences, C=0.1", X, Y, 0.1
    try:
        yield "OCR words, C=0.1", *letter_words(fold=1), 0.1
    except FileNotFoundError as error:
        print(f"OCR words skipped: {error}")


def solvers(target: float) -> Iterator[tuple[str, Any]]:
    limits = {"rtol": target, "max_iter": MOST_PASSES}
    yield "one slack, plain", PlainOneSlack(**limits)
    yield "OneSlackCuttingPlane", OneSlackCuttingPlane(**limits)
    yield "BlockCoordinateFrankWolfe", BlockCoordinateFrankWolfe(**limits)
    if target > 1e-3:
        yield "NSlackCuttingPlane", NSlackCuttingPlane(**limits)
    yield "SmoothedCuttingPlane", SmoothedCuttingPlane(**limits)


def main() -> None:
    rows = []
    for name, X, Y, C in data_sets():
        for target in TARGETS:
            for label, solver in solvers(target):
                started = time.process_time()
                result = solver.solve(Chain(), X, Y, C * len(X))
                seconds = time.process_time() - started
                rows.append(
                    {
                        "data": name,
                        "target": target,
                        "solver": label,
                        "status": result.status.name,
                        "certified": result.gap / result.primal,
                        "passes": result.oracle_calls / len(X),
                        "CPU s": seconds,
                        "with 10 ms a call": seconds + SECONDS_PER_CALL * result.oracle_calls,
                    }
                )
                print(rows[-1], flush=True)
    report("speed/expensive_oracle", {"calls of the oracle, as passes over the data": rows})


if __name__ == "__main__":
    with one_thread():
        main()
