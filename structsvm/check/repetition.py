"""The check that a search uses the w that it is given, not one that it remembers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from structsvm.capabilities import oracle_is_exact
from structsvm.check.checked_calls import Finding, short
from structsvm.check.evidence import SCORES, Evidence
from structsvm.check.pools import TOLERANCE

#: Points at which searches are called again: random ones of many sizes, which come after the first.
REPEATED = slice(1, 9)


class Repeated(NamedTuple):
    """Two outputs of a search for one example at one w, the second after calls at other w.

    Attributes
    ----------
    i : int
        The example.
    norm : float
        |w|.
    outputs : tuple of two outputs
    scores : ndarray of shape (2,)
        In units of the terms that they are made of, relative to the mean of all known outputs.
    """

    i: int
    norm: float
    outputs: tuple[Any, Any]
    scores: Any


def searches_use_their_w(evidence: Evidence) -> Iterator[Finding]:
    """Called again at an earlier w, a search finds an output of the same score.

    When a point is visited, the separation oracle is called before the other searches, with the
    same w: what they remember of it is right. Here its last call was at another w.
    """
    calls = evidence.calls
    # No earlier check reports the errors of these calls.
    errors, changes = len(calls.errors), len(calls.changes)
    for method in evidence.searches[1:]:
        repeated = list(_repeated(evidence, method))
        worse = [one for one in repeated if one.scores[1] < one.scores[0] - TOLERANCE]
        # An inexact search may find less at random, but not only half of its advantage over chance.
        first, second = np.sum([one.scores for one in repeated] or np.zeros((1, 2)), axis=0)
        if oracle_is_exact(evidence.problem) or second < first / 2:
            for one in worse:
                yield Finding(
                    method,
                    calls.name(one.i),
                    f"called again at a w of |w| = {one.norm:.3g}, after calls at other w, it "
                    f"returned {short(one.outputs[1])}, which scores less than what it returned "
                    f"there before, {short(one.outputs[0])}; it must use the w that it is given, "
                    "not one that an earlier call left behind",
                )
    yield from calls.errors[errors:]
    yield from calls.changes[changes:]


def _repeated(evidence: Evidence, method: str) -> Iterator[Repeated]:
    calls, visits = evidence.calls, evidence.visits
    for point in evidence.progress.trials(range(len(visits))[REPEATED]):
        w, labels, found = visits[point]
        for i, pool in enumerate(evidence.pools[point]):
            entry, truth = found[method][i], evidence.joint_feature(i, labels[i])
            if pool is None or entry is None or entry[0] not in pool.rows or truth is None:
                continue
            x = calls.x[i]
            arguments = (x, w) if method == "decode" else (x, labels[i], w)
            output = calls.output(method, i, *arguments)
            if output is None:
                continue
            measured = evidence.measure(i, labels[i], method, output, truth)
            if measured is None:
                continue
            loss, difference = measured
            known = SCORES[method](pool.losses, pool.products[:, point])
            pair = np.array([known[pool.rows[entry[0]]], SCORES[method](loss, difference @ w)])
            scale = (1 + np.linalg.norm(w) * pool.sizes.max()) * (1 + pool.losses.max())
            yield Repeated(
                i, float(np.linalg.norm(w)), (entry[1], output), (pair - known.mean()) / scale
            )
