"""The check of refine: its output may not score less than the one that it starts from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.capabilities import offers
from structsvm.check.checked_calls import Finding, short
from structsvm.check.evidence import Evidence, Visit


def refine_never_worsens(evidence: Evidence) -> Iterator[Finding]:
    """The output of refine has at least the loss-augmented score of the output it starts from."""
    if not offers(evidence.problem, "refine"):
        return
    calls = evidence.calls
    # No earlier check reports the errors of these calls.
    errors, changes = len(calls.errors), len(calls.changes)
    visits = evidence.visits
    # Outputs of another point, since the oracle leaves little to refine in its own.
    pairs = [
        *zip(visits[-1:] + visits[:-1], visits, strict=True),
        *zip(visits, visits, strict=True),
    ]
    for earlier, visit in evidence.progress.trials(pairs):
        for i in range(calls.n):
            yield from _worsened(evidence, earlier, visit, i)
    yield from calls.errors[errors:]
    yield from calls.changes[changes:]


def _worsened(evidence: Evidence, earlier: Visit, visit: Visit, i: int) -> Iterator[Finding]:
    """Yield a finding if refining the oracle's output of a visit lowers its score."""
    calls, label, entry = evidence.calls, visit.labels[i], earlier.found["separation_oracle"][i]
    if label is None or entry is None:
        return
    refined = calls.output("refine", i, calls.x[i], label, visit.w, entry[1])
    if refined is None:
        return
    before, after = (_score(evidence, visit, i, output) for output in (entry[1], refined))
    if before is None or after is None:
        unreadable = [each.finding for each in evidence.unreadable if each.origin == "refine"]
        yield from unreadable[-1:]
        return
    pool = evidence.pools[-1][i]
    products = 0.0 if pool is None else np.linalg.norm(visit.w) * pool.sizes.max()
    if after < before - evidence.tolerance * (evidence.largest_loss + products):
        yield Finding(
            "refine",
            calls.name(i),
            f"at |w| = {np.linalg.norm(visit.w):.3g} it turned {short(entry[1])}, which scores "
            f"{before:.6g}, into {short(refined)}, which scores {after:.6g} (loss(y, y_hat) - "
            "<w, Psi(x, y) - Psi(x, y_hat)>); return y_hat itself where nothing near it is better",
        )


def _score(evidence: Evidence, visit: Visit, i: int, output: Any) -> float | None:
    """Return the loss-augmented score of an output at a visit; None after an error."""
    truth = evidence.joint_feature(i, visit.labels[i])
    if truth is None:
        return None
    measured = evidence.measure(i, visit.labels[i], "refine", output, truth)
    return None if measured is None else measured[0] - float(visit.w @ measured[1])
