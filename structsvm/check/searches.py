"""The checks of oracles and decoders: no known output may score higher than theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.check.blame import suspects
from structsvm.check.equality import key
from structsvm.check.evidence import Evidence, SearchResult, results
from structsvm.check.findings import Finding, short
from structsvm.check.imputation import impute_maximises
from structsvm.check.measures import Check, results_are_outputs
from structsvm.check.points import SCORES, Pool, term_sizes
from structsvm.check.soft import soft_oracle_is_consistent
from structsvm.contract.capabilities import oracle_is_exact, oracle_may_miss

#: Norm of w up to which it counts as 0: a self-labelled problem starts near 0, not at it.
ZERO_NORM = 1e-6


def oracle_uses_the_loss(evidence: Evidence) -> Iterator[Finding]:
    """At w = 0, where only the loss counts, some output of the oracle has a loss.

    It finds oracles that always return the truth, even if no call returns any other output with
    which separation_oracle_maximises could compare.
    """
    visit = evidence.visits[0]
    if np.linalg.norm(visit.w) > ZERO_NORM:  # the constraints exclude 0
        return
    pools = [pool for pool in evidence.pools[0] if pool is not None]
    if pools and not any(pool.losses.any() for pool in pools):
        yield Finding(
            "loss",
            None,
            "it is 0 for every output that any call returned; training needs outputs with a "
            "positive loss: does the oracle find them, and does loss depend on y_hat?",
        )
        return
    at_zero = [found for found in results(evidence, "separation_oracle") if found.point == 0]
    may_miss = oracle_may_miss(evidence.problem)  # else separation_oracle_maximises reports it
    if at_zero and not any(found.loss or (found.beaten and not may_miss) for found in at_zero):
        yield Finding(
            "separation_oracle",
            None,
            "at w = 0 it returned an output of loss 0 for every example, where it must return one "
            "of the largest loss; does it ignore the loss, or always return the true y?",
        )


def separation_oracle_maximises(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger loss-augmented score than the oracle's."""
    yield from _beaten(evidence, "separation_oracle")


def slack_oracle_maximises(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger product of loss and violation than the slack oracle's."""
    yield from _beaten(evidence, "slack_oracle")


def decode_maximises(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger score than the decoder's.

    The contract requires an exact decoder only beside an exact oracle. Another must do better than
    chance.
    """
    if oracle_is_exact(evidence.problem) and not evidence.problem.decode_may_miss:
        yield from _beaten(evidence, "decode")
    else:
        yield from worse_than_chance(evidence, "decode")


def _beaten(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Yield one finding for each example with errors: its call of the largest shortfall.

    The shortfall is relative to the tolerance, so that the clearest error is reported.
    """
    if oracle_may_miss(evidence.problem):
        yield from worse_than_chance(evidence, method)
        return
    found = list(results(evidence, method))
    beaten = [result for result in found if result.beaten]
    beaten.sort(key=lambda result: -result.shortfall / result.tolerance)
    others = suspects(evidence, method, beaten) if beaten else []
    for i in dict.fromkeys(result.i for result in beaten):
        worst = next(result for result in beaten if result.i == i)
        pool = worst.pool
        if message := asked_again(evidence, method, worst):
            yield Finding(method, evidence.calls.name(i), message)
            continue
        for other in others:
            yield Finding(
                other,
                evidence.calls.name(i),
                f"it returned {short(pool.outputs[worst.best])}, which scores more at |w| = "
                f"{worst.norm:.3g} than what {method} returned there. But {method} returned "
                "nothing at any w that beats its outputs: is this an output? If it is, "
                f"{method} misses the best. Offer outputs(x), which would tell",
            )
        if others:
            continue
        origin = {"the truth": "the true output", "outputs": "one of outputs(x)"}.get(
            pool.origins[worst.best], f"an output of {pool.origins[worst.best]}"
        )
        yield Finding(
            method,
            evidence.calls.name(i),
            f"at |w| = {worst.norm:.3g} its output {short(pool.outputs[worst.row])} scores "
            f"{worst.scores[worst.row]:.6g}, but {short(pool.outputs[worst.best])}, {origin}, "
            f"scores {worst.scores[worst.best]:.6g} ({_formula(method)}). Its output is not the "
            f"best in {len(beaten)} of {len(found)} calls. {_hint(method, found, beaten)}",
        )


def _formula(method: str) -> str:
    """Return the score that a search maximises, as a formula."""
    return {
        "separation_oracle": "loss(y, y_hat) - <w, Psi(x, y) - Psi(x, y_hat)>",
        "slack_oracle": "loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)",
        "decode": "<w, Psi(x, y_hat) - Psi(x, y)>",
    }[method]


def _hint(method: str, found: list[SearchResult], beaten: list[SearchResult]) -> str:
    """Return the most likely mistake, by what the outputs have in common."""
    if all(result.row == 0 and result.pool.origins[0] == "the truth" for result in found):
        return "It always returns the true output."
    if method != "decode" and not any(result.loss for result in found if result.point == 0):
        return "At w = 0 it returns outputs of loss 0: is the loss left out, or subtracted?"
    lowest = (
        result.scores[result.row] <= result.scores.min() + result.tolerance for result in beaten
    )
    if len(beaten) > 1 and all(lowest):
        return "It scores lowest of all known outputs: is a sign wrong?"
    if method != "decode" and all(
        result.maximises(result.plain_scores) for result in found if result.point
    ):
        return "It maximises the score alone: is the loss left out?"
    if method == "slack_oracle" and all(
        result.maximises(SCORES["separation_oracle"](result.pool.losses, -result.plain_scores))
        for result in beaten
    ):
        return "It maximises loss plus score, which is separation_oracle's task."
    if method == "decode":
        return "It must maximise the score over all outputs, at every w."
    return (
        "It must find the best of all outputs, the true one included, at every w: look for a "
        "mistake first; if it searches only some of them on purpose, declare oracle_quality = "
        "'undergenerating'."
    )


def worse_than_chance(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Yield a finding if, on average, a search does worse than a random known output.

    Otherwise a note says how often it found the best of outputs(x).
    """
    found = list(results(evidence, method))
    listed = [result for result in found if evidence.enumerated[result.i]]
    if _is_worse_than_chance([result for result in found if result.norm > 0]):
        others = "the mean of outputs(x)" if listed else "those that it returned at other w"
        yield Finding(
            method, None, f"its outputs score less, on average, than {others}; does it minimise?"
        )
    elif listed:
        best = sum(not result.beaten for result in listed)
        note = f"{method} found the best output in {best} of {len(listed)} calls"
        if method == "separation_oracle":
            _note_use_of_loss(evidence, note, listed)
        else:
            evidence.notes.append(note)


def _is_worse_than_chance(found: Sequence[SearchResult]) -> bool:
    """Whether outputs score less, on average, than the mean of the known outputs."""
    lead = sum(result.scores[result.row] - result.scores.mean() for result in found)
    return bool(lead < -sum(result.tolerance for result in found))


def _note_use_of_loss(evidence: Evidence, note: str, listed: Sequence[SearchResult]) -> None:
    """Add the note on the oracle, with words on whether it uses the loss."""
    doubt = _keys(evidence, "separation_oracle") == _keys(evidence, "decode")
    if doubt:
        note += "; it always returned the output of decode"
    at_zero = [result for result in listed if result.norm == 0]
    if at_zero:
        own = np.mean([result.loss for result in at_zero])
        best = np.mean([result.pool.losses[result.best] for result in at_zero])
        doubt |= _is_worse_than_chance(at_zero)
        note += f"; at w = 0 its outputs have a mean loss of {own:.3g}, the best {best:.3g}"
    if doubt:
        evidence.doubt("oracle_uses_the_loss", f"{note}. Is the loss left out, or subtracted?")
    else:
        evidence.notes.append(note)


def _keys(evidence: Evidence, method: str) -> list[Any]:
    """The keys of all outputs of a search."""
    return [entry and entry[0] for visit in evidence.visits for entry in visit.found[method]]


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


SEARCHES: tuple[Check, ...] = (
    results_are_outputs,
    oracle_uses_the_loss,
    separation_oracle_maximises,
    slack_oracle_maximises,
    decode_maximises,
    searches_use_their_w,
    impute_maximises,
    soft_oracle_is_consistent,
)
