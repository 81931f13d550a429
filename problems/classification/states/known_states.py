"""States that have a weight whatever the data, because an earlier fit had them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.names import shown


class KnownStates(NamedTuple):
    """The labels and the states of an earlier fit.

    Attributes
    ----------
    labels : ndarray of shape (k0,)
        The labels of the earlier fit.
    pattern : CSR matrix of shape (k0, d)
        An entry for each state: a label and one of the d sparse columns of the rows.
    """

    labels: Any
    pattern: Any

    def and_labels(self, labels: Any) -> Any:
        """Return these labels and the given ones in one array."""
        return with_known_labels(self.labels, labels)

    def below(self, X: Any, codes: Indices, names: Any) -> tuple[Any, Indices]:
        """Append a row for each label, with its known features, to rows with label codes."""
        own = np.searchsorted(names, self.labels)
        return sparse.vstack([X, self.pattern.astype(X.dtype)], "csr"), np.append(codes, own)


def with_known_labels(known: Any, labels: Any) -> Any:
    """Return the labels of a prior and of data in one array; raise a ValueError if none agree."""
    here = list(dict.fromkeys(np.asarray(labels).tolist()))
    if not set(here) & set(known.tolist()):
        raise ValueError(
            f"w_prior was fitted to other labels: it has {shown(known.tolist())}, and none of "
            f"those here, which are {shown(here)}"
        )
    return np.concatenate([known, labels])
