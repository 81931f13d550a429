"""What each solver requires of a problem, as it declares it."""

from __future__ import annotations

import structsvm.solvers
from benchmarks.store import Row
from benchmarks.tables.table import Table

YES_NO = {True: "yes", False: "no"}


def requirements() -> list[Row]:
    """A row for each solver but the plan, which requires what its solvers do."""
    kinds = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
    return [
        {
            "": f"`{kind.__name__}`",
            "needs": kind.requires.described(),
            "constraints": YES_NO[not kind.requires.unconstrained],
            "slack rescaling": YES_NO["rescaling" in kind().get_params()],
            "undergenerating oracle": YES_NO[not kind.requires.exact],
        }
        for kind in kinds
        if kind is not structsvm.solvers.Plan
    ]


TABLES = {"solvers-requirements": Table(requirements)}
