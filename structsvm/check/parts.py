"""The check of parts of outputs, and of the search for the best output with a part."""

from __future__ import annotations

from collections.abc import Iterator
from operator import contains
from typing import Any

from structsvm.check.evidence import SEARCHES, Evidence, Pool, law
from structsvm.check.findings import Finding, short
from structsvm.contract.capabilities import oracle_is_exact

#: The methods that a problem with parts of outputs needs.
NEEDED = ("possible_parts", "chosen_parts", "decode_with")
#: Indices of the points at which decode_with is called: random points, one of them large.
POINTS = (2, 4, 8)
#: Largest number of parts per example for which decode_with is called.
PARTS = 6


@law(SEARCHES, where=lambda evidence: all(map(evidence.offers, NEEDED)))
def outputs_with_parts_are_the_best(evidence: Evidence) -> Iterator[Finding]:
    """possible_parts lists all parts of outputs; decode_with finds the best output with a part."""
    calls = evidence.calls
    pools = [(i, pool) for i, pool in enumerate(evidence.pools[0]) if pool is not None]
    for i, pool in evidence.progress.trials(pools):
        slots = [[*parts] for parts in calls.call("possible_parts", i, calls.x[i])]
        chosen = {row: _chosen(evidence, i, pool.outputs[row]) for row in pool.listed or [0]}
        for row, parts in chosen.items():
            if len(parts) != len(slots) or not all(map(contains, slots, parts)):
                message = (
                    f"it returned {short(parts)} for {short(pool.outputs[row])}; expected one of "
                    f"the parts of each of the {len(slots)} slots of possible_parts(x)"
                )
                yield calls.finding("chosen_parts", message, i)
                return
        places = [(slot, part) for slot, parts in enumerate(slots) for part in parts]
        for slot, part in (places[k] for k in evidence.rng.permutation(len(places))[:PARTS]):
            rows = [row for row, parts in chosen.items() if parts[slot] == part]
            for point in POINTS[: len(evidence.visits) - 1]:
                if message := _fault(evidence, (i, point, pool), rows, slot, part):
                    yield calls.finding("decode_with", f"for {part!r} in slot {slot} {message}", i)


def _fault(evidence: Evidence, at: tuple[int, int, Pool], rows: Any, slot: int, part: Any) -> str:
    """Return the error in the output found for a part, or ''.

    ``at`` holds an example, a vector w, and the recorded outputs of the example. ``rows`` holds the
    indices of the recorded outputs that have the part ``part``.
    """
    i, point, pool = at
    w, label = evidence.visits[point].w, evidence.visits[0].labels[i]
    found = evidence.calls.call("decode_with", i, evidence.calls.x[i], w, slot, part)
    if found is None and not rows:
        return ""
    measured = evidence.measure(i, label, "decode_with", found)
    if measured is None or _chosen(evidence, i, found)[slot] != part:
        return f"it returned {short(found)}, which is no output with this part"
    loss, difference = measured
    if pool.listed and not pool.lists(loss, evidence.points @ difference, evidence.points):
        return f"it returned {short(found)}, which is none of outputs(x)"
    scores, score = -pool.products[rows, point], -float(difference @ w)
    is_exact = oracle_is_exact(evidence.problem) and not evidence.problem.decode_may_miss
    least = scores.max(initial=score) - evidence.tolerance * evidence.terms("decode", w)
    if is_exact and score < least:
        best = pool.outputs[rows[int(scores.argmax())]]
        return f"its output {short(found)} scores {score:.6g}, but {short(best)} {scores.max():.6g}"
    return ""


def _chosen(evidence: Evidence, i: int, output: Any) -> list[Any]:
    """Return the parts of an output of the i-th example."""
    return [*evidence.calls.call("chosen_parts", i, evidence.calls.x[i], output)]
