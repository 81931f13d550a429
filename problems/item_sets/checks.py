"""What an item set asks of its features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.problem import Indices, Vector


def as_features(name: str, data: Any) -> Any:
    """The features as a finite float64 matrix, an array or CSR."""
    if not sparse.issparse(data):
        try:
            data = np.asarray(data, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold numbers: {error}") from None
    elif data.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers; got dtype {data.dtype}")
    if data.ndim != 2:
        raise ValueError(f"{name} must be 2-d, a row for each; got shape {data.shape}")
    if data.shape[1] == 0:
        raise ValueError(f"{name} must have at least one column; got shape {data.shape}")
    if sparse.issparse(data):
        data = sparse.csr_matrix(data, dtype=np.float64)
        data.sum_duplicates()
    _require_finite(name, data.data if sparse.issparse(data) else data)
    return data


def as_pair_array(pairs: Any, m: int) -> Vector:
    """Dense pair features of shape (m, m, N_p), finite and symmetric."""
    try:
        array = np.asarray(pairs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "pairs must be an array of shape (m, m, N_p) or a tuple (rows, cols, features): "
            f"{error}"
        ) from None
    if array.ndim != 3 or array.shape[:2] != (m, m) or array.shape[2] == 0:
        raise ValueError(
            f"pairs must have the shape ({m}, {m}, N_p) for {m} items, or be a tuple (rows, cols, "
            f"features); got shape {array.shape}"
        )
    _require_finite("pairs", array)
    different = np.abs(array - array.transpose(1, 0, 2)).max(axis=2)
    i, j = np.unravel_index(different.argmax(), different.shape)
    if different[i, j] > 1e-8 * np.abs(array).max(initial=0):
        raise ValueError(
            "pairs must be symmetric, for a pair has no order; those of items "
            f"{i} and {j} differ by {different[i, j]:g} from those of {j} and {i}. Their mean is "
            "(pairs + pairs.transpose(1, 0, 2)) / 2"
        )
    return array


def as_pair_triple(pairs: tuple, m: int) -> tuple[Indices, Indices, Any]:
    """Pair features of some pairs with rows <= cols, each pair once."""
    if len(pairs) != 3:
        raise ValueError(f"pairs must be a triple (rows, cols, features); got {len(pairs)} parts")
    rows, cols = _as_indices("rows", pairs[0]), _as_indices("cols", pairs[1])
    features = as_features("the features of the pairs", pairs[2])
    if not len(rows) == len(cols) == features.shape[0]:
        raise ValueError(
            f"rows, cols and features of the pairs must be equally many; got {len(rows)}, "
            f"{len(cols)} and {features.shape[0]}"
        )
    if len(rows) and not 0 <= min(rows.min(), cols.min()) <= max(rows.max(), cols.max()) < m:
        raise ValueError(
            f"pairs must be of items 0 to {m - 1}; they range from {min(rows.min(), cols.min())} "
            f"to {max(rows.max(), cols.max())}"
        )
    rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    numbers = rows * m + cols
    first = np.unique(numbers, return_index=True)[1]
    if len(first) < len(numbers):
        p = int(np.setdiff1d(np.arange(len(numbers)), first)[0])
        raise ValueError(
            f"the pair of items {rows[p]} and {cols[p]} is given more than once; a pair has no "
            "order, so give each once"
        )
    return rows, cols, features


def _as_indices(name: str, values: Any) -> Indices:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} of the pairs must be a list of item numbers; got {array!r:.60}")
    return array.astype(np.intp)


def _require_finite(name: str, values: Any) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} contain NaN or infinity")


def require_same_features(item_sets: Any, widths: tuple[int, int] | None = None) -> None:
    """Raise a ValueError unless all item sets have as many features as the first, or as given."""
    wanted = item_sets[0].widths if widths is None else widths
    for i, items in enumerate(item_sets):
        if items.widths != wanted:
            raise ValueError(
                f"item set {i} has {items.widths[0]} node and {items.widths[1]} pair features; "
                f"expecting {wanted[0]} and {wanted[1]} features, as "
                + ("the first set has" if widths is None else "in training")
            )
