"""Checks of the optional methods of a task."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import cloudpickle
import numpy as np

from structsvm.check.calls import as_numbers
from structsvm.check.equality import TOLERANCE, close, key, own
from structsvm.check.evidence import LAST, SEARCHES, Evidence, Pool, law
from structsvm.check.findings import Finding, attempted, short
from structsvm.check.soft import slope_of
from structsvm.check.task import Trial, trials, unequal, unequal_weights
from structsvm.contract.capabilities import oracle_is_exact
from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.exceptions import ProblemError
from structsvm.task.call import read_only
from structsvm.task.weighted import Weighted

#: Number of points at which the size of the curvature is checked.
POINTS = 3
#: Number of points at which the pool is searched.
POOLED_POINTS = 5
#: Number of points, some of them large, at which the curvature must be finite and >= 0.
CURVED_POINTS = 11
#: Number of points whose labels and outputs make planes.
RELABELLED = 12
#: Number of random directions along which the slope of the gradient is computed.
DIRECTIONS = 8
#: Step of these finite differences, relative to mu divided by the size of a joint feature.
STEP = 0.05
#: Squares of smaller joint features may underflow in single precision.
SMALLEST = float(np.finfo(np.float32).tiny)
#: Largest accepted ratio between the curvature and its estimate.
FACTOR = 30.0
#: The remedy for outputs that cannot be measured.
REMEDY = (
    "It must return outputs of the example; where outputs of others may not be allowed, "
    "pool_outputs returns None"
)


@law(SEARCHES, ".refine")
def refine_never_worsens(evidence: Evidence) -> Iterator[Finding]:
    """refine never returns an output with a lower loss-augmented score than its argument."""
    made = [Trial(evidence, visit) for visit in evidence.visits]
    # Start from outputs of another point, since the oracle's outputs at this point leave little to
    # refine.
    points = range(len(made))
    pairs = [*((point - 1, point) for point in points), *zip(points, points, strict=True)]
    hint = "from which it started; return the output itself where nothing near it is better"
    for earlier, point in evidence.progress.trials(pairs):
        trial, outputs = made[point], made[earlier].outputs
        if not any(output is None for output in (*outputs, *trial.labels)):
            refined = trial.task.refine(trial.w, outputs)
            for k, pool in enumerate(evidence.pools[point]):
                if pool is not None and trial.score(k, outputs[k]) is not None:
                    yield from _beaten(
                        trial, pool, k, ("refine",) * 2, refined[k], outputs[k : k + 1], hint
                    )


def _beaten(
    trial: Trial, pool: Pool, k: int, methods: tuple[str, str], found: Any, others: Any, hint: str
) -> Iterator[Finding]:
    """Yield a finding if the output `found` is invalid, or scores lower than one of `others`."""
    evidence, by, measured = trial.evidence, "separation_oracle", []
    for n, output in enumerate([found, *others]):
        method, before = methods[n > 0], len(evidence.calls.errors)
        measured.append(trial.measure(k, output, evidence.calls.name_of(method)))
        if measured[-1] is None:
            message = trial.failure(output)
            for failure in evidence.calls.errors[before:][:1]:
                message = f"it returned {short(output)}, for which {failure.method} fails: "
                message += f"{failure.message}. {REMEDY}"
            yield trial.finding(method, message, k)
            return
    pairs = [pair for pair in measured if pair]
    scores = [loss - float(trial.w @ difference) for loss, difference in pairs]
    best, (loss, difference) = int(np.argmax(scores)), pairs[0]
    if scores[0] < scores[best] - evidence.tolerance * evidence.terms(by, trial.w):
        message = trial.scores(found, scores[0], others[best - 1], scores[best], by)
        yield trial.finding(methods[0], f"{message}, {hint}", k)
        return
    products = evidence.points @ difference
    if (
        pool.listed
        and key(found) not in pool.rows
        and not pool.lists(loss, products, evidence.points)
    ):
        message = (
            "which is no output of this example: none of outputs(x) has its loss and its joint "
        )
        yield trial.finding(
            methods[1], f"{methods[0]} returned {short(found)}, {message}feature", k
        )


@law(SEARCHES, ".search_pool", ".pool_outputs")
def search_pool_finds_the_best(evidence: Evidence) -> Iterator[Finding]:
    """No output in the pool scores higher than the output that search_pool returns.

    Several calls of pool_outputs build the pool from the true outputs and the outputs of the
    oracle.
    """
    calls, visits, pair = evidence.calls, evidence.visits, ("pool_outputs", "search_pool")
    for method, other in (pair, pair[::-1]):
        if getattr(calls.task, method) is None:
            message = f"it is missing, without which {other} has no use: define both, or neither"
            yield Finding(f"{calls.task_kind.__name__}.{method}", None, message)
            return
    for point in evidence.progress.trials(
        np.unique(np.linspace(0, len(visits) - 1, POOLED_POINTS).astype(int)).tolist()
    ):
        trial = Trial(evidence, visits[point])
        candidates = [*calls.y, *trial.single("separation_oracle")]
        if any(output is None for output in candidates) or evidence.self_labelled:
            return
        pool, error = attempted(_pooled, calls.task, trial.w, candidates)
        if error:
            yield calls.finding(".pool_outputs", error)
        if pool is None:
            return
        found = calls.task.search_pool(trial.w, pool)
        for i, known in enumerate(evidence.pools[point]):
            if known is not None:
                yield from _beaten(
                    trial, known, i, pair[::-1], found[i], candidates, "and is in the pool"
                )


def _pooled(task: Any, w: Vector, candidates: list[Any]) -> Any:
    """Add the candidates to a pool in several calls, check the calls, and return the pool."""
    earlier = task.pool_outputs(own(candidates[:1]), None)
    if earlier is None:
        return None
    # The pool is not copied: searches before and after show whether a later call changes it. A
    # search may refuse a pool that is so small.
    size, before = _size(earlier), attempted(task.search_pool, w, earlier)[0]
    pool = task.pool_outputs(own(candidates[1:]), earlier)
    after = None if before is None else task.search_pool(w, earlier)
    if size != _size(earlier) or key(after) != key(before):
        raise ProblemError("it changed a pool that it returned earlier; return a new one")
    # These outputs are not new, and none may be forgotten.
    size = _size(pool)
    pool = task.pool_outputs(own(candidates[:1]), pool)
    if _size(pool) > size:
        raise ProblemError(
            f"it returned a pool of {_size(pool)} outputs for one of {size} and an output that is "
            "in it already: each must be kept once, or the pool grows in every pass"
        )
    if attempted(cloudpickle.dumps, pool)[1]:
        raise ProblemError(
            f"it returned {short(pool)}, which cannot be pickled, as for another process"
        )
    return pool


def _size(pool: Any) -> int:
    """Return the length of a pool, or 0 if the pool has no length."""
    return len(pool) if hasattr(pool, "__len__") else 0


@law(SEARCHES, ".relabelled")
def relabelled_planes_agree(evidence: Evidence) -> Iterator[Finding]:
    """``relabelled`` returns the sums of losses and joint-feature differences over the examples."""
    progress = evidence.progress
    made = [Trial(evidence, visit) for visit in progress.trials(evidence.visits[:RELABELLED])]
    passes = [trial.outputs for trial in made if all(y is not None for y in trial.outputs)]
    weights = evidence.rng.uniform(0.5, 1.5, (len(passes), evidence.calls.n))
    previous = None
    # The order differs from the order of the passes, so that labels change between calls.
    for trial in progress.trials(sorted(made, key=lambda trial: float(trial.w[0]))):
        measured = [trial.measures(outputs) for outputs in passes]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(passes):
            continue
        sums = [
            np.array([weight @ pair[part] for weight, pair in zip(weights, kept, strict=True)])
            for part in (1, 0)
        ]
        for earlier in (None, previous) if previous else (None,):
            found = trial.task.relabelled(passes, weights, earlier)
            names = [
                f"{what} differ from the sums over the examples" for what in ("rows", "losses")
            ]
            if message := unequal(zip(names, found, sums, (0.0, 0.0), strict=True)):
                when = "with" if earlier else "without"
                yield evidence.calls.finding(".relabelled", f"{when} earlier planes: {message}")
                return
        previous = (trial.labels, *sums)


@law(SEARCHES, ".term_sizes")
def term_sizes_bound_the_numbers(evidence: Evidence) -> Iterator[Finding]:
    """term_sizes returns at least the absolute values of joint-feature differences and losses."""
    for trial in evidence.progress.trials(trials(evidence)):
        if (measured := trial.measures(trial.outputs)) is None:
            continue
        sizes = trial.task.term_sizes(trial.outputs, range(len(trial.rows)))
        for what, ours, theirs in zip(("losses", "rows"), sizes[::-1], measured, strict=True):
            if not close(np.minimum(dense(ours), np.abs(theirs)), np.abs(theirs), TOLERANCE):
                message = f"its {what} are smaller than the numbers that the terms add up to"
                yield evidence.calls.finding(".term_sizes", message)
                return


@law(LAST, ".score_outputs")
def output_scores_agree(evidence: Evidence) -> Iterator[Finding]:
    """score_outputs returns the score of every output in outputs(x), in the order of outputs(x)."""
    for trial in trials(evidence):
        scores, message = trial.task.score_outputs(trial.w), ""
        terms = evidence.terms("separation_oracle", trial.w)
        if measured := _measured(trial):
            expected = measured[0] - measured[1] @ trial.w
            what = "scores, in the order of outputs(x), differ from loss less <w, difference>"
            message = unequal([(what, scores, expected, terms)])
        elif oracle_is_exact(evidence.problem) and (extremes := trial.measures(trial.outputs)):
            largest = np.maximum(extremes[0] - extremes[1] @ trial.w, 0)
            message = unequal([
                ("largest scores are not those of the separation oracle's outputs, but differ",
                 scores.max(axis=1), largest, terms),
                ("scores are never 0, as that of the true output is, but differ",
                 np.abs(scores).min(axis=1), np.zeros(len(scores)), terms),
            ])  # fmt: skip
        if message:
            yield evidence.calls.finding(".score_outputs", message)
            return


@law(LAST, ".expected_difference")
def expected_differences_agree(evidence: Evidence) -> Iterator[Finding]:
    """expected_difference returns the weighted sum of joint-feature differences of all outputs."""
    method = ".expected_difference"
    for trial in trials(evidence):
        if not (measured := _measured(trial)):
            continue
        losses, rows = measured
        # The weight of an output is a probability times -1, 0, 0.5 or 2, at random.
        p = evidence.rng.dirichlet(np.ones(losses.shape[1]), size=len(losses))
        p *= evidence.rng.choice([-1.0, 0.0, 0.5, 2.0], losses.shape)
        expected = np.einsum("iz,izj->j", p, rows)
        size = float(np.abs(p).sum()) * evidence.largest_size
        if not close(trial.task.expected_difference(p), expected, TOLERANCE, size):
            message = (
                "it is not the sum over examples i and outputs z of probabilities[i, z] times the "
                "joint feature of the true output less that of z, in the order of outputs(x)"
            )
            yield evidence.calls.finding(method, message)
            return


@law(LAST, ".products")
def products_agree(evidence: Evidence) -> Iterator[Finding]:
    """The task's method ``products`` agrees with inner products of joint-feature differences."""
    for trial in trials(evidence):
        products, places, features = trial.task.products()
        if not (measured := _measured(trial)):
            continue
        rows = measured[1]
        true = np.arange(rows.shape[1]) == places[:, None]
        votes = true[:, None].astype(float) - np.eye(rows.shape[1])
        if features is None:
            found = np.einsum("iad,jbd->iajb", rows, rows)
            expected = np.einsum("ij,iay,jby->iajb", products, votes, votes)
        else:
            expected = np.einsum("iay,id->iayd", votes, dense(features))
            found = rows.reshape(expected.shape) if rows.size == expected.size else rows[None]
        if not (found.shape == expected.shape and close(found, expected, TOLERANCE)):
            message = (
                "joint-feature differences do not follow from its products: has every output "
                "weights of its own, those of one after the other, for the same features of an "
                "example, and are the true outputs at these places of outputs(x)?"
            )
            yield evidence.calls.finding(".products", message)
            return


@law(LAST, ".curvature")
def curvature_is_that_of_the_soft_sums(evidence: Evidence) -> Iterator[Finding]:
    """The entries of the curvature are >= 0, and sum to about the variance of joint features."""
    mu, size = evidence.largest_loss or 1.0, evidence.largest_size or 1.0
    for point, visit in enumerate(evidence.visits[:CURVED_POINTS] if size**2 >= SMALLEST else ()):
        task = _weighted(evidence)
        if evidence.self_labelled:
            task = task.with_labels(visit.labels)
        if point % 2:  # let only the second half of the examples count
            task.factors[: task.n // 2] = 0
        total = float(task.curvature(visit.w, mu, np.ones(task.n)).sum())
        if point >= POINTS:  # at large w one output is almost certain, and differences are rounding
            continue
        trace, error = attempted(_trace, task, visit.w, mu, STEP * mu / size, evidence.rng)
        if error:  # soft_sums_agree reports this error
            return
        if trace > 0 and not trace / FACTOR <= total <= FACTOR * trace:
            message = (
                f"it adds up to {total:.3g}, but the gradient of soft outputs changes as if the "
                f"variances added up to {trace:.3g}; it must return the sum over the examples of "
                "the variance of each entry of the joint feature, without mu"
            )
            yield evidence.calls.finding(".curvature", message)
            return


def _trace(task: Weighted, w: Vector, mu: float, step: float, rng: np.random.Generator) -> float:
    """Estimate the total variance of the joint features from gradients of the soft oracle."""

    def gradient_along(signs: Vector, s: float) -> float:
        soft = task.soft(w + s * signs, mu, np.ones(task.n))
        return -float(signs @ soft.joint_feature_difference)

    directions = rng.choice([-1.0, 1.0], (DIRECTIONS, task.size))
    return mu * float(
        np.mean([slope_of(partial(gradient_along, each), step) for each in directions])
    )


@law(LAST, ".axes")
def curvature_axes_are_orthonormal(evidence: Evidence) -> Iterator[Finding]:
    """``axes.times`` multiplies w by a symmetric matrix, the identity if all factors are 1."""
    if (axes := _weighted(evidence).axes()) is None:
        return
    found = axes.along(np.ones(evidence.calls.size))
    along = as_numbers("the along of axes", found, np.shape(found)[:1])
    if along.ndim != 1 or not np.all(along >= 0):
        message = "along must return the curvature of each group of axes, of shape (m,) and >= 0"
        yield evidence.calls.finding(".axes", message)
        return
    u, w = read_only(evidence.rng.normal(size=(2, evidence.calls.size)))
    factors = evidence.rng.uniform(0.5, 2.0, size=along.shape)
    both = axes.times(factors, np.stack([u, w]))
    ones, alone = np.ones_like(factors), [axes.times(factors, each) for each in (u, w)]
    rules = [
        ("a factor of 1 must leave w as it is; it differs", axes.times(ones, w), w),
        ("a factor of 2 must double w; it differs", axes.times(2 * ones, w), 2 * w),
        ("each of several vectors must be stretched as by itself; they differ", both, alone),
        ("the inverse factors must undo it; it differs", axes.times(1 / factors, both[1]), w),
        ("it must be symmetric, as if by a diagonal matrix along orthonormal axes; it differs",
         u @ both[1], w @ both[0]),
    ]  # fmt: skip
    if message := unequal((f"times: {rule}", *sides, 0.0) for rule, *sides in rules):
        yield evidence.calls.finding(".axes", message)


def _weighted(evidence: Evidence, left_out: int = 0) -> Weighted:
    """Return the task without the last ``left_out`` examples, with random example weights >= 0."""
    task = evidence.calls.task
    if left_out:
        task = task.part(np.arange(max(1, task.n - left_out)))
    return Weighted(task, unequal_weights(evidence.rng, task.n, signed=False))


def _measured(trial: Trial) -> tuple[Vector, Vector] | None:
    """Return the losses (n, k) and joint-feature differences (n, k, size) of all outputs.

    Return None if the outputs are unknown, or if the number of outputs differs between examples.
    """
    listed = [trial.evidence.enumerated[i] for i in trial.rows.tolist()]
    if len({len(outputs) for outputs in listed}) > 1 or not listed[0]:
        return None
    made: dict[int, Any] = {}
    for k, i in enumerate(trial.rows.tolist()):
        made[i] = made.get(i) or [trial.measure(k, z) for z in listed[k]]
    pairs = [made[i] for i in trial.rows.tolist()]
    if any(pair is None for row in pairs for pair in row):
        return None
    losses, rows = (np.array([[pair[part] for pair in row] for row in pairs]) for part in (0, 1))
    return losses, rows
