"""The search to blame where no list of outputs tells: the one beaten, or the one that beat it."""

from __future__ import annotations

import numpy as np

from structsvm.check.blame import depth
from structsvm.check.closeness import TOLERANCE
from structsvm.check.evidence import Evidence
from structsvm.check.points import projection
from structsvm.check.results import SearchResult
from structsvm.check.scores import SCORES
from structsvm.check.subject import TRUTH

#: Steps of learning a true output, at most.
STEPS = 50


def suspects(evidence: Evidence, method: str, beaten: list[SearchResult]) -> list[str]:
    """The other searches, if what they return to beat a search may be no output.

    It is an output if it is a true one, or if the beaten search returned it at another w. A search
    that misses a true output, or returns the same at every w, is wrong in any case.
    """
    if evidence.self_labelled or any(evidence.enumerated[result.i] for result in beaten):
        return []
    found = {
        other: {
            (i, entry[0])
            for visit in evidence.visits
            for i, entry in enumerate(visit.found[other])
            if entry
        }
        for other in evidence.searches
    }
    own, better = found.pop(method), set()
    for result in beaten:
        keys = list(result.pool.rows)
        for row in np.flatnonzero(result.scores > result.scores[result.row] + result.tolerance):
            if result.pool.origins[row] == TRUTH:
                return []
            better.add((result.i, keys[row]))
    varied = all(sum(i == result.i for i, _ in own) > 1 for result in beaten)
    if better & own or not varied or _misses_a_truth(evidence, method):
        return []
    # A class that overrides one of them is wrong in that one, as in blame.
    kind = type(evidence.problem)
    return [
        other
        for other, returned in found.items()
        if better & returned and depth(kind, other) <= depth(kind, method)
    ]


def _misses_a_truth(evidence: Evidence, method: str) -> bool:
    """Whether some true output beats the search, at a w that was learned for it."""
    calls, project = evidence.calls, projection(evidence)
    for i, (x, y) in enumerate(zip(calls.x, calls.y, strict=True)):
        w, truth = project(np.zeros(calls.size)), evidence.joint_feature(i, y)
        for _ in range(STEPS):
            output = calls.output(method, i, *((x, w) if method == "decode" else (x, y, w)))
            measured = output is not None and evidence.measure(i, y, method, output, truth)
            if not measured:
                break
            loss, difference = measured
            square, product = float(difference @ difference), float(difference @ w)
            # The true output scores 0.
            if SCORES[method](loss, product) < -TOLERANCE * (loss + abs(product)):
                return True
            if square == 0:
                break
            w = project(w + 1.5 * max(loss - product, 0.1 * loss) / square * difference)
    return False
