"""Solvers, with one file or folder for each algorithm.

A :class:`Solver` holds the parameters of the method. The solver's Algorithm does the work of one
run. An Algorithm begins from an initial w and a dual solution, and each step makes one pass over
the data. Bounds are immutable, and hold the best w and the best dual solution so far. All solvers
use the modules of ``shared``: ``solver`` (from the arguments to the result), ``program`` (the
objective), ``bounds``, ``run`` (one algorithm after another), ``loop`` (limits, callback, Ctrl-C)
and ``checkpoint``. ``plan`` runs several solvers in turn, ``auto`` chooses the solvers, and
``thresholds`` says when a solver hands over to the next solver.
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
