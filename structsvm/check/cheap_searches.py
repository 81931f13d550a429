"""The checks of a task's cheap searches: from an earlier output, and in a pool of outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cloudpickle
import numpy as np

from structsvm.check.equality import TOLERANCE, key, own
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, attempted, short
from structsvm.check.points import is_listed
from structsvm.check.task import Trial
from structsvm.exceptions import ProblemError

#: Points at which the pool is searched.
POOLED_POINTS = 5
#: The methods of a pool, of which neither is of use without the other.
PAIR = ("pool_outputs", "search_pool")


def refine_never_worsens(evidence: Evidence) -> Iterator[Finding]:
    """The output of refine has at least the loss-augmented score of the output it starts from."""
    made = [
        Trial(evidence, visit, np.arange(evidence.calls.n), evidence.calls.task)
        for visit in evidence.visits
    ]
    # Outputs of another point, since the oracle leaves little to refine in its own.
    points = range(len(made))
    pairs = [*((point - 1, point) for point in points), *zip(points, points, strict=True)]
    for earlier, point in evidence.progress.trials(pairs):
        trial, outputs = made[point], made[earlier].outputs
        if any(output is None for output in (*outputs, *trial.labels)):
            continue
        try:
            refined = trial.task.refine(trial.w, outputs)
        except ProblemError as error:
            yield trial.finding("refine", error)
            return
        for k in range(evidence.calls.n):
            yield from _worsened(trial, point, k, outputs[k], refined[k])


def _worsened(trial: Trial, point: int, k: int, output: Any, refined: Any) -> Iterator[Finding]:
    """Yield a finding if refining an output lowers its score."""
    evidence, w = trial.evidence, trial.w
    pool, name = evidence.pools[point][k], evidence.calls.name_of("refine")
    before, after = trial.measure(k, output), trial.measure(k, refined, name)
    if pool is None or before is None:
        return
    if after is None:
        yield trial.finding("refine", trial.failure(refined), k)
        return
    listed = [] if key(refined) in pool.rows else pool.enumerated(evidence.enumerated[k])
    if listed and not is_listed(
        pool, listed, after[0], evidence.points @ after[1], evidence.points
    ):
        yield trial.finding(
            "refine",
            f"it returned {short(refined)}, which is no output: none of outputs(x) has its loss "
            "and its joint feature",
            k,
        )
        return
    scores = [loss - float(w @ difference) for loss, difference in (before, after)]
    norm = float(np.linalg.norm(w))
    size = evidence.largest_loss + norm * pool.sizes.max()
    if scores[1] < scores[0] - evidence.tolerance * size:
        yield trial.finding(
            "refine",
            f"at |w| = {norm:.3g} it turned {short(output)}, which scores {scores[0]:.6g}, into "
            f"{short(refined)}, which scores {scores[1]:.6g} (loss(y, y_hat) - <w, Psi(x, y) - "
            "Psi(x, y_hat)>); return the output itself where nothing near it is better",
            k,
        )


def search_pool_finds_the_best(evidence: Evidence) -> Iterator[Finding]:
    """No output in the pool scores higher than the one that search_pool returns.

    The pool is made of the true outputs and the oracle's of all examples, in several parts.
    """
    calls, visits = evidence.calls, evidence.visits
    for method, other in (PAIR, PAIR[::-1]):
        if getattr(calls.task, method) is None:
            message = f"it is missing, without which {other} has no use: define both, or neither"
            yield Finding(f"{calls.task_kind.__name__}.{method}", None, message)
            return
    for point in evidence.progress.trials(
        np.unique(np.linspace(0, len(visits) - 1, POOLED_POINTS).astype(int)).tolist()
    ):
        entries = visits[point].found["separation_oracle"]
        if any(entry is None for entry in entries) or evidence.self_labelled:
            return
        candidates = [*calls.y, *(entry[1] for entry in entries if entry)]
        method = "pool_outputs"
        try:
            pool = _pooled(evidence, point, candidates)
            if pool is None:
                return
            method = "search_pool"
            found = calls.task.search_pool(visits[point].w, pool)
        except ProblemError as error:
            yield calls.finding(calls.name_of(method), error)
            return
        trial = Trial(evidence, visits[point], np.arange(calls.n), calls.task)
        for i in range(calls.n):
            yield from _beaten(trial, point, i, found[i], candidates)


def _pooled(evidence: Evidence, point: int, candidates: list[Any]) -> Any:
    """The pool of the candidates, made in several calls; a ProblemError where these are wrong."""
    task, w = evidence.calls.task, evidence.visits[point].w
    earlier = task.pool_outputs(own(candidates[:1]), None)
    if earlier is None:
        return None
    # Not a copy of the pool: searches before and after show whether a later call changes it. A
    # search may refuse so small a pool.
    size, before = _size(earlier), attempted(task.search_pool, w, earlier)[0]
    pool = task.pool_outputs(own(candidates[1:]), earlier)
    after = None if before is None else task.search_pool(w, earlier)
    if size != _size(earlier) or _is_better(evidence, point, after, before):
        raise ProblemError("it changed a pool that it returned earlier; return a new one")
    # Nothing is new here, and nothing may be forgotten.
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


def _is_better(evidence: Evidence, point: int, outputs: Any, others: Any) -> bool:
    """Whether outputs score more than others for some example."""
    if key(outputs) == key(others):
        return False
    w = evidence.visits[point].w
    for i, label in enumerate(evidence.calls.y):
        truth = evidence.joint_feature(i, label)
        found = [evidence.measure(i, label, "search_pool", z[i], truth) for z in (outputs, others)]
        scores = [each[0] - each[1] @ w for each in found if each is not None]
        if len(scores) == 2 and scores[0] - scores[1] > TOLERANCE * np.abs(scores).max():
            return True
    return False


def _size(pool: Any) -> int:
    """The length of a pool, 0 where it has none."""
    return len(pool) if hasattr(pool, "__len__") else 0


def _beaten(
    trial: Trial, point: int, i: int, found: Any, candidates: list[Any]
) -> Iterator[Finding]:
    """Yield a finding if the output found is none, or another of the pool scores higher."""
    evidence, w = trial.evidence, trial.w
    pool = evidence.pools[point][i]
    if pool is None:
        return
    norm = float(np.linalg.norm(w))
    origins = ["search_pool", *["pool_outputs"] * len(candidates)]
    measured = []
    for origin, output in zip(origins, [found, *candidates], strict=True):
        errors = len(evidence.calls.errors)
        measure = trial.measure(i, output, evidence.calls.name_of(origin))
        if measure is None:
            yield _unmeasured(trial, i, origin, output, errors)
            return
        measured.append(measure)
    scores = [loss - float(w @ difference) for loss, difference in measured]
    size = evidence.largest_loss + norm * pool.sizes.max()
    best = int(np.argmax(scores))
    if scores[0] < scores[best] - evidence.tolerance * size:
        yield trial.finding(
            "search_pool",
            f"at |w| = {norm:.3g} it returned {short(found)}, which scores {scores[0]:.6g}, but "
            f"{short(candidates[best - 1])} is in the pool and scores {scores[best]:.6g} "
            "(loss(y, y_hat) - <w, Psi(x, y) - Psi(x, y_hat)>)",
            i,
        )
        return
    listed = [] if key(found) in pool.rows else pool.enumerated(evidence.enumerated[i])
    loss, difference = measured[0]
    if listed and not is_listed(pool, listed, loss, evidence.points @ difference, evidence.points):
        yield trial.finding(
            "pool_outputs",
            f"search_pool returned {short(found)}, which is no output of this example: none of "
            "outputs(x) has its loss and its joint feature. Return None where outputs of one "
            "example may not be allowed for another",
            i,
        )


def _unmeasured(trial: Trial, i: int, origin: str, output: Any, before: int) -> Finding:
    """A finding about an output of the pool that a measure did not accept.

    ``before`` is the number of errors before it was measured.
    """
    errors = trial.evidence.calls.errors[before:]
    if not errors:
        return trial.finding(origin, trial.failure(output), i)
    if origin == "pool_outputs":
        found = f"it pooled {short(output)} for all examples"
        remedy = "Return None where outputs of one example may not be allowed for another"
    else:
        found = f"it returned {short(output)}"
        remedy = "It must return outputs of the pool, or better ones"
    failure = errors[0]
    message = f"{found}, for which {failure.method} fails: {failure.message}. {remedy}"
    return trial.finding(origin, message, i)
