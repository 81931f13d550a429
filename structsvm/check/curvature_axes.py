"""The check of the axes along which curvature is measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.calls import as_numbers
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.minibatches import block_of
from structsvm.oracle.soft_outputs import suggested_axes
from structsvm.task.call import read_only


def curvature_axes_are_orthonormal(evidence: Evidence) -> Iterator[Finding]:
    """The axes stretch w as a symmetric matrix does, and a factor of 1 leaves it as it is."""
    block = block_of(evidence)
    axes = suggested_axes(block)
    if axes is not None and (message := _message(axes, block.size, evidence.rng)):
        yield Finding("curvature_axes", None, message)


def _message(axes: Any, size: int, rng: np.random.Generator) -> str:
    found = axes.along(np.ones(size))
    along = as_numbers("the along of curvature_axes", found, np.shape(found)[:1])
    if along.ndim != 1 or not np.all(along >= 0):
        return "along must return the curvature of each group of axes, of shape (m,) and >= 0"
    u, w = read_only(rng.normal(size=(2, size)))
    factors = rng.uniform(0.5, 2.0, size=along.shape)
    stretched = axes.times(factors, np.stack([u, w]))
    rules = {
        "a factor of 1 must leave w as it is": (axes.times(np.ones_like(factors), w), w),
        "a factor of 2 must double w": (axes.times(2 * np.ones_like(factors), w), 2 * w),
        "each of several vectors must be stretched as it is by itself": (
            stretched,
            np.stack([axes.times(factors, u), axes.times(factors, w)]),
        ),
        "the inverse factors must undo it": (axes.times(1 / factors, stretched[1]), w),
        "it must be symmetric, as if by a diagonal matrix along orthonormal axes": (
            np.array(u @ stretched[1]),
            np.array(w @ stretched[0]),
        ),
    }
    for rule, (found, expected) in rules.items():
        if np.shape(found) != np.shape(expected) or not close(found, expected, TOLERANCE):
            return f"times: {rule}"
    return ""
