"""The fallback: cvxopt's interior point, with a sparse G (1.5-5x faster than a dense one)."""

import logging

import cvxopt
import cvxopt.solvers
import numpy as np

logger = logging.getLogger(__name__)


def solve(
    H: np.ndarray, b: np.ndarray, groups: np.ndarray, caps: np.ndarray, tol: float
) -> tuple[np.ndarray, int]:
    """``(alpha, iterations)`` by cvxopt, in ``p = alpha / cap``; not necessarily feasible.

    An arithmetic failure comes back as zeros, which are feasible: the certificate is the judge.
    """
    capped = np.isfinite(caps)
    unit = np.where(capped, caps, caps[capped].max(initial=0.0) or 1.0)[groups]
    P = H * unit[:, None] * unit
    q = -b * unit
    size = max(np.abs(P).max(), np.abs(q).max()) or 1.0
    G, h = _constraints(groups, capped)
    # Per call: cvxopt.solvers.options is shared by the whole process and stays untouched.
    options = {
        "show_progress": False,
        "maxiters": 100,
        "abstol": 1e-15,  # else cvxopt stops on an absolute gap that means nothing at this scale
        "reltol": 0.1 * tol,
        "feastol": 1e-10,
    }
    try:
        answer = cvxopt.solvers.qp(
            cvxopt.matrix(P / size), cvxopt.matrix(q / size), G, h, options=options
        )
    except (ArithmeticError, ValueError) as error:
        logger.debug("cvxopt failed on a dual of %d planes: %s", len(b), error)
        return np.zeros(len(b)), 0
    return np.array(answer["x"]).ravel() * unit, int(answer["iterations"])


def _constraints(groups: np.ndarray, capped: np.ndarray) -> tuple[cvxopt.spmatrix, cvxopt.matrix]:
    """``p >= 0`` and one row ``sum of p <= 1`` for each capped group that has planes."""
    m = len(groups)
    member = np.flatnonzero(capped[groups])
    present, row = np.unique(groups[member], return_inverse=True)
    values = np.concatenate([-np.ones(m), np.ones(len(member))])
    rows = np.concatenate([np.arange(m), m + row])
    columns = np.concatenate([np.arange(m), member])
    n_rows = m + len(present)
    G = cvxopt.spmatrix(values.tolist(), rows.tolist(), columns.tolist(), (n_rows, m))
    h = cvxopt.matrix(np.concatenate([np.zeros(m), np.ones(len(present))]))
    return G, h
