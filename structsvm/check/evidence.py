"""The data of the checks: points w, the outputs that each search returned there, their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from structsvm.check.equality import key, own
from structsvm.check.findings import TRUTH, Finding, attempted, short
from structsvm.check.points import (
    SCORES,
    Pool,
    Visit,
    explore,
    outside,
    pool,
    term_sizes,
)
from structsvm.check.subject import Subject
from structsvm.contract.capabilities import defines
from structsvm.data.arrays import Vector

T = TypeVar("T")

#: Fraction of the time in which points are visited; the rest is for what was found there.
VISITING = 0.5


class Evidence(Subject):
    """A problem, some of its examples, and the values of its methods at many points w.

    Everything is computed when a check first needs it and shared by all checks.
    """

    def __init__(self, *subject: Any) -> None:
        super().__init__(*subject)
        self._cut_short = False
        self.returned: list[tuple[str, int, Any, Any]] = []
        self._complete: set[tuple[int, Any]] = set()
        self.unusable = False
        self.results: dict[Any, list[Finding]] = {}
        #: Names of checks that found no error, but do not count as passed.
        self.doubted: set[str] = set()

    def doubt(self, check: str, note: str) -> None:
        """Note what is no error; the check does not count as passed."""
        self.doubted.add(check)
        self.notes.append(note)

    # ------------------------------------------------------------------ gathering

    @property
    def visits(self) -> list[Visit]:
        """The points visited, with the results of all searches there."""
        return self._complete_or_noted(self._visits)

    @property
    def pools(self) -> list[list[Pool | None]]:
        """Known outputs by point and example; None where the true output cannot be measured."""
        return self._complete_or_noted(self._pools)

    def _complete_or_noted(self, found: T) -> T:
        """Return what was found; if there was too little time, so has the check that reads it."""
        if self._cut_short:
            self.progress.cut()
        return found

    @cached_property
    def _visits(self) -> list[Visit]:
        visits: list[Visit] = []  # explore reads what was found so far to choose the next point
        for w in explore(self, visits):
            if visits and self.progress.is_over(VISITING):
                self._cut_short = True
                break
            visits.append(self._visit(w))
        return visits

    def _visit(self, w: Vector) -> Visit:
        calls = self.calls
        labels = [self._label(i, w) for i in range(calls.n)]
        found = {
            method: [self._search(method, i, labels[i], w) for i in range(calls.n)]
            for method in self.searches
        }
        return Visit(w, labels, found)

    def _label(self, i: int, w: Vector) -> Any:
        calls = self.calls
        if not self.self_labelled:
            return calls.y[i]
        label = own(calls.output("impute", i, calls.x[i], calls.y[i], w))
        return label if label is None or self._is_complete(i, label, w) else None

    def _is_complete(self, i: int, label: Any, w: Vector) -> bool:
        """Whether joint_feature accepts an imputed label; where only that fails, blame impute."""
        if (i, key(label)) in self._complete:
            return True
        errors = self.calls.errors
        before = len(errors)
        if self.joint_feature(i, label) is None:
            reported = errors[before:]
            decoded = self.calls.output("decode", i, self.calls.x[i], w)
            if decoded is not None and self.joint_feature(i, decoded) is not None:
                errors[before:] = []
                self.calls.report(
                    "impute",
                    i,
                    f"it returned {short(label)}, for which joint_feature fails: "
                    f"{reported[0].message}. It must return a complete output, not an annotation",
                )
                return False
        self._complete.add((i, key(label)))
        return True

    def _search(self, method: str, i: int, label: Any, w: Vector) -> tuple[Any, Any] | None:
        if label is None:
            return None
        x = self.calls.x[i]
        output = self.calls.output(method, i, *((x, w) if method == "decode" else (x, label, w)))
        if output is None:
            return None
        # A copy, by which arguments_are_unchanged sees later changes of the output.
        kept = own(output)
        self.returned.append((method, i, output, kept))
        return key(kept), kept

    @cached_property
    def enumerated(self) -> list[list[Any]]:
        """All outputs of each example; empty if there are too many or they are not offered."""
        most_labels = 1
        if self.self_labelled:
            labels = zip(*(visit.labels for visit in self.visits), strict=True)
            most_labels = max(len(set(map(key, one))) for one in labels)
        return enumerated(self, most_labels)

    # ------------------------------------------------------------------ measuring

    @cached_property
    def _pools(self) -> list[list[Pool | None]]:
        # The labels of a self-labelled problem depend on the point; pools of equal labels are
        # shared.
        made: dict[tuple[int, Any], Pool | None] = {}
        pools: list[list[Pool | None]] = []
        for visit in self.visits:
            pools.append([])
            for i, label in enumerate(visit.labels):
                place = (i, key(label) if self.self_labelled else None)
                if place not in made:
                    made[place] = self._pool(i, label)
                pools[-1].append(made[place])
        return pools

    def _pool(self, i: int, label: Any) -> Pool | None:
        if self.enumerated[i] and self.progress.is_over():
            self._cut_short = True
            self.enumerated[i] = []
        made = pool(self, i, label, self._known(i, label), self.points)
        listed = made.enumerated(self.enumerated[i]) if made else []
        if made is None or not listed or self.problem.oracle_quality == "overgenerating":
            return made
        proven = outside(made, listed, self.points)
        if proven[0] and not self.self_labelled:
            proven[1:] = False  # the list, or Y, is wrong
        return made._replace(outside=proven)

    def _known(self, i: int, label: Any) -> dict[Any, tuple[str, Any]]:
        """The known outputs of example i by key, each with its origin.

        The truth comes first: loss_is_valid and the hints look for it in row 0.
        """
        known: dict[Any, tuple[str, Any]] = {key(label): (TRUTH, label)}
        for method in self.searches:
            for visit in self.visits:
                if (entry := visit.found[method][i]) is not None:
                    known.setdefault(entry[0], (method, entry[1]))
        for output in self.enumerated[i]:
            known.setdefault(key(output), ("outputs", output))
        return known

    @cached_property
    def points(self) -> Vector:
        """The points visited, shape (n_points, size)."""
        return np.array([visit.w for visit in self.visits])

    @property
    def largest_loss(self) -> float:
        """The largest loss of any known output."""
        losses = [pool.losses.max(initial=0) for pool in self.pools[0] if pool is not None]
        return float(max(losses, default=0))


class SearchResult:
    """The output of a search for one example at one point, among all known outputs of the example.

    Attributes
    ----------
    point, i, row : int
        Indices of the point, the example and the output in ``pool``.
    norm : float
        |w|.
    loss : float
        Loss of the output.
    scores, plain_scores : ndarray of shape (n_outputs,)
        What the search maximises, and <w, Psi>, of all known outputs, relative to the true one.
    best : int
        Row of the largest score.
    tolerance : float
        Difference of two scores that may be rounding.
    """

    def __init__(
        self, evidence: Evidence, method: str, pool: Pool, point: int, i: int, row: int
    ) -> None:
        self.point, self.i, self.row, self.pool = point, i, row, pool
        self.norm = float(np.linalg.norm(evidence.visits[point].w))
        losses, products = pool.losses, pool.products[:, point]
        self.loss = losses[row]
        self.scores = SCORES[method](losses, products)
        self.plain_scores = -products
        self.best = self._highest(self.scores)
        scale = term_sizes(method, losses, self.norm * pool.sizes)
        self.tolerance = evidence.tolerance * max(scale[row], scale[self.best])

    @property
    def shortfall(self) -> float:
        """By how much the best known output scores higher."""
        return float(self.scores[self.best] - self.scores[self.row])

    @property
    def beaten(self) -> bool:
        return self.shortfall > self.tolerance

    def maximises(self, scores: np.ndarray) -> bool:
        """Whether the output attains the maximum of other scores than those it should maximise."""
        return bool(scores[self.row] >= scores[self._highest(scores)] - self.tolerance)

    def _highest(self, scores: np.ndarray) -> int:
        return int(np.where(self.pool.outside, -np.inf, scores).argmax())


def results(
    evidence: Evidence, method: str, pools: Sequence[Sequence[Pool | None]] | None = None
) -> Iterator[SearchResult]:
    """Yield the results of a search at all points, for all examples, if they are outputs.

    ``pools`` defaults to the pools of the evidence.
    """
    pools = evidence.pools if pools is None else pools
    for point, visit in enumerate(evidence.visits):
        for i, entry in enumerate(visit.found[method]):
            pool = pools[point][i]
            if entry is None or pool is None or entry[0] not in pool.rows:
                continue
            row = pool.rows[entry[0]]
            if not pool.outside[row]:  # results_are_outputs reports it
                yield SearchResult(evidence, method, pool, point, i, row)


#: Outputs that are enumerated at most, over all examples and labels: it bounds time and memory.
MAX_OUTPUTS = 10_000
#: The note where no outputs are listed.
NOT_OFFERED = (
    "outputs(x) is not offered, so oracles were compared only with what calls returned; offer it "
    "for a stricter test on small inputs"
)


def enumerated(subject: Subject, most_labels: int) -> list[list[Any]]:
    """All outputs of each example; empty if there are too many or they are not offered.

    All of them are measured against each label that an example has had, at most ``most_labels``.
    """
    n = subject.calls.n
    listed: list[list[Any]] = [[] for _ in range(n)]
    if not defines(subject.problem, "outputs"):
        subject.notes.append(NOT_OFFERED)
        return listed
    room = MAX_OUTPUTS // most_labels
    for i in range(n):
        # One more than there is room for shows that there are too many.
        found = _outputs(subject, i, room + 1)
        if found is None:
            subject.notes.append(NOT_OFFERED)
            return [[] for _ in range(n)]
        if len(found) <= room:
            listed[i], room = found, room - len(found)
    if missing := sum(not found for found in listed):
        subject.notes.append(
            f"{missing} of {n} examples have too many outputs to enumerate; use smaller inputs for "
            "a stricter test"
        )
    return listed


def _outputs(subject: Subject, i: int, most: int) -> list[Any] | None:
    """The first outputs of example i, at most ``most``.

    An empty list after an error; None where the problem says that it cannot list them.
    """
    calls = subject.calls
    # It may be a generator, which raises its exceptions where it is read.
    found, error = attempted(lambda: list(islice(calls.call("outputs", i, calls.x[i]), most)))
    if isinstance(error and error.__cause__, NotImplementedError):
        return None
    if error:
        calls.errors.append(calls.finding("outputs", error, i))
        return []
    keys = [key(output) for output in found]
    if not found:
        calls.report("outputs", i, "it enumerates nothing; the true y is an output too")
    elif any(output is None for output in found):
        calls.report("outputs", i, "it enumerates None, which is no output")
    elif len(set(keys)) < len(keys):
        twice = next(output for k, output in enumerate(found) if keys[k] in keys[:k])
        message = f"it enumerates {short(twice)} more than once; every output must come once"
        calls.report("outputs", i, message)
    return list(dict(zip(keys, found, strict=True)).values())
