"""The check of input_gradient: it is the slope of the score along a direction in the input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.closeness import norm
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.points import Visit

#: Points at which it is checked: random ones of many sizes.
POINTS = slice(0, 10, 3)
#: Step of the finite differences, relative to the size of x; and their accepted error, relative to
#: the size of the scores: that is the accuracy of single precision.
STEP, TOLERANCE = 1e-2, 1e-4


def input_gradients_are_slopes(evidence: Evidence) -> Iterator[Finding]:
    """Along a random direction in x, input_gradient agrees with differences of the score."""
    calls = evidence.calls
    errors = len(calls.errors)
    sized = [visit for visit in evidence.visits if visit.w.any()]
    for visit in evidence.progress.trials(sized[POINTS]):
        for i, x in enumerate(calls.x):
            if has_gradient(x) and visit.labels[i] is not None:
                yield from _wrong_slope(evidence, visit, i, x)
    yield from calls.errors[errors:]


def has_gradient(x: Any) -> bool:
    """Whether an input is an array of floats: only tensors become arrays in a layer."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def _wrong_slope(evidence: Evidence, visit: Visit, i: int, x: Any) -> Iterator[Finding]:
    calls, y, w = evidence.calls, visit.labels[i], visit.w
    gradient = calls.numbers("input_gradient", i, x.shape, x, y, w)
    step = np.random.default_rng(0).normal(size=x.shape)
    step *= STEP * (norm(x) or 1.0) / norm(step)
    ends = [calls.numbers("joint_feature", i, (calls.size,), x + s * step, y) for s in (1, -1)]
    if gradient is None or ends[0] is None or ends[1] is None:
        return
    slope, change = float(np.sum(gradient * step)), (ends[0] - ends[1]) / 2
    expected, size = float(change @ w), float(np.abs(change) @ np.abs(w)) + abs(slope)
    if abs(slope - expected) > TOLERANCE * size:
        yield Finding(
            "input_gradient",
            calls.name(i),
            f"along a direction in x its slope is {slope:.6g}, but the score changes by "
            f"{expected:.6g}; it must be the gradient of <w, Psi(x, y)> in x",
        )
