"""The table of what each solver requires of a problem, from what it declares."""

import structsvm.solvers
from benchmarks.tables.table import markdown


def text():
    """A row for each solver but the plan, which requires what its solvers do."""
    kinds = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
    return markdown(
        [
            {
                "Solver": f"`{kind.__name__}`",
                "Needs of the problem": kind.requires.described(),
                "Slack rescaling": "yes" if "rescaling" in kind().get_params() else "no",
            }
            for kind in kinds
            if kind is not structsvm.solvers.Plan
        ]
    )
