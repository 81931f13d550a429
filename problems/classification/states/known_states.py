"""States that always have a weight, because an earlier fit had them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from structsvm.data.names import shown
from structsvm.problems.classification.states.seen_states import label_counts


class KnownStates(NamedTuple):
    """The labels and the states of an earlier fit.

    Attributes
    ----------
    labels : ndarray of shape (k0,)
        The labels of the earlier fit.
    pattern : CSR matrix of shape (k0, d)
        The states: row i has an entry in column j if the pair of label i and sparse feature j has a
        weight.
    """

    labels: Any
    pattern: Any

    def and_labels(self, labels: Any) -> Any:
        """Return the labels of the earlier fit and ``labels`` in one array."""
        return with_known_labels(self.labels, labels)

    def counts(self, names: Any) -> Any:
        """Return a CSR matrix, features by labels, with a 1 for each pair that has a weight."""
        return label_counts(self.pattern, np.searchsorted(names, self.labels), len(names))


def with_known_labels(known: Any, labels: Any) -> Any:
    """Return the labels of a prior and of data in one array; they must share at least one label."""
    here = list(dict.fromkeys(np.asarray(labels).tolist()))
    if not set(here) & set(known.tolist()):
        raise ValueError(
            f"w_prior was fitted to other labels: it has {shown(known.tolist())}, and none of "
            f"those here, which are {shown(here)}"
        )
    return np.concatenate([known, labels])
