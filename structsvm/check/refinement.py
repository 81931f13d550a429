"""The check of refine: it may not lose what it was given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.calls import Finding, short
from structsvm.check.evidence import Evidence, Visit
from structsvm.check.measures import TOLERANCE
from structsvm.problem import offers


def refined_is_no_worse(evidence: Evidence) -> Iterator[Finding]:
    """What refine makes of an oracle's earlier output is worth at least as much at w."""
    if not offers(evidence.problem, "refine"):
        return
    calls = evidence.calls
    faults, changes = len(calls.faults), len(calls.changes)
    visits = evidence.visits
    for earlier, visit in zip(visits[-1:] + visits[:-1], visits, strict=True):
        for i in range(calls.n):
            yield from _loss_of_worth(evidence, earlier, visit, i)
    yield from calls.faults[faults:]
    yield from calls.changes[changes:]


def _loss_of_worth(evidence: Evidence, earlier: Visit, visit: Visit, i: int) -> Iterator[Finding]:
    calls, label, entry = evidence.calls, visit.labels[i], earlier.found["separation_oracle"][i]
    if label is None or entry is None:
        return
    refined = calls.output("refine", i, calls.x[i], label, visit.w, entry[1])
    if refined is None:
        return
    before, after = (_worth(evidence, visit, i, output) for output in (entry[1], refined))
    if before is None or after is None:
        return
    scale = 1 + abs(before) + float(np.linalg.norm(visit.w))
    if after < before - TOLERANCE * scale:
        yield Finding(
            "refine",
            calls.name(i),
            f"at |w| = {np.linalg.norm(visit.w):.3g} it made {short(refined)}, worth {after:.6g}, "
            f"of {short(entry[1])}, worth {before:.6g} (loss(y, y_hat) - <w, Psi(x, y) - "
            "Psi(x, y_hat)>); return y_hat itself where nothing near it is better",
        )


def _worth(evidence: Evidence, visit: Visit, i: int, output: Any) -> float | None:
    truth = evidence.joint_feature(i, visit.labels[i])
    if truth is None:
        return None
    measured = evidence.measure(i, visit.labels[i], "refine", output, truth)
    return None if measured is None else measured[0] - float(visit.w @ measured[1])
