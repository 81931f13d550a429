"""Multi-label classification as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import ChoiceOfC
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.columns import arrays_in
from structsvm.data.containers import require_examples
from structsvm.data.conversion import table_of
from structsvm.data.matrices import checked_rows
from structsvm.data.row_space import RowSpace
from structsvm.data.validation import checked_sample_weight, require_flag
from structsvm.data.weight_name import WeightName
from structsvm.docstrings import documented
from structsvm.estimators.about import About
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.estimators.probabilities import TRAINED, HasProbabilities
from structsvm.estimators.rows import RowEstimator
from structsvm.estimators.training import StructuredEstimator
from structsvm.objective.surrogate import Loss
from structsvm.problems.classification.labels import require_order
from structsvm.problems.graphs.inference.forest import is_forest
from structsvm.problems.label_sets.data import (
    FEW_LABELS,
    Cost,
    Structure,
    checked_indicators,
    label_costs,
    label_edges,
)
from structsvm.problems.label_sets.problem import (
    AttractiveLabelSet,
    LabelSet,
    RelaxedLabelSet,
)
from structsvm.problems.label_sets.task import LabelSetTask
from structsvm.results.result import Result

#: Default C per label set, if a wrong label costs 1 and the mean of ||x||^2 is 1.
C_OF_A_LABEL_SET = 3.0


@documented
@dataclass(eq=False, repr=False)
class MultiLabelSVM(RowEstimator, HasProbabilities, StructuredEstimator):
    """Multi-label classification with weights for pairs of labels that occur together.

    The score of a label set adds a linear function of x for each label and a weight for each pair
    of labels. The gap is certified. X is a matrix of shape (n, n_features), dense, sparse or a
    DataFrame; products with float32 data are in float32. The target ``y`` is an indicator matrix of
    shape (n, n_labels), as scikit-learn's ``MultiLabelBinarizer`` makes it. ``predict`` returns an
    indicator matrix. Label sets may be empty.

    A constant feature is added for the intercepts. A label of all training examples is always
    predicted, and a label of no training example is never predicted.

    ``help`` also shows the inherited parameters and attributes.

    Parameters
    ----------
    structure : {'auto', 'independent', 'tree', 'pairs'}, networkx graph or sequence of pairs, \
            default='auto'
        The pairs of labels that have a weight. 'independent' means no pairs, and 'pairs' all pairs.
        'tree' means the edges of the spanning tree of largest mutual information (Chow & Liu 1968).
        The nodes of a networkx graph, or of a sequence of edges, are names in ``classes_``. The
        graph need not be connected. 'auto' is 'pairs' for at most 14 labels, otherwise 'tree'. If
        the graph has cycles and there are more than 14 labels, training uses a relaxation. With 14
        labels, 'pairs' is slow, since each pass scores 2^14 sets for every example. On 1,500 genes
        of yeast, 'pairs' takes ten seconds, or several times as long with F1, and 'tree' less than
        one second.
    cost : 'hamming', 'f1' or array-like of shape (n_labels,) or (n_labels, 2), default='hamming'
        The loss. 'hamming' is the fraction of labels that are wrong. 'f1' is 1 - F1 of the example,
        and needs ``structure='independent'`` or at most 14 labels. An array holds the cost of each
        label, and the loss is the sum of the costs of the wrong labels, divided by the number of
        labels. Two columns hold the costs of missing a label and of predicting it wrongly. The
        index of a pandas object must be ``classes_``, in order.
    attractive : bool, default=False
        Whether to restrict the weights of pairs to values >= 0. With ``attractive``, inference is
        exact for any graph.
    pair_scale : float, default=3.0
        Value, > 0, of the joint feature of each pair of labels in the set. Rows x are scaled to a
        mean ||x||^2 of 1. With a larger ``pair_scale``, the weights of pairs are penalised less.
    C : float, 'auto' or 'cv', default='auto'
        Weight of the mean slack in the :mod:`structsvm.objective`, > 0. 'auto' is 3 n s for n
        examples, where s is the loss of one wrong label: the mean cost divided by n_labels. For F1,
        'auto' is n divided by the mean number of labels of an example. The page :doc:`/label_sets`
        shows how the default was chosen. 'cv' chooses C by cross-validation: see ``cv_scores_``.
    loss : {'hinge', 'softmax_margin', 'log_loss'}, default='hinge'
        The surrogate of the loss: see :mod:`structsvm.objective.surrogate`. For 'softmax_margin'
        and 'log_loss', inference must be exact, and C='auto' is 3 n for n examples.
    rtol : float, optional
        Relative tolerance, >= 0 and < 1. Training stops when the gap is at most ``rtol`` times the
        primal value. Default with ``solver='auto'``: 0.01.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The names of the columns of y if it is a DataFrame, otherwise their numbers.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the unscaled features.
    intercept_ : ndarray of shape (n_labels,)
        Constant of each label.
    edges_ : ndarray of shape (m, 2)
        The pairs of labels that have a weight, as indices into ``classes_``.
    pair_coef_ : ndarray of shape (m,)
        The score that each pair adds to a set with both labels.
    inference_ : {'forest', 'enumeration', 'counts', 'cut', 'relaxation'}
        The search for label sets; only 'relaxation' is not exact.
    n_features_in_ : int
        Number of columns of X.
    temperature_ : float
        The divisor of scores in :meth:`predict_proba`: 1, or the result of :meth:`fit_temperature`.

    Examples
    --------
    >>> from structsvm.problems import MultiLabelSVM
    >>> X = [[1.0, 0.1], [0.9, 1.1], [0.1, 0.9], [0.0, 0.1], [1.1, 1.0]]
    >>> y = [[1, 0], [1, 1], [0, 1], [0, 0], [1, 1]]
    >>> svm = MultiLabelSVM().fit(X, y)
    >>> svm.predict([[1.0, 1.2], [0.0, 1.0]])
    array([[1, 1],
           [0, 1]])
    >>> svm.score(X, y)
    1.0
    """

    about = About(
        "Classes, sets of labels, rankings", "several labels for each row", X="a matrix",
        y="a 0/1 matrix, a column for each label", page="label_sets.md",
        score=(
            'right labels, or with `cost="f1"` the mean F1 of an example. `accuracy_score` '
            "counts sets without a mistake; `f1_score` has micro and macro means"
        ),
    )  # fmt: skip

    structure: Structure = "auto"
    _: KW_ONLY
    cost: Cost = "hamming"
    attractive: bool = False
    pair_scale: float = 3.0
    loss: Loss = "hinge"
    C: float | ChoiceOfC = "auto"

    default_rtol = 1e-2

    _requires_y = _has_several_outputs = True

    if TYPE_CHECKING:  # attributes that the encoding learns
        classes_: NDArray[Any] = field(init=False)

    def predict(self, X: Any) -> Indices:
        """Return the label sets of highest score, an indicator matrix of shape (n, n_labels)."""
        return np.asarray(super().predict(X))

    def predict_proba(self, X: Any, *, temperature: float | None = None) -> Vector:
        """Return the probability of every label for every row, shape (n, n_labels).

        The probability of a label set is proportional to exp(score / temperature): see
        :meth:`ChainSVM.predict_proba`. Inference must be exact: see ``inference_``.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
        temperature : float, optional
            The divisor of the scores, > 0; ``temperature_`` by default.
        """
        check_is_fitted(self)
        task, temperature = self._task(self._encoded(X).X), self._temperature(temperature)
        return task.probabilities(self.w_, temperature)

    def _of_truth(self, X: Any, y: Any) -> Callable[[float], Vector]:
        rows, indicators, _, _ = self._encoded(X, y)
        task = self._task(rows)

        def of_truth(temperature: float) -> Vector:
            p = task.probabilities(self.w_, temperature)
            return np.where(indicators, p, 1 - p)

        return of_truth

    def _task(self, rows: Any) -> LabelSetTask:
        if self.problem_.soft_oracle is None:
            raise ValueError(
                "probabilities need exact inference, by structure='tree' or 'independent', or at "
                f"most {FEW_LABELS} labels; inference here is by {self.inference_}"
            )
        task: LabelSetTask = self.problem_.task(rows)
        return task

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return 1 minus the mean loss of the predictions relative to the largest loss.

        By default, the score is the fraction of labels that are right, and with ``cost='f1'`` the
        mean F1 of an example. The usual score of scikit-learn, the fraction of label sets without a
        mistake, is ``sklearn.metrics.accuracy_score(y, svm.predict(X))``.
        """
        return super().score(X, y, sample_weight)

    def _require_parameters(self) -> None:
        super()._require_parameters()
        require_flag("attractive", self.attractive)

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        rows, table = checked_rows(self, X, reset=reset), table_of("y", y)
        array = arrays_in(self, "y", y, reset=reset)
        return rows, array if table is None else table  # a table has the names of labels

    def _new_encoding(self) -> LabelSetEncoding:
        return LabelSetEncoding(self.scale, self.structure, self.cost)

    def _problem(self) -> Problem:
        edges, n_labels = self._encoding.edges, len(self._encoding.classes)
        # A structure with a name depends on the examples that the problem is trained on.
        structure = self.structure if isinstance(self.structure, str) else edges.tolist()
        relaxed = n_labels > FEW_LABELS and not is_forest(n_labels, edges)
        kind: type[LabelSet] = RelaxedLabelSet if relaxed else LabelSet
        kind = AttractiveLabelSet if self.attractive else kind
        return kind(structure, self.cost, self.pair_scale)

    def _automatic_C(self, data: Encoded) -> float:
        """Return C='auto', from the sum of the examples' weights and the loss of a wrong label."""
        n, n_labels = float(data.weights.sum()), data.Y.shape[1]
        costs = label_costs(self.cost, n_labels)
        if self.loss != "hinge":  # there is no loss, whose unit C would have
            C = C_OF_A_LABEL_SET * n
        elif costs is None:
            C = n / max(1.0, float(np.average(data.Y.sum(axis=1), weights=data.weights)))
        else:
            C = C_OF_A_LABEL_SET * n * costs.mean / n_labels
        return float(self._encoding.per_square(C))

    def _keep(self, problem: Any, result: Result, data: Encoded) -> None:
        super()._keep(problem, result, data)
        self.edges_: Indices = problem.edges_
        self.inference_: str = problem.inference_
        columns, (W, pairs) = self._encoding.columns, problem.split(self.w_)
        self.coef_, self.intercept_ = columns.parts(columns.given(W))
        self.pair_coef_: Vector = self.pair_scale * pairs
        self.temperature_ = TRAINED


class LabelSetEncoding(ScaledColumns):
    """The encoding of rows as scaled rows with a constant, and of label sets as indicators.

    Parameters
    ----------
    scale : 'auto' or None
        Whether to scale the columns.
    structure, cost : as of :class:`MultiLabelSVM`

    Attributes
    ----------
    classes : ndarray of shape (n_labels,)
        The labels: names of columns of y, or their numbers.
    edges : ndarray of shape (m, 2)
        The pairs of labels that the structure joins.
    """

    classes: Any
    edges: Indices
    spans_rows = True

    def __init__(self, scale: Any, structure: Structure, cost: Cost) -> None:
        super().__init__(scale)
        self.structure, self.cost = structure, cost

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        sets = checked_indicators(y, name="y")
        weights = checked_sample_weight(sample_weight, require_examples(X, y=sets))
        self.classes = np.asarray(getattr(y, "columns", np.arange(sets.shape[1])))
        if not isinstance(self.cost, str):
            require_order(self.cost, self.classes, ("index",))
        self.edges = label_edges(self.structure, sets, self.classes.tolist())
        self.learn_columns(ColumnMoments.of(X, weights), centred=True, constant=True)
        return self.encode(X, sets, sample_weight)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        rows = self.columns.applied(X)
        sets = None if y is None else checked_indicators(y, len(self.classes), "y")
        return Encoded(rows, sets, checked_sample_weight(sample_weight, rows.shape[0]), rows)

    def decoded(self, outputs: Any) -> Any:
        return np.asarray(outputs, dtype=np.intp)

    def attributes(self) -> dict[str, Any]:
        return super().attributes() | {"classes_": self.classes}

    def names(self, problem: Any) -> dict[str, Any]:
        pairs = list(map(tuple, problem.edges_.tolist()))
        return {"labels": self.classes.tolist(), "pairs of labels": pairs}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        first = problem.size_joint_feature - len(problem.edges_)
        pairs = self.classes[problem.edges_[places[places >= first] - first]].tolist()
        found = super().weight_names(places[places < first], problem)
        return found + [WeightName("both labels", tuple(pair)) for pair in pairs]

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        W, pairs = problem.split(w)
        return np.append(self.columns.given(W), problem.pair_scale * pairs)

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        W, pairs = problem.split(weights)
        return np.append(self.columns.trained(W), pairs / problem.pair_scale)

    def lifted(self, w: Vector, space: RowSpace, problem: Any) -> Vector:
        W, pairs = problem.split(w)
        return np.append(super().lifted(W, space, problem), pairs)
