"""What each solver requires of a problem, as it declares it."""

from __future__ import annotations

import structsvm.solvers
from benchmarks.store import Row
from benchmarks.tables.table import Table


def requirements() -> list[Row]:
    """A row for each solver but the plan, which requires what its solvers do."""
    kinds = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
    return [
        {
            "Solver": f"`{kind.__name__}`",
            "Needs of the problem": kind.requires.described(),
            "Slack rescaling": "yes" if "rescaling" in kind().get_params() else "no",
        }
        for kind in kinds
        if kind is not structsvm.solvers.Plan
    ]


TABLES = {"solvers-requirements": Table(requirements)}
