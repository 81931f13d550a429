"""The laws of the optional methods of a task, other than its searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.check.calls import as_numbers
from structsvm.check.equality import TOLERANCE, close
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.points import Pool, Visit
from structsvm.check.task import Trial, as_array, trials, unequal_weights
from structsvm.contract.capabilities import oracle_is_exact
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.oracle.minibatches import SubBlock, minibatches_of
from structsvm.task.call import read_only
from structsvm.task.weighted import Weighted

#: Points at which they are checked.
POINTS = 3
#: Points at which the curvature must be finite and >= 0, some of them large.
CURVED_POINTS = 11
#: Points whose labels and outputs make planes.
RELABELLED = 12
#: Random directions along which the slope of the gradient is taken.
DIRECTIONS = 8
#: Step of these finite differences, relative to mu by the size of a joint feature.
STEP = 0.05
#: Squares of smaller joint features may underflow in single precision.
SMALLEST = float(np.finfo(np.float32).tiny)
#: The curvature may be off by this factor, on the whole.
FACTOR = 30.0


def minibatches_agree(evidence: Evidence) -> Iterator[Finding]:
    """Every example is in one mini-batch; the soft sums of mini-batches add up to the total."""
    for point, visit in enumerate(evidence.visits[:POINTS]):
        mu = _largest_loss(evidence.pools[point])
        task = _weighted(evidence, point)  # of all examples, then of a part
        ones = np.ones(task.n)
        try:
            whole = task.soft(visit.w, mu, ones)
        except ProblemError:  # soft_sums_agree reports it
            return
        try:
            values, total, loss = np.empty(task.n), np.zeros(task.size), 0.0
            for places, columns, own in minibatches_of(task):
                soft = own.soft(columns.of(visit.w), mu, np.ones(own.n))
                values[places] = soft.values
                columns.add(total, soft.joint_feature_difference)
                loss += soft.loss
        except ProblemError as error:
            yield _finding(evidence, "minibatches", error)
            return
        found = {"values": (values, whole.values), "loss": (np.array(loss), np.array(whole.loss))}
        found["joint_feature_difference"] = (total, whole.joint_feature_difference)
        for name, (ours, theirs) in found.items():
            if not close(ours, theirs, TOLERANCE):
                most = float(np.abs(ours - theirs).max())
                yield _finding(
                    evidence,
                    "minibatches",
                    f"the {name} of the soft outputs of mini-batches add up to others than for all "
                    f"examples, by {most:.3g}: its examples, columns and tasks must belong to each "
                    "other",
                )
                return


def curvature_is_that_of_the_soft_sums(evidence: Evidence) -> Iterator[Finding]:
    """The curvature is >= 0, and of the size of the variances."""
    for point in range(min(CURVED_POINTS, len(evidence.visits))):
        visit, pools = evidence.visits[point], evidence.pools[point]
        mu, size = _largest_loss(pools), _largest_size(pools)
        if size**2 < SMALLEST:
            continue
        step = STEP * mu / size
        task = _weighted(evidence)
        if evidence.self_labelled:
            task = task.with_labels(visit.labels)
        if point % 2:  # so that the others count too
            task.factors[: task.n // 2] = 0
        curvature = task.curvature(visit.w, mu, np.ones(task.n))
        if point >= POINTS:  # where one output is almost certain, differences are rounding
            continue
        try:
            trace = mu * _trace(task, visit.w, mu, step, evidence.rng)
        except ProblemError:  # soft_sums_agree reports it
            return
        total = float(curvature.sum())
        if trace > 0 and not trace / FACTOR <= total <= FACTOR * trace:
            yield _finding(
                evidence,
                "curvature",
                f"it adds up to {total:.3g}, but the gradient of soft outputs changes as if the "
                f"variances added up to {trace:.3g}; it must return the sum over the examples of "
                "the variance of each entry of the joint feature, without mu",
            )
            return


def term_sizes_bound_the_numbers(evidence: Evidence) -> Iterator[Finding]:
    """The sizes of terms are no smaller than the differences and losses that they add up to."""
    for trial in evidence.progress.trials(trials(evidence)):
        measured = trial.measures(trial.outputs)
        if measured is None:
            continue
        sizes = trial.task.term_sizes(trial.outputs, range(len(trial.rows)))
        for what, ours, theirs in zip(("losses", "rows"), sizes[::-1], measured, strict=True):
            least = np.minimum(as_array(ours), np.abs(theirs))
            if not close(least, np.abs(theirs), TOLERANCE):
                message = f"its {what} are smaller than the numbers that the terms add up to"
                yield _finding(evidence, "term_sizes", message)
                return


def relabelled_planes_agree(evidence: Evidence) -> Iterator[Finding]:
    """Relabelled planes equal the sums over the examples, with and without earlier planes."""
    everything = np.arange(evidence.calls.n)
    made = [
        Trial(evidence, visit, everything, evidence.calls.task)
        for visit in evidence.progress.trials(evidence.visits[:RELABELLED])
    ]
    passes = [trial.outputs for trial in made if all(y is not None for y in trial.outputs)]
    weights = evidence.rng.uniform(0.5, 1.5, (len(passes), len(everything)))
    previous = None
    # In another order than the passes, so that labels change between calls.
    for trial in evidence.progress.trials(sorted(made, key=lambda trial: float(trial.w[0]))):
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
            for what, ours, theirs in zip(("rows", "losses"), found, sums, strict=True):
                if not close(ours, theirs, TOLERANCE):
                    yield _finding(
                        evidence,
                        "relabelled",
                        f"{'with' if earlier else 'without'} earlier planes: its {what} differ by "
                        f"up to {np.abs(ours - theirs).max():.3g} from the sums over the examples",
                    )
                    return
        previous = (trial.labels, *sums)


def _weighted(evidence: Evidence, left_out: int = 0) -> Weighted:
    """The examples but the last ones, with unequal weights >= 0, as in training."""
    task = evidence.calls.task
    if left_out:
        task = task.part(np.arange(max(1, task.n - left_out)))
    return Weighted(task, unequal_weights(evidence.rng, task.n, signed=False))


def _finding(evidence: Evidence, method: str, message: str | Exception) -> Finding:
    calls, name = evidence.calls, evidence.calls.name_of(method)
    if isinstance(message, Exception):
        return calls.finding(name, message)
    return Finding(name, None, message)


def _largest_loss(pools: Sequence[Pool | None]) -> float:
    losses = [float(pool.losses.max(initial=0)) for pool in pools if pool is not None]
    return max(losses, default=0.0) or 1.0


def _largest_size(pools: Sequence[Pool | None]) -> float:
    sizes = [float(pool.sizes.max(initial=0)) for pool in pools if pool is not None]
    return max(sizes, default=0.0) or 1.0


def _trace(task: Weighted, w: Vector, mu: float, step: float, rng: np.random.Generator) -> float:
    """The trace of the Hessian of the sum of the values, by Hutchinson's estimate."""
    traces = []
    for _ in range(DIRECTIONS):
        signs = rng.choice([-1.0, 1.0], task.size)
        ahead, behind = (
            task.soft(w + s * signs, mu, np.ones(task.n)).joint_feature_difference
            for s in (step, -step)
        )
        traces.append(float(signs @ (behind - ahead)) / (2 * step))
    return float(np.mean(traces))


def curvature_axes_are_orthonormal(evidence: Evidence) -> Iterator[Finding]:
    """The axes stretch w as a symmetric matrix does, and a factor of 1 leaves it as it is."""
    axes = _weighted(evidence).axes()
    if axes is not None and (message := _message(axes, evidence.calls.size, evidence.rng)):
        yield _finding(evidence, "axes", message)


def _message(axes: Any, size: int, rng: np.random.Generator) -> str:
    found = axes.along(np.ones(size))
    along = as_numbers("the along of axes", found, np.shape(found)[:1])
    if along.ndim != 1 or not np.all(along >= 0):
        return "along must return the curvature of each group of axes, of shape (m,) and >= 0"
    u, w = read_only(rng.normal(size=(2, size)))
    factors = rng.uniform(0.5, 2.0, size=along.shape)
    stretched = axes.times(factors, np.stack([u, w]))
    rules = {
        "a factor of 1 must leave w as it is": (axes.times(np.ones_like(factors), w), w),
        "a factor of 2 must double w": (axes.times(2 * np.ones_like(factors), w), 2 * w),
        "each of several vectors must be stretched as it is by itself": (
            stretched,
            np.stack([axes.times(factors, u), axes.times(factors, w)]),
        ),
        "the inverse factors must undo it": (axes.times(1 / factors, stretched[1]), w),
        "it must be symmetric, as if by a diagonal matrix along orthonormal axes": (
            np.array(u @ stretched[1]),
            np.array(w @ stretched[0]),
        ),
    }
    for rule, (found, expected) in rules.items():
        if np.shape(found) != np.shape(expected) or not close(found, expected, TOLERANCE):
            return f"times: {rule}"
    return ""


#: Points at which mini-batches are compared with all examples.
DIVIDED = 3
#: Where a method contradicts itself.
PART = "for a mini-batch, and its entries of w,"


def output_scores_agree(evidence: Evidence) -> Iterator[Finding]:
    """score_outputs returns loss less <w, difference> of every output, in the order of outputs."""
    for trial in trials(evidence):
        scores, message = trial.task.score_outputs(trial.w), ""
        if measured := _measured(trial):
            message = _wrong_scores(trial, scores, *measured)
        elif oracle_is_exact(evidence.problem):
            message = _wrong_extremes(trial, scores)
        if message:
            yield _finding(evidence, "score_outputs", message)
            return
    for visit, whole, minibatches in _divided(evidence):
        scores = whole.score_outputs(visit.w)
        for places, columns, own in minibatches:
            found = own.score_outputs(columns.of(visit.w))
            if not close(found, scores[places], TOLERANCE, float(np.abs(scores).max())):
                message = f"{PART} its scores are others than for all examples"
                yield _finding(evidence, "score_outputs", message)
                return


def expected_differences_agree(evidence: Evidence) -> Iterator[Finding]:
    """expected_difference returns the sum over examples and outputs, weighted as given."""
    method = "expected_difference"
    for trial in trials(evidence):
        if not (measured := _measured(trial)):
            continue
        losses, rows = measured
        p = _differences_of_probabilities(evidence, losses.shape)
        expected = np.einsum("iz,izj->j", p, rows)
        size = float(np.abs(p).sum()) * trial.largest
        if not close(trial.task.expected_difference(p), expected, TOLERANCE, size):
            yield _finding(
                evidence,
                method,
                "it is not the sum over examples i and outputs z of probabilities[i, z] times the "
                "joint feature of the true output less that of z, in the order of outputs(x)",
            )
            return
    for _, whole, minibatches in _divided(evidence):
        p = _differences_of_probabilities(evidence, whole.score_outputs(np.zeros(whole.size)).shape)
        total = np.zeros(whole.size)
        for places, columns, own in minibatches:
            columns.add(total, own.expected_difference(p[places]))
        if not close(total, whole.expected_difference(p), TOLERANCE):
            message = f"{PART} its sums add up to another than for all examples"
            yield _finding(evidence, method, message)


def products_agree(evidence: Evidence) -> Iterator[Finding]:
    """The products are those that differences of outputs, multiplied, lead to."""
    for trial in trials(evidence):
        products, places, features = trial.task.products()
        if features is not None:
            products = features @ features.T
        if not (measured := _measured(trial)):
            continue
        rows = measured[1]
        own = np.arange(rows.shape[1]) == places[:, None]
        votes = own[:, None].astype(float) - np.eye(rows.shape[1])
        expected = np.einsum("ij,iay,jby->iajb", products, votes, votes)
        if not close(np.einsum("iad,jbd->iajb", rows, rows), expected, TOLERANCE):
            yield _finding(
                evidence,
                "products",
                "the inner products of joint-feature differences do not follow from its products: "
                "has every output weights of its own, for the same features of an example, and are "
                "the true outputs at these places of outputs(x)?",
            )
            return


def _measured(trial: Trial) -> tuple[Vector, Vector] | None:
    """The losses (n, k) and differences (n, k, size) of all outputs, by the single forms.

    None where the outputs are not known, or not as many for all examples.
    """
    listed = {i: trial.evidence.enumerated[i] for i in trial.rows.tolist()}
    if len({len(own) for own in listed.values()}) > 1 or not listed[int(trial.rows[0])]:
        return None
    places = {i: k for k, i in enumerate(trial.rows.tolist())}
    measured = {i: [trial.measure(places[i], z) for z in own] for i, own in listed.items()}
    if any(pair is None for own in measured.values() for pair in own):
        return None
    losses, rows = (
        np.array([[pair[part] for pair in measured[i] if pair] for i in trial.rows.tolist()])
        for part in (0, 1)
    )
    return losses, rows


def _divided(evidence: Evidence) -> Iterator[tuple[Visit, Weighted, list[SubBlock]]]:
    """Yield some points with all examples and their mini-batches, where the engine uses these."""
    task = evidence.calls.task
    used = task.minibatches, task.score_outputs, task.expected_difference, evidence.problem.outputs
    wrong = any(evidence.results.get(check) for check in (minibatches_agree, output_scores_agree))
    if wrong or any(method is None for method in used):
        return
    whole = _weighted(evidence)
    for visit in evidence.visits[1 : 1 + DIVIDED]:
        yield visit, whole, list(minibatches_of(whole))


def _differences_of_probabilities(evidence: Evidence, shape: tuple[int, ...]) -> Vector:
    """Probabilities of the outputs of each example, some multiplied by numbers of both signs."""
    p = evidence.rng.dirichlet(np.ones(shape[1]), size=shape[0])
    return p * evidence.rng.choice([-1.0, 0.0, 0.5, 2.0], shape)


def _wrong_extremes(trial: Trial, scores: Vector) -> str:
    """Return what is wrong with the largest score and the true one, if no outputs are known."""
    expected = trial.measures(trial.outputs)
    if expected is None:
        return ""
    losses, rows = expected
    largest = np.maximum(losses - rows @ trial.w, 0)
    if not close(scores.max(axis=1), largest, TOLERANCE, trial.terms):
        return "the largest score of an example is not that of the separation oracle's output"
    if not close(np.abs(scores).min(axis=1), np.zeros(len(scores)), TOLERANCE, trial.terms):
        return "no output of an example has the score 0, as the true one has"
    return ""


def _wrong_scores(trial: Trial, scores: Vector, losses: Vector, rows: Vector) -> str:
    """Return what is wrong with the scores of all outputs, or ''."""
    expected = losses - rows @ trial.w
    if scores.shape != expected.shape:
        return f"it returned shape {scores.shape}; expected {expected.shape}, as outputs(x) has"
    if close(scores, expected, TOLERANCE, trial.terms):
        return ""
    i, z = np.unravel_index(np.argmax(np.abs(scores - expected)), scores.shape)
    return (
        f"the score of output {z} of example {trial.rows[i]} is {scores[i, z]:.6g}, but loss less "
        f"<w, joint-feature difference> is {expected[i, z]:.6g}; outputs are in the order of "
        "outputs(x)"
    )
