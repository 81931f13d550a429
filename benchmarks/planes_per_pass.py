"""Several planes a pass, and fewer planes kept: what one slack gains by either.

The examples are divided at random into groups, each with a slack of its own, so that every pass
makes as many planes. That takes fewer passes, and larger quadratic programs. It was tried for
``OneSlackCuttingPlane`` and is not in the library: this script is the evidence. So it is for its
default of ``prune_after``, the idle passes after which a plane is dropped.

    python benchmarks/planes_per_pass.py   # letter and OCR need the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from _race import Data, data_sets, single
from _report import one_thread, report

from structsvm import OneSlackCuttingPlane
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes import Cuts

GROUPS, PATIENCE = (1, 2, 4, 8, 16), (5, 10, 20, 50, 100)
TARGET, FINE = 1e-2, 1e-3


class Grouped(OneSlackCuttingPlane):
    """One slack for each of some groups of examples."""

    def __init__(self, rtol: float = 1e-3, n_groups: int = 1) -> None:
        super().__init__(rtol)
        self.n_groups = n_groups

    def _group_sizes(self, n: int) -> Any:
        order = np.random.default_rng(0).permutation(n)
        self._rows = [np.sort(rows) for rows in np.array_split(order, self.n_groups)]
        return np.array([float(len(rows)) for rows in self._rows])

    def _cuts(self, state: Any, query: Any, outputs: Any = None) -> Cuts:
        parts = [one_slack_cut(state.examples.subset(rows), None, query) for rows in self._rows]
        return Cuts(
            labels=state.labels,
            outputs=None,
            slacks=np.concatenate([cuts.slacks for cuts in parts]),
            rows=np.concatenate([cuts.rows for cuts in parts]),
            offsets=np.concatenate([cuts.offsets for cuts in parts]),
            groups=np.arange(self.n_groups),
            sources=[source for cuts in parts for source in cuts.sources],
            any_loss=any(cuts.any_loss for cuts in parts),
        )

    def _is_new(self, state: Any, cuts: Cuts) -> bool:
        planes = state.working_set
        w = planes.solution.w
        violations = cuts.offsets - cuts.rows @ w - planes.slacks(w)
        return bool(np.any(violations > self._slack_tolerance(state)))


def main() -> None:
    grouped, pruned = [], []
    for data in data_sets():
        if data.name.startswith("mnist"):
            continue
        if data.C <= 1:
            grouped += in_groups(data)
        pruned += with_fewer_planes(data)
    report(
        "planes_per_pass",
        {
            f"One slack for each group, to {TARGET:g}": grouped,
            f"Planes dropped after so many idle passes, to {FINE:g}": pruned,
        },
    )


def in_groups(data: Data) -> list[dict[str, Any]]:
    """A training for every number of groups."""
    rows = []
    for n_groups in GROUPS:
        row = trained(Grouped(TARGET, n_groups), data)
        rows.append({"data": data.name, "planes a pass": n_groups} | row)
        print(rows[-1], flush=True)
    return rows


def with_fewer_planes(data: Data) -> list[dict[str, Any]]:
    """A training for every patience with idle planes."""
    rows = []
    for prune_after in PATIENCE:
        row = trained(OneSlackCuttingPlane(FINE, prune_after=prune_after), data)
        rows.append({"data": data.name, "dropped after": prune_after} | row)
        print(rows[-1], flush=True)
    return rows


def trained(solver: Any, data: Data) -> dict[str, Any]:
    """What a training took."""
    started = time.process_time()
    result = solver.solve(data.kind(), single(data.X), data.y, data.C * data.n)
    return {
        "passes": result.iterations,
        "planes at the end": result.history[-1].n_planes,
        "CPU s": time.process_time() - started,
        "of which quadratic programs": result.seconds["qp"],
    }


if __name__ == "__main__":
    with one_thread():
        main()
