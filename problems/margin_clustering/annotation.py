"""Labels for semi-supervised clustering, with -1 for each unknown label."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.matrices import one_array, require_unmasked
from structsvm.exceptions import warn_user

#: Annotation of a row whose cluster is not known.
UNKNOWN = -1
#: End of the error messages about labels of other types or values.
ENCODE = (
    "Encode those of the known rows alone, y[known] = LabelEncoder().fit_transform(y[known]), "
    f"and set the others to {UNKNOWN}: of all rows, it would encode {UNKNOWN} too"
)
#: Texts of other marks for an unknown label. A float -1.0 equals -1; the text '-1' does not.
OTHER_MARKS = ("nan", "None", "<NA>", "NaT", str(UNKNOWN))


def known_labels(y: Any, n: int) -> Any:
    """Return y as an array if it has known and unknown labels, otherwise None."""
    if y is None:
        return None
    require_unmasked("y", y)
    y = one_array("y", y)
    if y.shape != (n,):
        raise ValueError(f"y must have one label for each of {n} rows; got shape {y.shape}")
    numbers = y.dtype.kind in "biu"
    marks = [] if numbers else [name for name in map(str, y.tolist()) if name in OTHER_MARKS]
    if marks:  # these rows would count as labelled
        raise ValueError(
            f"y must hold integers where {UNKNOWN} marks rows of unknown label; got {len(marks)} "
            f"labels such as {marks[0]!r} in an array of {y.dtype}. {ENCODE}"
        )
    if not np.any(y == UNKNOWN):
        warn_user(
            f"y is ignored: it has no {UNKNOWN}, which marks a row of unknown cluster. To keep "
            f"rows in known clusters, mark the others with {UNKNOWN}"
        )
        return None
    return None if np.all(y == UNKNOWN) else y


def as_annotations(known: Any) -> Any:
    """Return a list that holds only the array of known labels, or None without known labels."""
    return None if known is None else [known]


def require_annotation(y: Any, n: int, n_clusters: int) -> None:
    """Raise a ValueError unless y holds cluster indices, or -1 for rows of unknown cluster."""
    if not isinstance(y, np.ndarray) or y.dtype.kind != "i" or y.shape != (n,):
        raise ValueError(
            f"y must be a signed integer array of shape ({n},), -1 for unknown, as "
            "y.astype(int) gives; "
            + (f"got dtype {y.dtype} of shape {y.shape}" if isinstance(y, np.ndarray) else f"{y!r}")
        )
    wrong = (y < UNKNOWN) | (y >= n_clusters)
    if wrong.any():
        raise ValueError(
            f"known labels must be 0..{n_clusters - 1}, one for each of n_clusters={n_clusters}, "
            f"and -1 for unknown; got {int(y[wrong][0])}. {ENCODE}"
        )
