"""Planes of earlier oracle passes, recomputed for new labels.

The row of a plane is the weighted sum of the labels' joint features minus the weighted sum of the
outputs' joint features. The weighted sum of the outputs' joint features is computed only once for
each oracle pass, and stored. For new labels, only the joint features of the new labels are
computed. Rounding errors do not add up from one change of labels to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.capabilities import computes_with_arrays, oracle_may_miss
from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.oracle.cuts import relabelled_planes
from structsvm.oracle.equal_labels import changed
from structsvm.oracle.examples import Examples
from structsvm.oracle.violated import losses_of_passes, sum_joint_features


class Kept(NamedTuple):
    """The stored data of the plane of an earlier oracle pass.

    Attributes
    ----------
    source : Source
    fixed : ndarray of shape (size,)
        The part of the plane's row that does not depend on labels.
    labels : sequence or None
        The labels that the losses compare outputs with. None until losses are computed.
    losses : ndarray of shape (n,)
        The losses of the outputs of the oracle pass.
    """

    source: Any
    fixed: Vector
    labels: Any
    losses: Vector


class RelabelledPlanes:
    """The planes of some earlier oracle passes, which can be computed again for new labels.

    For each oracle pass, the object stores the part of the plane's row that does not depend on
    labels, and the losses of the outputs. Losses are computed again only for examples whose labels
    have changed. If the problem defines ``joint_feature_difference``, all joint-feature differences
    are computed again when labels change.
    """

    def __init__(self, examples: Examples) -> None:
        problem = examples.problem
        self._examples, self._first = examples, None
        self._anew = problem.has_own_difference or examples.task.relabelled is not None
        self._alike = not oracle_may_miss(problem)  # if so, all weights are 1/n
        self._kept: list[Kept] = []
        self._last: tuple[Any, Any] = (None, None)  # labels, and the sum of their joint features

    def keep_only(self, sources: Sequence[Any]) -> None:
        """Drop the stored data of all oracle passes that are not in ``sources``."""
        chosen = {id(source) for source in sources}
        self._kept = [kept for kept in self._kept if id(kept.source) in chosen]

    def against(
        self, labels: Any, sources: Sequence[Any], previous: tuple[Any, Vector, Vector]
    ) -> tuple[Vector, Vector]:
        """Return the planes of m oracle passes for ``labels``, as rows (m, size) and offsets (m,).

        ``previous`` holds earlier labels, and the rows and offsets of the planes for the earlier
        labels.
        """
        examples = self._examples
        if self._anew or not len(sources):
            return relabelled_planes(examples, labels, sources, previous)
        weights = np.array([s.weights for s in sources])
        known = {id(k.source): k for k in self._kept}
        new = [j for j, source in enumerate(sources) if id(source) not in known]
        if new:
            before, rows, _ = previous
            if self._first is None and computes_with_arrays(examples.problem):
                self._first = before
            fixed = rows[new] - self._sums(before, weights[new])
            for j, own in zip(new, fixed, strict=True):
                known[id(sources[j])] = Kept(sources[j], own, None, np.empty(examples.n))
        chosen = self._measured([known[id(source)] for source in sources], labels)
        self._kept = [*(known | {id(kept.source): kept for kept in chosen}).values()]
        rows = np.array([kept.fixed for kept in chosen]) + self._sums(labels, weights)
        losses = [own @ kept.losses for own, kept in zip(weights, chosen, strict=True)]
        return rows, examples.task.offsets(np.array(losses), rows)

    def _sums(self, labels: Any, weights: Vector) -> Any:
        """Return weighted sums of the labels' joint features; one sum if all weights are 1/n."""
        if self._alike and labels is self._last[0]:
            return self._last[1]
        divided = weights[: 1 if self._alike else None].T, self._first
        found = sum(self._examples.map(sum_joint_features, labels, divided=divided))
        self._last = labels, found
        return found

    def _measured(self, kept: Sequence[Kept], labels: Any) -> list[Kept]:
        """Return the stored data ``kept``, with losses recomputed for the new ``labels``."""
        measured = []
        for _, same_labels in groupby(kept, key=lambda one: id(one.labels)):
            together = list(same_labels)
            before = together[0].labels
            places = np.arange(self._examples.n) if before is None else changed(before, labels)
            losses = np.array([one.losses for one in together])
            if len(places):
                subset, own = self._examples.labelled_subset(places, labels)
                passes = tuple(take(one.source.outputs, places) for one in together)
                found = [*subset.map(losses_of_passes, own, divided=passes)]
                losses[:, places] = np.concatenate(found).T
            pairs = zip(together, losses, strict=True)
            measured += [one._replace(labels=labels, losses=each) for one, each in pairs]
        return measured
