r"""The rounding errors of the primal and dual values, from the size of their terms.

A slack is a difference of losses and scores, and a dual value a difference of losses and squared
norms: where the difference is small beside its terms, it consists of rounding errors. Let r be the
mean over the examples of the absolute entries of the joint features, shape (size,), and b the mean
loss. The terms of the mean slack at w then have the size

.. math::

    m(w) = b + \sum_j r_j |w_j|

With a prior :math:`w_0` the b here is the size of the terms of an offset, :math:`b + \sum_j r_j
|w_{0j}|`, and w is relative to the prior.

Scores, joint features and their sums, computed with unit roundoff u, are off by a small multiple of
u m(w). P(w) is then off by the same multiple of C u m(w), and the dual value at v, for dual
variables with sum s, by the same multiple of s u m(v). In the worst case the multiple grows with
the number of terms; errors of random sign grow with its square root (Higham & Mary, SIAM Journal on
Scientific Computing 41, 2019), and libraries add in blocks, so that the square root of the number
of blocks is what matters. :data:`MULTIPLE` covers it: benchmarks/robustness/certificates.py
compares with exact arithmetic.

Entries of joint features and losses count as terms, unless the task knows that these are sums or
differences of larger numbers: ``Task.term_sizes`` returns the sizes of these.

An oracle that may miss the best output by more declares its own ``Problem.roundoff``, which
replaces u in the error of P(w). Dual values are bounds whatever the oracle misses.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.objective import regulariser

#: Errors are taken as this multiple of the unit roundoff, relative to the size of the terms.
MULTIPLE = 16.0
#: Unit roundoff of the engine's own arithmetic.
DOUBLE = float(np.finfo(np.float64).eps) / 2
#: Largest loss of precision with which a soft oracle's expectations are still useful.
LOSSY = 1e4
#: Two computations of a score agree if they differ by less, relative to the terms of the score; far
#: above rounding errors in single precision.
AGREEMENT = 1e-5
#: Amounts that are less than this, relative to what they are compared with, are rounding errors of
#: double precision.
NEGLIGIBLE = 1e-9
#: Largest size of w and its terms: the squares of larger numbers may overflow.
LARGEST = 1e150


class TermSizes(NamedTuple):
    """The sizes of the terms of the slacks.

    Attributes
    ----------
    rows : ndarray of shape (size,)
        Mean over the examples of the absolute entries of joint features.
    loss : float
        The mean loss.
    offset : float
        The size of the terms of the mean offset: the loss, and its product with a prior.
    """

    rows: Vector
    loss: float
    offset: float

    def at(self, w: Vector) -> float:
        """The size of the terms of the mean slack at w."""
        return self.offset + float(self.rows @ np.abs(w))


def unit_roundoff(X: Any) -> float:
    """The relative error of products with X: float32's if X holds float32 or float16.

    A problem computes with inputs of low precision in their precision, or more precisely. The first
    input stands for all: its ``dtype``, or the dtypes of its parts if it is a tuple or list. Inputs
    without a dtype count as float64.
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
        ``Problem.roundoff``: the oracle's output may score less than the best by a multiple of
        this, relative to the terms. Then P(w) is too low; values computed from the output itself
        are right.
    prior : ndarray of shape (size,), optional
        The prior, to which points are relative.

    Attributes
    ----------
    terms : TermSizes
        The largest seen so far.
    """

    def __init__(
        self, C: float, size: int, unit: float, missed: float = 0.0, prior: Vector | None = None
    ) -> None:
        self.C, self.unit, self.missed = C, unit, missed
        self._prior = None if prior is None else np.abs(prior)
        self.terms = TermSizes(np.zeros(size), 0.0, 0.0)

    def observe(self, terms: TermSizes) -> None:
        """Take account of the sizes of terms.

        Raises
        ------
        ValueError
            They are so large that the squares in the objective may overflow.
        """
        rows, loss, offset = self.terms
        rows = np.maximum(rows, terms.rows)
        self.terms = TermSizes(rows, max(loss, terms.loss), max(offset, terms.offset))
        largest = float(rows.max(initial=0.0))
        # The dual variables sum to C, so that C times the joint features may be the length of w.
        if not self.C * largest * math.sqrt(len(rows)) <= LARGEST:
            raise ValueError(
                f"joint features are as large as {largest:.0e}: with C={self.C:g} squares of w may "
                f"overflow. Scale the features, so that they are near 1"
            )

    def of_slack(self, w: Vector) -> float:
        """The error of the mean slack of given outputs at w."""
        return MULTIPLE * self.unit * self.terms.at(w)

    def of_largest_slack(self, w: Vector, terms: TermSizes | None = None) -> float:
        """The error of the mean slack at w, with the outputs that the oracle finds.

        ``terms`` are other terms than those seen so far.
        """
        return MULTIPLE * max(self.unit, self.missed) * (terms or self.terms).at(w)

    def of_primal(self, w: Vector) -> float:
        """The error of P(w)."""
        square = regulariser(w)
        if self._prior is not None:  # it is added to w in the end, which is rounded there
            square += float(self._prior @ np.abs(w))
        of_slack = max(self.unit, self.missed) * self.terms.at(w)
        return MULTIPLE * (self.C * of_slack + DOUBLE * square)

    def least_mu(self, w: Vector) -> float:
        """The lowest temperature at which a soft oracle at w returns more than rounding errors."""
        return max(self.unit, LOSSY * DOUBLE) * self.terms.at(w)

    def curvature(self, mu: float) -> Vector:
        """A rough estimate of the diagonal of the Hessian of the objective smoothed with mu."""
        sharpness = 1.0 / mu
        return 1.0 + self.C * sharpness * self.terms.rows**2

    def of_dual(self, v: Vector, weight: float, constraint_terms: float) -> float:
        """The error of the dual value at v.

        ``weight`` is the sum of the planes' dual variables, each multiplied by the plane's relative
        error (:func:`structsvm.planes.plane.weight_of`), and ``constraint_terms`` the size of the
        constraints' terms.
        """
        first = weight * self.unit * self.terms.at(v) + DOUBLE * constraint_terms
        # Where the planes cancel, their errors may exceed v, and their square counts as well.
        second = regulariser(MULTIPLE * weight * self.unit * self.terms.rows)
        return MULTIPLE * (first + DOUBLE * regulariser(v)) + second
