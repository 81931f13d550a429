"""Encode graphs with scaled features of nodes and edges, and choose an inference for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.choices import Auto
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.column_scales import ColumnScales
from structsvm.data.ragged import Ragged
from structsvm.data.validation import checked_sample_weight
from structsvm.data.weight_name import WeightName
from structsvm.estimators.encoding import Encoded, ScaledColumns
from structsvm.problems.classification.labels import Labels
from structsvm.problems.classification.weighted_labels import flat_labels
from structsvm.problems.graphs.data import Graphs
from structsvm.problems.graphs.problem import Inference


class Scales(NamedTuple):
    """The scales of the features of nodes, including a constant, and of the features of edges."""

    nodes: ColumnScales
    edges: ColumnScales


class GraphEncoding(ScaledColumns):
    """The encoding of graphs with scaled features and a constant feature of nodes.

    Parameters
    ----------
    scale : 'auto' or None
        Whether to scale the features.
    directed, attractive : bool
        The parameters of :class:`GraphSVM`.
    inference : str
        The parameter of :class:`GraphSVM`. Learning replaces 'auto' by the name of an inference.
    """

    scales: Scales
    widths: tuple[int, int]
    described: bool | None = None

    def __init__(
        self, scale: Any, directed: bool, attractive: bool, inference: Inference | Auto
    ) -> None:
        super().__init__(scale)
        self.directed, self.attractive, self.inference = directed, attractive, inference

    def learn(self, X: Any, y: Any, sample_weight: Any, prior: Any = None) -> Encoded:
        graphs = Graphs.of(X, self.directed)
        self.widths, self.described = graphs.widths, graphs.described
        labels = Labels(flat_labels(graphs.nodes.sizes, y, "y"))
        weights = checked_sample_weight(sample_weight, len(graphs))
        self.learn_columns(_moments(graphs.edges, weights), centred=False, constant=False)
        edges = self.columns
        self.learn_columns(_moments(graphs.nodes, weights), centred=True, constant=True)
        self.scales = Scales(self.columns, edges)
        if self.inference == "auto":
            self.inference = self._chosen_inference(graphs, len(labels))
        return Encoded(self._scaled(graphs), y, weights, graphs.nodes.values)

    def encode(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        graphs = Graphs.of(X, self.directed, self.widths, self.described)
        if self.inference == "tree":
            graphs.require_forest()
        return Encoded(self._scaled(graphs), y, checked_sample_weight(sample_weight, len(graphs)))

    def decoded(self, outputs: Any) -> Any:
        return list(outputs)

    def attributes(self) -> dict[str, Any]:
        sizes = {"scale_": self.scales.nodes.sizes, "edge_scale_": self.scales.edges.sizes}
        return sizes | {"n_features_in_": self.widths[0], "inference_": self.inference}

    def names(self, problem: Any) -> dict[str, Any]:
        return {"labels": problem.classes_.tolist()}

    def weight_names(self, places: Indices, problem: Any) -> list[WeightName]:
        layout, labels = problem.layout_, problem.classes_.tolist()
        first = layout.k * layout.d
        found = super().weight_names(places[places < first], problem)
        for place in places[places >= first].tolist():
            entry, column = divmod(place - first, layout.p)
            pair = tuple(labels[code] for code in np.argwhere(layout.entry == entry)[0])
            found.append(self.scales.edges.weight_name(column, pair))
        return found

    def weights_given(self, w: Vector, problem: Any) -> Vector:
        return self._changed(w, problem, ColumnScales.given)

    def weights_trained(self, weights: Vector, problem: Any) -> Vector:
        return self._changed(weights, problem, ColumnScales.trained)

    def _chosen_inference(self, graphs: Graphs, k: int) -> Inference:
        """Return the inference for 'auto', with k labels."""
        if graphs.is_forest:
            return "tree"
        if k > 2:
            return "expansion"
        return "flow" if self.attractive else "relaxation"

    def _changed(self, w: Vector, problem: Any, change: Callable[..., Vector]) -> Vector:
        parts = zip(self.scales, problem.layout_.split(w), strict=True)
        return np.concatenate([change(scales, part).ravel() for scales, part in parts])

    def _scaled(self, graphs: Graphs) -> Graphs:
        of_nodes, of_edges = self.scales
        nodes = Ragged(of_nodes.applied(graphs.nodes.values), graphs.nodes.sizes)
        edges = Ragged(of_edges.applied(graphs.edges.values), graphs.edges.sizes)
        return graphs.with_fields(nodes=nodes, edges=edges)


def _moments(part: Ragged, weights: Vector) -> ColumnMoments:
    """Return the moments of the rows with a positive weight."""
    each = np.repeat(weights, part.sizes)
    return ColumnMoments.of(part.values[each > 0], each[each > 0])
