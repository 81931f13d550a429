"""Multi-label classification with any graph over the labels: relaxed, or without exclusions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from structsvm.contract.constraints import WeightConstraints
from structsvm.data.arrays import Numbers, Vector
from structsvm.docstrings import documented
from structsvm.problems.label_sets.problem import LabelSet
from structsvm.problems.label_sets.structure import Structure
from structsvm.problems.label_sets.task import LoopyTask, RelaxedTask


class _LoopyLabelSet(LabelSet):
    """Base class of problems with cycles, which have no soft oracle and no F1.

    Parameters
    ----------
    structure : str, networkx graph or sequence of pairs, default='pairs'
        The graph over the labels: 'independent', no edges; 'tree', the spanning tree of largest
        mutual information in Y (Chow & Liu 1968); 'pairs', all edges; or edges between the numbers
        of columns of Y.
    cost : 'hamming' or array-like of shape (n_labels,) or (n_labels, 2), default='hamming'
        The loss. 'hamming' is the fraction of labels that are wrong. An array holds the costs of
        getting labels wrong, or of missing them and of predicting them where they are not; the loss
        is their mean over the labels.
    """

    # The log-partition function of a graph with cycles is not available.
    soft_oracle = soft_input_gradient = None  # type: ignore[assignment]
    _inference: str

    def __init__(
        self,
        structure: Structure = "pairs",
        cost: Literal["hamming"] | Numbers = "hamming",
        pair_scale: float = 1.0,
    ) -> None:
        super().__init__(structure, cost, pair_scale)

    def task(self, X: Any, Y: Any = None) -> LoopyTask:
        return LoopyTask(self, X, Y)

    def _chosen_inference(self) -> str:
        if self.costs_ is None:
            raise ValueError(
                f"cost='f1' is not a sum over labels, as {type(self).__name__} needs it; use "
                "LabelSet, with structure='independent' or few labels"
            )
        return self._inference


@documented
class RelaxedLabelSet(_LoopyLabelSet):
    """Multi-label classification with cycles in the graph over any number of labels, relaxed.

    Inputs, outputs and joint features are as in :class:`LabelSet`. The separation oracle
    overgenerates: it solves the linear relaxation, by a maximum flow, in which labels may be
    halves. Predictions round it, and then change single labels while that raises the score.

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    inference_ : str
        'relaxation'.

    References
    ----------
    Finley & Joachims, Training Structural SVMs when Exact Inference is Intractable, ICML 2008,
    where the relaxation is solved likewise.

    Examples
    --------
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import RelaxedLabelSet
    >>> X, Y = RelaxedLabelSet.example_data()
    >>> svm = StructuredSVM(RelaxedLabelSet()).fit(X[:20], Y[:20])
    >>> svm.score(X[20:], Y[20:])
    0.8
    """

    oracle_quality = "overgenerating"
    oracle_cost = "expensive"
    _inference = "relaxation"

    def task(self, X: Any, Y: Any = None) -> RelaxedTask:
        return RelaxedTask(self, X, Y)

    def parts(self, Y: Any) -> tuple[Vector, Vector]:
        labels, edges = np.split(np.asarray(Y, dtype=np.float64), [self.n_labels_], axis=1)
        # The relaxation has values of edges of its own; for label sets they follow from the labels.
        return labels, edges if edges.size else self.both(labels)


@documented
class AttractiveLabelSet(_LoopyLabelSet):
    """Multi-label classification where labels support each other, with exact minimum cuts.

    Inputs, outputs and joint features are as in :class:`LabelSet`, over any graph with any
    number of labels. The weights of edges are at least 0: labels do not exclude each other.

    Shared parameters and attributes are added at import: see ``help``.

    Attributes
    ----------
    inference_ : str
        'cut'.

    References
    ----------
    Taskar, Chatalbashev & Koller, Learning Associative Markov Networks, ICML 2004.

    Examples
    --------
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems import AttractiveLabelSet
    >>> X, Y = AttractiveLabelSet.example_data()
    >>> svm = StructuredSVM(AttractiveLabelSet()).fit(X[:20], Y[:20])
    >>> svm.score(X[20:], Y[20:])
    0.833...
    >>> print(svm.w_[-3:].min())
    0.0
    """

    _inference = "cut"

    def constraints(self) -> WeightConstraints:
        bounds = np.full(self.size_joint_feature, -np.inf)
        bounds[self.n_labels_ * self.n_features_ :] = 0
        return WeightConstraints(lower=bounds)
