"""Ranges and checks of the parameters of BayesianMMC."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.conversion import require_real
from structsvm.data.matrices import (
    checked_numbers,
    in_floats,
    largest_entry,
    require_powers,
)
from structsvm.data.sparse_indices import require_indices
from structsvm.data.validation import (
    MOST_STARTS,
    require_flag,
    require_integer,
    require_number,
    require_option,
)
from structsvm.solvers.shared.loop import Limits

#: Range of C. Below it the hinges are lost in the rounding errors of the prior, and above it the
#: prior in those of the hinges.
C_RANGE = (1e-6, 1e6)
#: Largest C with a Universum, whose likelihood contains cosh(C)^2.
MOST_C = 300.0
#: Largest variance of the constant: beyond it, rounding errors hide the covariance of f.
MOST_OFFSET = 1e6
#: Range of the length scale, whose square must be a float.
LENGTHS = (1e-150, 1e150)
#: Names of kernels.
KERNELS = ("diffusion", "rbf", "graph", "precomputed")
#: Names of Universa that are generated from the rows.
UNIVERSA = ("mean", "marginal")


def require_parameters(model: Any) -> None:
    """Raise a ValueError or TypeError that names the first unusable parameter of a BayesianMMC."""
    kernel = model.kernel
    if not callable(kernel) and not is_kernel(kernel, *KERNELS):
        raise ValueError(f"kernel must be one of {KERNELS} or a callable; got {kernel!r}")
    if model.length_scale is not None:
        _require_between("length_scale, if not None,", model.length_scale, *LENGTHS)
        if not is_kernel(kernel, "rbf", "diffusion"):
            raise ValueError(
                f"length_scale is a parameter of kernel='rbf' and 'diffusion'; kernel={kernel!r} "
                "has none: leave it None"
            )
    if model.universum is None:
        _require_between("C", model.C, *C_RANGE)
    else:
        _require_between("C, with a Universum,", model.C, C_RANGE[0], MOST_C)
    require_number("gamma, the probability of the second cluster,", model.gamma, "> 0 and < 1")
    _require_between("offset, a variance where that of f is 1,", model.offset, 0.0, MOST_OFFSET)
    require_integer("n_init", model.n_init, 1, MOST_STARTS)
    require_flag("calibrate", model.calibrate)
    require_number("tol", model.tol, "> 0")
    Limits(model.max_iter, model.time_limit, verbose=model.verbose).check()


def require_clusters(model: Any) -> None:
    """Raise a ValueError if the number of clusters is below 2, or contradicts other parameters.

    Call this function only after the check of X: scikit-learn's ``check_estimator`` passes an
    invalid X with ``n_clusters=1``, and expects an error about X.
    """
    require_integer("n_clusters", model.n_clusters, 2)
    require_option("multi_class", model.multi_class, ("joint", "bisecting"))
    bisecting = model.multi_class == "bisecting" and model.n_clusters > 2
    if is_kernel(model.kernel, "graph") and (model.calibrate or bisecting):
        option = "calibrate=True" if model.calibrate else "multi_class='bisecting'"
        raise ValueError(
            f"{option} predicts rows that were left out of a fit, for which kernel='graph' is not "
            "defined: choose kernel='diffusion'"
        )
    if model.n_clusters > 2 and model.gamma != 0.5:
        raise ValueError(
            "gamma is the prior probability of the second of two clusters; leave it 0.5 with "
            f"n_clusters={model.n_clusters}, which are equally probable. Got {model.gamma!r}"
        )


def _require_between(name: str, value: Any, least: float, most: float) -> None:
    require_number(name, value, ">= 0")
    if not least <= float(value) <= most:
        raise ValueError(f"{name} must be from {least:g} to {most:g}; got {value!r}")


def checked_universum(universum: Any, kernel: Any, X: Any) -> Any:
    """Return the Universum: None, the name of a generated Universum, or rows in the format of X."""
    if universum is None:
        return None
    if is_kernel(kernel, "precomputed", "graph"):
        raise ValueError(
            f"a Universum needs a kernel of rows; kernel={kernel!r} is defined for the "
            "training rows only. Choose 'diffusion', 'rbf' or a callable"
        )
    if isinstance(universum, str):
        require_option("universum, if not None or an array of rows,", universum, UNIVERSA)
        return universum
    if sparse.issparse(universum):
        require_indices(universum, "universum")
        require_real("universum", universum)
        rows = sparse.csr_matrix(universum, dtype=np.float64)
    else:
        rows = checked_numbers("universum", universum)
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] != X.shape[1]:
        raise ValueError(
            "universum must be None, 'mean', 'marginal' or at least one row of numbers, with the "
            f"{X.shape[1]} features of X; got shape {rows.shape}. Pass rows that belong to no "
            "cluster; those to cluster are X"
        )
    rows = in_floats(rows)
    require_powers(largest_entry(rows), rows.dtype, name="universum", underflow=False)
    return sparse.csr_matrix(rows) if sparse.issparse(X) else rows


def is_kernel(kernel: Any, *names: str) -> bool:
    """Whether a kernel is one of the given names, and not a function."""
    return isinstance(kernel, str) and kernel in names
