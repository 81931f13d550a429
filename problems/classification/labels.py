"""Class labels of any sortable kind, and the integer codes that stand for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from structsvm.data.arrays import Vector
from structsvm.data.examples import ExampleContainer
from structsvm.data.labels import checked_labels
from structsvm.data.matrices import one_array, weights_for
from structsvm.data.names import shown
from structsvm.data.remedies import label_remedy
from structsvm.data.validation import require_number
from structsvm.exceptions import warn_user

#: Number of rows that are predicted at a time, in search of a second predicted class.
AT_ONCE = 1000
#: The label by which PyTorch marks positions to ignore.
IGNORED = -100


@dataclass(eq=False, repr=False)
class Coded(ExampleContainer):
    """A container of n labels that stores integer codes and returns labels.

    Parameters
    ----------
    numbers : ndarray of shape (n,), int
        The code of each label.
    names : ndarray of shape (k,)
        The label of each code.
    """

    numbers: Any
    names: Any

    of_examples = ("numbers",)

    def example(self, i: int) -> Any:
        return self.names[self.numbers[i]]


class Labels:
    """The distinct labels of a data set in sorted order; the code of a label is its index in them.

    Parameters
    ----------
    Y : array-like of shape (n,)
        The labels.
    least : int, default=2
        The least number of distinct labels that Y must have.

    Attributes
    ----------
    names : ndarray of shape (k,)
        The distinct labels, sorted.

    Raises
    ------
    ValueError
        If Y is not 1-d, or if its labels are of different kinds, missing or all the same.
    """

    def __init__(self, Y: Any, least: int = 2) -> None:
        self.names = distinct(Y)
        k = len(self.names)
        if k < least:
            raise ValueError(
                f"Y holds one class only ({self.names.tolist()[0]!r}); expected at least 2"
            )
        if self.names.dtype.kind in "if" and IGNORED in self.names:
            warn_user(
                f"{IGNORED} is a label like any other here; if it marks what is not to be learned, "
                "as ignore_index of PyTorch does, leave such rows and positions out"
            )
        self._smallest = np.min_scalar_type(k)

    def __len__(self) -> int:
        return len(self.names)

    def coded(self, numbers: Any) -> Coded:
        """Return labels, given their codes; the codes are stored in the smallest possible dtype."""
        return Coded(numbers.astype(self._smallest, copy=False), self.names)

    def codes(self, Y: Any) -> Any:
        """Return the code of every label, shape (n,); raise a ValueError for an unknown label."""
        if isinstance(Y, Coded):
            return Y.numbers.astype(np.intp, copy=False)
        labels, k = one_array("Y", Y), len(self.names)
        # A label above all names gets an index beyond the last name; after clipping it differs.
        codes = np.searchsorted(self.names, labels).clip(max=k - 1)
        found = self.names[codes]
        if (found.dtype.kind == "U") != (labels.dtype.kind == "U"):
            found = found.astype(object)  # numpy 1 does not compare strings with other dtypes
        known = found == labels
        if not np.all(known):
            raise _unknown(labels, known, self.names)
        return codes


def require_known(labels: Any, classes: Any) -> None:
    """Raise a ValueError unless every entry of ``labels`` is in ``classes``; both are arrays."""
    known = np.isin(labels, classes)
    if not known.all():
        raise _unknown(labels, known, classes)


def require_order(table: Any, classes: Any, axes: tuple[str, ...], name: str = "cost") -> None:
    """Raise a ValueError if the rows or columns of a DataFrame do not have the names of classes.

    The rows or columns must be named by ``classes``, in order, or by pandas' default 0, 1, ...
    """
    if not hasattr(table, "iloc"):
        return
    for axis in axes:
        found, expected = getattr(table, axis).tolist(), classes.tolist()
        if found not in (expected, list(range(len(found)))):
            places = ", ".join(["classes"] * len(axes))
            raise ValueError(
                f"the {axis} of {name} must be the classes in their order, {expected}; got "
                f"{found}: with these as classes, pass {name}.loc[{places}], or "
                f"{name}.to_numpy() if its order is theirs"
            )


def trained_on(labels: Any, classes: Any) -> Any:
    """Return a mask that is True for known labels, and warn of the number of unknown labels."""
    labels = one_array("y", labels)
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        labels = labels.astype(object)  # numpy would compare numbers as text
    known = np.isin(labels, classes)
    unknown = len(known) - int(np.count_nonzero(known))
    if unknown:
        warn_user(f"{unknown} of {len(known)} labels were not trained on: they count as wrong")
    return known


def _unknown(labels: Any, known: Any, classes: Any) -> ValueError:
    """Return an error that names the first label for which ``known`` is False."""
    first = labels.tolist()[int(np.argmin(known))]
    return ValueError(
        f"unknown label {first!r}; the classes are {classes.tolist()}: leave examples with other "
        "labels out, or train on some of them"
    )


def distinct(Y: Any) -> Any:
    """Return the distinct labels, sorted; raise a ValueError for missing or unsortable labels."""
    labels = checked_labels("Y", Y)
    if labels.ndim != 1:
        raise ValueError(f"Y must be 1-d, one label per example; got shape {labels.shape}")
    try:
        return np.unique(labels)
    except TypeError as error:
        raise ValueError(
            f"Y must hold labels of one sortable kind, none missing: {error}"
        ) from error


def labels_of_blocks(blocks: Iterable[Any]) -> Any:
    """Concatenate the labels of blocks; raise a ValueError if text and numbers are mixed."""
    arrays = list(blocks)
    if len({labels.dtype.kind in "US" for labels in arrays}) > 1:
        checked_labels("y", [label for labels in arrays for label in labels.tolist()])
    return np.concatenate(arrays)


def row_labels(y: Any, n: int) -> Any:
    """Return the labels of n rows as an array; raise a ValueError unless there are n labels.

    A column of shape (n, 1) becomes 1-d, with the same warning as in a fit by scikit-learn.
    """
    labels = checked_labels("y", y)
    if labels.shape == (n, 1):
        y = labels = column_or_1d(labels, warn=True)
    if labels.shape != (n,):
        m = len(labels) if labels.ndim else 1
        others = f": inconsistent numbers of samples [{n}, {m}]" if m != n else ""
        raise ValueError(
            f"y must hold a label for each of the {n} rows of X; got shape "
            f"{labels.shape}{others or label_remedy('y', y, n)}"
        )
    return labels


def checked_classes(y: Any) -> Any:
    """Return the distinct labels of a classifier's y, or raise a ValueError for unusable labels."""
    if isinstance(y[0], bytes):
        raise ValueError(
            f"Unknown label type: y holds bytes, such as {y[0]!r:.60}; expected strings: pass "
            "[label.decode() for label in y]"
        )
    classes = Labels(y).names
    if y.dtype == object and not isinstance(classes[0], str):  # a dtype that scikit-learn rejects
        kind = type(classes[0])
        of_kind = f"y.astype({kind.__name__}), or " if kind in (bool, int, float) else ""
        raise ValueError(
            f"Unknown label type: y has the dtype object, and labels such as {classes[0]!r:.60}; "
            f"expected an array of numbers or strings: pass {of_kind}[str(label) for label in y]"
        )
    check_classification_targets(y)
    return classes


def require_weights(weights: Vector, name: str = "weights") -> None:
    """Raise a ValueError that names the index of a negative or infinite weight."""
    wrong = ~((weights >= 0) & np.isfinite(weights))
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(f"{name} must be finite and >= 0; {name}[{j}] is {weights[j]:g}")


def require_class_weight(class_weight: Any) -> None:
    """Raise a ValueError unless class weights are a dict of numbers >= 0, 'balanced' or None."""
    if isinstance(class_weight, dict):
        for label, weight in class_weight.items():
            require_number(f"class_weight[{label!r}]", weight, ">= 0")
    elif class_weight is not None and not (
        isinstance(class_weight, str) and class_weight == "balanced"
    ):
        raise ValueError(
            f"class_weight must be a dict, 'balanced' or None; got {class_weight!r:.60}"
        )


def checked_class_weight(class_weight: Any, counts: Vector, names: Any) -> Vector:
    """Return the weight of each label, shape (k,).

    ``counts`` holds, for each label, the sum of the weights of its rows or positions. 'balanced'
    gives every label that occurs the same sum of weights. A dict may leave out labels. If a dict
    has all labels in the data, it may have more labels, since the data may be a part of a larger
    set.
    """
    require_class_weight(class_weight)
    found: Vector = np.ones(len(names))
    if isinstance(class_weight, dict):
        known = names.tolist()
        strange = [name for name in class_weight if name not in known]
        if strange and not {*known} <= {*class_weight}:
            raise ValueError(
                f"class_weight has {strange[0]!r}, which is no label; the labels are {shown(known)}"
            )
        found = compute_class_weight(class_weight, classes=names, y=names)
    elif class_weight is not None:
        np.divide(counts.sum() / len(names), counts, out=found, where=counts > 0)
    if not np.any(found * counts):
        raise ValueError("every label has the weight 0; at least one must have a loss")
    return found


def warn_of_one_class(blocks: Iterable[Any], weights: Any, classes: Any, remedy: str) -> None:
    """Warn if one class scores highest in all rows; ``weights`` has a column for each class."""
    found: set[int] = set()
    for rows in blocks:
        w = weights_for(rows, weights)
        for start in range(0, rows.shape[0], AT_ONCE):  # usually the first rows are enough
            found |= set((rows[start : start + AT_ONCE] @ w).argmax(axis=1).tolist())
            if len(found) > 1:
                return
    warn_user(
        f"all training rows are predicted as {classes.tolist()[found.pop()]!r}, of {len(classes)} "
        f"classes, as may happen where they overlap or C is small: try {remedy}"
    )
