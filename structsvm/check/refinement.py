"""The check of refine: its output may not score less than the one that it starts from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.copies import key
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.points import Visit
from structsvm.check.pools import is_listed


def refine_never_worsens(evidence: Evidence) -> Iterator[Finding]:
    """The output of refine has at least the loss-augmented score of the output it starts from."""
    calls = evidence.calls
    errors = len(calls.errors)  # no earlier check reports them
    points = range(len(evidence.visits))
    # Outputs of another point, since the oracle leaves little to refine in its own.
    pairs = [*((point - 1, point) for point in points), *zip(points, points, strict=True)]
    for earlier, point in evidence.progress.trials(pairs):
        for i in range(calls.n):
            yield from _worsened(evidence, evidence.visits[earlier], point, i)
    yield from calls.errors[errors:]


def _worsened(evidence: Evidence, earlier: Visit, point: int, i: int) -> Iterator[Finding]:
    """Yield a finding if refining the oracle's output of a visit lowers its score."""
    calls, (w, labels, _), pool = evidence.calls, evidence.visits[point], evidence.pools[point][i]
    label, entry = labels[i], earlier.found["separation_oracle"][i]
    if pool is None or entry is None:
        return
    refined = calls.output("refine", i, calls.x[i], label, w, entry[1])
    if refined is None:
        return
    truth = evidence.joint_feature(i, label)
    before, after = (
        evidence.measure(i, label, "refine", output, truth) for output in (entry[1], refined)
    )
    if before is None or after is None:
        unreadable = [each.finding for each in evidence.unreadable if each.origin == "refine"]
        yield from unreadable[-1:]
        return
    listed = [] if key(refined) in pool.rows else pool.enumerated(evidence.enumerated[i])
    if listed and not is_listed(
        pool, listed, after[0], evidence.points @ after[1], evidence.points
    ):
        yield Finding(
            "refine",
            calls.name(i),
            f"it returned {short(refined)}, which is no output: none of outputs(x) has its loss "
            "and its joint feature",
        )
        return
    scores = [loss - float(w @ difference) for loss, difference in (before, after)]
    norm = float(np.linalg.norm(w))
    size = evidence.largest_loss + norm * pool.sizes.max()
    if scores[1] < scores[0] - evidence.tolerance * size:
        yield Finding(
            "refine",
            calls.name(i),
            f"at |w| = {norm:.3g} it turned {short(entry[1])}, which scores {scores[0]:.6g}, into "
            f"{short(refined)}, which scores {scores[1]:.6g} (loss(y, y_hat) - <w, Psi(x, y) - "
            "Psi(x, y_hat)>); return y_hat itself where nothing near it is better",
        )
