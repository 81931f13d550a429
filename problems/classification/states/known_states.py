"""States that are known before the data are seen: they have a weight, whatever the data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices


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
        return np.concatenate([self.labels, np.asarray(labels, dtype=self.labels.dtype)])

    def below(self, X: Any, codes: Indices, names: Any) -> tuple[Any, Indices]:
        """Rows with label codes, and below them a row for each label, with its known features."""
        own = np.searchsorted(names, self.labels)
        return sparse.vstack([X, self.pattern.astype(X.dtype)], "csr"), np.append(codes, own)
