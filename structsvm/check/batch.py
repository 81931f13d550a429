"""The checks of batch forms: each must agree with the single form in a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.check.calls import as_numbers
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.copies import key
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.measures import Check
from structsvm.check.points import Visit
from structsvm.check.pools import Pool
from structsvm.check.scores import SCORES, term_sizes
from structsvm.contract.capabilities import offers, oracle_is_exact
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.task.call import Call, checked_matrix, unpacked

#: Points at which batch forms are compared with single forms.
POINTS = 12
#: The index of the point at which a batch has many examples, repeated; and their number.
LONG, MANY = 7, 71


class Batch:
    """Some examples at one visited point, in the containers that batch forms get.

    They are taken from the containers that ``prepare`` returns.

    Attributes
    ----------
    rows : ndarray of int
        The examples, as positions in the evidence.
    X, annotations, labels : sequences
        Inputs, what prepare made of Y, and the outputs: the same, or imputed.
    outputs : sequence
        The separation oracle's outputs, in the container that its batch form returns, if offered.
    """

    def __init__(self, evidence: Evidence, visit: Visit, rows: Any) -> None:
        self.evidence, self.visit, self.rows = evidence, visit, rows
        self.X, self.annotations = evidence.calls.prepared(rows)
        imputed = evidence.self_labelled
        self.labels = [visit.labels[i] for i in rows] if imputed else self.annotations
        self.outputs: Any = self.single("separation_oracle")
        if offers(evidence.problem, "batch_separation_oracle"):
            # It may return an array, and the other batch forms may rely on that.
            with suppress(ProblemError):  # batch_searches_agree reports it
                self.outputs = self.search("separation_oracle")

    def single(self, method: str) -> list[Any]:
        """Return the outputs of a single form; None after an error."""
        entries = [self.visit.found[method][i] for i in self.rows]
        return [None if entry is None else entry[1] for entry in entries]

    def search(self, single: str) -> Sequence[Any]:
        """Return the outputs of a batch oracle or decoder; a ProblemError unless they fit."""
        w = self.visit.w
        arguments = (self.X, w) if single == "decode" else (self.X, self.labels, w)
        return self.outputs_of("batch_" + single, *arguments)

    def outputs_of(self, method: str, *arguments: Any) -> Sequence[Any]:
        """Return what a batch form returns; a ProblemError unless it is an output per example."""
        found = self.evidence.calls.batch(method, *arguments)
        return Call(self.evidence.problem, method).checked_length(found, len(self.rows))

    def measure(
        self, k: int, output: Any, origin: str = "separation_oracle"
    ) -> tuple[float, Vector] | None:
        """Return loss and joint-feature difference of an output by the single forms."""
        i = int(self.rows[k])
        label = self.visit.labels[i]
        truth = None if label is None else self.evidence.joint_feature(i, label)
        if truth is None or output is None:
            return None
        return self.evidence.measure(i, label, origin, output, truth)

    def failure(self, output: Any) -> str:
        """The message for an output that cannot be measured."""
        unreadable = self.evidence.unreadable
        return unreadable[-1].finding.message if unreadable else f"it returned {short(output)}"

    def is_output(self, k: int, output: Any) -> bool:
        """Whether outputs(x) lists an output; nothing else proves that it is one."""
        listed = self.evidence.enumerated[int(self.rows[k])]
        return key(output) in map(key, listed)

    @property
    def terms(self) -> float:
        """The size of the terms of loss-augmented scores."""
        size = max(self.size(k) for k in range(len(self.rows)))
        return self.evidence.largest_loss + float(np.linalg.norm(self.visit.w)) * size

    def size(self, k: int) -> float:
        """The size of the vectors that an example's differences are computed from."""
        pool = self.evidence.pools[0][int(self.rows[k])]
        return 0.0 if pool is None else float(pool.sizes.max(initial=0))

    def measures(self, outputs: Sequence[Any]) -> tuple[Vector, Vector] | None:
        """Return losses and differences, given an output per example; None after any error."""
        measured = [self.measure(k, outputs[k]) for k in range(len(self.rows))]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(measured):
            return None
        return np.array([loss for loss, _ in kept]), np.array([row for _, row in kept])


def batch_searches_agree(evidence: Evidence) -> Iterator[Finding]:
    """The outputs of batch oracles and decoder score as high as the outputs of single forms."""
    for single in evidence.searches:
        if not offers(evidence.problem, "batch_" + single):
            continue
        # A list, so that no call of another batch form at the same w comes just before.
        for batch in evidence.progress.trials(list(batches(evidence))):
            try:
                found = batch.search(single)
            except ProblemError as error:
                yield evidence.calls.finding("batch_" + single, error)
                break
            yield from _compare(batch, single, found)


def batch_imputation_agrees(evidence: Evidence) -> Iterator[Finding]:
    """The labels of batch_impute score as high as the labels of impute."""
    method = "batch_impute"
    for batch in batches(evidence):
        w = batch.visit.w
        found = batch.outputs_of(method, batch.X, batch.annotations, w)
        for k, i in enumerate(batch.rows.tolist()):
            labels = found[k], batch.visit.labels[i]
            psi, expected = (evidence.joint_feature(i, label) for label in labels)
            size = np.linalg.norm(w) * np.linalg.norm(expected)
            if psi is None or abs((psi - expected) @ w) > TOLERANCE * size:
                yield Finding(
                    method,
                    evidence.calls.name(i),
                    f"it returned {short(labels[0])}, which does not score what the label of "
                    f"impute does, {short(labels[1])}",
                )


def batch_measures_agree(evidence: Evidence) -> Iterator[Finding]:
    """Batch losses, differences and weighted sums agree with the single forms."""
    for batch in batches(evidence):
        expected = batch.measures(batch.outputs)
        if expected is None:
            continue
        losses, rows = expected
        given = (batch.X, batch.labels, batch.outputs)
        ones, weights = np.ones(len(losses)), unequal_weights(evidence.rng, len(losses))
        for method, arguments, value in (
            ("batch_loss", given[1:], losses),
            ("batch_joint_feature_difference", given, rows),
            ("sum_joint_feature_difference", (*given, ones), ones @ rows),
            ("sum_joint_feature_difference", (*given, weights), weights @ rows),
        ):
            if offers(evidence.problem, method):
                yield from _unequal(batch, method, arguments, value)


def relabelled_planes_agree(evidence: Evidence) -> Iterator[Finding]:
    """relabelled_planes equals the sums over the examples, with and without earlier planes."""
    method = "relabelled_planes"
    calls, everything = evidence.calls, np.arange(evidence.calls.n)
    visits = evidence.progress.trials(evidence.visits[:POINTS])
    batches = [Batch(evidence, visit, everything) for visit in visits]
    passes = [batch.outputs for batch in batches if all(y is not None for y in batch.outputs)]
    weights = evidence.rng.uniform(0.5, 1.5, (len(passes), len(everything)))
    previous = None
    # In another order than the passes, so that labels change between calls.
    in_order = sorted(batches, key=lambda batch: float(batch.visit.w[0]))
    for batch in evidence.progress.trials(in_order):
        measured = [batch.measures(outputs) for outputs in passes]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(passes):
            continue
        rows = np.array([weight @ rows for weight, (_, rows) in zip(weights, kept, strict=True)])
        offsets = np.array([weight @ loss for weight, (loss, _) in zip(weights, kept, strict=True)])
        for earlier in (None, previous) if previous else (None,):
            arguments = (batch.X, batch.labels, passes, weights, earlier)
            if message := _wrong_planes(calls.batch(method, *arguments), (rows, offsets)):
                how = "with earlier planes" if earlier else "without earlier planes"
                yield Finding(method, None, f"{how}: {message}")
                return
        previous = (batch.labels, rows, offsets)


BATCHES: tuple[Check, ...] = (
    batch_searches_agree,
    batch_imputation_agrees,
    batch_measures_agree,
    relabelled_planes_agree,
)


def batches(evidence: Evidence) -> Iterator[Batch]:
    """Yield examples at some points, for which the separation oracle has found outputs."""
    for visit, rows in evidence.progress.trials(_selections(evidence)):
        complete = [i for i in rows if visit.found["separation_oracle"][i] is not None]
        if complete:
            yield Batch(evidence, visit, np.array(complete))


def _selections(evidence: Evidence) -> Iterator[tuple[Visit, Any]]:
    """Yield the first points with examples: all, some in another order, one, and some repeated.

    At last one more point where the oracle returns the truth for some examples, which come first.
    """
    n = evidence.calls.n
    for point, visit in enumerate(evidence.visits[:POINTS]):
        order = evidence.rng.permutation(n)
        few = order[: n // 2 + 1]
        some, repeated = order[: max(1, n - 1 - point // 4)], np.r_[few, order, few]
        if point == LONG:
            repeated = np.resize(repeated, max(len(repeated), MANY))
        yield visit, (np.arange(n), some, order[:1], repeated)[point % 4]
    best: list[list[int]] = [[], []]
    for visit, pools in zip(evidence.visits, evidence.pools, strict=True):
        losses = [*map(_loss, pools, visit.found["separation_oracle"])]
        right = [i for i, loss in enumerate(losses) if loss == 0]
        wrong = [i for i, loss in enumerate(losses) if loss]
        if min(map(len, (right, wrong))) > min(map(len, best)):
            best, found = [right, wrong], visit
    if best[0]:
        yield found, np.array(best[0] + best[1])


def _loss(pool: Pool | None, entry: tuple[Any, Any] | None) -> float | None:
    """The loss of an output that a search found; None if it could not be measured."""
    if pool is None or entry is None or entry[0] not in pool.rows:
        return None
    return float(pool.losses[pool.rows[entry[0]]])


def _compare(batch: Batch, single: str, found: Sequence[Any]) -> Iterator[Finding]:
    """Yield a finding for each output that does not score like the single form's output.

    The outputs themselves may differ where they tie.
    """
    name, norm = batch.evidence.calls.name, float(np.linalg.norm(batch.visit.w))
    for k, theirs in enumerate(batch.single(single)):
        ours, expected = batch.measure(k, found[k], "batch_" + single), batch.measure(k, theirs)
        if expected is None:
            continue
        i = int(batch.rows[k])
        if ours is None:
            yield Finding("batch_" + single, name(i), batch.failure(found[k]))
            continue
        scores = [
            float(SCORES[single](loss, row @ batch.visit.w)) for loss, row in (ours, expected)
        ]
        size = batch.size(k) * norm
        terms = term_sizes(single, max(ours[0], expected[0]), size)
        if abs(scores[0] - scores[1]) <= batch.evidence.tolerance * terms:
            continue
        exact = oracle_is_exact(batch.evidence.problem)
        if scores[0] > scores[1] and exact and batch.is_output(k, found[k]):
            yield Finding(
                single,
                name(i),
                f"at |w| = {norm:.3g} its output {short(theirs)} scores {scores[1]:.6g}, but "
                f"{short(found[k])}, an output of batch_{single}, scores {scores[0]:.6g}",
            )
        else:
            yield Finding(
                "batch_" + single,
                name(i),
                f"its output {short(found[k])} scores {scores[0]:.6g}, that of {single}, "
                f"{short(theirs)}, scores {scores[1]:.6g}; are the examples in the same order, and "
                "is it this call's w that is used?",
            )


def _unequal(batch: Batch, method: str, arguments: tuple, expected: Vector) -> Iterator[Finding]:
    """Yield a finding if a batch form's value is not the expected one."""
    calls = batch.evidence.calls
    try:
        value = calls.batch(method, *arguments)
        if method == "batch_joint_feature_difference" and sparse.issparse(value):
            value = checked_matrix(
                method, value, expected.shape, np.arange(len(expected))
            ).toarray()
        value = as_numbers(method, value, expected.shape)
    except ProblemError as error:
        yield calls.finding(method, error)
        return
    if not close(value, expected, TOLERANCE, _size(batch, method, arguments)):
        single = "loss" if method == "batch_loss" else "joint_feature_difference"
        hint = f"; it is minus that of {single}" if close(value, -expected, TOLERANCE) else ""
        if method.startswith("sum"):
            message = f"it is not the weighted sum of joint_feature_difference{hint}"
            yield Finding(method, None, message)
            return
        errors = np.abs(value - expected).reshape(len(expected), -1).max(axis=1)
        k = int(errors.argmax())
        message = f"it differs from {single} by up to {errors[k]:.3g}{hint}"
        yield Finding(method, calls.name(int(batch.rows[k])), message)


def _size(batch: Batch, method: str, arguments: tuple) -> float:
    """The size of the terms of a batch form's value."""
    if method == "batch_loss":
        return batch.evidence.largest_loss
    size = max(batch.size(k) for k in range(len(batch.rows)))
    return size * float(np.abs(arguments[-1]).sum()) if method.startswith("sum") else size


def _wrong_planes(value: Any, expected: tuple[Vector, Vector]) -> str:
    """Return what is wrong with the value of relabelled_planes, or ''."""
    method = "relabelled_planes"
    pair = unpacked(value, 2, method, "pair of rows and offsets", "")
    for what, ours, theirs in zip(("rows", "offsets"), pair, expected, strict=True):
        array = as_numbers(f"{method} ({what})", ours, theirs.shape)
        if not close(array, theirs, TOLERANCE):
            error = np.abs(array - theirs).max()
            return f"its {what} differ by up to {error:.3g} from the sums over the examples"
    return ""


def unequal_weights(rng: np.random.Generator, n: int, signed: bool = True) -> Vector:
    """Return weights for n examples; without ``signed`` all are >= 0."""
    weights = rng.uniform(0.1, 3.0, n)
    if signed:
        weights *= rng.choice([-1.0, 1.0], n)
    # The first stays: weights that are all 0 would show nothing.
    weights[1:][rng.random(max(0, n - 1)) < 0.3] = 0.0
    return weights
