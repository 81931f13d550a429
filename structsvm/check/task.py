"""The property of tasks: a task answers as the problem's methods for single examples do.

They are compared at many points, on parts of the examples, for other labels and with unequal
weights: outputs by their scores and losses, since they may differ where they tie, and numbers by
closeness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.check.equality import TOLERANCE, close, key
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding, attempted, short
from structsvm.check.points import NATURAL, SCORES, Pool, Visit, term_sizes
from structsvm.check.soft import TEMPERATURES, Soft
from structsvm.contract.capabilities import oracle_is_exact
from structsvm.contract.soft_oracle import SoftSum
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError
from structsvm.task.sums import whole
from structsvm.task.watched import Watched

#: Points at which tasks are compared with single forms.
POINTS = 12
#: The index of the point at which a task has many examples, repeated; and their number.
LONG, MANY = 7, 71
#: The methods of a task that search, by the problem's method for a single example.
SEARCHES = {"separation_oracle": "search", "slack_oracle": "search_rescaled", "decode": "decode"}
#: The method of the problem that numbers are compared with.
SINGLE = {
    "losses": "loss",
    "evaluation_losses": "loss",
    "joint_features": "joint_feature",
    "differences": "joint_feature_difference",
}


class Trial:
    """Some examples of the task at one point, and what single forms return there.

    Attributes
    ----------
    w : ndarray
    rows : ndarray of int
        The examples, as positions in the evidence.
    given : Watched
        The task of these examples.
    labels : list
        Their outputs: the true ones, imputed or others.
    task : Watched
        The task with these labels.
    """

    def __init__(
        self, evidence: Evidence, visit: Visit, rows: Any, given: Any, labels: Any = None
    ) -> None:
        self.evidence, self.visit, self.w = evidence, visit, visit.w
        self.rows, self.given, self.is_part = rows, given, given is not evidence.calls.task
        self.is_relabelled = labels is not None
        self.labels = labels or [visit.labels[i] for i in rows]
        relabelled = evidence.self_labelled or self.is_relabelled
        self.task: Watched = given.with_labels(self.labels) if relabelled else given

    def single(self, method: str) -> list[Any]:
        """Return the outputs of a single form; None after an error."""
        if not self.is_relabelled:
            entries = [self.visit.found[method][i] for i in self.rows]
            return [None if entry is None else entry[1] for entry in entries]
        calls, w = self.evidence.calls, self.w
        pairs = zip(self.rows.tolist(), self.labels, strict=True)
        return [
            calls.output(
                method, i, *((calls.x[i], w) if method == "decode" else (calls.x[i], y, w))
            )
            for i, y in pairs
        ]

    @cached_property
    def outputs(self) -> Any:
        """The oracle's outputs, in the container that the task returns if it searches itself."""
        with suppress(ProblemError):  # the comparison of searches reports it
            if self.evidence.calls.name_of("search") != "task":
                return self.task.search(self.w)
        return self.single("separation_oracle")

    def measure(
        self, k: int, output: Any, origin: str = "separation_oracle"
    ) -> tuple[float, Vector] | None:
        """Return loss and joint-feature difference of an output by the single forms."""
        i, label = int(self.rows[k]), self.labels[k]
        truth = None if label is None else self.evidence.joint_feature(i, label)
        if truth is None or output is None:
            return None
        return self.evidence.measure(i, label, origin, output, truth)

    def measures(self, outputs: Sequence[Any]) -> tuple[Vector, Vector] | None:
        """Return losses and differences, given an output per example; None after any error."""
        measured = [self.measure(k, outputs[k]) for k in range(len(self.rows))]
        kept = [pair for pair in measured if pair is not None]
        if len(kept) < len(measured):
            return None
        return np.array([loss for loss, _ in kept]), np.array([row for _, row in kept])

    def failure(self, output: Any) -> str:
        """The message for an output that cannot be measured."""
        unreadable = self.evidence.unreadable
        return unreadable[-1].finding.message if unreadable else f"it returned {short(output)}"

    def is_output(self, k: int, output: Any) -> bool:
        """Whether outputs(x) lists an output; nothing else proves that it is one."""
        listed = self.evidence.enumerated[int(self.rows[k])]
        return key(output) in map(key, listed)

    @property
    def terms(self) -> float:
        """The size of the terms of loss-augmented scores."""
        return self.evidence.largest_loss + float(np.linalg.norm(self.w)) * self.largest

    @property
    def largest(self) -> float:
        """The largest size of the vectors that differences are computed from."""
        return max(self.size(k) for k in range(len(self.rows)))

    def size(self, k: int) -> float:
        """The size of the vectors that an example's differences are computed from."""
        pool = self.evidence.pools[0][int(self.rows[k])]
        return 0.0 if pool is None else float(pool.sizes.max(initial=0))

    def finding(self, method: str, message: str | Exception, k: int | None = None) -> Finding:
        """A finding about a method of the task, for an example or for all.

        Where the task does not define it, what has made the task of these examples is at fault.
        """
        calls = self.evidence.calls
        makers = ["with_labels"] * (self.task is not self.given) + ["part"] * self.is_part
        names = (calls.name_of(name) for name in (method, *makers))
        name = next((name for name in names if name != "task"), "task")
        i = None if k is None else int(self.rows[k])
        if isinstance(message, Exception):
            return calls.finding(name, message, i)
        return Finding(name, calls.name(i), message)


def task_keeps_the_examples(evidence: Evidence) -> Iterator[Finding]:
    """The task can be made with outputs and without, and divided into parts."""
    calls, n = evidence.calls, evidence.calls.n
    for made in (lambda: calls.task, lambda: calls.bound(None)):
        _, error = attempted(made)
        if error:
            yield calls.finding("task", error)
            return
    for places in (np.arange(n)[::-1], slice(0, n // 2 + 1)):
        size = len(np.arange(n)[places])
        part, error = attempted(calls.task.task.part, places)
        if error is None and part.n != size:
            error = ProblemError(f"a part of {size} examples has {part.n}")
        if error:
            yield calls.finding(calls.name_of("part"), error)
            return


def task_answers_as_single_forms(evidence: Evidence) -> Iterator[Finding]:
    """Searches, losses, differences and their sums are those of single forms in a loop."""
    found = list(trials(evidence))
    for single in evidence.searches:
        yield from _searches(evidence, found, single)
    if evidence.self_labelled and evidence.calls.is_tested("impute"):
        for trial in evidence.progress.trials(found):
            yield from _imputation(trial)
    for number, trial in enumerate(evidence.progress.trials(found)):
        yield from _measures(trial, number)


def soft_sums_agree(evidence: Evidence) -> Iterator[Finding]:
    """The task's soft outputs are those of soft_oracle; its slacks match the oracle's."""
    if not evidence.calls.is_tested("soft"):
        return
    for number, trial in enumerate(evidence.progress.trials(list(trials(evidence)))):
        measured = trial.measures(trial.outputs)
        if measured is None:
            continue
        # Parts of four kinds follow each other.
        mu = TEMPERATURES[number // 4 % 2] * (float(measured[0].max()) or 1.0)
        try:
            message = _wrong_sum(trial, mu, measured)
        except ProblemError as error:
            yield trial.finding("soft", error)
            return
        if message:
            yield trial.finding("soft", message)
            return


def trials(evidence: Evidence) -> Iterator[Trial]:
    """Yield parts of the examples at some points, for which the oracle has found outputs."""
    task = evidence.calls.task
    for visit, rows, places in _selections(evidence):
        complete = [i for i in rows if visit.found["separation_oracle"][i] is not None]
        if len(complete) == len(rows):
            yield Trial(evidence, visit, rows, task if places is None else task.part(places))
        elif complete:
            yield Trial(evidence, visit, np.array(complete), task.part(np.array(complete)))
    if takes_lists(evidence) and not evidence.self_labelled:
        visit = evidence.visits[min(NATURAL, len(evidence.visits) - 1)]
        yield Trial(evidence, visit, np.arange(evidence.calls.n), task, _labels(evidence, visit))


def takes_lists(evidence: Evidence) -> bool:
    """Whether labels and outputs may come in lists, as from impute, and not as Y and search say."""
    return evidence.self_labelled or evidence.calls.name_of("with_labels") != "task"


def _labels(evidence: Evidence, visit: Visit) -> list[Any]:
    """Labels in a list, as where they are imputed: predictions that may be true outputs."""
    truths, entries, relaxed = evidence.calls.y, visit.found["decode"], "overgenerating"
    labels = [entry and entry[1] for entry in entries]
    alike = all(type(label) is type(y) for label, y in zip(labels, truths, strict=True))
    return labels if alike and evidence.problem.oracle_quality != relaxed else truths


def _selections(evidence: Evidence) -> Iterator[tuple[Visit, Any, Any]]:
    """Yield the first points with examples: all, some in another order, one, and some repeated.

    At last one more point where the oracle returns the truth for some examples, which come first.
    The third part is what selects the examples; None for the whole task.
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
    best: list[list[int]] = [[], []]
    for visit, pools in zip(evidence.visits, evidence.pools, strict=True):
        losses = [*map(_loss, pools, visit.found["separation_oracle"])]
        right = [i for i, loss in enumerate(losses) if loss == 0]
        wrong = [i for i, loss in enumerate(losses) if loss]
        if min(map(len, (right, wrong))) > min(map(len, best)):
            best, found = [right, wrong], visit
    if best[0]:
        rows = np.array(best[0] + best[1])
        yield found, rows, rows


def _loss(pool: Pool | None, entry: tuple[Any, Any] | None) -> float | None:
    """The loss of an output that a search found; None if it could not be measured."""
    if pool is None or entry is None or entry[0] not in pool.rows:
        return None
    return float(pool.losses[pool.rows[entry[0]]])


def _searches(evidence: Evidence, found: list[Trial], single: str) -> Iterator[Finding]:
    """Compare a search of the task; after an error no more."""
    method = SEARCHES[single]
    if not evidence.calls.is_tested(method):
        return
    if single == "decode":
        visit = evidence.visits[min(NATURAL, len(evidence.visits) - 1)]
        everything = np.arange(evidence.calls.n)
        found = [*found, Trial(evidence, visit, everything, evidence.calls.bound(None))]
    for trial in evidence.progress.trials(found):
        try:
            outputs = getattr(trial.task, method)(trial.w)
        except ProblemError as error:
            yield trial.finding(method, error)
            return
        yield from _compare(trial, single, outputs)


def _compare(trial: Trial, single: str, found: Sequence[Any]) -> Iterator[Finding]:
    """Yield a finding for each output that does not score like the single form's output."""
    evidence, method, norm = trial.evidence, SEARCHES[single], float(np.linalg.norm(trial.w))
    name = evidence.calls.name_of(method)
    for k, theirs in enumerate(trial.single(single)):
        ours, expected = trial.measure(k, found[k], name), trial.measure(k, theirs)
        if expected is None:
            continue
        if ours is None:
            yield trial.finding(method, trial.failure(found[k]), k)
            continue
        scores = [float(SCORES[single](loss, row @ trial.w)) for loss, row in (ours, expected)]
        terms = term_sizes(single, max(ours[0], expected[0]), trial.size(k) * norm)
        if abs(scores[0] - scores[1]) <= evidence.tolerance * terms:
            continue
        exact = oracle_is_exact(evidence.problem)
        if scores[0] > scores[1] and exact and trial.is_output(k, found[k]):
            yield trial.finding(
                method,
                f"at |w| = {norm:.3g} its output {short(theirs)} scores {scores[1]:.6g}, but "
                f"{short(found[k])}, an output of {name}, scores {scores[0]:.6g}",
                k,
            )._replace(method=single)
        else:
            yield trial.finding(
                method,
                f"its output {short(found[k])} scores {scores[0]:.6g}, that of {single}, "
                f"{short(theirs)}, scores {scores[1]:.6g}; are the examples in the same order, and "
                "is it this call's w that is used?",
                k,
            )


def _imputation(trial: Trial) -> Iterator[Finding]:
    """Yield a finding for each imputed label that does not score as that of impute does."""
    evidence, w = trial.evidence, trial.w
    try:
        found = trial.given.impute(w)
    except ProblemError as error:
        yield trial.finding("impute", error)
        return
    for k, i in enumerate(trial.rows.tolist()):
        labels = found[k], trial.labels[k]
        psi, expected = (evidence.joint_feature(i, label) for label in labels)
        size = np.linalg.norm(w) * np.linalg.norm(expected)
        if psi is None or abs((psi - expected) @ w) > TOLERANCE * size:
            yield trial.finding(
                "impute",
                f"it returned {short(labels[0])}, which does not score what the label of impute "
                f"does, {short(labels[1])}",
                k,
            )


def _measures(trial: Trial, number: int) -> Iterator[Finding]:
    """Compare losses, differences and weighted sums."""
    evidence, n = trial.evidence, len(trial.rows)
    in_list = number % 4 == 1 and takes_lists(evidence)
    outputs = trial.single("separation_oracle") if in_list else trial.outputs
    measured = trial.measures(outputs)
    if measured is None:
        return
    losses, rows = measured
    pairs = zip(trial.rows.tolist(), trial.labels, strict=True)
    truths = np.array([evidence.joint_feature(i, label) for i, label in pairs])
    ones, weights = np.ones(n), unequal_weights(evidence.rng, n)
    some, name_of = np.flatnonzero(weights), evidence.calls.name_of
    for method, arguments, value, size in (
        ("losses", (outputs,), losses, evidence.largest_loss),
        ("evaluation_losses", (outputs,), losses, evidence.largest_loss),
        ("joint_features", (trial.task.Y, range(n)), truths, trial.largest),
        ("differences", (outputs, range(n)), rows, trial.largest),
        ("differences", (outputs, some), rows[some], trial.largest),
        ("plane", (outputs, ones), ones @ rows, n * trial.largest),
        ("plane", (outputs, weights), weights @ rows, trial.largest * np.abs(weights).sum()),
    ):
        # What the task does not make itself follows from its losses and differences.
        derived = method in ("plane", "evaluation_losses") and name_of(method) == "task"
        of_annotations = method == "evaluation_losses" and evidence.self_labelled
        if evidence.calls.is_tested(method) and not (derived or of_annotations):
            yield from _unequal(trial, method, arguments, value, size)


def _unequal(
    trial: Trial, method: str, arguments: tuple, expected: Vector, size: float
) -> Iterator[Finding]:
    """Yield a finding if a method's numbers are not the expected ones."""
    try:
        value = getattr(trial.task, method)(*arguments)
    except ProblemError as error:
        yield trial.finding(method, error)
        return
    value = as_array(whole(value, trial.task.size))
    if close(value, expected, TOLERANCE, size):
        return
    single = SINGLE.get(method, "joint_feature_difference")
    hint = f"; it is minus that of {single}" if close(value, -expected, TOLERANCE) else ""
    if method == "plane":
        message = f"it is not the weighted sum of joint_feature_difference{hint}"
        yield trial.finding(method, message)
        return
    errors = np.abs(value - expected).reshape(len(expected), -1).max(axis=1)
    k = int(errors.argmax())
    places = arguments[1] if len(arguments) > 1 else range(len(expected))
    message = f"it differs from {single} by up to {errors[k]:.3g}{hint}"
    yield trial.finding(method, message, places[k])


def _wrong_sum(trial: Trial, mu: float, measured: tuple[Vector, Vector]) -> str:
    """Return what is wrong with the sums over the examples of a trial, or ''.

    ``measured`` are the losses and differences of the separation oracle's outputs.
    """
    evidence, w, (losses, rows) = trial.evidence, trial.w, measured
    weights = unequal_weights(evidence.rng, len(rows))
    found = trial.task.soft(w, mu, weights)
    with suppress(ProblemError):  # soft_oracle_is_consistent reports it
        pairs = list(zip(trial.rows.tolist(), trial.labels, strict=True))
        made = {i: Soft(evidence, i, label, w, mu) for i, label in pairs}
        single = [made[i] for i, _ in pairs]
        expected = (
            np.array([soft.value for soft in single]),
            weights @ [soft.difference for soft in single],
            weights @ [soft.loss for soft in single],
        )
        total = np.abs(weights).sum()
        sizes = (trial.terms, total * trial.largest, total * evidence.largest_loss)
        for name, ours, theirs, size in zip(SoftSum._fields, found, expected, sizes, strict=False):
            if not close(np.asarray(ours), theirs, TOLERANCE, size):
                weighted = "" if name == "values" else ", each times its weight,"
                error = np.abs(ours - theirs).max()
                return f"its {name} differ from those of single examples{weighted} by {error:.3g}"
        largest = np.maximum(losses - rows @ w, 0)
        exact = found.slacks is not None and oracle_is_exact(evidence.problem)
        if exact and not close(found.slacks, largest, TOLERANCE, trial.terms):
            error = np.abs(found.slacks - largest).max()
            return f"its slacks differ from those of the separation oracle by {error:.3g}"
    return ""


def as_array(values: Any) -> Vector:
    """Sparse rows as an array; an array as it is."""
    return values.toarray() if sparse.issparse(values) else values


def unequal_weights(rng: np.random.Generator, n: int, signed: bool = True) -> Vector:
    """Return weights for n examples; without ``signed`` all are >= 0."""
    weights = rng.uniform(0.1, 3.0, n)
    if signed:
        weights *= rng.choice([-1.0, 1.0], n)
    # The first stays: weights that are all 0 would show nothing.
    weights[1:][rng.random(max(0, n - 1)) < 0.3] = 0.0
    return weights
