"""Checks of oracles and decoders: no recorded output may score higher than the search's output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from structsvm.check.blame import suspects
from structsvm.check.equality import key
from structsvm.check.evidence import SEARCHES, Evidence, SearchResult, law, results
from structsvm.check.findings import TRUTH, Finding, short
from structsvm.check.points import FORMULAS, SCORES, term_sizes
from structsvm.contract.capabilities import oracle_is_exact, oracle_may_miss

#: Norm up to which w counts as 0, since the points of a self-labelled problem start near 0.
ZERO_NORM = 1e-6


@law(SEARCHES)
def oracle_uses_the_loss(evidence: Evidence) -> Iterator[Finding]:
    """At w = 0, where only the loss counts, some output of the oracle has a loss > 0.

    The check finds oracles that always return the true output. The check ``searches_maximise``
    cannot find such an oracle if no other output of the example is known.
    """
    visit = evidence.visits[0]
    if np.linalg.norm(visit.w) > ZERO_NORM:  # the constraints exclude w = 0
        return
    pools = [pool for pool in evidence.pools[0] if pool is not None]
    if pools and not any(pool.losses.any() for pool in pools):
        message = (
            "it is 0 for every output that any call returned; training needs outputs with a "
            "positive loss: does the oracle find them, and does loss depend on y_hat?"
        )
        yield Finding("loss", None, message)
        return
    at_zero = [found for found in results(evidence, "separation_oracle") if found.point == 0]
    may_miss = oracle_may_miss(evidence.problem)  # if not, searches_maximise reports it
    if at_zero and not any(found.loss or (found.beaten and not may_miss) for found in at_zero):
        message = (
            "at w = 0 it returned an output of loss 0 for every example, where it must return one "
            "of the largest loss; does it ignore the loss, or always return the true y?"
        )
        yield Finding("separation_oracle", None, message)


#: Indices of the points at which searches are called again: random points of many sizes.
REPEATED = range(1, 9, 2)
#: Number of further calls if the output of a search is not the best, or not the same as before.
AGAIN = 3


def _difference(evidence: Evidence, method: str, result: SearchResult) -> str:
    """Return a message if repeated calls give different answers, or ''."""
    pool, first = result.pool, float(result.scores[result.row])
    size = evidence.tolerance * term_sizes(method, pool.losses, result.norm * pool.sizes).max()
    answers = [_answer(evidence, method, result) for _ in range(2)]
    if any(score is None or abs(score - first) > size for _, score in answers):
        answers += [_answer(evidence, method, result) for _ in range(AGAIN)]
    found = [score for _, score in answers if score is not None]
    if np.ptp([first, *found]) <= size:
        return ""
    if np.ptp(found) > size:
        return (
            f"two calls with the same arguments differ: at |w| = {result.norm:.3g} their outputs "
            f"score {min(found):.6g} and {max(found):.6g}. It must depend on its arguments alone: "
            "seed what is random at every call, and keep no state that calls change"
        )
    return (
        f"called again at a w of |w| = {result.norm:.3g}, after calls at other w, it returned "
        f"{short(answers[0][0])}, which scores {found[0]:.6g}, where it returned "
        f"{short(pool.outputs[result.row])} before, which scores {first:.6g}; it must use the w "
        "that it is given, not one that an earlier call left behind"
    )


def _answer(evidence: Evidence, method: str, result: SearchResult) -> tuple[Any, float | None]:
    """Return the output of a repeated call, and the output's score, or None after an error."""
    i, pool, (w, labels, _) = result.i, result.pool, evidence.visits[result.point]
    output = evidence.calls.search(method, i, labels[i], w)
    if output is not None and (row := pool.rows.get(key(output))) is not None:
        return output, float(result.scores[row])
    if (measured := evidence.measure(i, labels[i], method, output)) is None:
        return output, None
    loss, difference = measured
    return output, float(SCORES[method](loss, difference @ w))


@law(SEARCHES)
def searches_maximise(evidence: Evidence) -> Iterator[Finding]:
    """No recorded output scores higher than the output that a search returns.

    The contract requires an exact decoder only if the oracle is exact. The outputs of an inexact
    search must score more than random outputs, on average.
    """
    for method in evidence.searches:
        yield from _beaten(evidence, method)


def _beaten(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Yield a finding for each example for which a known output scores higher than a found one.

    The finding shows the found output with the largest shortfall, relative to the tolerance.
    """
    problem = evidence.problem
    inexact = problem.decode_may_miss or not oracle_is_exact(problem)
    if inexact if method == "decode" else oracle_may_miss(problem):
        yield from _worse_than_chance(evidence, method)
        return
    found = list(results(evidence, method))
    beaten = [result for result in found if result.beaten]
    beaten.sort(key=lambda result: -result.shortfall / result.tolerance)
    others = suspects(evidence, method, beaten) if beaten else []
    for i in dict.fromkeys(result.i for result in beaten):
        worst = next(result for result in beaten if result.i == i)
        pool, row, best = worst.pool, worst.row, worst.best
        if message := _difference(evidence, method, worst):
            yield evidence.calls.finding(method, message, i)
            continue
        for other in others:
            message = (
                f"it returned {short(pool.outputs[best])}, which scores more at |w| = "
                f"{worst.norm:.3g} than what {method} returned there. But {method} returned "
                "nothing at any w that beats its outputs: is this an output? If it is, "
                f"{method} misses the best. Offer outputs(x), which would tell"
            )
            yield evidence.calls.finding(other, message, i)
        if others:
            continue
        origin = {TRUTH: "the true output", "outputs": "one of outputs(x)"}.get(
            pool.origins[best], f"an output of {pool.origins[best]}"
        )
        message = (
            f"at |w| = {worst.norm:.3g} its output {short(pool.outputs[row])} scores "
            f"{worst.scores[row]:.6g}, but {short(pool.outputs[best])}, {origin}, "
            f"scores {worst.scores[best]:.6g} ({FORMULAS[method]}). Its output is not the "
            f"best in {len(beaten)} of {len(found)} calls. {_hint(method, found, beaten)}"
        )
        yield evidence.calls.finding(method, message, i)


def _hint(method: str, found: list[SearchResult], beaten: list[SearchResult]) -> str:
    """Return the most likely mistake, inferred from what the wrong outputs have in common."""
    if all(result.row == 0 and result.pool.origins[0] == TRUTH for result in found):
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


def _worse_than_chance(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Yield a finding if a search's output scores less, on average, than a random recorded output.

    If the search is better than chance and outputs(x) is available, a note says how often the
    search found the best output in outputs(x). A note about the separation oracle also says whether
    the oracle seems to use the loss.
    """
    found = list(results(evidence, method))
    listed = [result for result in found if evidence.enumerated[result.i]]
    if _is_worse_than_chance([result for result in found if result.norm > 0]):
        others = "the mean of outputs(x)" if listed else "those that it returned at other w"
        message = f"its outputs score less, on average, than {others}; does it minimise?"
        yield Finding(method, None, message)
        return
    if not listed:
        return
    best = sum(not result.beaten for result in listed)
    note, doubt = f"{method} found the best output in {best} of {len(listed)} calls", False
    if method == "separation_oracle":
        own, decoded = (
            [entry and entry[0] for visit in evidence.visits for entry in visit.found[each]]
            for each in (method, "decode")
        )
        if doubt := own == decoded:
            note += "; it always returned the output of decode"
        if at_zero := [result for result in listed if result.norm == 0]:
            doubt |= _is_worse_than_chance(at_zero)
            mean = np.mean([result.loss for result in at_zero])
            highest = np.mean([result.pool.losses[result.best] for result in at_zero])
            note += f"; at w = 0 its outputs have a mean loss of {mean:.3g}, the best {highest:.3g}"
    if doubt:
        evidence.doubt("oracle_uses_the_loss", f"{note}. Is the loss left out, or subtracted?")
    else:
        evidence.notes.append(note)


def _is_worse_than_chance(found: Sequence[SearchResult]) -> bool:
    """Whether a search's outputs score less, on average, than the mean of the recorded outputs."""
    lead = sum(result.scores[result.row] - result.scores.mean() for result in found)
    return bool(lead < -sum(result.tolerance for result in found))


@law(SEARCHES)
def searches_use_their_w(evidence: Evidence) -> Iterator[Finding]:
    """A search that is called again at an earlier w finds an output with the same score as before.

    At each new w, the checks first called the separation oracle, and then the other searches. If a
    search wrongly uses values that the oracle stored in the problem, the first call at a w may
    still return the right output. In this check, the previous call was at a different w, so stored
    values lead to a wrong output.
    """
    calls = evidence.calls
    errors = len(calls.errors)  # later errors were not reported by earlier checks
    for method in evidence.searches:
        some = [result for result in results(evidence, method) if result.point in REPEATED]
        for result in evidence.progress.trials(some):
            if message := _difference(evidence, method, result):
                yield calls.finding(method, message, result.i)
    yield from calls.errors[errors:]
