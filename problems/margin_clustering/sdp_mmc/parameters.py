"""The ranges of the parameters of SDPMMC."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from structsvm.data.validation import (
    require_integer,
    require_number,
    require_option,
)

if TYPE_CHECKING:
    from structsvm.problems.margin_clustering.sdp_mmc.estimator import SDPMMC

#: The kernels that have a name.
KERNELS = ("rbf", "linear", "precomputed")
#: The solvers.
SOLVERS = ("low_rank", "admm")


def check_parameters(sdp: SDPMMC) -> None:
    """Raise a ValueError if a parameter is out of its range."""
    require_integer("n_clusters", sdp.n_clusters, least=1)
    named = isinstance(sdp.kernel, str) and sdp.kernel in KERNELS
    if not named and not callable(sdp.kernel):
        raise ValueError(
            f"kernel must be 'rbf', 'linear', 'precomputed' or a callable; got {sdp.kernel!r}"
        )
    if sdp.n_components is not None:
        require_integer("n_components, if not None,", sdp.n_components, least=1)
    require_option("solver", sdp.solver, SOLVERS)
    if sdp.solver == "admm" and (sdp.n_clusters > 2 or sdp.n_components is not None):
        raise ValueError(
            "solver='admm' is for two clusters and the exact kernel; got "
            f"n_clusters={sdp.n_clusters} and n_components={sdp.n_components}. Use "
            "solver='low_rank'"
        )
    if sdp.gamma is not None:
        require_number("gamma, if not None,", sdp.gamma, "> 0")
    require_number("C", sdp.C, "> 0")
    require_number("balance", sdp.balance, ">= 0")
    most = 1 / math.sqrt(max(1, sdp.n_clusters - 1))
    if sdp.balance >= most:
        raise ValueError(
            f"balance must be less than {most:.3g}, which is 1 / sqrt(n_clusters - 1), "
            "because otherwise a cluster may be empty, and all rows in one cluster have the "
            f"largest margin; got {sdp.balance!r}"
        )
    require_number("offset", sdp.offset, ">= 0")
    require_number("tol", sdp.tol, "> 0")
