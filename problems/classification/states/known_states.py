"""States that are known before the data are seen: they have a weight, whatever the data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.names import shown


class KnownStates(NamedTuple):
    """The labels and states of weights from experience.

    Attributes
    ----------
    labels : ndarray of shape (k0,)
    pattern : CSR matrix of shape (k0, d)
        An entry for each pair of a label and a feature, among the sparse columns of the rows.
    """

    labels: Any
    pattern: Any

    def and_labels(self, labels: Any) -> Any:
        """These labels and others, in one array."""
        return with_known_labels(self.labels, labels)

    def below(self, X: Any, codes: Indices, names: Any) -> tuple[Any, Indices]:
        """Rows with label codes, and below them a row for each label, with its known features."""
        own = np.searchsorted(names, self.labels)
        return sparse.vstack([X, self.pattern.astype(X.dtype)], "csr"), np.append(codes, own)


def with_known_labels(known: Any, labels: Any) -> Any:
    """The labels of a prior and those of data in one array; a ValueError where they share none."""
    here = list(dict.fromkeys(np.asarray(labels).tolist()))
    if not set(here) & set(known.tolist()):
        raise ValueError(
            f"w_prior was fitted to other labels: it has {shown(known.tolist())}, and none of "
            f"those here, which are {shown(here)}"
        )
    return np.concatenate([known, labels])
