"""The checks of a problem's batch forms: each must agree with the single form in a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.check.calls import Finding, argument_names, as_numbers, describe, short
from structsvm.check.copies import own, same
from structsvm.check.evidence import VALUES, Evidence, Visit
from structsvm.check.measures import TOLERANCE, Check, close
from structsvm.containers import take
from structsvm.problem import Vector, offers

#: Points at which the batch forms are compared.
POINTS = 12


class Batch:
    """Some examples at one visit, in the containers that batch forms are given.

    With ``prepared`` these are taken from what ``prepare`` makes of all examples.
    """

    def __init__(self, evidence: Evidence, visit: Visit, rows: Any, prepared: bool = False) -> None:
        self.evidence, self.visit, self.rows = evidence, visit, rows
        if prepared:
            everything = evidence.calls.examples(np.arange(evidence.calls.n))
            X, Y = evidence.problem.prepare(*everything)
            self.X, Y = take(X, rows), None if Y is None else take(Y, rows)
        else:
            self.X, Y = evidence.calls.examples(rows)
        self.labels = [visit.labels[i] for i in rows] if evidence.self_labelled else Y
        self.outputs: Any = self.single("separation_oracle")
        if offers(evidence.problem, "batch_separation_oracle"):  # it may return an array
            found, problem = self.search("separation_oracle")
            self.outputs = self.outputs if problem else found

    def single(self, method: str) -> list[Any]:
        """What the single form returned; None after a fault."""
        entries = [self.visit.found[method][i] for i in self.rows]
        return [None if entry is None else entry[1] for entry in entries]

    def search(self, single: str) -> tuple[Any, str]:
        """What a batch oracle or decoder returns, and what is wrong with it."""
        w = self.visit.w
        arguments = (self.X, w) if single == "decode" else (self.X, self.labels, w)
        found, problem = self.call("batch_" + single, *arguments)
        if not problem and (not isinstance(found, Sized) or len(found) != len(self.rows)):
            came = f"{len(found)} outputs" if isinstance(found, Sized) else short(found)
            problem = f"it returned {came} for {len(self.rows)} examples; expected one for each"
        return found, problem

    def call(self, method: str, *arguments: Any) -> tuple[Any, str]:
        """What came back, or what is wrong."""
        given = own(arguments)
        try:
            value = getattr(self.evidence.problem, method)(*given)
        except Exception as error:
            return None, describe(error)
        for name, before, after in zip(argument_names(method), arguments, given, strict=False):
            if not same(before, after):
                return None, f"it changed its argument {name} in place; work on a copy"
        return value, ""

    def measure(self, k: int, output: Any) -> tuple[float, Vector] | None:
        """Loss and joint-feature difference by the single forms."""
        i = int(self.rows[k])
        label = self.visit.labels[i]
        truth = None if label is None else self.evidence.joint_feature(i, label)
        if truth is None or output is None:
            return None
        return self.evidence.measure(i, label, "", output, truth)

    def measures(self, outputs: Sequence[Any]) -> tuple[Vector, Vector] | None:
        """Of one output per example: losses and differences; None where one cannot be had."""
        measured = [self.measure(k, outputs[k]) for k in range(len(self.rows))]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(measured):
            return None
        return np.array([loss for loss, _ in kept]), np.array([row for _, row in kept])


def prepared_data_are_the_same(evidence: Evidence) -> Iterator[Finding]:
    """The containers that prepare makes hold the same examples, whole and in part."""
    if not offers(evidence.problem, "prepare"):
        return
    for point, visit in enumerate(evidence.visits[:2]):
        rows = evidence.rng.permutation(evidence.calls.n)[: evidence.calls.n - point]
        try:
            batch = Batch(evidence, visit, rows, prepared=True)
            shapes = {batch.X.shape[0], len(rows)}
            measured = [
                (evidence.problem.joint_feature(batch.X[k], batch.labels[k]), i)
                for k, i in enumerate(rows)
            ]
        except Exception as error:
            yield Finding("prepare", None, f"what it returned cannot be used: {describe(error)}")
            return
        if len(shapes) > 1:
            yield Finding("prepare", None, f"{batch.X.shape[0]} examples at {len(rows)} rows")
            return
        for psi, i in measured:
            expected = evidence.joint_feature(int(i), visit.labels[i])
            if expected is not None and not close(np.asarray(psi), expected, TOLERANCE):
                message = "the joint feature is another after it; are the examples in order?"
                yield Finding("prepare", evidence.calls.name(int(i)), message)
                return


def batch_searches_agree(evidence: Evidence) -> Iterator[Finding]:
    """The batch oracles and decoder reach the values that the single ones reach."""
    for single in evidence.searches:
        if not offers(evidence.problem, "batch_" + single):
            continue
        for batch in batches(evidence):
            found, problem = batch.search(single)
            if problem:
                yield Finding("batch_" + single, None, problem)
                break
            yield from _compare(batch, single, found)


def batch_measures_agree(evidence: Evidence) -> Iterator[Finding]:
    """Batch losses, differences and weighted sums equal the single ones."""
    for batch in batches(evidence):
        expected = batch.measures(batch.outputs)
        if expected is None:
            continue
        losses, rows = expected
        given = (batch.X, batch.labels, batch.outputs)
        ones, weights = np.ones(len(losses)), evidence.rng.uniform(0, 2, len(losses))
        for method, arguments, value in (
            ("batch_loss", given[1:], losses),
            ("batch_joint_feature_difference", given, rows),
            ("sum_joint_feature_difference", (*given, ones), ones @ rows),
            ("sum_joint_feature_difference", (*given, weights), weights @ rows),
        ):
            if offers(evidence.problem, method):
                yield from _unequal(batch, method, arguments, value)


def relabelled_planes_agree(evidence: Evidence) -> Iterator[Finding]:
    """relabelled_planes equals the sums over the examples, from scratch and from earlier ones."""
    method = "relabelled_planes"
    if not offers(evidence.problem, method):
        return
    everything = np.arange(evidence.calls.n)
    batches = [Batch(evidence, visit, everything) for visit in evidence.visits[:POINTS]]
    passes = [batch.outputs for batch in batches if all(y is not None for y in batch.outputs)]
    weights = evidence.rng.uniform(0.5, 1.5, (len(passes), len(everything)))
    previous = None
    for batch in sorted(batches, key=lambda batch: float(batch.visit.w[0])):
        measured = [batch.measures(outputs) for outputs in passes]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(passes):
            continue
        rows = np.array([weight @ rows for weight, (_, rows) in zip(weights, kept, strict=True)])
        offsets = np.array([weight @ loss for weight, (loss, _) in zip(weights, kept, strict=True)])
        for earlier in (None, previous) if previous else (None,):
            arguments = (batch.X, batch.labels, passes, weights, earlier)
            value, problem = batch.call(method, *arguments)
            problem = problem or _planes_fault(value, (rows, offsets))
            if problem:
                how = "given earlier labels and planes" if earlier else "from scratch"
                yield Finding(method, None, f"{how}: {problem}")
                return
        previous = (batch.labels, rows, offsets)


BATCHES: tuple[Check, ...] = (
    batch_searches_agree,
    batch_measures_agree,
    relabelled_planes_agree,
)


def batches(evidence: Evidence) -> Iterator[Batch]:
    """All examples at one point, some of them in another order at the next, and so on."""
    n = evidence.calls.n
    for point, visit in enumerate(evidence.visits[:POINTS]):
        some = evidence.rng.permutation(n)[: n // 2 + 1]
        rows = some if point % 2 else np.arange(n)
        complete = [i for i in rows if visit.found["separation_oracle"][i] is not None]
        prepared = point % 3 == 2 and offers(evidence.problem, "prepare")
        if complete:
            yield Batch(evidence, visit, np.array(complete), prepared)


def _compare(batch: Batch, single: str, found: Sequence[Any]) -> Iterator[Finding]:
    """Outputs may differ in ties, so their values are compared."""
    name, norm = batch.evidence.calls.name, float(np.linalg.norm(batch.visit.w))
    for k, theirs in enumerate(batch.single(single)):
        ours, expected = batch.measure(k, found[k]), batch.measure(k, theirs)
        if expected is None:
            continue
        i = int(batch.rows[k])
        if ours is None:
            yield Finding("batch_" + single, name(i), f"it returned {short(found[k])}, which loss "
                          "or joint_feature_difference does not take")  # fmt: skip
            continue
        values = [
            float(VALUES[single](loss, row @ batch.visit.w)) for loss, row in (ours, expected)
        ]
        size = max(np.linalg.norm(row) for _, row in (ours, expected)) * norm
        scale = (1 + size) * (1 + max(ours[0], expected[0]))
        if abs(values[0] - values[1]) > TOLERANCE * scale:
            yield Finding(
                "batch_" + single,
                name(i),
                f"its output {short(found[k])} is worth {values[0]:.6g}, that of {single}, "
                f"{short(theirs)}, {values[1]:.6g}; are the examples in order?",
            )


def _unequal(batch: Batch, method: str, arguments: tuple, expected: Vector) -> Iterator[Finding]:
    value, problem = batch.call(method, *arguments)
    if method == "batch_joint_feature_difference" and sparse.issparse(value):
        value = value.toarray()
    if not problem:
        value, problem = as_numbers(value, expected.shape)
    if problem:
        yield Finding(method, None, problem)
    elif not close(value, expected, TOLERANCE):
        single = "loss" if method == "batch_loss" else "joint_feature_difference"
        hint = f"; it is minus that of {single}" if close(value, -expected, TOLERANCE) else ""
        if method.startswith("sum"):
            message = f"it is not the weighted sum of joint_feature_difference{hint}"
            yield Finding(method, None, message)
            return
        errors = np.abs(value - expected).reshape(len(expected), -1).max(axis=1)
        k = int(errors.argmax())
        message = f"it differs from {single} by up to {errors[k]:.3g}{hint}"
        yield Finding(method, batch.evidence.calls.name(int(batch.rows[k])), message)


def _planes_fault(value: Any, expected: tuple[Vector, Vector]) -> str:
    if not (isinstance(value, tuple) and len(value) == 2):
        return f"it returned {short(value)}; expected a pair of rows and offsets"
    for what, ours, theirs in zip(("rows", "offsets"), value, expected, strict=True):
        array, problem = as_numbers(ours, theirs.shape)
        if problem:
            return f"{what}: {problem}"
        if not close(array, theirs, TOLERANCE):
            error = np.abs(array - theirs).max()
            return f"its {what} differ by up to {error:.3g} from the sums over the examples"
    return ""
