"""The checks of a problem's single forms. Each yields findings; its name says what it tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from structsvm.check.evidence import Candidate, Evidence, Finding, fingerprint
from structsvm.planes import Constraints
from structsvm.problem import Vector, offers

#: What a value may fall short of another one, relative to the terms that make it up.
TOLERANCE = 1e-6

Check = Callable[[Evidence], Iterator[Finding]]


def constructor_keeps_parameters(evidence: Evidence) -> Iterator[Finding]:
    """GridSearchCV and clone need parameters stored unchanged under their own name."""
    try:
        clone(evidence.problem)
    except Exception as error:
        yield Finding(
            "__init__",
            None,
            "every parameter must be stored unchanged under its own name, as scikit-learn asks: "
            f"{error}",
        )


def joint_feature_is_a_function(evidence: Evidence) -> Iterator[Finding]:
    """Right length, finite, and the same on a second call."""
    bound, labels = evidence.bound, evidence.labels(evidence.points[-1])
    for i in range(bound.n):
        try:
            first, second = bound.joint_feature(i, labels[i]), bound.joint_feature(i, labels[i])
        except ValueError as error:
            yield Finding("joint_feature", None, str(error))
            continue
        if not np.array_equal(first, second):
            yield Finding(
                "joint_feature",
                evidence.index[i],
                "a second call with the same x and y returned other values",
            )


def loss_is_a_loss(evidence: Evidence) -> Iterator[Finding]:
    """Zero at the truth, and everywhere within [0, max_loss]."""
    bound, labels = evidence.bound, evidence.labels(evidence.points[-1])
    for i in range(bound.n):
        truth = evidence.candidate("the truth", i, labels, labels[i])
        if truth.loss != 0:
            yield Finding(
                "loss", evidence.index[i], f"loss(y, y) must be 0; it is {truth.loss:g}"
            )
        largest = max(candidate.loss for candidate in evidence.candidates(i, labels))
        if evidence.problem.max_loss is not None and largest > evidence.problem.max_loss * (
            1 + TOLERANCE
        ):
            yield Finding(
                "max_loss",
                evidence.index[i],
                f"it is {evidence.problem.max_loss:g} but a loss is {largest:g}",
            )


def difference_agrees_with_joint_feature(evidence: Evidence) -> Iterator[Finding]:
    """An overridden joint_feature_difference equals Psi(x, y) - Psi(x, y_hat)."""
    if not offers(evidence.problem, "joint_feature_difference"):
        return
    bound, w = evidence.bound, evidence.points[-1]
    labels = evidence.labels(w)
    for i in range(bound.n):
        truth = bound.joint_feature(i, labels[i])
        for decoded in evidence.decoded:
            found = evidence.candidate("", i, labels, decoded[i]).difference
            expected = truth - bound.joint_feature(i, decoded[i])
            if not _close(found, expected):
                yield Finding(
                    "joint_feature_difference",
                    evidence.index[i],
                    "it is not Psi(x, y) - Psi(x, y_hat); the largest difference is "
                    f"{np.abs(found - expected).max():.3g}",
                )


def oracle_sees_the_loss(evidence: Evidence) -> Iterator[Finding]:
    """At w = 0 the loss alone counts; an oracle that returns only truths there is no oracle."""
    if evidence.self_labelled:
        return
    zero = np.zeros(evidence.bound.size)
    outputs = evidence.bound.separate(evidence.bound.Y, zero)
    if not evidence.bound.losses(evidence.bound.Y, outputs).any():
        yield Finding(
            "separation_oracle",
            None,
            "at w = 0 it returned an output of loss 0 for every example, where it must return "
            "one of the largest loss; is it forgetting the loss, or returning the truth?",
        )


def oracle_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger loss-augmented score than the oracle's."""
    if evidence.problem.oracle_quality == "undergenerating":
        return
    for w, outputs in zip(evidence.points, evidence.oracle_outputs, strict=True):
        yield from _beaten(evidence, "separation_oracle", w, outputs, Candidate.value)


def slack_oracle_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """Likewise under slack rescaling."""
    exact = evidence.problem.oracle_quality != "undergenerating"
    if not (exact and offers(evidence.problem, "slack_oracle")):
        return
    bound = evidence.bound.subset(range(evidence.bound.n))
    bound.rescaling = "slack"
    for w in evidence.points:
        outputs = bound.separate(evidence.labels(w), w)
        yield from _beaten(evidence, "slack_oracle", w, outputs, Candidate.slack_value)


def decoder_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger score than the decoder's."""
    if evidence.problem.oracle_quality != "exact":
        return
    for w, outputs in zip(evidence.points, evidence.decoded, strict=True):
        yield from _beaten(evidence, "decode", w, outputs, Candidate.score)


def oracle_keeps_its_outputs(evidence: Evidence) -> Iterator[Finding]:
    """The engine stores what an oracle returns: a reused buffer would change under it."""
    now = [[fingerprint(output) for output in found] for found in evidence.oracle_outputs]
    if now != evidence.outputs_before:
        yield Finding(
            "separation_oracle",
            None,
            "an output that it returned earlier has changed since; return a fresh object",
        )


def soft_oracle_smooths_the_slack(evidence: Evidence) -> Iterator[Finding]:
    """Above the hard value, its loss and difference the expectations that its slope implies."""
    if not offers(evidence.problem, "soft_oracle"):
        return
    for w in evidence.points[:4]:
        labels = evidence.labels(w)
        for i, candidates in enumerate(evidence.known_at(w)):
            yield from _soft_faults(evidence, i, labels[i], w, candidates)


def constraints_are_linear(evidence: Evidence) -> Iterator[Finding]:
    """A w <= b of the right shapes, finite, and feasible."""
    try:
        Constraints(evidence.problem.constraints(), evidence.bound.size)
    except ValueError as error:
        yield Finding("constraints", None, str(error))


def inputs_are_unchanged(evidence: Evidence) -> Iterator[Finding]:
    """No method may change x, y or w."""
    now = evidence.data_fingerprint()
    for name, before, after in zip("XY", evidence.data_before, now, strict=True):
        if before != after:
            yield Finding("inputs", None, f"{name} was changed by one of the problem's methods")
    bound, w = evidence.bound, evidence.points[-1].copy()
    labels = evidence.labels(w)
    for name, call in (
        ("separation_oracle", lambda: bound.separate(labels, w)),
        ("decode", lambda: bound.decode(w)),
    ):
        before = w.copy()
        call()
        if not np.array_equal(before, w):
            yield Finding(name, None, "it changed w")


CHECKS: tuple[Check, ...] = (
    constructor_keeps_parameters,
    joint_feature_is_a_function,
    loss_is_a_loss,
    difference_agrees_with_joint_feature,
    oracle_sees_the_loss,
    oracle_is_unbeaten,
    slack_oracle_is_unbeaten,
    decoder_is_unbeaten,
    oracle_keeps_its_outputs,
    soft_oracle_smooths_the_slack,
    constraints_are_linear,
    inputs_are_unchanged,
)


def _beaten(
    evidence: Evidence,
    method: str,
    w: Vector,
    outputs: Sequence[Any],
    value: Callable[[Candidate, Vector], float],
) -> Iterator[Finding]:
    """A finding for every example whose output scores less than another known one."""
    labels = evidence.labels(w)
    for i, candidates in enumerate(evidence.known_at(w)):
        own = evidence.candidate(method, i, labels, outputs[i])
        best = max(candidates, key=lambda candidate: value(candidate, w))
        shortfall = value(best, w) - value(own, w)
        if shortfall > TOLERANCE * max(own.scale(w), best.scale(w)):
            yield Finding(
                method,
                evidence.index[i],
                f"at |w| = {np.linalg.norm(w):.3g} its output {_short(own.output)} scores "
                f"{value(own, w):.6g}, but {best.origin}, {_short(best.output)}, scores "
                f"{value(best, w):.6g} (scores relative to the truth)",
            )


def _soft_faults(
    evidence: Evidence, i: int, y: Any, w: Vector, candidates: Sequence[Candidate]
) -> Iterator[Finding]:
    x, mu = evidence.bound.X[i], 0.5
    soft = evidence.problem.soft_oracle(x, y, w, mu)
    index = evidence.index[i]
    hardest = max(candidate.value(w) for candidate in candidates)
    scale = max(candidate.scale(w) for candidate in candidates)
    if soft.value < hardest - TOLERANCE * scale:
        yield Finding(
            "soft_oracle", index, f"value {soft.value:.6g} is below the slack {hardest:.6g}"
        )
    direction = evidence.rng.standard_normal(len(w))
    step = 1e-5 * scale / max(1.0, float(np.linalg.norm(soft.joint_feature_difference)))
    ahead = evidence.problem.soft_oracle(x, y, w + step * direction, mu).value
    behind = evidence.problem.soft_oracle(x, y, w - step * direction, mu).value
    slope = (ahead - behind) / (2 * step)
    expected = -float(soft.joint_feature_difference @ direction)
    if abs(slope - expected) > 1e-3 * (1 + abs(slope) + abs(expected)):
        yield Finding(
            "soft_oracle",
            index,
            f"joint_feature_difference is not minus the gradient of value: slope {slope:.6g} "
            f"along a random direction, expected {expected:.6g}",
        )
    # Entropy of a distribution over the outputs: value = E[s] + mu * entropy, and entropy >= 0.
    entropy = (soft.value - soft.loss + float(soft.joint_feature_difference @ w)) / mu
    if entropy < -TOLERANCE * scale / mu:
        yield Finding("soft_oracle", index, "loss is too large for its value: negative entropy")


def _close(a: Vector, b: Vector) -> bool:
    scale = 1 + max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= TOLERANCE * scale)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
