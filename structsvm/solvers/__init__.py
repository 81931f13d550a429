"""Solvers: the shared loop is in ``base``, one file per algorithm beside it."""

from structsvm.solvers.cccp import CCCP
from structsvm.solvers.frank_wolfe import BlockCoordinateFrankWolfe
from structsvm.solvers.n_slack import NSlackCuttingPlane
from structsvm.solvers.one_slack import OneSlackCuttingPlane
from structsvm.solvers.smoothed import SmoothedLBFGS
from structsvm.solvers.smoothed_cutting_plane import SmoothedCuttingPlane

__all__ = [
    "CCCP",
    "BlockCoordinateFrankWolfe",
    "NSlackCuttingPlane",
    "OneSlackCuttingPlane",
    "SmoothedCuttingPlane",
    "SmoothedLBFGS",
]
