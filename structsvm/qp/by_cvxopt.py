"""The restricted dual solved by cvxopt, an independent solver without code of structsvm."""

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.qp.certificate import QPSolution, certify, clip_to_feasible

#: The tolerances of cvxopt; the certificate measures the accuracy that is reached.
OPTIONS = {"show_progress": False, "abstol": 1e-15, "reltol": 1e-10, "feastol": 1e-10}


def solve_by_cvxopt(H: Vector, b: Vector, groups: Indices, caps: Vector) -> QPSolution:
    """Solve the restricted dual from scratch, as :func:`structsvm.qp.solve_restricted_dual` does.

    The status of cvxopt is ignored. The answer of cvxopt is made feasible and certified by the gap.

    Parameters
    ----------
    H, b, groups, caps
        The program, as in :func:`structsvm.qp.solve_restricted_dual`.

    Returns
    -------
    QPSolution

    Raises
    ------
    ImportError
        cvxopt is not installed.
    """
    try:
        from cvxopt import matrix, solvers  # optional, and GPL-3
    except ImportError:
        raise ImportError(
            "qp='cvxopt' needs cvxopt, whose licence is the GPL-3: "
            "pip install 'structured-svm[cvxopt]'"
        ) from None
    capped = np.isfinite(caps)
    # In the variables alpha / cap all caps are 1; hard planes use the largest cap.
    unit = np.where(capped, caps, caps[capped].max(initial=0.0) or 1.0)[groups]
    P, q = H * unit[:, None] * unit, -b * unit
    size = max(np.abs(P).max(), np.abs(q).max()) or 1.0
    below = np.eye(len(caps))[:, groups][capped]
    G, h = np.vstack([-np.eye(len(b)), below]), np.append(np.zeros(len(b)), np.ones(len(below)))
    answer = solvers.qp(*map(matrix, (P / size, q / size, G, h)), options=OPTIONS)
    alpha = clip_to_feasible(np.array(answer["x"]).ravel() * unit, groups, caps)
    found = certify(H, b, groups, caps, alpha)
    return found._replace(backend="cvxopt", iterations=answer["iterations"])
