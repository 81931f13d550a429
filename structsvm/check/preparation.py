"""The check of prepare: its containers hold the same examples, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.calls import as_numbers
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.copies import own, same
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.raised import attempted
from structsvm.data.containers import n_examples
from structsvm.exceptions import ProblemError
from structsvm.oracle.block import Block

#: Points from which outputs are taken.
POINTS = slice(0, 3)
#: When it is wrong, or what may be.
WITHOUT = " (Y = None, as where outputs are predicted)"
ORDER = "Are X and Y in the order in which they were given?"


def prepare_keeps_the_examples(evidence: Evidence) -> Iterator[Finding]:
    """The containers that prepare returns hold the same examples, as does a selection of them."""
    X, Y = evidence.calls.given()
    if message := _failure(evidence, X, Y):
        yield Finding("prepare", None, message)
        return
    selected = next(_changed_selections(evidence), None)
    if selected:
        yield selected
    elif message := _failure(evidence, X, None):
        yield Finding("prepare", None, message)


def _changed_selections(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each selection that does not hold the examples of its places."""
    calls, n = evidence.calls, evidence.calls.n
    selections: tuple[Any, ...] = (
        np.arange(n),
        evidence.rng.permutation(n)[: max(1, n - 1)],
        slice(0, n // 2 + 1),
    )
    for visit, which in zip(evidence.visits[POINTS], selections, strict=False):
        rows = np.arange(n)[which]
        X, Y = calls.prepared(which)
        sizes = {n_examples(data) for data in (X, Y) if data is not None}
        if sizes != {len(rows)}:
            found = " and ".join(map(str, sorted(sizes)))
            message = f"a selection of {len(rows)} rows of what it returned has {found} examples"
            yield Finding("prepare", None, message)
            continue
        for k, i in enumerate(rows.tolist()):
            if message := _other_example(evidence, visit.labels, i, X[k], Y if Y is None else Y[k]):
                yield Finding("prepare", calls.name(i), message)


def _failure(evidence: Evidence, X: Any, Y: Any) -> str:
    """Return what is wrong with a call of prepare, or ''; Y may be None."""
    given = own((X, Y))
    evidence.progress.call("prepare")
    block, error = attempted(Block, evidence.problem, *given, evidence.calls.index)
    message = ""
    if error:
        message = evidence.calls.finding("prepare", error).message
    elif not same((X, Y), given):
        message = "it changed its argument in place; work on a copy"
    elif Y is None and not evidence.self_labelled:
        labels = evidence.visits[0].labels
        message = _other_example(evidence, labels, 0, block.X[0], evidence.calls.y[0])
    return f"{message}{'' if Y is not None else WITHOUT}" if message else ""


def _other_example(evidence: Evidence, labels: list[Any], i: int, x: Any, y: Any) -> str:
    """Return what is wrong with the prepared form of an example, or ''."""
    label = labels[i]
    expected = None if label is None else evidence.joint_feature(i, label)
    if expected is None:
        return ""
    given = own((x, label if evidence.self_labelled else y))
    method = "joint_feature"
    try:
        psi = as_numbers(method, evidence.calls.attempt(method, *given), expected.shape)
    except ProblemError as error:
        message = evidence.calls.finding(method, error).message
        return f"joint_feature cannot read an example that it returned: {message}. {ORDER}"
    if close(psi, expected, TOLERANCE):
        return ""
    others = (j for j, other in enumerate(labels) if other is not None and j != i)
    features = ((j, evidence.joint_feature(j, labels[j])) for j in others)
    found = (evidence.calls.name(j) for j, row in features if row is not None
             and close(psi, row, TOLERANCE))  # fmt: skip
    other = next(found, None)
    if other is not None:
        return f"it returned example {other} in this place: it must keep the order of the examples"
    return f"it changes the joint feature of an example. {ORDER}"
