"""The report of a run: what is logged, what is warned of, and which features to scale."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from structsvm.exceptions import warn_user
from structsvm.objective.rounding import DOUBLE
from structsvm.results.result import Result
from structsvm.results.status import Status
from structsvm.solvers.shared.record import Record

logger = logging.getLogger(__name__)

#: The size from which joint features are worth scaling, where rounding errors ended the run,
LARGE = 10.0
#: or where anything else did.
HUGE = 1e4


def report(result: Result, solver: str, reason: str) -> None:
    """Log the result, and warn of a w that means nothing."""
    if logger.isEnabledFor(logging.INFO):
        fields: dict[str, Any] = {"solver": solver, "reason": reason}
        fields.update(status=result.status.name, seconds=result.seconds["total"])
        numbers = ("primal", "dual", "gap", "tolerance", "iterations", "oracle_calls")
        fields.update({name: getattr(result, name) for name in numbers})
        logger.info("%s", result, extra={"structsvm": fields})
    forced = result.multipliers.any()  # constraints may require w = 0
    if result.status is not Status.CONVERGED or forced:
        return
    if result.w_prior is not None:
        if np.array_equal(result.w, result.w_prior):
            warn_user(
                "training ended at w_prior, which is within the tolerance of the optimum: it may "
                f"fit the examples already, or C={result.C:g} may be too small for the scale of "
                "the features or of w_prior"
            )
    elif not result.w.any():
        warn_user(
            "training ended at w = 0, which is within the tolerance of the optimum: "
            f"C={result.C:g} may be too small for the scale of the features, an offset that they "
            "have in common may hide their differences (subtract the mean), or the joint feature "
            "may not depend on y"
        )


def scaling_advice(record: Record, status: Status) -> str:
    """The features that kept a run from its optimum, and how to scale them."""
    if status in (Status.NUMERICAL, Status.QP_FAILED):
        terms, prior = record.rounding.terms, record.examples.prior
        if prior is not None and terms.offset - terms.loss > HUGE * max(terms.loss, 1.0):
            return (
                f"; weights of w_prior are as large as {np.abs(prior).max():.0e}, and their scores "
                "hide the losses: scale w_prior, or leave it out"
            )
        advice = _largest_features(record, LARGE)
        if not advice and record.rounding.unit > DOUBLE:
            return "; in double precision, as X.astype(float), the errors would be smaller"
        return advice or "; features are not large, so a lower C would do"
    unfinished = status in (Status.STALLED, Status.MAX_ITER, Status.TIME_LIMIT)
    advice = _largest_features(record, HUGE) if unfinished else ""
    if status is not Status.CONVERGED and not record.examples.first.at(record.found.w).any():
        advice += "; it is w = 0, at which all outputs score the same: too few passes were made"
    return advice


def _largest_features(record: Record, least: float) -> str:
    """The largest joint features and their factor, in words; '' if they are not that large."""
    rows = record.rounding.terms.rows
    j = int(np.argmax(rows))
    if not rows[j] >= least:
        return ""
    factor = 10.0 ** -round(math.log10(rows[j]))
    return (
        f" (joint features are of size {rows[j]:.0e} at index {j} of w: centre them, or scale "
        f"them; a factor of {factor:.0e} would bring them near 1)"
    )
