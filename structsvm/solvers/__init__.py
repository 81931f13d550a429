"""Solvers, a file or folder for each algorithm.

A :class:`Solver` has the parameters; what is at work in a run is its :class:`Algorithm`, which
begins from a point and a dual solution, and makes a pass at each step. The bounds that follow, the
best point and the best dual solution, are values. ``shared`` has what all need: ``solver`` (from
the arguments to the result), ``program`` (the objective), ``bounds``, ``run`` (one algorithm after
another), ``loop`` (limits, callback, Ctrl-C) and ``checkpoint``. ``plan`` lets several follow each
other, ``auto`` chooses them, and ``thresholds`` says when one hands over.
"""

from structsvm.solvers.cached_planes.solver import SmoothedCuttingPlane
from structsvm.solvers.cccp import CCCP
from structsvm.solvers.dual_ascent.solver import DualCoordinateAscent
from structsvm.solvers.frank_wolfe import BlockCoordinateFrankWolfe
from structsvm.solvers.interior_point.solver import DualInteriorPoint
from structsvm.solvers.lbfgs.solver import SmoothedLBFGS
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.plan import Plan
from structsvm.solvers.smoothed_cccp import SmoothedCCCP

__all__ = [
    "CCCP",
    "BlockCoordinateFrankWolfe",
    "DualCoordinateAscent",
    "DualInteriorPoint",
    "NSlackCuttingPlane",
    "OneSlackCuttingPlane",
    "Plan",
    "SmoothedCCCP",
    "SmoothedCuttingPlane",
    "SmoothedLBFGS",
]
