"""The joint features of labels, for one labelling after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Indices
from structsvm.data.containers import stacked
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.examples import Examples
from structsvm.oracle.violated import joint_feature_rows

#: Largest number of numbers in the rows of a labelling that are kept: 32 MB.
KEPT_NUMBERS = 4_000_000
#: Memory of an entry of a sparse row, in numbers: its index takes half of a number.
ENTRY = 1.5
#: Number of rows from which the size of sparse rows is estimated.
MEASURED = 10
#: Number of labellings whose rows are kept: the last ones used.
LABELLINGS_KEPT = 2


class LabelRows:
    """The joint feature of each label, computed again only where the label has changed."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        self._fit = True if examples.n * examples.size <= KEPT_NUMBERS else None
        self._kept: list[tuple[Any, Any]] = []

    def fit(self, labels: Any) -> bool:
        """Whether the rows of a labelling are small enough to keep, judged by the first few."""
        if self._fit is None:
            few = np.arange(min(self._examples.n, MEASURED))
            rows = self._asked(few, labels)
            numbers = ENTRY * rows.nnz if sparse.issparse(rows) else rows.size
            self._fit = numbers / len(few) * self._examples.n <= KEPT_NUMBERS
        return self._fit

    def of(self, labels: Any) -> Any:
        """The rows of these labels, shape (n, size), in CSR format if all are sparse."""
        rows = self._made(labels)
        others = [kept for kept in self._kept if kept[1] is not rows]
        self._kept = [(labels, rows), *others][:LABELLINGS_KEPT]
        return rows

    def _made(self, labels: Any) -> Any:
        """The rows, made from the rows of the most similar labelling that is kept."""
        differences = [(changed(known, labels), rows) for known, rows in self._kept]
        n = self._examples.n
        everything = np.arange(n), None
        places, rows = min(differences, key=lambda one: len(one[0]), default=everything)
        if not len(places):
            return rows
        new = self._asked(places, labels)
        if len(places) == n:
            return new
        order = np.arange(n)
        order[places] = n + np.arange(len(places))
        return stacked([rows, new])[order]

    def _asked(self, places: Indices, labels: Any) -> Any:
        """The rows of the labels at some positions, from the problem."""
        subset, own = self._examples.labelled_subset(places, labels)
        return stacked(subset.map(joint_feature_rows, own))
