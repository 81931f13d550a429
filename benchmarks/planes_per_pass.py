"""Several planes a pass: what lies between one slack and n.

The examples are divided at random into groups, each with a slack of its own, so that every pass
makes as many planes. That takes fewer passes, and larger quadratic programs. It was tried for
``OneSlackCuttingPlane`` and is not in the library: this script is the evidence.

    python benchmarks/planes_per_pass.py   # letter and OCR need the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from _race import data_sets, single
from _report import one_thread, report

from structsvm import OneSlackCuttingPlane
from structsvm.separation import Cuts, aggregate_cut

GROUPS = (1, 2, 4, 8, 16)
TARGET = 1e-2


class Grouped(OneSlackCuttingPlane):
    """One slack for each of some groups of examples."""

    def __init__(self, rtol: float = 1e-3, n_groups: int = 1) -> None:
        super().__init__(rtol)
        self.n_groups = n_groups

    def _group_sizes(self, n: int) -> Any:
        order = np.random.default_rng(0).permutation(n)
        self._rows = [np.sort(rows) for rows in np.array_split(order, self.n_groups)]
        return np.array([float(len(rows)) for rows in self._rows])

    def _cuts(self, run: Any, query: Any) -> Cuts:
        parts = [aggregate_cut(run.bound.subset(rows), None, query) for rows in self._rows]
        return Cuts(
            labels=run.labels,
            outputs=None,
            slacks=np.concatenate([cuts.slacks for cuts in parts]),
            rows=np.concatenate([cuts.rows for cuts in parts]),
            offsets=np.concatenate([cuts.offsets for cuts in parts]),
            groups=np.arange(self.n_groups),
            sources=[source for cuts in parts for source in cuts.sources],
            any_loss=any(cuts.any_loss for cuts in parts),
        )

    def _is_new(self, run: Any, cuts: Cuts) -> bool:
        violations = cuts.offsets - cuts.rows @ run.w - run.working_set.slacks(run.w)
        return bool(np.any(violations > self._slack_tolerance(run)))


def main() -> None:
    rows = []
    for data in data_sets():
        if data.C > 1 or data.name.startswith("mnist"):
            continue
        for n_groups in GROUPS:
            started = time.process_time()
            solver = Grouped(TARGET, n_groups)
            result = solver.solve(data.kind(), single(data.X), data.y, data.C * data.n)
            rows.append(
                {
                    "data": data.name,
                    "planes a pass": n_groups,
                    "passes": result.iterations,
                    "CPU s": time.process_time() - started,
                    "of which quadratic programs": result.seconds["qp"],
                }
            )
            print(rows[-1], flush=True)
    report("planes_per_pass", {f"One slack for each group, to {TARGET:g}": rows})


if __name__ == "__main__":
    with one_thread():
        main()
