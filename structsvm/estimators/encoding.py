"""Encodings convert examples and weights between the forms of the user and of the problem."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from structsvm.data.arrays import Indices, Mask, Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import EVENED, ColumnScales
from structsvm.data.containers import require_examples, take
from structsvm.data.row_space import RowSpace
from structsvm.data.validation import checked_sample_weight
from structsvm.data.weight_name import WeightName


class Encoded(NamedTuple):
    """Examples in the form that the problem of an estimator takes.

    Attributes
    ----------
    X : sequence of n inputs
    Y : sequence of n outputs, or None
    weights : ndarray of shape (n,)
        The weights of the examples.
    rows : matrix or None
        The matrix of all features, if there is one.
    """

    X: Any
    Y: Any
    weights: Vector
    rows: Any = None

    def part(self, which: Indices) -> Encoded:
        """Return some of the examples."""
        X, Y, weights = (take(data, which) for data in self[:3])
        return self._replace(X=X, Y=Y, weights=weights)


class Encoding:
    """The base class of encodings, which leaves examples unchanged.

    An estimator makes a new encoding for each fit, with the estimator's parameters. The attributes
    of an encoding are learned from the examples.
    """

    #: Whether a few wide rows may be replaced by coordinates in the space that they span.
    spans_rows = False
    #: A method that learns from an iterable of blocks (X, y), writes the encoded examples to
    #: BlockFiles, and returns the examples: ``learn_blocks(blocks, files, prior)``.
    learn_blocks: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to save, without cached properties."""
        kind, learned = type(self), vars(self).items()
        return {k: v for k, v in learned if not isinstance(getattr(kind, k, None), cached_property)}

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        """Set the encoding's attributes from the examples of a fit, and encode the examples.

        Parameters
        ----------
        X, y : inputs and outputs
            The examples, as the estimator's ``_given`` returns them.
        sample_weight : array-like of shape (n,) or None
        prior : estimator or None
            A fitted estimator whose weights are the prior.
        """
        return self.encode(X, y, sample_weight)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        """Encode examples with the attributes from the fit. y may be None."""
        return Encoded(X, y, checked_sample_weight(sample_weight, require_examples(X)))

    def decoded(self, outputs: Any) -> Any:
        """Convert outputs of the problem to predictions for the user."""
        return outputs

    def attributes(self) -> dict[str, Any]:
        """Return fitted attributes of the estimator by name, such as ``classes_``."""
        return {}

    def names(self, problem: Any) -> dict[str, Any]:
        """Return the names (lists) or numbers (ints) that describe the layout of the weights."""
        return {}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        """Return the features and labels of the entries of w at the rising indices ``places``."""
        return [WeightName(f"w[{place}]") for place in places]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        """Convert w to weights for the original features, in the order of w."""
        return w

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        """Convert weights for the original features to w."""
        return weights

    def carried(self, prior: Any, problem: Any) -> Vector | None:
        """Return the weights of the estimator ``prior``, converted for ``problem`` and unscaled X.

        If the result is None, the prior must have the features and outputs of ``problem``.
        """
        return None

    def continues(self, last: Any) -> bool:
        """Whether a warm start may use weights that were trained with the encoding ``last``."""
        return True

    def with_rows(self, X: Any, rows: Any) -> Any:
        """Return the inputs X with ``rows`` in place of their features.

        By default, an input is a row of features, and the result is ``rows``.
        """
        return rows

    def lifted(self, w: Vector, space: RowSpace, problem: Any) -> Vector:
        """Convert w for coordinates in a row space to w for the columns of the features."""
        return space.lifted(w.reshape(-1, len(space.coordinates))).ravel()


class ScaledColumns(Encoding):
    """The encoding that scales columns of features.

    Parameters
    ----------
    scale : 'auto' or None

    Attributes
    ----------
    columns : ColumnScales
        The scales of the columns.
    """

    columns: ColumnScales
    #: How far columns that are not full are brought to one size: 0 is not at all, 1 is completely.
    evened = EVENED

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
        """Learn the scales of columns from their moments.

        ``centred`` tells which columns are centred, and ``constant`` whether a constant column is
        added. The columns marked in ``limited`` contribute at most half of the mean ||x||^2.
        """
        if self.scale is None:
            self.columns = ColumnScales.none(moments, constant=constant)
            return
        columns = ColumnScales.learned(
            moments, centred=centred, constant=constant, evened=self.evened
        )
        self.columns = columns if limited is None else columns.limited(moments, limited)

    def per_square(self, n: float) -> float:
        """Return ``n`` divided by the mean of ||x||^2 over the training rows x."""
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
        """Return w as a matrix with a column for each feature, and a last column for a constant."""
        return w.reshape(-1, len(self.columns.sizes) + bool(self.columns.constant))
