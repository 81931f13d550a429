r"""The rounding errors of primal and dual values, estimated from the sizes of the terms.

A slack is a difference of losses and scores, and a dual value is a difference of losses and squared
norms. A difference much smaller than its terms consists mostly of rounding errors. Let r, of shape
(size,), be the mean of the absolute joint features over the examples, and let b be the mean loss.
The terms of the mean slack at w have the size m(w):

.. math::

    m(w) = b + \sum_j r_j |w_j|

If a prior is subtracted from the weights, the terms of the mean slack also include the products of
the prior with joint features.

The rounding error of the mean slack is a small multiple of the unit roundoff times the size of the
slack's terms. The rounding error of P(w) is about C times the error of the mean slack. The rounding
error of the dual value is about the rounding error of the mean slack, multiplied by the sum of the
dual variables. In the worst case, the rounding error of a sum is proportional to the number of
terms. Errors of random sign grow only with the square root of the number of terms (Higham & Mary,
SIAM Journal on Scientific Computing 41, 2019). Libraries sum numbers in blocks, and the error
therefore grows with the square root of the number of blocks. Every error estimate has the factor
:data:`MULTIPLE`, which allows for the growth of rounding errors in long sums. The benchmark
benchmarks/robustness/certificates.py compares the estimates with exact arithmetic.

The terms of a slack are losses, and entries of joint features multiplied by weights. If losses or
entries of joint features are sums or differences of larger numbers, ``Task.term_sizes`` returns the
sizes of the larger numbers.

If an oracle may miss the best output by more than a rounding error, the problem declares
``Problem.roundoff``. The error of the objective P(w) is estimated from the larger of
``Problem.roundoff`` and the unit roundoff. Dual values remain lower bounds even if the oracle
misses better outputs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import regulariser

#: Assumed error, as a multiple of the unit roundoff, relative to the size of the terms.
MULTIPLE = 16.0
#: Unit roundoff of the engine's own arithmetic.
DOUBLE = float(np.finfo(np.float64).eps) / 2
#: Largest loss of precision at which the expectations of a soft oracle are still useful.
LOSSY = 1e4
#: Two computations of a score agree if they differ by less, relative to the terms of the score.
#: This is far above rounding errors in single precision.
AGREEMENT = 1e-5
#: Relative amount below which numbers count as rounding errors of double precision.
NEGLIGIBLE = 1e-9
#: Largest norm of w and of its terms: the squares of larger numbers may overflow.
LARGEST = 1e150


class TermSizes(NamedTuple):
    """The sizes of the terms of a slack: absolute losses, and absolute joint features.

    Attributes
    ----------
    rows : ndarray of shape (size,)
        The mean of the absolute joint features over the examples.
    loss : float
        The mean loss.
    offset : float
        The mean loss. If there is a prior, the scalar product of the absolute prior with ``rows``
        is added.
    """

    rows: Vector
    loss: float
    offset: float

    def at(self, w: Vector) -> float:
        """Return the size of the terms of the mean slack at w."""
        return self.offset + float(self.rows @ np.abs(w))


def unit_roundoff(X: Any) -> float:
    """Return the relative rounding error of products with X, larger for float32 and float16.

    If inputs have a low precision, a problem computes in the precision of the inputs or in a higher
    precision. Only the dtype of the first input is used. If the first input is a tuple or list, the
    lowest precision of its parts is used. Inputs without a dtype count as float64.
    """
    dtype = getattr(X, "dtype", None)
    first = X if isinstance(dtype, np.dtype) and dtype.kind != "O" else X[0]
    unit = DOUBLE
    for part in first if isinstance(first, (tuple, list)) else [first]:
        dtype = getattr(part, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            products = np.promote_types(dtype, np.float32)  # float16 is converted before
            unit = max(unit, float(np.finfo(products).eps) / 2)
    return unit


class Rounding:
    """The rounding errors of a run's primal and dual values.

    Parameters
    ----------
    C : float
    size : int
        Length of w.
    unit : float
        Unit roundoff of the problem's arithmetic.
    missed : float, default=0.0
        The value of ``Problem.roundoff``. The oracle's output may score less than the best output,
        by a multiple of ``roundoff`` times the size of the losses and scores. The computed P(w) is
        too low if the oracle misses the best output. Values computed from the oracle's output, such
        as its loss, are correct even if the oracle misses the best output.
    prior : ndarray of shape (size,), optional
        The prior. All vectors w are relative to the prior.

    Attributes
    ----------
    terms : TermSizes
        For each attribute of a TermSizes, the largest values that were observed in the run.
    """

    def __init__(
        self, C: float, size: int, unit: float, missed: float = 0.0, prior: Vector | None = None
    ) -> None:
        self.C, self.unit, self.missed = C, unit, missed
        self._prior = None if prior is None else np.abs(prior)
        self.terms = TermSizes(np.zeros(size), 0.0, 0.0)

    def observe(self, terms: TermSizes) -> None:
        """Update the largest losses and joint features that were observed in the run.

        Raises
        ------
        ValueError
            If the terms are so large that squares in the objective may overflow.
        """
        rows, loss, offset = self.terms
        rows = np.maximum(rows, terms.rows)
        self.terms = TermSizes(rows, max(loss, terms.loss), max(offset, terms.offset))
        largest = float(rows.max(initial=0.0))
        # The dual variables sum to C, so w may be as long as C times the joint features.
        if not self.C * largest * math.sqrt(len(rows)) <= LARGEST:
            raise ValueError(
                f"joint features are as large as {largest:.0e}: with C={self.C:g} squares of w may "
                f"overflow. Scale the features, so that they are near 1"
            )

    def of_slack(self, w: Vector) -> float:
        """Return the error of the mean slack at w for given outputs, which may not be the best."""
        return MULTIPLE * self.unit * self.terms.at(w)

    def of_largest_slack(self, w: Vector, terms: TermSizes | None = None) -> float:
        """Return the error of the mean slack at w for the oracle's outputs.

        If ``terms`` is None, the error is computed from the largest losses and joint features that
        were observed in the run.
        """
        return MULTIPLE * max(self.unit, self.missed) * (terms or self.terms).at(w)

    def of_primal(self, w: Vector) -> float:
        """Return the error of P(w)."""
        square = regulariser(w)
        if self._prior is not None:  # adding it to w in the end causes a rounding error
            square += float(self._prior @ np.abs(w))
        of_slack = max(self.unit, self.missed) * self.terms.at(w)
        return MULTIPLE * (self.C * of_slack + DOUBLE * square)

    def least_mu(self, w: Vector) -> float:
        """Return the lowest temperature at which smoothing changes slacks by more than rounding."""
        return max(self.unit, LOSSY * DOUBLE) * self.terms.at(w)

    def curvature(self, mu: float) -> Vector:
        """Return a rough estimate of the Hessian's diagonal for the objective smoothed with mu."""
        sharpness = 1.0 / mu
        return 1.0 + self.C * sharpness * self.terms.rows**2

    def of_dual(self, v: Vector, weight: float, constraint_terms: float) -> float:
        """Return the error of the dual value, given the weighted sum ``v`` of the planes' rows.

        ``weight`` is the return value of :func:`structsvm.planes.plane.weight_of` for the planes.
        ``constraint_terms`` is the sum of the absolute terms of the constraints in the dual value.
        """
        first = weight * self.unit * self.terms.at(v) + DOUBLE * constraint_terms
        # If the planes cancel, their errors may exceed v, and the square of the errors counts as
        # well.
        second = regulariser(MULTIPLE * weight * self.unit * self.terms.rows)
        return MULTIPLE * (first + DOUBLE * regulariser(v)) + second
