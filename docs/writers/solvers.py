"""What each solver requires of a problem, from what it declares."""

import structsvm.solvers

from .table import two_columns


def text():
    """A row for each solver but the plan, which requires what its solvers do."""
    kinds = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
    rows = [(f"`{k.__name__}`", needs(k)) for k in kinds if k is not structsvm.solvers.Plan]
    return two_columns("Solver", "Needs of the problem", rows)


def needs(kind):
    slack = "; also has slack rescaling" if "rescaling" in kind().get_params() else ""
    return kind.requires.described() + slack
