"""One-slack cutting planes with several planes per pass, and with fewer planes kept.

The examples are divided at random into groups, each with its own slack, so that every pass adds one
plane per group. This takes fewer passes, but larger quadratic programs. It was tried for
``OneSlackCuttingPlane`` and is not in the library; this script is the evidence, and also that for
the default of ``prune_after``, the number of idle passes after which a plane is dropped.

    python -m benchmarks.speed.planes_per_pass    # letter and OCR need the folder in STRUCTSVM_DATA
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.speed._data import Data, data_sets, single
from structsvm import OneSlackCuttingPlane
from structsvm.oracle.cuts import one_slack_cut
from structsvm.planes import Cuts
from structsvm.solvers.one_slack import OneSlack

#: Numbers of groups.
GROUPS = (1, 2, 4, 8, 16)
#: Values of ``prune_after``, in passes.
PATIENCE = (5, 10, 20, 50, 100)
#: Relative gap of the fits in groups.
TARGET = 1e-2
#: Relative gap of the fits with fewer planes.
FINE = 1e-3


class Grouped(OneSlackCuttingPlane):
    """One slack for each of ``n_groups`` random groups of examples."""

    slack_per_example = True

    def __init__(self, rtol: float = 1e-3, n_groups: int = 1) -> None:
        super().__init__(rtol)
        self.n_groups = n_groups

    def groups(self, n: int) -> list[Any]:
        """The places of the examples of each group."""
        order = np.random.default_rng(0).permutation(n)
        return [np.sort(places) for places in np.array_split(order, self.n_groups)]

    def group_sizes(self, n: int) -> Any:
        return np.array([float(len(places)) for places in self.groups(n)])

    def begin(self, program: Any, start: Any) -> Any:
        return GroupedPlanes(program, start, self.prune_after, self.groups(program.examples.n))


class GroupedPlanes(OneSlack):
    """A plane for each group in every pass."""

    def __init__(self, program: Any, start: Any, prune_after: int, groups: list[Any]) -> None:
        self.parts = [program.examples.subset(places) for places in groups]
        super().__init__(program, start, prune_after)

    def cut(self, query: Any, outputs: Any = None) -> Cuts:
        parts = [one_slack_cut(examples, None, query) for examples in self.parts]
        return Cuts(
            labels=self.labels,
            outputs=None,
            slacks=np.concatenate([cuts.slacks for cuts in parts]),
            rows=np.concatenate([cuts.rows for cuts in parts]),
            offsets=np.concatenate([cuts.offsets for cuts in parts]),
            groups=np.arange(len(parts)),
            sources=[source for cuts in parts for source in cuts.sources],
            any_loss=any(cuts.any_loss for cuts in parts),
        )

    def is_new(self, cuts: Cuts) -> bool:
        w = self.planes.solution.w
        violations = cuts.offsets - cuts.rows @ w - self.planes.slacks(w)
        return bool(np.any(violations > self.slack_tolerance))


def main() -> None:
    grouped, pruned = [], []
    for data in data_sets():
        if data.name.startswith("mnist"):
            continue
        if data.C <= 1:
            grouped += in_groups(data)
        pruned += with_fewer_planes(data)
    report(
        "speed/planes_per_pass",
        {
            f"One slack for each group, to {TARGET:g}": grouped,
            f"Planes dropped after idle passes, to {FINE:g}": pruned,
        },
    )


def in_groups(data: Data) -> list[dict[str, Any]]:
    """A fit for every number of groups."""
    rows = []
    for n_groups in GROUPS:
        row = trained(Grouped(TARGET, n_groups), data)
        rows.append({"data": data.name, "planes a pass": n_groups} | row)
        print(rows[-1], flush=True)
    return rows


def with_fewer_planes(data: Data) -> list[dict[str, Any]]:
    """A fit for every value of ``prune_after``."""
    rows = []
    for prune_after in PATIENCE:
        row = trained(OneSlackCuttingPlane(FINE, prune_after=prune_after), data)
        rows.append({"data": data.name, "dropped after": prune_after} | row)
        print(rows[-1], flush=True)
    return rows


def trained(solver: Any, data: Data) -> dict[str, Any]:
    """Passes, planes and CPU time of a fit."""
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
