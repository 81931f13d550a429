"""Base classes of the estimators of sequences, and of their encodings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto, ClassWeight
from structsvm.data.weight_name import WeightName
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.estimators.probabilities import TRAINED, HasProbabilities
from structsvm.estimators.training import StructuredEstimator
from structsvm.problems.classification.labels import Labels, require_class_weight
from structsvm.problems.classification.state_weights import (
    HasStates,
    carried_weights,
    states_of_prior,
    times_columns,
)
from structsvm.problems.classification.states import KnownStates, require_choice, with_known_labels
from structsvm.results.result import Result


class SequenceEncoding(ScaledColumns):
    """The encoding of sequences by scaled columns of features and label codes.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        The labels, sorted.
    known_states : KnownStates or None
        The pairs of a feature and a label that have a weight in the prior model.
    """

    #: The names of columns that follow the features.
    marks: ClassVar[tuple[str, ...]] = ()
    evened = 0.0  # rare words would replace part of the transitions
    classes: NDArray[Any]
    known_states: KnownStates | None = None

    @property
    @abstractmethod
    def column_names(self) -> list[Any] | None:
        """The names of the features; None if they have no names.

        The list does not include the names in ``marks``.
        """

    def learn_classes(self, labels: Any, prior: Any, least: int = 2) -> None:
        """Store the labels of the data and of the prior model, which must share some labels."""
        self.classes = Labels(labels, least).names
        if prior is not None:
            self.classes = Labels(with_known_labels(prior.classes_, self.classes), least).names

    def learn_states(self, rows: Any, prior: Any) -> None:
        """Store the pairs of a label and a feature that have a weight in the model ``prior``."""
        if prior is not None:
            known = prior._encoding.column_names
            self.known_states = states_of_prior(prior.problem_, known, self.column_names, rows)

    def continues(self, last: Any) -> bool:
        same = self.column_names == last.column_names
        return same and np.array_equal(self.classes, last.classes)

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        states, names, own = problem.states_, self.classes.tolist(), self.columns.weight_name
        first, pairs = places[places < states.size], places[places >= states.size] - states.size
        features, labels = (part[first].tolist() for part in states.places)
        found = [own(j, names[c], *self.marks) for j, c in zip(features, labels, strict=True)]
        neighbours = (divmod(pair, states.k) for pair in pairs.tolist())
        return found + [WeightName(f"label before: {names[a]}", names[b]) for a, b in neighbours]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        return times_columns(w, problem.states_, 1 / self.columns.sizes)

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return times_columns(weights, problem.states_, self.columns.sizes)

    def carried(self, prior: Any, problem: Any) -> Vector:
        before, earlier, w = prior._encoding, prior.problem_, prior.w_
        size, k = earlier.states_.size, earlier.states_.k
        # A transition from an unseen label gets the weight that a trained weight of 0 stands for.
        unknown = before.weights_given(np.append(w[:size], np.zeros(k * k)), earlier)[size:][:k]
        names = self.column_names, before.column_names
        return carried_weights(problem, earlier, names, before.weights_given(w, earlier), unknown)

    def by_label(self, w: Vector, problem: Any) -> Any:
        """Return the weights of unscaled columns, an array or CSR matrix, (k, n_features)."""
        sizes = self.columns.sizes
        weights = problem.states_.by_label(w[: problem.states_.size])[:, : len(sizes)]
        if not sparse.issparse(weights):
            return weights / sizes
        weights = weights.copy()
        weights.data /= sizes[weights.indices]
        return weights


@dataclass(kw_only=True, eq=False, repr=False)
class SequenceEstimator(HasStates, HasProbabilities, StructuredEstimator):
    """Base class of the estimators of sequences, which scale the columns of features.

    Parameters
    ----------
    scale : 'auto' or None, default='auto'
        With 'auto', columns of arrays are standardised, so that their units do not matter. If no
        means can be subtracted, columns are divided by their root mean squares. Sparse columns that
        are more than half full are scaled like columns of arrays. Sparse columns that are at most
        half full, such as words, have a common divisor. If the scaled entries of a column would be
        more than five times larger or smaller than typical entries, the column has a divisor of its
        own. A common factor makes the mean of ||x||^2 equal to 1. Scaling is part of the model:
        ``coef_`` is for the original X. With ``scale=None``, X stays unchanged, and C='auto' is
        divided by the mean of ||x||^2. C='auto' is too small if a few columns dominate the mean of
        ||x||^2.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        The names of the columns of ``coef_``, if they have names.
    scale_ : ndarray of shape (n_features,)
        The divisors of the columns.
    """

    scale: Auto | None = "auto"

    #: A parameter of each subclass.
    class_weight: ClassWeight = field(init=False, default=None)
    #: Default C per sequence if the mean of ||x||^2 is 1, for the hinge and for other losses.
    default_C: ClassVar[tuple[float, float]]
    _takes_matrix, _takes_sparse, _requires_y = False, True, True

    if TYPE_CHECKING:  # attributes that the encoding learns
        scale_: Vector = field(init=False)
        all_possible_states: bool | Auto

    @property
    def coef_(self) -> Any:
        """The weight of each feature for each label, computed from ``w_``."""
        check_is_fitted(self, "w_")
        return self._encoding.by_label(self.w_, self.problem_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        check_is_fitted(self, "w_")
        if self._encoding.column_names is None:
            raise AttributeError("the columns have no names: X held matrices")
        return np.array(self._encoding.column_names, dtype=object)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_class_weight(self.class_weight)
        require_choice(self.all_possible_states)
        if self.class_weight is not None:
            self._require_loss_counts("class_weight")

    def _automatic_C(self, data: Encoded) -> float:
        C = self.default_C[self.loss != "hinge"] * float(data.weights.sum())
        return float(self._encoding.per_square(C))

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.classes_: NDArray[Any] = problem.classes_
        self.temperature_ = TRAINED
