"""The check of pooled outputs: the search must find the best of them, for every example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cloudpickle
import numpy as np

from structsvm.check.closeness import TOLERANCE
from structsvm.check.copies import key, own
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, short
from structsvm.check.pools import is_listed
from structsvm.check.raised import attempted
from structsvm.contract.capabilities import offers
from structsvm.exceptions import ProblemError

#: Points at which the pool is searched.
POINTS = 5


def search_pool_finds_the_best(evidence: Evidence) -> Iterator[Finding]:
    """No output in the pool scores higher than the one that search_pool returns.

    The pool is made of the true outputs and the oracle's of all examples, in several parts.
    """
    if not offers(evidence.problem, "pool_outputs"):  # a finding about declarations
        return
    visits = evidence.visits
    for point in evidence.progress.trials(
        np.unique(np.linspace(0, len(visits) - 1, POINTS).astype(int)).tolist()
    ):
        entries = visits[point].found["separation_oracle"]
        if any(entry is None for entry in entries) or evidence.self_labelled:
            return
        candidates = [*evidence.calls.y, *(entry[1] for entry in entries if entry)]
        method = "pool_outputs"
        try:
            earlier = evidence.calls.batch(method, candidates[:1], None)
            if earlier is None:
                return
            # Not a copy of the pool: searches before and after show whether a later call changes
            # it. A search may refuse so small a pool.
            size, before = _size(earlier), attempted(_searched, evidence, point, earlier)[0]
            pool = evidence.calls.attempt(method, own(candidates[1:]), earlier)
            after = None if before is None else _searched(evidence, point, earlier)
            if size != _size(earlier) or _is_better(evidence, point, after, before):
                raise ProblemError("it changed a pool that it returned earlier; return a new one")
            # Nothing is new here, and nothing may be forgotten.
            size = _size(pool)
            pool = evidence.calls.batch(method, candidates[:1], pool)
            if _size(pool) > size:
                raise ProblemError(
                    f"it returned a pool of {_size(pool)} outputs for one of {size} and an output "
                    "that is in it already: each must be kept once, or the pool grows in every pass"
                )
            if attempted(cloudpickle.dumps, pool)[1]:
                raise ProblemError(
                    f"it returned {short(pool)}, which cannot be pickled, as for another process"
                )
            method = "search_pool"
            found = _searched(evidence, point, pool)
        except ProblemError as error:
            yield evidence.calls.finding(method, error)
            return
        for i in range(evidence.calls.n):
            yield from _beaten(evidence, point, i, found[i], candidates)


def _searched(evidence: Evidence, point: int, pool: Any) -> Any:
    """The outputs that the search finds in a pool at a point, one for each example."""
    X, Y = evidence.calls.prepared(slice(None))
    found = evidence.calls.batch("search_pool", X, Y, evidence.visits[point].w, pool)
    if len(found) != evidence.calls.n:
        raise ProblemError(f"it must return {evidence.calls.n} outputs, not {len(found)}")
    return found


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
    evidence: Evidence, point: int, i: int, found: Any, candidates: list[Any]
) -> Iterator[Finding]:
    """Yield a finding if the output found is none, or another of the pool scores higher."""
    pool, label, w = evidence.pools[point][i], evidence.calls.y[i], evidence.visits[point].w
    truth = evidence.joint_feature(i, label)
    if pool is None or truth is None:
        return
    name, norm = evidence.calls.name(i), float(np.linalg.norm(w))
    origins = ["search_pool", *["pool_outputs"] * len(candidates)]
    measured = []
    for origin, output in zip(origins, [found, *candidates], strict=True):
        errors = len(evidence.calls.errors)
        measure = evidence.measure(i, label, origin, output, truth)
        if measure is None:
            yield _unmeasured(evidence, i, origin, output, errors)
            return
        measured.append(measure)
    scores = [loss - float(w @ difference) for loss, difference in measured]
    size = evidence.largest_loss + norm * pool.sizes.max()
    best = int(np.argmax(scores))
    if scores[0] < scores[best] - evidence.tolerance * size:
        yield Finding(
            "search_pool",
            name,
            f"at |w| = {norm:.3g} it returned {short(found)}, which scores {scores[0]:.6g}, but "
            f"{short(candidates[best - 1])} is in the pool and scores {scores[best]:.6g} "
            "(loss(y, y_hat) - <w, Psi(x, y) - Psi(x, y_hat)>)",
        )
        return
    listed = [] if key(found) in pool.rows else pool.enumerated(evidence.enumerated[i])
    loss, difference = measured[0]
    if listed and not is_listed(pool, listed, loss, evidence.points @ difference, evidence.points):
        yield Finding(
            "pool_outputs",
            name,
            f"search_pool returned {short(found)}, which is no output of this example: none of "
            "outputs(x) has its loss and its joint feature. Return None where outputs of one "
            "example may not be allowed for another",
        )


def _unmeasured(evidence: Evidence, i: int, origin: str, output: Any, before: int) -> Finding:
    """A finding about an output of the pool that a measure did not accept.

    ``before`` is the number of errors before it was measured.
    """
    errors = evidence.calls.errors[before:]
    if not errors:
        return evidence.unreadable[-1].finding
    if origin == "pool_outputs":
        found = f"it pooled {short(output)} for all examples"
        remedy = "Return None where outputs of one example may not be allowed for another"
    else:
        found = f"it returned {short(output)}"
        remedy = "It must return outputs of the pool, or better ones"
    failure = errors[0]
    message = f"{found}, for which {failure.method} fails: {failure.message}. {remedy}"
    return Finding(origin, evidence.calls.name(i), message)
