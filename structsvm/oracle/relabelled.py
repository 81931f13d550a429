"""Planes of earlier oracle passes, recomputed for one labelling after another.

The row of a plane against labels h is a(h) = a' + sum_i w_i Psi(x_i, h_i), where a' does not depend
on h. It is computed once: the row of the oracle pass, less the sum for the labels at that pass. So
new labels need only the labels' joint features, and rounding errors do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import stacked, take
from structsvm.oracle.cuts import joined_cut, one_slack_cut
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.examples import Examples, total
from structsvm.oracle.violated import (
    joint_feature_rows,
    losses_of_passes,
    mean_joint_feature,
    mean_output,
    sum_joint_features,
)
from structsvm.planes.plane import Cuts, Source
from structsvm.task.sums import SumOf, condensed, whole
from structsvm.task.task import Task
from structsvm.task.watched import watched

#: Number of labellings whose mean joint feature is kept: the last ones used.
MEANS_KEPT = 3
#: Largest number of numbers in the rows of a labelling that are kept: 32 MB.
KEPT_NUMBERS = 4_000_000
#: Memory of an entry of a sparse row, in numbers: its index takes half of a number.
ENTRY = 1.5
#: Number of rows from which the size of sparse rows is estimated.
MEASURED = 10
#: Number of labellings whose rows are kept: the last ones used.
LABELLINGS_KEPT = 2


class Kept(NamedTuple):
    """The parts of a plane that are kept, by its source.

    Attributes
    ----------
    source : Source
    fixed : ndarray of shape (size,)
        The part of the row that no label changes.
    labels : sequence or None
        The labels to which the losses refer; None before losses are known.
    losses : ndarray of shape (n,)
        The losses of the source's outputs.
    """

    source: Source
    fixed: Vector
    labels: Any
    losses: Vector


class RelabelledPlanes:
    """The sources of planes, and their planes for any labels.

    Two parts of each plane are kept: its fixed part, and the losses of its outputs. An example
    needs new losses only if its label has changed. Nothing is kept if the task makes the planes
    itself by ``relabelled``, or if its ``joint_feature_difference`` may read an output as
    changes to the label.
    """

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        kind: Any = type(watched(examples.first).task)
        own_rows = kind.differences is not Task.differences
        self._whole = examples.first.relabelled is not None or examples.problem.has_own_difference
        self._alike = not oracle_may_miss(examples.problem)  # all weights are 1/n
        self._kept: dict[int, Kept] = {}  # by the identity of the source
        self._rows = LabelRows(examples)
        self._apart = not (self._whole or own_rows or kind.plane is not Task.plane)
        self._means: list[tuple[Any, Vector]] = []

    def __getstate__(self) -> dict[str, Any]:
        """The attributes; identities change with loading."""
        return {**vars(self), "_kept": list(self._kept.values())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._kept = {id(kept.source): kept for kept in state["_kept"]}

    def keep_only(self, sources: Sequence[Any]) -> None:
        """Drop the parts kept of all other sources."""
        chosen = {id(source) for source in sources}
        self._kept = {key: kept for key, kept in self._kept.items() if key in chosen}

    def cut(self, labels: Any, w: Vector) -> Cuts:
        """The one-slack plane of the separation oracle's outputs at w, for these labels.

        If the problem has no difference of its own, the labels' joint features are kept from
        before, and a pass computes only the outputs' joint features.
        """
        examples = self._examples
        if not self._apart or not (self._alike or self._rows.fit(labels)):
            return one_slack_cut(examples, labels, w)
        scores = () if self._alike else (self._rows.of(labels) @ examples.first.at(w),)
        rows, n = SumOf("row", np.zeros(examples.size)), examples.n
        means = examples.map(mean_output, labels, w, n, divided=scores, keep=rows)

        def rest(weight: Vector) -> Vector:
            return np.asarray(self._label_rows(labels, weight[None])[0])

        return joined_cut(examples, labels, w, means, rows.total, rest)

    def against(
        self, labels: Any, sources: Sequence[Any], previous: tuple[Any, Vector, Vector]
    ) -> tuple[Vector, Vector]:
        """Rows (m, size) and offsets (m,) of the sources' planes for these labels.

        ``previous`` holds other labels, with their rows and offsets.
        """
        if not len(sources):
            return np.empty((0, self._examples.size)), np.empty(0)
        if self._whole:
            passes = [source.outputs for source in sources]
            weights = np.array([source.weights for source in sources])
            return self._examples.relabelled_planes(labels, passes, weights, previous)
        self._keep(sources, previous)
        self._update_losses(sources, labels)
        kept = [self._kept[id(source)] for source in sources]
        rows, weights = np.array([fixed for _, fixed, _, _ in kept]), _weights(sources)
        rows += self._label_rows(labels, weights)
        losses = [own @ losses for own, (*_, losses) in zip(weights, kept, strict=True)]
        return rows, self._examples.first.offsets(np.array(losses), rows)

    def _keep(self, sources: Sequence[Any], previous: tuple[Any, Vector, Vector]) -> None:
        """Find the fixed parts of sources that are new."""
        labels, rows, _ = previous
        new = [j for j, source in enumerate(sources) if id(source) not in self._kept]
        if not new:
            return
        chosen, unknown = [sources[j] for j in new], np.empty(self._examples.n)
        parts = rows[new] - self._label_rows(labels, _weights(chosen))
        for source, fixed in zip(chosen, parts, strict=True):
            self._kept[id(source)] = Kept(source, fixed, None, unknown)

    # ------------------------------------------------------------------ joint features

    def _label_rows(self, labels: Any, weights: Vector) -> Vector:
        """The sums of the labels' joint features with m weights each, (m, n), or one for all."""
        if self._alike and not self._rows.fit(labels):
            return self._mean(labels)[None]
        weights = weights[: 1 if self._alike else None]
        if self._rows.fit(labels):
            return np.asarray(weights @ self._rows.of(labels))
        return total(self._examples.map(sum_joint_features, labels, divided=(weights.T,)))

    def _mean(self, labels: Any) -> Vector:
        """The mean joint feature of the labels, shape (size,)."""
        for place, (known, mean) in enumerate(self._means):
            if not len(changed(known, labels)):
                self._means.insert(0, self._means.pop(place))
                return mean
        examples = self._examples
        parts = examples.map(mean_joint_feature, labels, examples.n)
        mean = whole(condensed(parts, examples.size), examples.size)
        self._means = [(labels, mean), *self._means][:MEANS_KEPT]
        return mean

    # ------------------------------------------------------------------ losses

    def _update_losses(self, sources: Sequence[Any], labels: Any) -> None:
        """Update the losses kept for the sources to these labels."""
        kept = [self._kept[id(source)] for source in sources]
        for _, same_labels in groupby(kept, key=lambda one: id(one.labels)):
            together = list(same_labels)
            before = together[0].labels
            places = np.arange(self._examples.n) if before is None else changed(before, labels)
            losses = np.array([one.losses for one in together])
            if len(places):
                losses[:, places] = self._losses(places, labels, together)
            for one, own in zip(together, losses, strict=True):
                self._kept[id(one.source)] = one._replace(labels=labels, losses=own)

    def _losses(self, places: Indices, labels: Any, kept: Sequence[Kept]) -> Vector:
        """The losses of the kept outputs at some positions, shape (len(kept), len(places))."""
        subset, own = self._examples.labelled_subset(places, labels)
        passes = tuple(take(one.source.outputs, places) for one in kept)
        return np.concatenate(subset.map(losses_of_passes, own, divided=passes)).T


def _weights(sources: Sequence[Any]) -> Vector:
    """The weights of the examples in the sources' planes, shape (len(sources), n)."""
    return np.array([source.weights for source in sources])


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
