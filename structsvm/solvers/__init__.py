"""Solvers, a file for each algorithm.

They share ``base`` (from the arguments to the result), ``run`` (a state, and the phase that makes
its passes), ``loop`` (limits, callback, Ctrl-C), ``checkpoint`` (a run in a file), ``reporting``,
``state`` (the best point, the dual solution, the history), ``consistency`` (checks of an oracle
against its earlier answers), ``cutting_plane`` (the loop over a working set) and ``descent`` with
``lbfgs`` (on smoothed objectives). ``early_stopping`` ends the passes of any by the score of
held-out examples. ``auto`` chooses one.
"""

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
