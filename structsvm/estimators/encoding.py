"""The way from a person's examples to those of a problem, and back to the features as given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from structsvm.data.arrays import Indices, Mask, Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import EVENED, ColumnScales
from structsvm.data.containers import require_examples, take
from structsvm.data.row_space import RowSpace
from structsvm.data.validation import checked_sample_weight
from structsvm.data.weight_name import WeightName


class Encoded(NamedTuple):
    """Examples as the problem of an estimator takes them.

    Attributes
    ----------
    X : sequence of n inputs
    Y : sequence of n outputs, or None
    weights : ndarray of shape (n,)
        The weights of the examples.
    rows : matrix or None
        All features, where they are one matrix.
    """

    X: Any
    Y: Any
    weights: Vector
    rows: Any = None

    def part(self, which: Indices) -> Encoded:
        """Some of the examples."""
        X, Y, weights = (take(data, which) for data in self[:3])
        return self._replace(X=X, Y=Y, weights=weights)


class Encoding:
    """Examples as they are given; the base class of encodings that change them.

    An estimator makes a new one for each fit, with its parameters. What is learned from the
    examples is kept as attributes.
    """

    #: Whether few wide rows may be trained on in the space that they span.
    spans_rows = False
    #: The names that attributes had in the estimator, in files of earlier versions.
    formerly: Mapping[str, str] = MappingProxyType({})

    def __getstate__(self) -> dict[str, Any]:
        """The state to save, without attributes that are computed when asked for."""
        kind, learned = type(self), vars(self).items()
        return {k: v for k, v in learned if not isinstance(getattr(kind, k, None), cached_property)}

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        """Learn from the examples of a fit, and encode them.

        Parameters
        ----------
        X, y : inputs and outputs
            As the estimator's ``_given`` returns them.
        sample_weight : array-like of shape (n,) or None
        prior : estimator or None
            A fitted one, whose weights are the prior.
        """
        return self.encode(X, y, sample_weight)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        """Encode examples as those of the fit; y may be None."""
        return Encoded(X, y, checked_sample_weight(sample_weight, require_examples(X)))

    def decoded(self, outputs: Any) -> Any:
        """Predictions as a person reads them, from outputs of the problem."""
        return outputs

    def attributes(self) -> dict[str, Any]:
        """Fitted attributes of the estimator by name, such as ``classes_``."""
        return {}

    def names(self, problem: Any) -> dict[str, Any]:
        """The names, in lists, and numbers of outputs and features that weights depend on."""
        return {}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        """The features and labels that the entries of w at these places, rising, belong to."""
        return [WeightName(f"w[{place}]") for place in places]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        """The weights of the features as they were given, in the order of w."""
        return w

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        """w, from the weights of the features as they were given."""
        return weights

    def carried(self, prior: Any, problem: Any) -> Vector | None:
        """The weights of another estimator for this problem, for features as they were given.

        None where its features and outputs must be the same: the base class knows no others.
        """
        return None

    def continues(self, last: Any) -> bool:
        """Whether the weights of the last encoding mean the same, for a warm start."""
        return True

    def with_rows(self, X: Any, rows: Any) -> Any:
        """Inputs with other features, where ``spans_rows``; by default the inputs are the rows."""
        return rows

    def lifted(self, w: Vector, space: RowSpace, problem: Any) -> Vector:
        """w for the columns, from w for coordinates in the space; by default rows of weights."""
        return space.lifted(w.reshape(-1, len(space.coordinates))).ravel()


class ScaledColumns(Encoding):
    """Columns of features in units of their own.

    Parameters
    ----------
    scale : 'auto' or None

    Attributes
    ----------
    columns : ColumnScales
        What is learned of them.
    """

    columns: ColumnScales
    #: Columns that are not full are brought to one size by this part of the way.
    evened = EVENED
    formerly = MappingProxyType({"_columns": "columns"})

    def __init__(self, scale: Any) -> None:
        if scale is not None and not (isinstance(scale, str) and scale == "auto"):
            raise ValueError(f"scale must be 'auto' or None; got {scale!r}")
        self.scale = scale

    def learn_columns(
        self,
        moments: ColumnMoments,
        *,
        centred: bool | Mask,
        constant: bool,
        limited: Mask | None = None,
    ) -> None:
        """Learn the scales of columns with these moments.

        They are centred, or some of them, and there may be a constant column for the intercept.
        ``limited`` columns are together no larger than the others.
        """
        if self.scale is None:
            self.columns = ColumnScales.none(moments, constant=constant)
            return
        columns = ColumnScales.learned(
            moments, centred=centred, constant=constant, evened=self.evened
        )
        self.columns = columns if limited is None else columns.limited(moments, limited)

    def per_square(self, n: float) -> float:
        """The number n, divided by the mean of ||x||^2 of the rows trained on."""
        return n / (self.columns.square or 1.0)

    def attributes(self) -> dict[str, Any]:
        return {"scale_": self.columns.sizes}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        width, own = len(self.columns.sizes) + bool(self.columns.constant), self.columns.weight_name
        n_rows = problem.size_joint_feature // width
        names = next(iter(self.names(problem).values()), range(n_rows) if n_rows > 1 else [None])
        return [own(j % width, names[j // width], "intercept") for j in places.tolist()]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        return self.columns.given(self.by_column(w)).ravel()

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return self.columns.trained(self.by_column(weights)).ravel()

    def by_column(self, w: Vector) -> Vector:
        """The weights with a column for each feature, and for the constant if there is one."""
        return w.reshape(-1, len(self.columns.sizes) + bool(self.columns.constant))
