"""The check that joint_feature_difference is the difference of joint features."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.equality import TOLERANCE, close
from structsvm.check.evidence import Evidence, results
from structsvm.check.findings import TRUTH, Finding
from structsvm.check.points import Pool
from structsvm.data.arrays import Vector

#: Outputs of an example that are compared, at most.
MOST = 20


def difference_agrees_with_joint_feature(evidence: Evidence) -> Iterator[Finding]:
    """An overridden joint_feature_difference equals Psi(x, y) - Psi(x, y_hat).

    Where they differ, the searches decide: the one that they do not maximise is wrong. If the
    searches do not tell, the difference is blamed.
    """
    method = "joint_feature_difference"
    found = [finding for i in range(evidence.calls.n) for finding in _differences(evidence, i)]
    if found and _searches_maximise_the_difference(evidence):
        method = "joint_feature"
        message = (
            "Psi(x, y) - Psi(x, y_hat) is not what joint_feature_difference returns, whose scores "
            "the oracle and the decoder maximise"
        )
        found = [finding._replace(message=message) for finding in found]
    yield from (finding._replace(method=method) for finding in found)


def _differences(evidence: Evidence, i: int) -> Iterator[Finding]:
    """Yield a finding for each output whose difference is not the joint features' difference."""
    pool, label = evidence.pools[-1][i], evidence.visits[-1].labels[i]
    truth = None if label is None else evidence.joint_feature(i, label)
    if pool is None or truth is None:
        return
    for row in _comparable(evidence, i, pool)[:MOST]:
        output = pool.outputs[row]
        measured = evidence.measure(i, label, pool.origins[row], output, truth)
        psi = evidence.joint_feature(i, output)
        if measured is None or psi is None:
            continue
        difference, size = measured[1], float(np.abs(truth).max(initial=0))
        if close(difference, truth - psi, TOLERANCE, size):
            continue
        message = "it is not Psi(x, y) - Psi(x, y_hat)"
        if close(difference, psi - truth, TOLERANCE, size):
            message += ", but minus that: swap the terms"
        else:
            message += f"; it is off by up to {np.abs(difference - truth + psi).max():.3g}"
        if row == 0 and pool.origins[0] == TRUTH:
            message += ", where y_hat is y"
        yield Finding("joint_feature_difference", evidence.calls.name(i), message)


def _comparable(evidence: Evidence, i: int, pool: Pool) -> list[int]:
    """The rows of outputs that joint_feature accepts; it need not accept the oracle's outputs."""
    decoded = (visit.found["decode"][i] for visit in evidence.visits)
    rows = {pool.rows[entry[0]] for entry in decoded if entry and entry[0] in pool.rows}
    measured = range(min(1, len(pool.outputs)))  # empty if differences cannot be read
    return sorted({*measured, *rows, *pool.enumerated(evidence.enumerated[i])})


def _searches_maximise_the_difference(evidence: Evidence) -> bool:
    """Whether searches maximise scores from differences, and not scores from joint features."""
    if evidence.problem.oracle_quality != "exact":
        return False
    by_features = [
        [_by_features(evidence, i, pool, visit.labels[i]) for i, pool in enumerate(pools)]
        for pools, visit in zip(evidence.pools, evidence.visits, strict=True)
    ]
    beaten = [
        any(
            result.beaten for method in evidence.searches for result in results(evidence, method, p)
        )
        for p in (None, by_features)
    ]
    return beaten == [False, True]


def _by_features(evidence: Evidence, i: int, pool: Pool | None, label: object) -> Pool | None:
    """The pool with products of the differences of joint features."""
    rows = [] if pool is None else [evidence.joint_feature(i, y) for y in (label, *pool.outputs)]
    if pool is None or any(row is None for row in rows):
        return None
    differences: Vector = rows[0] - np.array(rows[1:])
    return pool._replace(products=differences @ evidence.points.T)
