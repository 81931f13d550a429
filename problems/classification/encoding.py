"""Rows and their classes, encoded as scaled rows and codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.blocks import BlockFiles, Mapped
from structsvm.data.choices import ClassWeight
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.conversion import require_same_index
from structsvm.data.validation import checked_sample_weight
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.problems.classification.labels import (
    checked_class_weight,
    checked_classes,
    labels_of_blocks,
    require_known,
    require_order,
    row_labels,
    trained_on,
)


class ClassEncoding(ScaledColumns):
    """The encoding of rows, labels and weights: rows are scaled, and labels become class codes.

    Parameters
    ----------
    scale : 'auto' or None
        Whether to scale the columns.
    fit_intercept : bool
        Whether to add a constant column.
    class_weight : dict, 'balanced' or None
        The weights of classes, which multiply the weights of rows.
    cost : array-like or None
        The costs of mistakes. The names in a DataFrame must be the classes.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    classes: NDArray[Any]

    def __init__(
        self, scale: Any, fit_intercept: bool, class_weight: ClassWeight = None, cost: Any = None
    ) -> None:
        super().__init__(scale)
        self.fit_intercept, self.class_weight, self.cost = fit_intercept, class_weight, cost

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        self._learn_classes(y)
        codes = np.searchsorted(self.classes, y)
        moments = ColumnMoments.of_blocks([(X, self._weights(codes, sample_weight))])
        self.learn_columns(moments, centred=self.fit_intercept, constant=self.fit_intercept)
        return self.encode(X, y, sample_weight)

    def learn_blocks(
        self, blocks: Iterable[tuple[Any, Any]], files: BlockFiles, prior: Any = None
    ) -> Encoded:
        kinds = set()
        for X, y in blocks:
            kinds.add(sparse.issparse(X))
            if len(kinds) > 1:
                raise ValueError("some X are dense and some are sparse; give all in one form")
            files.add((X, y), X.shape[0])
        self._learn_classes(labels_of_blocks(np.unique(y) for _, y in files))
        codes = np.concatenate([np.searchsorted(self.classes, y) for _, y in files])
        weights = self._weights(codes, None)
        parts = np.split(weights, files.ends[:-1])
        rows = Mapped(range(len(files)), lambda number: (files.read(number)[0], parts[number]))
        moments = ColumnMoments.of_blocks(rows)
        self.learn_columns(moments, centred=self.fit_intercept, constant=self.fit_intercept)
        for number, (X, y) in enumerate(files):
            files.write(number, self.encode(X, y)[:2])
        return Encoded(*files.examples(), weights)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        rows = self.columns.applied(X)
        if y is None:
            return Encoded(rows, None, checked_sample_weight(sample_weight, X.shape[0]), rows)
        require_known(y, self.classes)
        codes = np.searchsorted(self.classes, y)
        return Encoded(rows, codes, self._weights(codes, sample_weight), rows)

    def _learn_classes(self, y: Any) -> None:
        self.classes = checked_classes(y)
        if self.cost is not None:
            require_order(self.cost, self.classes, ("index", "columns"))

    def decoded(self, outputs: Any) -> Any:
        return self.classes[outputs]

    def attributes(self) -> dict[str, Any]:
        return super().attributes() | {"classes_": self.classes}

    def continues(self, last: Any) -> bool:
        return np.array_equal(self.classes, last.classes)

    def names(self, problem: Any) -> dict[str, Any]:
        return {"classes": self.classes.tolist()}

    def _weights(self, codes: Any, sample_weight: Any) -> Vector:
        """Return the weights of the rows, multiplied by the weights of their classes."""
        weights = checked_sample_weight(sample_weight, len(codes))
        counts = np.bincount(codes, weights, len(self.classes)).astype(np.float64)
        of_classes = checked_class_weight(self.class_weight, counts, self.classes)
        return np.asarray(weights * of_classes[codes])


def accuracy(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the fraction of rows whose class an estimator predicts correctly.

    Labels that did not occur in training count as wrong, and a warning states their number.
    """
    require_same_index("y", y, "X", X)
    require_same_index("sample_weight", sample_weight, "X", X)
    predicted = estimator.predict(X)
    weights = checked_sample_weight(sample_weight, len(predicted))
    labels = row_labels(y, len(predicted))
    right = trained_on(labels, estimator.classes_) & (predicted == labels)
    return float(np.average(right, weights=weights))
