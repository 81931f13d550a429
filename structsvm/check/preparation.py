"""The check of prepare: its containers hold the same examples, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.capabilities import offers
from structsvm.check.checked_calls import Finding, describe
from structsvm.check.closeness import close
from structsvm.check.copies import own, same
from structsvm.check.evidence import Evidence, Visit
from structsvm.check.pools import TOLERANCE
from structsvm.containers import n_examples, take
from structsvm.oracle.call import real_array
from structsvm.problem import Indices

#: Points from which outputs are taken.
POINTS = slice(0, 3)


def prepare_keeps_the_examples(evidence: Evidence) -> Iterator[Finding]:
    """The containers that prepare returns hold the same examples, as does a selection of them."""
    if not offers(evidence.problem, "prepare"):
        return
    given = evidence.calls.given()
    if message := _failure(evidence, given) or _failure(evidence, (given[0], None)):
        yield Finding("prepare", None, message)
        return
    n = evidence.calls.n
    selections: tuple[Any, ...] = (
        np.arange(n),
        evidence.rng.permutation(n)[: max(1, n - 1)],
        slice(0, n // 2 + 1),
    )
    for visit, which in zip(evidence.visits[POINTS], selections, strict=False):
        rows = np.arange(n)[which]
        try:
            X, Y = evidence.calls.prepared(which)
            found = [n_examples(data) for data in (X, Y) if data is not None]
            wrong = list(_changed_examples(evidence, visit, rows, X, Y))
        except Exception as error:
            yield Finding("prepare", None, f"what it returned cannot be used: {describe(error)}")
            return
        for size in found:
            if size != len(rows):
                message = f"a selection of {len(rows)} rows has {size} examples"
                yield Finding("prepare", None, message)
                return
        for i in wrong:
            message = "it changes the joint feature of an example; are they in the same order?"
            yield Finding("prepare", evidence.calls.name(i), message)
            return


def _failure(evidence: Evidence, given: tuple[Any, Any]) -> str:
    """Return what is wrong with a call of prepare, or ''; Y may be None."""
    data, without = own(given), " for Y = None, as where outputs are predicted"
    try:
        X, _ = evidence.problem.prepare(*data)
        n_examples(X)
    except Exception as error:
        return f"{describe(error)}{'' if given[1] is not None else without}"
    if not same(given, data):
        return "it changed its argument in place; work on a copy"
    if given[1] is not None or evidence.self_labelled:
        return ""
    psi = _joint_features(evidence, X, take(given[0], [0]), evidence.calls.y[0])
    if psi and not close(psi[0], psi[1], TOLERANCE):
        return f"it changes the joint feature of an example{without}"
    return ""


def _joint_features(evidence: Evidence, X: Any, given: Any, y: Any) -> list[Any]:
    """The joint features of the first input, as it was prepared and as it was given."""
    try:
        return [real_array(evidence.problem.joint_feature(data[0], own(y))) for data in (X, given)]
    except Exception:
        return []


def _changed_examples(
    evidence: Evidence, visit: Visit, rows: Indices, X: Any, Y: Any
) -> Iterator[int]:
    """Yield the examples whose prepared form has another joint feature."""
    problem = evidence.problem
    for k, i in enumerate(rows.tolist()):
        label = visit.labels[i]
        expected = None if label is None else evidence.joint_feature(i, label)
        if expected is None:
            continue
        psi = real_array(problem.joint_feature(X[k], label if evidence.self_labelled else Y[k]))
        if psi.shape != expected.shape or not close(psi, expected, TOLERANCE):
            yield i
