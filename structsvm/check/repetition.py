"""The check that a search depends on its arguments alone: on its w, and not on chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.equality import key
from structsvm.check.evidence import Evidence, SearchResult
from structsvm.check.findings import Finding, short
from structsvm.check.pools import SCORES, Pool, term_sizes

#: Points at which searches are called again: random ones of many sizes, which come after the first.
REPEATED = slice(1, 9, 2)
#: Times that a search is called again if its output is not the best, or not the same as before.
AGAIN = 3
#: The remedy.
ALONE = (
    "It must depend on its arguments alone: seed what is random at every call, and keep no state "
    "that calls change"
)


def searches_use_their_w(evidence: Evidence) -> Iterator[Finding]:
    """Called again at an earlier w, twice, a search finds outputs of the same score.

    When a point is visited, the separation oracle is called before the other searches, with the
    same w: what they remember of it is right. Here the last call was at another w.
    """
    calls = evidence.calls
    errors = len(calls.errors)  # no earlier check reports them
    for method in evidence.searches:
        for point in evidence.progress.trials(range(len(evidence.visits))[REPEATED]):
            for i, pool in enumerate(evidence.pools[point]):
                entry = evidence.visits[point].found[method][i]
                if pool is None or entry is None or entry[0] not in pool.rows:
                    continue
                message = _difference(evidence, method, point, i, pool, entry)
                if message:
                    yield Finding(method, calls.name(i), message)
    yield from calls.errors[errors:]


def asked_again(evidence: Evidence, method: str, result: SearchResult) -> str:
    """Return what is wrong where calls at the point of a result differ from each other, or ''."""
    found = [_answer(evidence, method, result.point, result.i, result.pool) for _ in range(AGAIN)]
    scores = [result.scores[result.row], *(score for _, score in found if score is not None)]
    return _random(result.norm, scores) if np.ptp(scores) > result.tolerance else ""


def _difference(
    evidence: Evidence, method: str, point: int, i: int, pool: Pool, entry: tuple[Any, Any]
) -> str:
    """Return how the answers of two more calls differ from the first and from each other, or ''."""
    norm = float(np.linalg.norm(evidence.visits[point].w))
    first = SCORES[method](pool.losses, pool.products[:, point])[pool.rows[entry[0]]]
    size = evidence.tolerance * term_sizes(method, pool.losses, norm * pool.sizes).max()
    output, second = _answer(evidence, method, point, i, pool)
    scores = [second, _answer(evidence, method, point, i, pool)[1]]
    if second is None or None in scores or np.ptp([first, *scores]) <= size:
        return ""
    scores += [_answer(evidence, method, point, i, pool)[1] for _ in range(AGAIN)]
    found = [score for score in scores if score is not None]
    if np.ptp(found) > size:
        return _random(norm, found)
    return (
        f"called again at a w of |w| = {norm:.3g}, after calls at other w, it returned "
        f"{short(output)}, which scores {second:.6g}, where it returned {short(entry[1])} before, "
        f"which scores {first:.6g}; it must use the w that it is given, not one that an earlier "
        "call left behind"
    )


def _answer(
    evidence: Evidence, method: str, point: int, i: int, pool: Pool
) -> tuple[Any, float | None]:
    """Return the output of another call at a point, and its score; None after an error."""
    w, labels, _ = evidence.visits[point]
    x, truth = evidence.calls.x[i], evidence.joint_feature(i, labels[i])
    output = evidence.calls.output(
        method, i, *((x, w) if method == "decode" else (x, labels[i], w))
    )
    if output is None or truth is None:
        return output, None
    if (row := pool.rows.get(key(output))) is not None:
        return output, float(SCORES[method](pool.losses[row], pool.products[row, point]))
    measured = evidence.measure(i, labels[i], method, output, truth)
    if measured is None:
        return output, None
    loss, difference = measured
    return output, float(SCORES[method](loss, difference @ w))


def _random(norm: float, scores: list[float]) -> str:
    return (
        f"two calls with the same arguments differ: at |w| = {norm:.3g} their outputs score "
        f"{min(scores):.6g} and {max(scores):.6g}. {ALONE}"
    )
