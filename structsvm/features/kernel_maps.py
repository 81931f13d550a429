"""Coordinates whose inner products are a kernel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import ClassNamePrefixFeaturesOutMixin
from structsvm.data.arrays import Indices, Self, Vector
from structsvm.data.validation import checked_random_state, require_integer, require_number
from structsvm.features.kernels import CONSTANT, Kernel, require_definite, require_symmetric
from structsvm.features.row_map import RowMap

#: The names of the kernels.
NAMES = ("rbf", "poly", "precomputed")
#: Largest degree of 'poly'. With a larger degree almost all powers are 0 or infinite.
MOST_DEGREE = 1000
#: Largest number of rows that are all landmarks by default.
EXACT_ROWS = 4000
#: Default number of landmarks for more rows.
LANDMARKS = 1000
#: Smallest pivot of the Cholesky factor, as a fraction of the largest.
PIVOT_RTOL = 1e-10

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class KernelMap(ClassNamePrefixFeaturesOutMixin, RowMap):
    """Coordinates whose inner products are the kernel, with one training row as the origin.

    Let K be the kernel matrix of the landmarks, which are some or all of the training rows. In the
    pivoted Cholesky factorisation K = L L', each landmark's coordinates are a row of L. The
    coordinates of all other rows are computed from their kernel values with the pivots. The kernel
    is not approximated if every training row is a landmark. After centring, the exact coordinates
    equal the coordinates of kernel PCA up to a rotation, at a fraction of the time. If only some of
    the training rows are landmarks, KernelMap is the Nystroem method.

    One landmark o becomes the origin: the kernel k(x, y) is replaced by k(x, y) - k(x, o) - k(o, y)
    + k(o, o). Moving the origin preserves distances and centred coordinates, and avoids a loss of
    significant digits if the kernel is nearly constant.

    Parameters
    ----------
    kernel : {'rbf', 'poly', 'precomputed'} or callable
        A callable takes two rows as arguments and returns a number. The callable is called about
        n^2 / 2 times. With 'precomputed', X holds the kernel between its rows and the training
        rows.
    gamma : float, default=1.0
        The parameter gamma of 'rbf', exp(-gamma d^2) for rows at distance d, and of 'poly', (gamma
        <x, y> + 1)^degree.
    degree : int, default=3
        Degree of 'poly'.
    n_components : int, optional
        Maximum number of coordinates. To obtain n coordinates, n + 1 training rows are drawn as
        landmarks, and one landmark becomes the origin. By default, every row is a landmark if there
        are at most 4000 rows or if the matrix is precomputed. For more than 4000 rows, the default
        is 1000 coordinates.
    random_state : int, RandomState instance or None, default=None
        The seed for drawing landmarks if only some of the rows are landmarks.

    Attributes
    ----------
    pivots_ : ndarray of shape (r,)
        Indices of the training rows that define the coordinates.
    factor_ : ndarray of shape (r, r)
        The lower triangular Cholesky factor of the kernel matrix of the training rows ``pivots_``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        The names of the columns of X, if X is a DataFrame.

    Notes
    -----
    With n rows, m landmarks and r coordinates, memory is at most m^2 + n r numbers, and time is at
    most proportional to n m r + m^3 / 3.

    References
    ----------
    Williams & Seeger, Using the Nystroem Method to Speed Up Kernel Machines, NIPS 2000;
    Fine & Scheinberg, Efficient SVM Training Using Low-Rank Kernel Representations, JMLR 2001;
    Schoelkopf, Smola & Mueller, Nonlinear Component Analysis as a Kernel Eigenvalue Problem, 1998.
    """

    kernel: Literal["rbf", "poly", "precomputed"] | Callable[..., Any] = "rbf"
    gamma: float = 1.0
    degree: int = 3
    n_components: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks and factorise their kernel matrix.

        Raises
        ------
        ValueError
            If the kernel is constant, indefinite or not finite, or if a precomputed kernel is not
            square or not symmetric.
        """
        require_kernel(self.kernel, NAMES, self.gamma, self.degree, self.n_components)
        X, given = self._validated(X, reset=True), self._takes_kernels
        if given:
            require_symmetric(X)
        landmarks = self._landmarks(X.shape[0])
        K = X[np.ix_(landmarks, landmarks)] if given else self._kernel.matrix(X[landmarks])
        require_definite(K, self.kernel)
        base = K[0].copy()
        self.factor_, kept = _pivoted_cholesky(_moved_to_first(K))
        self.pivots_ = landmarks[kept]
        # This is k(o, p) - k(o, o) for the pivots p, which transform subtracts from every row.
        self._base = base[kept] - base[0]
        self._columns = np.append(self.pivots_, landmarks[0])
        self._rows = None if given else X[self._columns]
        return self

    def transform(self, X: Any) -> Vector:
        """Return the coordinates of the rows of X.

        With 'precomputed', X holds the kernel between the rows and the training rows.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        K = X[:, self._columns] if self._takes_kernels else self._kernel.matrix(X, self._rows)
        K = K[:, :-1] - K[:, -1:] - self._base
        return np.asarray(solve_triangular(self.factor_, K.T, lower=True, overwrite_b=True).T)

    @property
    def _n_features_out(self) -> int:
        return len(self.pivots_)

    @property
    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma, self.degree)

    @property
    def _takes_kernels(self) -> bool:
        return self._kernel.is_precomputed

    def _validated(self, X: Any, reset: bool, **options: Any) -> Any:
        form = False if self._takes_kernels else "csr"
        return super()._validated(X, reset, accept_sparse=form, dtype=np.float64)

    def _landmarks(self, n: int) -> Indices:
        """Return the indices of the landmarks among n rows, in rising order."""
        m = self.n_components
        if m is None and n > EXACT_ROWS and not self._takes_kernels:
            m = LANDMARKS
            logger.info(
                f"{n} rows are more than {EXACT_ROWS}: the kernel is approximated from {m} "
                "landmarks; set n_components for another number"
            )
        if m is None or m + 1 >= n:
            return np.arange(n)
        return np.sort(checked_random_state(self.random_state).choice(n, m + 1, replace=False))


def require_kernel(
    kernel: Any, names: tuple[str, ...], gamma: Any, degree: Any, n_components: Any
) -> None:
    """Raise a ValueError if a kernel's parameter is out of range."""
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in names):
        raise ValueError(f"kernel must be one of {names} or a callable; got {kernel!r:.80}")
    require_number("gamma, if not 'scale',", gamma, "> 0")
    require_integer("degree", degree, 1, MOST_DEGREE)
    if n_components is not None:
        require_integer("n_components, if not None,", n_components, 1)


def _moved_to_first(K: Vector) -> Vector:
    """Move the origin of the kernel matrix K to the first landmark, in place, and return K.

    The first diagonal entry of K becomes 0, so the first row is never chosen as a pivot.
    """
    rounding = np.finfo(np.float64).eps * len(K) * np.abs(K).max()
    first = K[0].copy()
    K -= first
    K -= (first - first[0])[:, None]
    if np.abs(K).max() <= rounding:
        raise ValueError(CONSTANT)
    return K


def _pivoted_cholesky(K: Vector) -> tuple[Vector, Indices]:
    """Return the Cholesky factor of the matrix K, and the indices of the pivots.

    K is overwritten.
    """
    tol = PIVOT_RTOL * K.diagonal().max()
    factor, order, rank, _ = dpstrf(K, tol=tol, lower=1, overwrite_a=1)
    # Indices of LAPACK start at 1.
    return np.tril(factor[:rank, :rank]), order[:rank].astype(np.intp) - 1
