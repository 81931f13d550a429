"""The check that a batch form works for the examples it is given, not for all of the data.

Work is counted, not timed: function calls, and the most memory held. Both are the same at every
run, and neither may grow with the data that ``initialize`` got if examples and w are the same.
"""

from __future__ import annotations

import math
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from structsvm.check.batch import Batch, batches
from structsvm.check.copies import own
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.raised import attempted
from structsvm.check.sizes import initialized
from structsvm.contract.capabilities import offers
from structsvm.contract.problem import Problem
from structsvm.data.containers import n_examples

#: Examples that are added to the data, at least.
ADDED = 200
#: Work that each of them may add: memory in bytes, two numbers,
BYTES = 16
#: and function calls.
CALLS = 1


class Work(NamedTuple):
    """The work of a call: function calls, and the most bytes held at a time."""

    calls: int
    bytes: int


def batch_forms_work_on_given_examples(evidence: Evidence) -> Iterator[Finding]:
    """A note on each batch form whose work grows with the data, for the same examples and w."""
    yield from ()  # a slow batch form breaks no rule
    n = n_examples(evidence.X)
    times = 1 + math.ceil(ADDED / n)
    batch = next(batches(evidence), None)
    more = _with_repeats(evidence, n, times)
    if batch is None or more is None:
        return
    for method, arguments in _batch_calls(batch):
        if not offers(evidence.problem, method):
            continue
        forms = (getattr(problem, method) for problem in (evidence.problem, more))
        (less, failed), (most, also) = (attempted(_work, form, arguments) for form in forms)
        if failed or also:  # other checks report it
            continue
        added = (times - 1) * n
        if most.calls - less.calls >= CALLS * added or most.bytes - less.bytes >= BYTES * added:
            evidence.notes.append(
                f"{method} does work for all {n} examples that initialize got, at every call and "
                f"whatever examples it is given: with these {times} times over, the same call made "
                f"{most.calls} function calls and held {most.bytes} bytes, not {less.calls} and "
                f"{less.bytes}. Do what does not depend on w once, in prepare, whose X and Y the "
                "batch forms get"
            )


def _batch_calls(batch: Batch) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the batch forms and their arguments."""
    w, given = batch.visit.w, (batch.X, batch.labels)
    yield "batch_separation_oracle", (*given, w)
    yield "batch_slack_oracle", (*given, w)
    yield "batch_decode", (batch.X, w)
    yield "batch_loss", (batch.labels, batch.outputs)
    yield "batch_joint_feature_difference", (*given, batch.outputs)
    yield "sum_joint_feature_difference", (*given, batch.outputs, np.ones(len(batch.rows)))


def _with_repeats(evidence: Evidence, n: int, times: int) -> Problem | None:
    """The problem initialized with all examples several times over; None where it refuses them."""
    rows = list(range(n)) * times
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more, _ = attempted(initialized, evidence.untouched, evidence.X, evidence.Y, rows)
    # Repeated examples need not fit the problem.
    fits = more and more.size_joint_feature == evidence.problem.size_joint_feature
    return more if fits else None


def _work(method: Callable[..., Any], arguments: tuple[Any, ...]) -> Work:
    """The work of a call, after another one that may fill a cache."""
    method(*own(arguments))
    return Work(_calls(method, own(arguments)), _bytes(method, own(arguments)))


def _calls(method: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    calls, before = 0, sys.getprofile()

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        method(*arguments)
    finally:
        sys.setprofile(before)
    return calls


def _bytes(method: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        method(*arguments)
        return tracemalloc.get_traced_memory()[1] - held
    finally:
        if not traced:
            tracemalloc.stop()
