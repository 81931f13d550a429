"""Where to look: the points w at which a problem's searches are tried.

A wrong oracle is often right at most points. So the points are of many sizes, some lie where a
training would go, and the rest are hunted: beside other points, and where two outputs that were
found tie, for there a search that is not exact is most often beaten by what it found elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import projected
from structsvm.problem import Vector, offers

if TYPE_CHECKING:
    from structsvm.check.evidence import Evidence, Visit

#: Sizes of the random points, relative to where scores are as large as losses.
FACTORS = (1e-3, 0.1, 0.3, 1.0, 2.0, 4.0, 10.0, 100.0)
#: Steps of subgradient descent; and examples that are learnt one by one, in so many steps.
STEPS, LEARNT, LESSONS = 6, 3, 6
#: Points hunted, with outputs to enumerate and without.
HUNTED, HUNTED_BLINDLY = 24, 80
#: Numbers held in all points together, and points that are visited however long w is.
MAX_NUMBERS, LEAST = 5e6, 12


def explore(evidence: Evidence, visits: Sequence[Visit]) -> Iterator[Vector]:
    """The points, one by one; what was found at those before guides the next."""
    most = max(LEAST, int(MAX_NUMBERS / evidence.calls.size))
    return islice(_points(evidence, visits), most)


def _points(evidence: Evidence, visits: Sequence[Visit]) -> Iterator[Vector]:
    rng, size = evidence.rng, evidence.calls.size
    project = _projection(evidence)
    direction = rng.standard_normal(size)
    yield project(1e-9 * direction if evidence.self_labelled else np.zeros(size))
    scale = _natural_scale(evidence, visits[0])
    for factor in FACTORS:
        yield project(factor * scale * rng.standard_normal(size))
    w = visits[1].w
    for step in range(1, STEPS + 1):
        row = _mean_difference(evidence, visits[-1])
        norm = float(np.linalg.norm(row))
        if norm > 0:
            w = project(w + 2 * scale / (step * norm) * row)
            yield w
    yield from (project(w) for w in _lessons(evidence, visits))
    known = evidence.self_labelled or offers(evidence.problem, "outputs")
    for attempt in range(HUNTED if known else HUNTED_BLINDLY):
        yield project(_tie(evidence, visits) if attempt % 2 else _beside(rng, visits))


def _lessons(evidence: Evidence, visits: Sequence[Visit]) -> Iterator[Vector]:
    """For a few examples, on to where the truth is best: the end that every training has."""
    for i in evidence.rng.permutation(evidence.calls.n)[:LEARNT]:
        w = visits[2].w
        for _ in range(LESSONS):
            yield w
            measured = _measured(evidence, visits[-1], int(i))
            if measured is None or not measured[1].any():
                break
            loss, difference = measured
            violation = max(loss - float(difference @ w), 0.1 * loss)
            w = w + 1.5 * violation / (difference @ difference) * difference


def _beside(rng: Any, visits: Sequence[Visit]) -> Vector:
    """Some way off a point visited before."""
    w = visits[rng.integers(1, len(visits))].w
    step = rng.standard_normal(len(w)) * np.linalg.norm(w) / np.sqrt(len(w))
    return w + rng.choice([0.1, 0.3, 1.0]) * step


def _tie(evidence: Evidence, visits: Sequence[Visit]) -> Vector:
    """Between two points, where the outputs that were found there are worth the same."""
    rng = evidence.rng
    first, second = (visits[k] for k in rng.integers(1, len(visits), 2))
    i = int(rng.integers(evidence.calls.n))
    share = rng.uniform()
    worths = [_worths(evidence, visit, i, (first.w, second.w)) for visit in (first, second)]
    if worths[0] is not None and worths[1] is not None:
        ahead, behind = worths[0] - worths[1]
        if ahead > 0 > behind:
            share = ahead / (ahead - behind)
    return (1 - share) * first.w + share * second.w


def _worths(evidence: Evidence, visit: Visit, i: int, points: Sequence[Vector]) -> Vector | None:
    """Of the oracle's output for example i at a visit: its loss-augmented score at two points."""
    measured = _measured(evidence, visit, i)
    if measured is None:
        return None
    loss, difference = measured
    return np.array([loss - difference @ w for w in points])


def _measured(evidence: Evidence, visit: Visit, i: int) -> tuple[float, Vector] | None:
    entry, label = visit.found["separation_oracle"][i], visit.labels[i]
    truth = None if entry is None else evidence.joint_feature(i, label)
    if entry is None or truth is None:
        return None
    return evidence.measure(i, label, "separation_oracle", entry[1], truth)


def _mean_difference(evidence: Evidence, visit: Visit) -> Vector:
    found = [_measured(evidence, visit, i) for i in range(evidence.calls.n)]
    rows = [measured[1] for measured in found if measured is not None]
    return np.mean(rows, axis=0) if rows else np.zeros(evidence.calls.size)


def _natural_scale(evidence: Evidence, visit: Visit) -> float:
    """The size of the entries of w at which scores are about as large as losses."""
    ratios = []
    for i in range(evidence.calls.n):
        measured = _measured(evidence, visit, i)
        if measured is not None and measured[0] > 0 and measured[1].any():
            ratios.append(measured[0] / np.linalg.norm(measured[1]))
    return float(np.median(ratios)) if ratios else 1.0


def _projection(evidence: Evidence) -> Any:
    """To the nearest w that the problem's own constraints allow; oracles may rely on them."""
    try:
        constraints = Constraints(
            evidence.problem.constraints(),
            evidence.calls.size,
            evidence.problem.lower_bounds(),
        )
    except Exception:  # constraints_are_linear says what is wrong
        return lambda w: w
    return lambda w: projected(w, constraints)
