"""The checks of oracles and decoder: no known output may be worth more than theirs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.calls import Finding, short
from structsvm.check.evidence import VALUES, Evidence
from structsvm.check.measures import TOLERANCE, Check
from structsvm.check.refinement import refined_is_no_worse
from structsvm.check.soft import soft_oracle_smooths_the_slack
from structsvm.problem import SelfLabelledProblem, offers, oracle_is_exact, oracle_may_miss


def oracle_sees_the_loss(evidence: Evidence) -> Iterator[Finding]:
    """At w = 0 the loss alone counts; an oracle that returns only truths there is no oracle.

    For those that oracle_is_unbeaten cannot convict, as no call has returned anything else.
    """
    visit = evidence.visits[0]
    if np.linalg.norm(visit.w) > 1e-6:  # constraints forbid it
        return
    pools = [pool for pool in evidence.pools[0] if pool is not None]
    if pools and not any(pool.losses.any() for pool in pools):
        yield Finding(
            "loss",
            None,
            "it is 0 for every output that any call returned; training needs outputs that cost "
            "something, from the oracle or by the loss",
        )
        return
    own = [found for found in _own_values(evidence, "separation_oracle") if found.point == 0]
    if own and not any(found.loss or found.beaten for found in own):
        yield Finding(
            "separation_oracle",
            None,
            "at w = 0 it returned an output of loss 0 for every example, where it must return one "
            "of the largest loss; does it leave out the loss, or always return the truth?",
        )


def oracle_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger loss-augmented score than the oracle's."""
    yield from _beaten(evidence, "separation_oracle")


def slack_oracle_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """Likewise under slack rescaling."""
    if offers(evidence.problem, "slack_oracle"):
        yield from _beaten(evidence, "slack_oracle")


def decoder_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """No known output has a larger score than the decoder's."""
    if oracle_is_exact(evidence.problem):
        yield from _beaten(evidence, "decode")


def imputed_is_unbeaten(evidence: Evidence) -> Iterator[Finding]:
    """Without an annotation, what impute returns scores as high as what decode returns."""
    problem = evidence.problem
    if not isinstance(problem, SelfLabelledProblem) or problem.restricts_labels:
        return
    if not oracle_is_exact(problem):
        return
    for own in _own_values(evidence, "decode"):
        if evidence.calls.y[own.i] is None and own.values[own.row] > own.tolerance:
            label = evidence.visits[own.point].labels[own.i]
            yield Finding(
                "impute",
                evidence.calls.name(own.i),
                f"at |w| = {own.norm:.3g} it returned {short(label)}, but "
                f"{short(own.pool.outputs[own.row])}, which decode returned, scores "
                f"{own.values[own.row]:.6g} more; without an annotation it must decode, unless "
                "restricts_labels is set",
            )


SEARCHES: tuple[Check, ...] = (
    oracle_sees_the_loss,
    oracle_is_unbeaten,
    slack_oracle_is_unbeaten,
    refined_is_no_worse,
    decoder_is_unbeaten,
    imputed_is_unbeaten,
    soft_oracle_smooths_the_slack,
)


class _Own:
    """What a search returned for one example at one point, among all outputs known of it."""

    def __init__(self, evidence: Evidence, method: str, point: int, i: int, row: int) -> None:
        pool = evidence.pools[point][i]
        assert pool is not None
        self.point, self.i, self.row, self.pool = point, i, row, pool
        self.norm = float(np.linalg.norm(evidence.visits[point].w))
        losses, products = pool.losses, pool.products[:, point]
        self.loss = losses[row]
        self.values = VALUES[method](losses, products)
        self.scores = -products
        self.best = int(self.values.argmax())
        scale = 1 + self.norm * pool.sizes
        scale = scale * (1 + losses) if method == "slack_oracle" else scale + losses
        self.tolerance = TOLERANCE * max(scale[row], scale[self.best])

    @property
    def shortfall(self) -> float:
        return float(self.values[self.best] - self.values[self.row])

    @property
    def beaten(self) -> bool:
        return self.shortfall > self.tolerance

    def top(self, values: np.ndarray) -> bool:
        return bool(values[self.row] >= values.max() - self.tolerance)


def _own_values(evidence: Evidence, method: str) -> Iterator[_Own]:
    for point, visit in enumerate(evidence.visits):
        for i, entry in enumerate(visit.found[method]):
            pool = evidence.pools[point][i]
            if entry is not None and pool is not None and entry[0] in pool.rows:
                yield _Own(evidence, method, point, i, pool.rows[entry[0]])


def _beaten(evidence: Evidence, method: str) -> Iterator[Finding]:
    """The worst defeat of every example."""
    found = list(_own_values(evidence, method))
    if oracle_may_miss(evidence.problem):
        yield from _worse_than_chance(method, found)
        return
    defeats = [own for own in found if own.beaten]
    defeats.sort(key=lambda own: -own.shortfall / own.tolerance)
    for i in dict.fromkeys(own.i for own in defeats):
        worst = next(own for own in defeats if own.i == i)
        pool = worst.pool
        origin = {"the truth": "the truth", "outputs": "one of outputs(x)"}.get(
            pool.origins[worst.best], f"an output of {pool.origins[worst.best]}"
        )
        yield Finding(
            method,
            evidence.calls.name(i),
            f"at |w| = {worst.norm:.3g} its output {short(pool.outputs[worst.row])} is worth "
            f"{worst.values[worst.row]:.6g}, but {short(pool.outputs[worst.best])}, {origin}, is "
            f"worth {worst.values[worst.best]:.6g} ({_worth(method)}). It is beaten in "
            f"{len(defeats)} of {len(found)} calls. {_hint(method, found, defeats)}",
        )


def _worse_than_chance(method: str, found: list[_Own]) -> Iterator[Finding]:
    """A local search may be beaten, but not by the average of what it returned elsewhere."""
    advantage = sum(own.values[own.row] - own.values.mean() for own in found if own.norm > 0)
    if advantage < 0:
        yield Finding(
            method,
            None,
            "its outputs are worth less, on average, than those that it returned at other w; "
            "does it minimise?",
        )


def _worth(method: str) -> str:
    return {
        "separation_oracle": "loss(y, y_hat) - <w, Psi(x, y) - Psi(x, y_hat)>",
        "slack_oracle": "loss(y, y_hat) * (1 - <w, Psi(x, y) - Psi(x, y_hat)>)",
        "decode": "<w, Psi(x, y_hat) - Psi(x, y)>",
    }[method]


def _hint(method: str, found: list[_Own], defeats: list[_Own]) -> str:
    """What the mistake looks like."""
    margin = [own.pool.losses - own.pool.products[:, own.point] for own in defeats]
    if all(own.row == 0 and own.pool.origins[0] == "the truth" for own in found):
        return "It always returns the truth."
    if method != "decode" and not any(own.loss for own in found if own.point == 0):
        return "At w = 0 it returns outputs of loss 0: is the loss left out, or subtracted?"
    if len(defeats) > 1 and all(own.values[own.row] <= own.values.min() + 1e-9 for own in defeats):
        return "It is the least of all known: is a sign wrong?"
    if method != "decode" and all(own.top(own.scores) for own in found if own.point):
        return "It maximises the score alone: is the loss left out?"
    if method == "slack_oracle" and all(
        own.top(values) for own, values in zip(defeats, margin, strict=True)
    ):
        return "It maximises loss plus score, which is separation_oracle's task."
    if method == "decode":
        return "It must maximise the score over all outputs, at every w."
    return (
        "It must find the best of all outputs, the truth among them, at every w; if it searches "
        "only some of them, declare oracle_quality = 'undergenerating'."
    )
