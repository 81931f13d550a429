"""An upper bound of the largest eigenvalue of a symmetric matrix, estimated and confirmed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse.linalg import LinearOperator, eigsh

from structsvm.data.arrays import Vector

#: Size up to which the eigenvalue is computed from a dense matrix.
DENSE = 600
#: Size up to which the estimate for a larger matrix can be confirmed, in some seconds.
CONFIRMED = 4000
#: Relative accuracy of Lanczos' method; what it may have missed is added to the eigenvalue.
LANCZOS_RTOL = 1e-4
#: Lanczos vectors that are kept.
LANCZOS = 40
#: Relative increase of the estimate. Half of it is for the rounding of the factorisation.
SHIFT = 1e-5
#: Columns of a dense matrix that are computed at once.
BLOCK = 500

#: A function that multiplies a matrix by the columns of its argument.
Product = Callable[[Vector], Vector]


def estimated(product: Product, n: int) -> float:
    """The largest eigenvalue, or rather too large; beyond 600 rows by Lanczos' method.

    Lanczos' method gives an eigenvalue and a bound of its error. That it is the largest one is not
    proved: the random start may have no part in the direction of a larger one.
    """
    if n <= DENSE:
        return _of_dense(product, n)
    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    # The start is always the same, so that another computation gives the same bound.
    start = np.random.default_rng(0).standard_normal(n)
    values, vectors = eigsh(operator, 1, which="LA", v0=start, ncv=LANCZOS, tol=LANCZOS_RTOL)
    residual = product(vectors) - values * vectors
    return float(values[0] + np.linalg.norm(residual)) * (1 + SHIFT)


def confirmed(product: Product, n: int, estimate: float) -> float:
    """The estimate if no eigenvalue is larger, else the largest one; up to 4000 rows.

    Cholesky's factorisation of the matrix subtracted from the estimate exists only if the
    difference is positive definite (Rump, Verification of Positive Definiteness, BIT 46, 2006).
    For more rows the eigenvalue is only estimated again.
    """
    if not DENSE < n <= CONFIRMED:
        return estimated(product, n)
    difference = _dense(product, n)
    difference *= -1
    difference.flat[:: n + 1] += estimate * (1 - SHIFT / 2)
    try:
        cholesky(difference, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return _of_dense(product, n)
    return estimate


def _of_dense(product: Product, n: int) -> float:
    return float(eigvalsh(_dense(product, n), subset_by_index=[n - 1] * 2)[0])


def _dense(product: Product, n: int) -> Vector:
    matrix = np.empty((n, n), order="F")
    for first in range(0, n, BLOCK):
        columns = np.eye(n, min(BLOCK, n - first), -first)
        matrix[:, first : first + BLOCK] = product(columns)
    return matrix
