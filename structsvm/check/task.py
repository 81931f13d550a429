"""The check that a task gives the same answers as the methods for single examples.

The comparison covers many vectors w, parts of the examples, different labels and unequal weights.
Scores and losses are compared instead of outputs, since different outputs may have equal scores.
Numbers must be close.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.check.equality import TOLERANCE, close, key
from structsvm.check.evidence import LAST, MEASURES, SEARCHES, Evidence, law
from structsvm.check.findings import Finding, attempted, short
from structsvm.check.points import FORMULAS, NATURAL, SCORES, Visit
from structsvm.check.soft import TEMPERATURES, Soft
from structsvm.contract.capabilities import oracle_is_exact
from structsvm.data.arrays import Vector
from structsvm.data.containers import dense
from structsvm.exceptions import ProblemError
from structsvm.task.sums import whole
from structsvm.task.watched import Watched

#: Number of points at which tasks are compared with methods for single examples ("single forms").
POINTS = 12
#: Index of the point at which a task has many examples, by repetition, and the number of them.
LONG, MANY = 7, 71
#: For each search of the problem for a single example, the method of the task.
BY_SINGLE = {"separation_oracle": "search", "slack_oracle": "search_rescaled", "decode": "decode"}
#: For a method of the task that returns numbers, the method of the problem to compare with.
SINGLE = {
    "losses": "loss",
    "evaluation_losses": "loss",
    "joint_features": "joint_feature",
    "differences": "joint_feature_difference",
}


class Trial:
    """Some examples of the task at one w, and the answers of the methods for single examples.

    Attributes
    ----------
    w : ndarray
    rows : ndarray of int
        Indices of the trial's examples in the list of checked examples. Default: all examples.
    given : Watched
        The task of the trial's examples.
    labels : list
        The labels of the trial's examples: true or imputed outputs, or outputs found by a search.
    task : Watched
        The task of the trial's examples with the trial's labels.
    """

    def __init__(
        self,
        evidence: Evidence,
        visit: Visit,
        rows: Any = None,
        given: Any = None,
        labels: Any = (),
    ) -> None:
        self.evidence, self.visit, self.w = evidence, visit, visit.w
        self.rows = np.arange(evidence.calls.n) if rows is None else rows
        self.given = evidence.calls.task if given is None else given
        self.is_relabelled = bool(labels)
        self.labels = labels or [visit.labels[i] for i in self.rows]
        relabelled = evidence.self_labelled or self.is_relabelled
        self.task: Watched = self.given.with_labels(self.labels) if relabelled else self.given

    def single(self, method: str) -> list[Any]:
        """Return the outputs of a method for single examples, with None after an error."""
        if self.is_relabelled:
            pairs = zip(self.rows.tolist(), self.labels, strict=True)
            return [self.evidence.calls.search(method, i, y, self.w) for i, y in pairs]
        entries = [self.visit.found[method][i] for i in self.rows]
        return [entry and entry[1] for entry in entries]

    @cached_property
    def outputs(self) -> Any:
        """The oracle's outputs, in the task's container if the task defines its own search."""
        with suppress(ProblemError):  # the comparison of searches reports this error
            if self.evidence.calls.name_of("search") != "task":
                return self.task.search(self.w)
        return self.single("separation_oracle")

    def measure(
        self, k: int, output: Any, origin: str = "separation_oracle"
    ) -> tuple[float, Vector] | None:
        """Return the loss of an output y_hat for the label y, and Psi(x, y) - Psi(x, y_hat)."""
        return self.evidence.measure(int(self.rows[k]), self.labels[k], origin, output)

    def measures(self, outputs: Sequence[Any]) -> tuple[Vector, Vector] | None:
        """Return losses and joint-feature differences of n outputs, or None after an error."""
        measured = [self.measure(k, outputs[k]) for k in range(len(self.rows))]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(measured):
            return None
        return np.array([loss for loss, _ in kept]), np.array([row for _, row in kept])

    def score(
        self, k: int, output: Any, origin: str = "separation_oracle", by: str = "separation_oracle"
    ) -> float | None:
        """Return an output's score in the search ``by``, or None if computing the score fails."""
        measured = self.measure(k, output, origin)
        return measured and float(SCORES[by](measured[0], measured[1] @ self.w))

    def failure(self, output: Any) -> str:
        """Return a message about an output for which the loss or the joint feature fails."""
        unreadable = self.evidence.unreadable
        return unreadable[-1][0].message if unreadable else f"it returned {short(output)}"

    def scores(self, found: Any, score: float, other: Any, others: float, by: str) -> str:
        """Return a message about an output whose score differs from the expected output's score."""
        return (
            f"at |w| = {np.linalg.norm(self.w):.3g} it returned {short(found)}, which scores "
            f"{score:.6g}, but {short(other)} scores {others:.6g} ({FORMULAS[by]})"
        )

    def finding(self, method: str, message: str | Exception, k: int | None = None) -> Finding:
        """Return a finding about a method of the task, for one example or for all examples.

        If ``method`` is inherited from Task, the finding is about the method that made the task:
        ``with_labels``, ``part`` or ``task``.
        """
        calls = self.evidence.calls
        is_part = self.given is not calls.task
        makers = ["with_labels"] * (self.task is not self.given) + ["part"] * is_part
        names = (calls.name_of(name) for name in (method, *makers))
        name = next((name for name in names if name != "task"), "task")
        return calls.finding(name, message, None if k is None else int(self.rows[k]))


@law(MEASURES, "task")
def task_keeps_the_examples(evidence: Evidence) -> Iterator[Finding]:
    """The task can be made with and without outputs, and can be divided into parts."""
    calls, n = evidence.calls, evidence.calls.n
    for made in (lambda: calls.task, lambda: calls.bound(None)):
        _, error = attempted(made)
        if error:
            yield calls.finding("task", error)
            return
    for places in (np.arange(n)[::-1], slice(0, n // 2 + 1)):
        size = len(np.arange(n)[places])
        part, error = attempted(calls.task.task.part, places)
        if error or part.n != size:
            yield calls.finding(".part", error or f"a part of {size} examples has {part.n}")
            return


@law(SEARCHES, "task")
def task_answers_as_single_forms(evidence: Evidence) -> Iterator[Finding]:
    """Searches, losses, differences and sums agree with calls for one example after another."""
    found = list(trials(evidence))
    for single in evidence.searches:
        method = BY_SINGLE[single]
        some = found if evidence.calls.is_tested(method) else []
        if some and single == "decode":
            some = [*found, Trial(evidence, _natural(evidence), given=evidence.calls.bound(None))]
        for trial in evidence.progress.trials(some):
            outputs, error = attempted(getattr(trial.task, method), trial.w)
            if error:
                yield trial.finding(method, error)
                break
            yield from _compare(trial, single, outputs)
    for number, trial in enumerate(evidence.progress.trials(found)):
        if evidence.self_labelled and evidence.calls.is_tested("impute"):
            yield from _imputation(trial)
        yield from _measures(trial, number)


def _compare(trial: Trial, single: str, found: Sequence[Any]) -> Iterator[Finding]:
    """Yield a finding per output of the task that scores differently from the problem's output."""
    evidence, method = trial.evidence, BY_SINGLE[single]
    name, terms = evidence.calls.name_of(method), evidence.terms(single, trial.w)
    for k, theirs in enumerate(trial.single(single)):
        ours, expected = trial.score(k, found[k], name, single), trial.score(k, theirs, by=single)
        if expected is None:
            continue
        if ours is None:
            yield trial.finding(method, trial.failure(found[k]), k)
        elif abs(ours - expected) > evidence.tolerance * terms:
            # Only outputs(x) proves that a better result is an output.
            listed = map(key, evidence.enumerated[int(trial.rows[k])])
            if ours > expected and oracle_is_exact(evidence.problem) and key(found[k]) in listed:
                message = trial.scores(theirs, expected, found[k], ours, single)
                yield evidence.calls.finding(
                    single, f"{message}, as {name} finds", int(trial.rows[k])
                )
                continue
            message = trial.scores(found[k], ours, theirs, expected, single)
            hint = "are the examples in the same order, and is it this call's w that is used?"
            yield trial.finding(method, f"{message}, as {single} finds; {hint}", k)


def _imputation(trial: Trial) -> Iterator[Finding]:
    """Yield a finding per example if task and problem impute labels of different scores."""
    evidence, w = trial.evidence, trial.w
    found, error = attempted(trial.given.impute, w)
    if error:
        yield trial.finding("impute", error)
        return
    for k, i in enumerate(trial.rows.tolist()):
        labels = found[k], trial.labels[k]
        psi, expected = (evidence.joint_feature(i, label) for label in labels)
        size = np.linalg.norm(w) * np.linalg.norm(expected)
        if psi is None or abs((psi - expected) @ w) > TOLERANCE * size:
            message = (
                f"it returned {short(labels[0])}, which does not score what impute's label does, "
            )
            yield trial.finding("impute", f"{message}{short(labels[1])}", k)


def _measures(trial: Trial, number: int) -> Iterator[Finding]:
    """Compare the losses and joint features that the task and the problem compute."""
    evidence, n = trial.evidence, len(trial.rows)
    in_list = number % 4 == 1 and _takes_lists(evidence)
    outputs = trial.single("separation_oracle") if in_list else trial.outputs
    if (measured := trial.measures(outputs)) is None:
        return
    losses, rows = measured
    pairs = zip(trial.rows.tolist(), trial.labels, strict=True)
    truths = np.array([evidence.joint_feature(i, label) for i, label in pairs])
    ones, weights, size = np.ones(n), unequal_weights(evidence.rng, n), evidence.largest_size
    some, name_of = np.flatnonzero(weights), evidence.calls.name_of
    for method, arguments, expected, terms in (
        ("losses", (outputs,), losses, evidence.largest_loss),
        ("evaluation_losses", (outputs,), losses, evidence.largest_loss),
        ("joint_features", (trial.task.Y, range(n)), truths, size),
        ("differences", (outputs, range(n)), rows, size),
        ("differences", (outputs, some), rows[some], size),
        ("plane", (outputs, ones), ones @ rows, n * size),
        ("plane", (outputs, weights), weights @ rows, size * np.abs(weights).sum()),
    ):
        # Inherited sums follow from the losses and differences.
        derived = method in ("plane", "evaluation_losses") and name_of(method) == "task"
        of_annotations = method == "evaluation_losses" and evidence.self_labelled
        if derived or of_annotations or not evidence.calls.is_tested(method):
            continue
        value, error = attempted(getattr(trial.task, method), *arguments)
        if error:
            yield trial.finding(method, error)
            continue
        value = dense(whole(value, trial.task.size))
        if close(value, expected, TOLERANCE, terms):
            continue
        single = SINGLE.get(method, "joint_feature_difference")
        hint = f"; it is minus that of {single}" if close(value, -expected, TOLERANCE) else ""
        if method == "plane":
            yield trial.finding(method, f"it is not the weighted sum of {single}{hint}")
            continue
        errors = np.abs(value - expected).reshape(len(expected), -1).max(axis=1)
        k = int(errors.argmax())
        message = f"it differs from {single} by up to {errors[k]:.3g}{hint}"
        yield trial.finding(method, message, (arguments[1:] or [range(n)])[0][k])


@law(LAST, "soft_oracle")
def soft_sums_agree(evidence: Evidence) -> Iterator[Finding]:
    """The task's soft outputs agree with soft_oracle, and the task's slacks with the oracle."""
    for number, trial in enumerate(evidence.progress.trials(list(trials(evidence)))):
        measured = trial.measures(trial.outputs)
        if measured is None or not evidence.calls.is_tested("soft"):
            continue
        # Trials have four kinds in turn, so change mu after four trials.
        mu = TEMPERATURES[number // 4 % 2] * (float(measured[0].max()) or 1.0)
        message, error = attempted(_wrong_sum, trial, mu, *measured)
        if error or message:
            yield trial.finding("soft", error or message)
            return


def _wrong_sum(trial: Trial, mu: float, losses: Vector, rows: Vector) -> str:
    """Return a message if ``soft`` contradicts the sums of ``soft_oracle`` over examples, or ''.

    ``losses`` and ``rows`` are computed from the separation oracle's outputs.
    """
    evidence, w = trial.evidence, trial.w
    weights = unequal_weights(evidence.rng, len(rows))
    terms = evidence.terms("separation_oracle", w)
    found, total = trial.task.soft(w, mu, weights), np.abs(weights).sum()
    with suppress(ProblemError):  # soft_oracle_is_consistent reports this error
        labels = dict(zip(trial.rows.tolist(), trial.labels, strict=True))
        made = {i: Soft(evidence, i, label, w, mu) for i, label in labels.items()}
        single = [made[i] for i in trial.rows.tolist()]
        values = np.array([soft.value for soft in single])
        differences = weights @ [soft.difference for soft in single]
        loss = weights @ [soft.loss for soft in single]
        size, weighted = evidence.largest_size, "of single examples by their weights"
        claims = [
            ("values differ from those of single examples", found.values, values, terms),
            (f"joint_feature_difference differs from those {weighted}",
             found.joint_feature_difference, differences, total * size),
            (f"loss differs from those {weighted}",
             found.loss, loss, total * evidence.largest_loss),
        ]  # fmt: skip
        if found.slacks is not None and oracle_is_exact(evidence.problem):
            slacks, what = np.maximum(losses - rows @ w, 0), "slacks differ from those of the "
            claims.append((f"{what}separation oracle", found.slacks, slacks, terms))
        return unequal(claims)
    return ""


def unequal(claims: Iterable[tuple[str, Any, Any, float]]) -> str:
    """Return a message about the first pair of arrays that are unequal, or ''.

    A claim consists of a message, the numbers found, the numbers expected, and the size of the
    terms that add up to the expected numbers.
    """
    for what, found, expected, size in claims:
        ours, theirs = np.asarray(dense(found)), np.asarray(expected)
        if ours.shape != theirs.shape:
            return f"its {what}: it has shape {ours.shape}, not {theirs.shape}"
        if not close(ours, theirs, TOLERANCE, size):
            off = np.abs(ours - theirs)
            place = "".join(f"[{k}]" for k in np.unravel_index(int(off.argmax()), off.shape))
            return f"its {what} by up to {off.max():.3g}{place and f', at {place}'}"
    return ""


def trials(evidence: Evidence) -> Iterator[Trial]:
    """Yield trials on parts of the examples.

    The examples of a trial are examples for which the oracle has found outputs.
    """
    task = evidence.calls.task
    for visit, rows, places in _selections(evidence):
        complete = [i for i in rows if visit.found["separation_oracle"][i] is not None]
        if len(complete) == len(rows):
            yield Trial(evidence, visit, rows, task if places is None else task.part(places))
        elif complete:
            yield Trial(evidence, visit, np.array(complete), task.part(np.array(complete)))
    if _takes_lists(evidence) and not evidence.self_labelled:
        # Pass labels in a list, like imputed labels: predictions that may be true outputs.
        visit, truths = _natural(evidence), evidence.calls.y
        labels = [entry and entry[1] for entry in visit.found["decode"]]
        alike = all(type(label) is type(y) for label, y in zip(labels, truths, strict=True))
        allowed = alike and evidence.problem.oracle_quality != "overgenerating"
        yield Trial(evidence, visit, labels=labels if allowed else truths)


def _natural(evidence: Evidence) -> Visit:
    """Return the outputs at a w where scores and losses have the same order of magnitude."""
    return evidence.visits[min(NATURAL, len(evidence.visits) - 1)]


def _takes_lists(evidence: Evidence) -> bool:
    """Whether the task accepts lists of labels and lists of outputs."""
    return evidence.self_labelled or evidence.calls.name_of("with_labels") != "task"


def _selections(evidence: Evidence) -> Iterator[tuple[Visit, Any, Any]]:
    """Yield w and selections of examples: all, some in random order, one, or some repeated.

    The last selection begins with examples for which the separation oracle returns the true output,
    and ends with examples for which the oracle returns another output. The third entry of each
    yielded tuple is the argument of ``Task.part``, or None for the whole task.
    """
    n = evidence.calls.n
    for point, visit in enumerate(evidence.visits[:POINTS]):
        order = evidence.rng.permutation(n)
        few = order[: n // 2 + 1]
        some, repeated = order[: max(1, n - 1 - point // 4)], np.r_[few, order, few]
        if point == LONG:
            repeated = np.resize(repeated, max(len(repeated), MANY))
        rows = (np.arange(n), some, order[:1], repeated)[point % 4]
        one = slice(int(order[0]), int(order[0]) + 1)
        yield visit, rows, (None, rows, one, rows)[point % 4]
    best, found = (np.empty(0, dtype=int), np.empty(0, dtype=int)), evidence.visits[0]
    for visit, pools in zip(evidence.visits, evidence.pools, strict=True):
        losses = np.full(n, np.nan)
        for i, (pool, entry) in enumerate(
            zip(pools, visit.found["separation_oracle"], strict=True)
        ):
            if pool is not None and entry is not None and entry[0] in pool.rows:
                losses[i] = pool.losses[pool.rows[entry[0]]]
        split = np.flatnonzero(losses == 0), np.flatnonzero(losses > 0)
        if min(map(len, split)) > min(map(len, best)):
            best, found = split, visit
    if len(best[0]):
        yield found, np.concatenate(best), np.concatenate(best)


def unequal_weights(rng: np.random.Generator, n: int, signed: bool = True) -> Vector:
    """Return n unequal weights.

    Unless ``signed`` is true, all weights are >= 0.
    """
    weights = rng.uniform(0.1, 3.0, n)
    if signed:
        weights *= rng.choice([-1.0, 1.0], n)
    # The first weight is never 0, since weights that are all 0 would show nothing.
    weights[1:][rng.random(max(0, n - 1)) < 0.3] = 0.0
    return weights
