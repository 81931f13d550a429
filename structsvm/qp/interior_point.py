"""The fallback: cvxopt's interior point, with a sparse G (1.5-5x faster than a dense one)."""

import logging

import numpy as np

logger = logging.getLogger(__name__)

#: Iterations of the interior point at most; cvxopt's own default.
MAX_ITERATIONS = 100
#: Absolute gap at which cvxopt stops: negligible, so that the relative gap decides at any scale.
ABSTOL = 1e-15
#: Relative infeasibility that cvxopt may leave; the solution is made feasible afterwards.
FEASTOL = 1e-10


def solve(
    H: np.ndarray, b: np.ndarray, groups: np.ndarray, caps: np.ndarray, tol: float
) -> tuple[np.ndarray, int]:
    """Solve the restricted dual by cvxopt.

    Parameters
    ----------
    H, b, groups, caps, tol
        As for :func:`structsvm.qp.solve_restricted_dual`.

    Returns
    -------
    alpha : ndarray of shape (m,)
        Not necessarily feasible. Zeros, which are feasible, after an arithmetic failure: the
        caller certifies the solution anyway.
    iterations : int

    Raises
    ------
    ImportError
        cvxopt is not installed.
    """
    # Imported here, since most fits never need it: without cvxopt all of structsvm works but this.
    import cvxopt
    import cvxopt.solvers

    capped = np.isfinite(caps)
    # In the variables p = alpha / cap all caps are 1. Hard planes have no cap, so they take the
    # largest one, for entries of P of one size.
    unit = np.where(capped, caps, caps[capped].max(initial=0.0) or 1.0)[groups]
    P = H * unit[:, None] * unit
    q = -b * unit
    # Badly scaled, cvxopt may report wrong answers as optimal.
    size = max(np.abs(P).max(), np.abs(q).max()) or 1.0
    G, h = _constraints(groups, capped)
    # Passed with the call: cvxopt.solvers.options is shared by the whole process.
    options = {
        "show_progress": False,
        "maxiters": MAX_ITERATIONS,
        "abstol": ABSTOL,
        "reltol": 0.1 * tol,
        "feastol": FEASTOL,
    }
    try:
        answer = cvxopt.solvers.qp(
            cvxopt.matrix(P / size),
            cvxopt.matrix(q / size),
            cvxopt.spmatrix(*G),
            cvxopt.matrix(h),
            options=options,
        )
    except (ArithmeticError, ValueError) as error:
        logger.debug("cvxopt failed on a dual of %d planes: %s", len(b), error)
        return np.zeros(len(b)), 0
    return np.array(answer["x"]).ravel() * unit, int(answer["iterations"])


def _constraints(groups: np.ndarray, capped: np.ndarray) -> tuple[tuple, np.ndarray]:
    """``G p <= h``: ``p >= 0`` and one row ``sum of p <= 1`` for each capped group with planes.

    G as the arguments of ``cvxopt.spmatrix``: values, rows, columns and shape.
    """
    m = len(groups)
    member = np.flatnonzero(capped[groups])
    present, row = np.unique(groups[member], return_inverse=True)
    values = np.concatenate([-np.ones(m), np.ones(len(member))])
    rows = np.concatenate([np.arange(m), m + row])
    columns = np.concatenate([np.arange(m), member])
    shape = m + len(present), m
    h = np.concatenate([np.zeros(m), np.ones(len(present))])
    return (values.tolist(), rows.tolist(), columns.tolist(), shape), h
