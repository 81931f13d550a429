"""The check of a soft oracle at the first points of a descent: values against expectations."""

from __future__ import annotations

import math

from structsvm.contract.problem import Problem
from structsvm.exceptions import ProblemError
from structsvm.objective import regulariser
from structsvm.objective.rounding import AGREEMENT, LOSSY, Rounding
from structsvm.oracle.advice import advice
from structsvm.solvers.lbfgs.descent import Point
from structsvm.solvers.shared.consistency import RUN

#: The advice to the author of the problem.
SIGN = f"Is their sign that of joint_feature(x, y) - joint_feature(x, y_hat)? {RUN}"


def require_tangents(problem: Problem, rounding: Rounding, here: Point, there: Point) -> None:
    """Raise a ProblemError where a soft oracle's values and expectations cannot both be right.

    The soft slacks are convex in w, and the expected joint-feature differences are minus their
    gradient. So from one point to another they rise at least as much as the gradient at the
    first says, and at most as much as at the second. Both points must share the same mu.
    """
    way = there.w - here.w
    rise = (there.value - regulariser(there.w)) - (here.value - regulariser(here.w))
    least, most = -float(here.v @ way), -float(there.v @ way)
    magnitude = max(rounding.terms.at(here.w), rounding.terms.at(there.w))
    error = sum(
        rounding.of_primal(point.w) * point.distribution.sources[0].error(rounding)
        for point in (here, there)
    )
    # Sums of many terms in single precision may be less precise than this error.
    error += LOSSY * rounding.unit * max(abs(rise), abs(least), abs(most))
    excess = max(least - rise, rise - most)  # infinite or NaN after a step that is far too long
    if AGREEMENT * rounding.C * magnitude + error < excess < math.inf:
        raise ProblemError(
            f"the soft oracle of {type(problem).__name__} contradicts itself: between two points "
            f"w the sum of its values, times C / n, changes by {rise:.6g}, where its expected "
            f"joint-feature differences allow {least:.6g} to {most:.6g}. {advice(problem, SIGN)}"
        )
