"""The check of prepare: its containers hold the same examples, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.checked_calls import Finding, as_numbers, short
from structsvm.check.closeness import close
from structsvm.check.copies import own, same
from structsvm.check.evidence import Evidence
from structsvm.check.pools import TOLERANCE
from structsvm.contract.capabilities import offers
from structsvm.data.containers import n_examples

#: Points from which outputs are taken.
POINTS = slice(0, 3)
#: When it is wrong, or what may be.
WITHOUT = " (Y = None, as where outputs are predicted)"
ORDER = "Are X and Y in the order in which they were given?"


def prepare_keeps_the_examples(evidence: Evidence) -> Iterator[Finding]:
    """The containers that prepare returns hold the same examples, as does a selection of them."""
    if not offers(evidence.problem, "prepare"):
        return
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
    found, message = evidence.calls.attempt("prepare", *given)
    if not message and not same((X, Y), given):
        message = "it changed its argument in place; work on a copy"
    message = message or _wrong_pair(found, evidence.calls.n)
    if not message and Y is None and not evidence.self_labelled:
        labels = evidence.visits[0].labels
        message = _other_example(evidence, labels, 0, found[0][0], evidence.calls.y[0])
    return f"{message}{'' if Y is not None else WITHOUT}" if message else ""


def _wrong_pair(found: Any, n: int) -> str:
    """Return what is wrong with the value of prepare for n examples, or ''."""
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        return f"it must return a pair, X and Y; it returned {short(found)}"
    for name, data in zip("XY", found, strict=True):
        if data is not None and n_examples(data) != n:
            return (
                f"it returned {n_examples(data)} examples in {name} for {n}; it must keep all of "
                "them, and their order"
            )
    return ""


def _other_example(evidence: Evidence, labels: list[Any], i: int, x: Any, y: Any) -> str:
    """Return what is wrong with the prepared form of an example, or ''."""
    label = labels[i]
    expected = None if label is None else evidence.joint_feature(i, label)
    if expected is None:
        return ""
    given = own((x, label if evidence.self_labelled else y))
    psi, message = evidence.calls.attempt("joint_feature", *given)
    if not message:
        psi, message = as_numbers(psi, expected.shape)
    if message:
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
