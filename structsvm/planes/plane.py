"""Planes and their sources.

A plane (a, b) is a lower bound of the slack of a group of examples: the slack at w is at least b -
<a, w>. The row a of a plane is the mean of joint-feature differences, and the offset b is the mean
of losses. The module :mod:`structsvm.objective` defines slacks and planes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.objective.rounding import DOUBLE, Rounding

#: A row is stored as sparse if the fraction of its nonzero entries is smaller.
SPARSE = 0.2
#: Violations that differ by less, relative to the size of their terms, count as equal.
ROUNDING = 1e-10


class Source(NamedTuple):
    """The source of a plane: oracle outputs for some examples, with the outputs' weights.

    Attributes
    ----------
    example : int or None
        The index of the example, or None for all examples.
    outputs : sequence
        The output of the example, or the outputs of all examples.
    weights : ndarray of shape (len(outputs),)
        The weight of each output in the sums of the plane.
    """

    example: int | None
    outputs: Sequence[Any]
    weights: Vector


class SoftSource(NamedTuple):
    """A call of the soft oracle, from which a plane can be computed again.

    Attributes
    ----------
    examples : ndarray or None
        The indices of the examples; None for all examples.
    w : ndarray of shape (size_joint_feature,)
        The weights minus the prior weights, at which the soft oracle was called. The dtype is
        float32 if float32 represents w exactly.
    mu : float
        The temperature.
    others : SoftSource or None
        The call of the soft oracle for the examples that are not in ``examples``. None if the
        examples that are not in ``examples`` have no part in the plane.
    """

    examples: Indices | None
    w: Vector
    mu: float
    others: SoftSource | None = None

    def error(self, rounding: Rounding) -> float:
        """Return the error of the plane, relative to the error of a plane computed from outputs.

        At a low temperature, rounding errors of the scores change the probabilities of the outputs,
        and the expected losses may not match the expected joint features.
        """
        error = 1.0 + DOUBLE / rounding.unit * rounding.terms.at(self.w) / self.mu
        return error if self.others is None else max(error, self.others.error(rounding))


def weight_of(
    planes: Iterable[tuple[Source | SoftSource | None, float]], rounding: Rounding
) -> float:
    """Return the sum of the planes' dual variables, weighted by the planes' rounding errors.

    ``planes`` holds pairs of a source and a dual variable. Constraints have no source.
    """
    total = 0.0
    for source, alpha in planes:
        if source is not None and alpha > 0:
            total += alpha * (source.error(rounding) if isinstance(source, SoftSource) else 1.0)
    return total


class SupportPlane(NamedTuple):
    """A plane with a nonzero dual variable in the dual solution.

    Attributes
    ----------
    source : Source or SoftSource
        The oracle outputs, or the call of a soft oracle, from which the plane can be computed.
    alpha : float
        The dual variable of the plane, > 0.
    """

    source: Source | SoftSource
    alpha: float


class WeightedPlanes(NamedTuple):
    """Planes with their dual variables, from which a solver can start.

    Attributes
    ----------
    rows : ndarray or CSR matrix of shape (m, size)
    offsets, alpha : ndarray of shape (m,)
    groups : ndarray of shape (m,)
        The index of each plane's example; 0 if all examples share a slack.
    sources : list of Source
    """

    rows: Any
    offsets: Vector
    alpha: Vector
    groups: Indices
    sources: list[Source]


class Cuts(NamedTuple):
    """Planes found in one pass over the examples at a point w, with the slacks at w.

    Attributes
    ----------
    labels : sequence or None
        The true outputs for which the planes were computed: Y, or imputed labels.
    outputs : sequence or None
        The oracle's outputs, one for each example; None for a soft oracle.
    slacks : ndarray of shape (n_groups,)
        The mean slack of every group at w; infinite if the slack is unknown.
    rows : ndarray or CSR matrix of shape (m, size)
    offsets, groups : ndarray of shape (m,)
    sources : list of Source or SoftSource
    any_loss : bool
        Whether any output has a loss > 0.
    """

    labels: Any
    outputs: Sequence[Any] | None
    slacks: Vector
    rows: Any
    offsets: Vector
    groups: Indices
    sources: list[Source] | list[SoftSource]
    any_loss: bool


def no_cuts(
    labels: Any,
    size: int,
    slacks: Vector | None = None,
    any_loss: bool = True,
    outputs: Sequence[Any] | None = None,
) -> Cuts:
    """Return a Cuts object with outputs and slacks, but without planes."""
    nothing = np.empty(0)
    slacks = np.array([np.inf]) if slacks is None else slacks
    groups, rows = nothing.astype(np.intp), np.empty((0, size))
    return Cuts(labels, outputs, slacks, rows, nothing, groups, [], any_loss)


class Planes:
    """The base class of the stores in which algorithms keep planes.

    It has no planes.

    Attributes
    ----------
    offsets, lengths : ndarray of shape (m,)
        The offsets of the planes, and the norms of their rows.
    """

    offsets: Any = np.empty(0)
    lengths: Any = np.empty(0)

    def __len__(self) -> int:
        return len(self.offsets)

    def slacks(self, w: Vector) -> Vector:
        """Return a lower bound of the mean slack of every group at w, computed from the planes."""
        return np.zeros(1)

    def magnitude(self, w: Vector) -> float:
        """Return a bound on the size of the planes' offsets and scores at w."""
        length = float(np.linalg.norm(w)) if len(self) else 0.0
        longest = float(self.lengths.max()) if length else 0.0  # may be infinite
        return float(np.abs(self.offsets).max(initial=0.0)) + longest * length
