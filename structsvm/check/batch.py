"""The checks of a problem's batch forms: each must agree with the single form in a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.check.checks import TOLERANCE, Check, _close
from structsvm.check.evidence import Evidence, Finding
from structsvm.oracle import BoundProblem
from structsvm.problem import Vector, offers


def batch_oracles_agree(evidence: Evidence) -> Iterator[Finding]:
    """The batch oracle and decoder reach the values that the single ones reach."""
    batch = _batch(evidence)
    for w, single in zip(evidence.points, evidence.oracle_outputs, strict=True):
        labels = evidence.labels(w)
        if offers(evidence.problem, "batch_separation_oracle"):
            found = batch.separate(labels, w)
            yield from _compare(evidence, "batch_separation_oracle", labels, w, found, single)
        if offers(evidence.problem, "batch_slack_oracle"):
            slack, single_slack = _batch(evidence), evidence.bound.subset(range(batch.n))
            slack.rescaling = single_slack.rescaling = "slack"
            found, single = slack.separate(labels, w), single_slack.separate(labels, w)
            yield from _compare(evidence, "batch_slack_oracle", labels, w, found, single)
    if offers(evidence.problem, "batch_decode"):
        for w, single in zip(evidence.points, evidence.decoded, strict=True):
            found, labels = batch.decode(w), evidence.labels(w)
            yield from _compare(evidence, "batch_decode", labels, w, found, single)


def batch_losses_agree(evidence: Evidence) -> Iterator[Finding]:
    """batch_loss equals loss."""
    if not offers(evidence.problem, "batch_loss"):
        return
    for w, outputs in zip(evidence.points, evidence.oracle_outputs, strict=True):
        labels = evidence.labels(w)
        found = _batch(evidence).losses(labels, outputs)
        expected = evidence.bound.losses(labels, outputs)
        if not _close(found, expected):
            i = int(np.abs(found - expected).argmax())
            yield Finding(
                "batch_loss", evidence.index[i], f"{found[i]:g}, but loss says {expected[i]:g}"
            )


def batch_joint_features_agree(evidence: Evidence) -> Iterator[Finding]:
    """The batch and the weighted-sum forms equal joint_feature_difference."""
    weights = evidence.rng.uniform(0.5, 1.5, evidence.bound.n)
    for w, outputs in zip(evidence.points, evidence.oracle_outputs, strict=True):
        labels = evidence.labels(w)
        single = np.concatenate([rows for _, rows in evidence.bound.differences(labels, outputs)])
        if offers(evidence.problem, "batch_joint_feature_difference"):
            found = np.concatenate([rows for _, rows in _batch(evidence).differences(labels, outputs)])
            if not _close(found, single):
                i = int(np.abs(found - single).max(axis=1).argmax())
                yield Finding(
                    "batch_joint_feature_difference",
                    evidence.index[i],
                    "it differs from joint_feature_difference",
                )
        if offers(evidence.problem, "sum_joint_feature_difference"):
            found = _batch(evidence).sum_difference(labels, outputs, weights)
            if not _close(found, weights @ single):
                yield Finding(
                    "sum_joint_feature_difference",
                    None,
                    "it differs from the weighted sum of joint_feature_difference",
                )


def relabelled_planes_agree(evidence: Evidence) -> Iterator[Finding]:
    """relabelled_planes equals the sums over the examples."""
    if not offers(evidence.problem, "relabelled_planes"):
        return
    labels = evidence.labels(evidence.points[-1])
    weights = evidence.rng.uniform(0.5, 1.5, (len(evidence.points), evidence.bound.n))
    passes = evidence.oracle_outputs
    found = _batch(evidence).relabelled_planes(labels, passes, weights)
    expected = evidence.bound.relabelled_planes(labels, passes, weights)
    for what, a, b in zip(("rows", "offsets"), found, expected, strict=True):
        if not _close(a, b):
            yield Finding("relabelled_planes", None, f"its {what} differ from the sums they are")


BATCH_CHECKS: tuple[Check, ...] = (
    batch_oracles_agree,
    batch_losses_agree,
    batch_joint_features_agree,
    relabelled_planes_agree,
)


def _batch(evidence: Evidence) -> BoundProblem:
    batch = evidence.bound.subset(range(evidence.bound.n))
    batch.use_batch_forms = True
    return batch


def _compare(
    evidence: Evidence,
    method: str,
    labels: Any,
    w: Vector,
    found: Sequence[Any],
    single: Sequence[Any],
) -> Iterator[Finding]:
    """Outputs may differ in ties, so their values are compared."""
    for i in range(evidence.bound.n):
        ours = evidence.candidate(method, i, labels, found[i])
        theirs = evidence.candidate(method, i, labels, single[i])
        value = {
            "batch_decode": type(ours).score,
            "batch_slack_oracle": type(ours).slack_value,
        }.get(method, type(ours).value)
        if abs(value(ours, w) - value(theirs, w)) > TOLERANCE * max(ours.scale(w), theirs.scale(w)):
            yield Finding(
                method,
                evidence.index[i],
                f"its output scores {value(ours, w):.6g}, that of the single form "
                f"{value(theirs, w):.6g}",
            )
