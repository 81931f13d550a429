"""The parameters of BayesianMMC: their ranges and checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

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

#: Range of C. Below it the hinges are rounding beside the prior, above it the prior beside them.
C_RANGE = (1e-6, 1e6)
#: Largest C with a Universum, whose likelihood has cosh(C)^2.
MOST_C = 300.0
#: Largest variance of the constant, beside which the covariance of f is not yet rounding.
MOST_OFFSET = 1e6
#: Range of the length scale.
LENGTHS = (1e-150, 1e150)
#: The kernels that have a name.
KERNELS = ("diffusion", "rbf", "graph", "precomputed")


def check_parameters(model: Any) -> None:
    """Raise a ValueError or TypeError that names the first unusable parameter of a BayesianMMC."""
    if not callable(model.kernel) and not is_kernel(model.kernel, *KERNELS):
        raise ValueError(f"kernel must be one of {KERNELS} or a callable; got {model.kernel!r}")
    if model.length_scale is not None:
        require_number("length_scale, if not None,", model.length_scale, "> 0")
        if not LENGTHS[0] <= float(model.length_scale) <= LENGTHS[1]:
            raise ValueError(
                f"length_scale must be from {LENGTHS[0]:g} to {LENGTHS[1]:g}, so that its "
                f"square is a float; got {model.length_scale!r}"
            )
    if model.length_scale is not None and not is_kernel(model.kernel, "rbf", "diffusion"):
        raise ValueError(
            f"length_scale is a parameter of kernel='rbf' and 'diffusion'; kernel="
            f"{model.kernel!r} has none: leave it None"
        )
    require_number("C", model.C, "> 0")
    most = C_RANGE[1] if model.universum is None else MOST_C
    if not C_RANGE[0] <= float(model.C) <= most:
        why = "" if model.universum is None else " with a Universum"
        raise ValueError(f"C must be from {C_RANGE[0]:g} to {most:g}{why}; got {model.C!r}")
    require_number("gamma", model.gamma, "> 0")
    if not model.gamma < 1:
        raise ValueError(
            f"gamma, the prior probability of the second cluster, must be < 1; got {model.gamma!r}"
        )
    require_number("offset", model.offset, ">= 0")
    if float(model.offset) > MOST_OFFSET:
        raise ValueError(
            f"offset, a variance where that of f is 1, must be at most {MOST_OFFSET:g}; got "
            f"{model.offset!r}"
        )
    require_integer("n_init", model.n_init, 1, MOST_STARTS)
    require_flag("calibrate", model.calibrate)
    if model.calibrate and is_kernel(model.kernel, "graph"):
        raise ValueError(
            "calibrate=True predicts rows that were left out, and kernel='graph' cannot: choose "
            "kernel='diffusion'"
        )
    require_number("tol", model.tol, "> 0")
    require_integer("max_iter", model.max_iter, 1)
    if not isinstance(model.verbose, bool):
        require_integer("verbose, if not True or False,", model.verbose, 0)


def check_n_clusters(model: Any) -> None:
    """Raise a ValueError unless there are at least 2, and gamma is for as many."""
    require_integer("n_clusters", model.n_clusters, 2)
    require_option("multi_class", model.multi_class, ("joint", "bisecting"))
    if (
        model.multi_class == "bisecting"
        and model.n_clusters > 2
        and is_kernel(model.kernel, "graph")
    ):
        raise ValueError(
            "multi_class='bisecting' needs the side of rows outside the cluster that is divided, "
            "for which kernel='graph' is not defined: choose kernel='diffusion'"
        )
    if model.n_clusters > 2 and model.gamma != 0.5:
        raise ValueError(
            "gamma is the prior probability of the second of two clusters; leave it 0.5 with "
            f"n_clusters={model.n_clusters}, which are equally probable. Got {model.gamma!r}"
        )


def checked_universum(universum: Any, kernel: Any, X: Any) -> Any:
    """The Universum in the form of X: None, the name of a recipe, or rows."""
    if universum is None:
        return None
    if is_kernel(kernel, "precomputed", "graph"):
        raise ValueError(
            f"a Universum needs a kernel of rows; kernel={kernel!r} is defined for the "
            "training rows only. Choose 'diffusion', 'rbf' or a callable"
        )
    if isinstance(universum, str):
        if universum not in ("mean", "marginal"):
            raise ValueError(
                f"universum must be None, 'mean', 'marginal' or an array of rows; got {universum!r}"
            )
        return universum
    if sparse.issparse(universum):
        require_indices(universum, "universum")
    else:
        universum = checked_numbers("universum", universum)
    universum = check_array(
        universum, accept_sparse="csr", dtype=np.float64, input_name="universum"
    )
    universum = in_floats(universum)
    require_powers(largest_entry(universum), universum.dtype, name="universum", underflow=False)
    if universum.shape[1] != X.shape[1]:
        raise ValueError(
            f"universum must have the {X.shape[1]} features of X; it has {universum.shape[1]}"
        )
    return sparse.csr_matrix(universum) if sparse.issparse(X) else universum


def is_kernel(kernel: Any, *names: str) -> bool:
    """Whether a kernel is one of these names, and no function."""
    return isinstance(kernel, str) and kernel in names
