"""The data of the checks: vectors w, the outputs found at each w, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from structsvm.check.equality import TOLERANCE, key, norm, own
from structsvm.check.findings import TRUTH, Finding, attempted, short
from structsvm.check.points import FEWEST_POINTS, MAX_NUMBERS, SCORES, Visit, explore, term_sizes
from structsvm.check.subject import Subject
from structsvm.contract.capabilities import defines
from structsvm.data.arrays import Mask, Vector

T = TypeVar("T")

#: Fraction of the time for visiting points. The remaining time is for checking the outputs found.
VISITING = 0.5
#: Largest number of outputs to enumerate, over all examples and labels, to bound time and memory.
MAX_OUTPUTS = 10_000
#: The note on problems that do not list their outputs.
NOT_OFFERED = (
    "outputs(x) is not offered, so oracles were compared only with what calls returned; offer it "
    "for a stricter test on small inputs"
)


class Pool(NamedTuple):
    """The recorded outputs of one example, with their losses for one label of the example.

    Attributes
    ----------
    rows : dict
        A dictionary from the hash of each output to the output's row in the other attributes.
    origins : list of str
        The origin of each output: the name of the method that returned it, 'the truth' or
        'outputs'.
    outputs : list
    losses : ndarray of shape (n_outputs,)
    products : ndarray of shape (n_outputs, n_points)
        <w, Psi(x, y) - Psi(x, y_hat)>.
    sizes : ndarray of shape (n_outputs,)
        Norms of the vectors whose products are computed, to bound rounding errors.
    listed : list of int
        Rows of the outputs that outputs(x) lists; empty if outputs(x) is not available.
    outside : ndarray of bool, shape (n_outputs,)
        True for an invalid output: outputs(x) lists no output with the same joint feature and loss.
        If the problem is overgenerating, the value is False, since the problem's searches may
        return relaxed outputs.
    """

    rows: dict[Any, int]
    origins: list[str]
    outputs: list[Any]
    losses: Vector
    products: Vector
    sizes: Vector
    listed: list[int]
    outside: Mask

    def lists(self, loss: float, products: Vector, points: Vector) -> bool:
        """Whether outputs(x) lists an output with the given loss and the given products.

        ``products`` holds <w, Psi(x, y) - Psi(x, y_hat)> for all ``points`` w. Hashes are not
        compared, because an output may have several forms, such as list and tuple.
        """
        scale = TOLERANCE * np.linalg.norm(points, axis=1) * self.sizes.max()
        alike = np.all(np.abs(self.products[self.listed] - products) <= scale, axis=1)
        off = np.abs(self.losses[self.listed] - loss)
        return bool(np.any(alike & (off <= TOLERANCE * self.losses.max())))


class Evidence(Subject):
    """A problem, some of its examples, and the values of its methods at many vectors w.

    Each value is computed when a check first needs the value, and is then shared by all checks.
    """

    def __init__(self, *subject: Any) -> None:
        super().__init__(*subject)
        self._cut_short = False
        self.unusable = False
        self.results: dict[str, list[Finding]] = {}
        #: Names of checks that found no error but do not count as passed.
        self.doubted: set[str] = set()

    def doubt(self, check: str, note: str) -> None:
        """Add a note about a possible mistake.

        A check with a note about a possible mistake does not count as passed.
        """
        self.doubted.add(check)
        self.notes.append(note)

    def offers(self, name: str) -> bool:
        """Whether the problem defines a method.

        For a name such as '.soft', whether the task defines the method.
        """
        if name[0] != ".":
            return defines(self.problem, name)
        # task_keeps_the_examples reports a task that cannot be made.
        task, _ = attempted(lambda: self.calls.task)
        return getattr(task, name[1:], None) is not None

    # ------------------------------------------------------------------ gathering

    @property
    def visits(self) -> list[Visit]:
        """The vectors w at which searches were called, with the outputs of all searches."""
        return self._complete_or_noted(self._visits)

    @property
    def pools(self) -> list[list[Pool | None]]:
        """The recorded outputs by w and example; None if ``joint_feature`` fails for the label."""
        return self._complete_or_noted(self._pools)

    def known(self) -> Iterator[tuple[int, Visit, int, Pool]]:
        """Yield each recorded w, with the examples for which outputs are recorded."""
        for point, (visit, pools) in enumerate(zip(self.visits, self.pools, strict=True)):
            for i, pool in enumerate(pools):
                if pool is not None and len(pool.losses):
                    yield point, visit, i, pool

    def _complete_or_noted(self, found: T) -> T:
        """Return the data.

        If the data are incomplete for lack of time, note that the current check is cut short.
        """
        if self._cut_short:
            self.progress.cut()
        return found

    @cached_property
    def _visits(self) -> list[Visit]:
        visits: list[Visit] = []  # explore reads it to choose the next point
        most = max(FEWEST_POINTS, int(MAX_NUMBERS / self.calls.size))
        for w in islice(explore(self, visits), most):
            if visits and self.progress.is_over(VISITING):
                self._cut_short = True
                break
            visits.append(self._visit(w))
        return visits

    def _visit(self, w: Vector) -> Visit:
        examples = range(self.calls.n)
        labels = [self._label(i, w) for i in examples]
        found = {
            method: [self._search(method, i, labels[i], w) for i in examples]
            for method in self.searches
        }
        return Visit(w, labels, found)

    def found(self, method: str, i: int) -> list[tuple[Any, Any] | None]:
        """Return a search's outputs for an example, one for each w."""
        return [visit.found[method][i] for visit in self.visits]

    def _label(self, i: int, w: Vector) -> Any:
        """Return a label; blame impute if joint_feature fails only for imputed labels."""
        calls, errors, before = self.calls, self.calls.errors, len(self.calls.errors)
        if not self.self_labelled:
            return calls.y[i]
        label = own(calls.output("impute", i, calls.x[i], calls.y[i], w))
        if label is None or self.joint_feature(i, label) is not None:
            return label
        failure = errors[before].message
        if self.joint_feature(i, calls.search("decode", i, None, w)) is None:
            return label
        errors[before:] = []
        message = f"it returned {short(label)}, for which joint_feature fails: {failure}. "
        message += "It must return a complete output, not an annotation"
        calls.report("impute", message, i)

    def _search(self, method: str, i: int, label: Any, w: Vector) -> tuple[Any, Any] | None:
        output = None if label is None else own(self.calls.search(method, i, label, w))
        return None if output is None else (key(output), output)

    @cached_property
    def enumerated(self) -> list[list[Any]]:
        """All outputs of each example; empty if the outputs are too many or cannot be listed."""
        n, room = self.calls.n, MAX_OUTPUTS
        if self.self_labelled:
            labels = zip(*(visit.labels for visit in self.visits), strict=True)
            room //= max(len(set(map(key, one))) for one in labels)
        listed: list[list[Any]] = [[] for _ in range(n)]
        for i in range(n):
            # One output more than fits shows that there are too many.
            found = self._outputs(i, room + 1) if defines(self.problem, "outputs") else None
            if found is None:
                self.notes.append(NOT_OFFERED)
                return [[] for _ in range(n)]
            if len(found) <= room:
                listed[i], room = found, room - len(found)
        if missing := sum(not found for found in listed):
            self.notes.append(
                f"{missing} of {n} examples have too many outputs to enumerate; use smaller inputs "
                "for a stricter test"
            )
        return listed

    def _outputs(self, i: int, most: int) -> list[Any] | None:
        """Return the first ``most`` outputs of the i-th example, or all outputs if there are fewer.

        Return an empty list after an error, and None if the problem cannot list its outputs.
        """
        calls = self.calls
        # outputs may be a generator, which raises its exceptions when it is read.
        found, error = attempted(lambda: list(islice(calls.call("outputs", i, calls.x[i]), most)))
        if isinstance(error and error.__cause__, NotImplementedError):
            return None
        if error:
            calls.report("outputs", error, i)
            return []
        keys = [key(output) for output in found]
        if not found:
            calls.report("outputs", "it enumerates nothing; the true y is an output too", i)
        elif any(output is None for output in found):
            calls.report("outputs", "it enumerates None, which is no output", i)
        elif len(set(keys)) < len(keys):
            twice = next(output for k, output in enumerate(found) if keys[k] in keys[:k])
            message = f"it enumerates {short(twice)} more than once; every output must come once"
            calls.report("outputs", message, i)
        return list(dict(zip(keys, found, strict=True)).values())

    # ------------------------------------------------------------------ measuring

    @cached_property
    def _pools(self) -> list[list[Pool | None]]:
        # The labels of a self-labelled problem depend on the point. Equal labels share a pool.
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
        """Compare the recorded outputs of the i-th example with a label.

        Return None if the joint feature of ``label`` cannot be computed.
        """
        if self.enumerated[i] and self.progress.is_over():
            self._cut_short = True
            self.enumerated[i] = []
        known, truth = self._known(i, label), self.joint_feature(i, label)
        if truth is None:
            return None
        made = {k: self.measure(i, label, *known[k], truth) for k in known}
        kept = {k: measured for k, measured in made.items() if measured is not None}
        rows = {k: row for row, k in enumerate(kept)}
        found = Pool(
            rows,
            [known[k][0] for k in kept],
            [known[k][1] for k in kept],
            np.array([loss for loss, _ in kept.values()]),
            np.array([self.points @ difference for _, difference in kept.values()]),
            np.array([norm(difference) + norm(truth) for _, difference in kept.values()]),
            sorted({rows[k] for k in map(key, self.enumerated[i]) if k in rows}),
            np.zeros(len(kept), dtype=bool),
        )
        if found.listed and self.problem.oracle_quality != "overgenerating":
            others = set(rows.values()).difference(found.listed)
            for row in others:
                loss, products = float(found.losses[row]), found.products[row]
                found.outside[row] = not found.lists(loss, products, self.points)
            if found.outside[0] and not self.self_labelled:
                found.outside[1:] = False  # either the list or Y is wrong
        return found

    def _known(self, i: int, label: Any) -> dict[Any, tuple[str, Any]]:
        """Return a dictionary from the hash of each recorded output of example i to its origin.

        The true output comes first, because some checks expect the true output in row 0.
        """
        known: dict[Any, tuple[str, Any]] = {key(label): (TRUTH, label)}
        for method in self.searches:
            for entry in self.found(method, i):
                if entry is not None:
                    known.setdefault(entry[0], (method, entry[1]))
        for output in self.enumerated[i]:
            known.setdefault(key(output), ("outputs", output))
        return known

    @cached_property
    def points(self) -> Vector:
        """The vectors w at which searches were called, as an array of shape (n_points, size)."""
        return np.array([visit.w for visit in self.visits])

    @property
    def largest_loss(self) -> float:
        """The largest loss of any recorded output."""
        return self._largest("losses")

    @property
    def largest_size(self) -> float:
        """A bound on the norms of the joint features of recorded outputs."""
        return self._largest("sizes")

    def _largest(self, what: str) -> float:
        found = [getattr(pool, what).max(initial=0) for pool in self.pools[0] if pool is not None]
        return float(max(found, default=0))

    def terms(self, method: str, w: Vector) -> float:
        """Return the size of the summands in the scores that a search maximises at w."""
        size = float(np.linalg.norm(w)) * self.largest_size
        return float(term_sizes(method, self.largest_loss, size))


class SearchResult:
    """The output of a search at one w, compared with all recorded outputs of the example.

    Attributes
    ----------
    point, i, row : int
        The indices of the vector w, of the example, and of the output in ``pool``.
    norm : float
        The norm of w.
    loss : float
        The loss of the output.
    scores, plain_scores : ndarray of shape (n_outputs,)
        For each recorded output, the score that the search maximises and the product <w, Psi>, each
        minus the value for the true output.
    best : int
        Row of the output with the largest score.
    tolerance : float
        Largest difference of two scores that rounding may explain.
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
        """The score of the best recorded output minus the score of the search's output."""
        return float(self.scores[self.best] - self.scores[self.row])

    @property
    def beaten(self) -> bool:
        return bool(self.shortfall > self.tolerance)

    def maximises(self, scores: np.ndarray) -> bool:
        """Whether the search's output attains the maximum of `scores`, up to rounding."""
        return bool(scores[self.row] >= scores[self._highest(scores)] - self.tolerance)

    def _highest(self, scores: np.ndarray) -> int:
        return int(np.where(self.pool.outside, -np.inf, scores).argmax())


def results(evidence: Evidence, method: str) -> Iterator[SearchResult]:
    """Yield a search's results at all recorded w for all examples.

    A result is skipped if it is not one of the possible outputs of its example.
    """
    for point, visit, i, pool in evidence.known():
        entry = visit.found[method][i]
        row = None if entry is None else pool.rows.get(entry[0])
        if row is not None and not pool.outside[row]:  # results_are_outputs checks it
            yield SearchResult(evidence, method, pool, point, i, row)


class Check(NamedTuple):
    """A check: its name, its findings, its stage, and whether it applies to a certain problem."""

    name: str
    findings: Callable[[Evidence], Iterator[Finding]]
    stage: int
    applies: Callable[[Evidence], bool]


def law(
    stage: int, *methods: str, where: Callable[[Evidence], bool] = lambda evidence: True
) -> Callable[[Callable[[Evidence], Iterator[Finding]]], Check]:
    """Return a decorator that turns a generator of findings into a check.

    The check applies if one of the `methods` is defined. If no `methods` are given, the check
    applies if ``where(evidence)`` is True. In `methods`, a dot before a name marks a method of the
    task.
    """

    def applies(evidence: Evidence) -> bool:
        return any(map(evidence.offers, methods)) if methods else where(evidence)

    return lambda findings: Check(findings.__name__, findings, stage, applies)


#: The stages of the checks: the class and its calls; the measures, without which scores mean
#: nothing; searches; other methods. Checks end after a stage with findings, except after the first
#: stage.
BASIC, MEASURES, SEARCHES, LAST = range(4)
