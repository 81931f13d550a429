"""Planes of earlier oracle passes, made again for one labelling after another.

The row of a plane against labels h is a(h) = a' + sum_i w_i Psi(x_i, h_i), where a' does not depend
on h. It is computed once: the row of the oracle pass, less the sum for the labels at that pass. So
new labels need only the labels' joint features, and rounding errors do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.capabilities import computes_with_arrays, oracle_may_miss
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import take
from structsvm.oracle.cuts import relabelled_planes
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.examples import Examples
from structsvm.oracle.violated import losses_of_passes, sum_joint_features


class Kept(NamedTuple):
    """The parts of a plane that are kept.

    Attributes
    ----------
    source : Source
    fixed : ndarray of shape (size,)
        The part of the row that no label changes.
    losses : ndarray of shape (n,)
        The losses of the source's outputs.
    """

    source: Any
    fixed: Vector
    losses: Vector


class RelabelledPlanes:
    """The planes of some sources, for any labels.

    The fixed part of each is kept, and the losses of its outputs: an example needs new losses only
    if its label has changed. A task with arrays is faster without, and where the problem's
    ``joint_feature_difference`` may read an output as changes to the label nothing is fixed.
    """

    def __init__(self, examples: Examples) -> None:
        problem = examples.problem
        self._examples = examples
        self._anew = computes_with_arrays(problem) or problem.has_own_difference
        self._alike = not oracle_may_miss(problem)  # all weights are 1/n
        self._kept: list[Kept] = []
        self._labels: Any = None  # of the losses that are kept

    def keep_only(self, sources: Sequence[Any]) -> None:
        """Drop the parts kept of all other sources."""
        chosen = {id(source) for source in sources}
        self._kept = [kept for kept in self._kept if id(kept.source) in chosen]

    def against(
        self, labels: Any, sources: Sequence[Any], previous: tuple[Any, Vector, Vector]
    ) -> tuple[Vector, Vector]:
        """Rows (m, size) and offsets (m,) of the sources' planes for these labels.

        ``previous`` holds other labels, with their rows and offsets.
        """
        examples = self._examples
        if self._anew or not len(sources):
            return relabelled_planes(examples, labels, sources, previous)
        weights, everything = np.array([s.weights for s in sources]), np.arange(examples.n)
        held, self._labels = self._labels, None  # until all losses are those of the labels
        places = everything if held is None else changed(held, labels)
        self._measure(self._kept, places, labels)
        known = {id(kept.source) for kept in self._kept}
        new = [j for j, source in enumerate(sources) if id(source) not in known]
        if new:
            before, rows, _ = previous
            fixed = rows[new] - self._sums(before, weights[new])
            pairs = zip(new, fixed, strict=True)
            made = [Kept(sources[j], own, np.empty(examples.n)) for j, own in pairs]
            self._measure(made, everything, labels)
            self._kept += made
        self._labels, by_source = labels, {id(kept.source): kept for kept in self._kept}
        chosen = [by_source[id(source)] for source in sources]
        rows = np.array([kept.fixed for kept in chosen]) + self._sums(labels, weights)
        losses = [own @ kept.losses for own, kept in zip(weights, chosen, strict=True)]
        return rows, examples.task.offsets(np.array(losses), rows)

    def _sums(self, labels: Any, weights: Vector) -> Any:
        """The sums of the labels' joint features with m weights each, (m, n), or one for all."""
        divided = (weights[: 1 if self._alike else None].T,)
        return sum(self._examples.map(sum_joint_features, labels, divided=divided))

    def _measure(self, kept: Sequence[Kept], places: Indices, labels: Any) -> None:
        """Set the losses of the kept outputs at some positions."""
        if not (kept and len(places)):
            return
        subset, own = self._examples.labelled_subset(places, labels)
        passes = tuple(take(one.source.outputs, places) for one in kept)
        found = np.concatenate([*subset.map(losses_of_passes, own, divided=passes)])
        for one, losses in zip(kept, found.T, strict=True):
            one.losses[places] = losses
