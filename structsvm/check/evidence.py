"""What the checks look at: points w, what each method returned there, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from structsvm.calls import copied, initialize
from structsvm.check.calls import Calls, Finding, describe, short
from structsvm.check.copies import key, own, same
from structsvm.check.points import explore
from structsvm.containers import n_examples, require_examples, take
from structsvm.problem import Problem, SelfLabelledProblem, Vector, offers, oracle_may_miss

#: Outputs that are enumerated at most, over all examples and labels.
MAX_OUTPUTS = 10_000

#: What each search maximises, from the losses and <w, Psi(x, y) - Psi(x, y_hat)> of outputs.
VALUES = {
    "separation_oracle": lambda losses, products: losses - products,
    "slack_oracle": lambda losses, products: losses * (1 - products),
    "decode": lambda losses, products: -products,
}


class Unusable(Exception):
    """The problem cannot be examined at all; holds the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class Visit(NamedTuple):
    """A point w, the label of every example there, and what each search returned.

    ``found`` maps a method to one (key, output) per example, None where the call was at fault.
    """

    w: Vector
    labels: list[Any]
    found: dict[str, list[tuple[Any, Any] | None]]


class Pool(NamedTuple):
    """Every output known of one example, measured against one label, at all points.

    ``products`` is <w, Psi(x, y) - Psi(x, y_hat)>, shape (outputs, points); ``sizes`` the norm of
    what it is made from.
    """

    rows: dict[Any, int]
    origins: list[str]
    outputs: list[Any]
    losses: Vector
    products: Vector
    sizes: Vector

    def enumerated(self, outputs: Iterable[Any]) -> list[int]:
        """The rows of these outputs, each once."""
        return sorted({self.rows[key(output)] for output in outputs if key(output) in self.rows})


class Evidence:
    """A problem, some of its examples, and all that its methods return at a set of points.

    Single forms only; the batch forms are compared with them.
    """

    def __init__(
        self, problem: Problem, X: Any, Y: Any, max_examples: int, random_state: int
    ) -> None:
        _check_data(problem, X, Y)
        self.rng = np.random.default_rng(random_state)
        self.untouched, self.problem = problem, copied(problem)
        self.X, self.Y = X, Y
        self.self_labelled = isinstance(problem, SelfLabelledProblem)
        n = n_examples(X)
        self.index = np.sort(self.rng.permutation(n)[:max_examples])
        self.notes: list[str] = []
        if oracle_may_miss(problem):
            self.notes.append(
                "oracle_quality is 'undergenerating': an oracle or decoder that misses the best "
                "output is no fault, unless it does worse than chance"
            )
        self.returned: list[tuple[str, int, Any, Any]] = []
        self.unusable = False
        self.results: dict[Any, list[Finding]] = {}

    # ------------------------------------------------------------------ gathering

    @cached_property
    def calls(self) -> Calls:
        """The problem's methods over the examples chosen, its sizes learnt from all."""
        examples = [int(i) for i in self.index]
        data = (self.X,) if self.Y is None else (self.X, self.Y)
        before = own([take(part, examples) for part in data])
        method = "initialize" if offers(self.problem, "initialize") else "joint_feature"
        try:
            initialize(self.problem, self.X, self.Y)
        except Exception as error:
            raise Unusable(Finding(method, None, describe(error))) from error
        if not same(before, [take(part, examples) for part in data]):
            raise Unusable(Finding("initialize", None, "it changed the data; work on a copy"))
        return Calls(self.problem, self.X, self.Y, self.index)

    @cached_property
    def visits(self) -> list[Visit]:
        """The points visited. Everything that single calls can tell is gathered here."""
        visits: list[Visit] = []
        for w in explore(self, visits):
            visits.append(self._visit(w))
        return visits

    @property
    def searches(self) -> list[str]:
        slack = ["slack_oracle"] if offers(self.problem, "slack_oracle") else []
        return ["separation_oracle", "decode", *slack]

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
        return own(calls.output("impute", i, calls.x[i], calls.y[i], w))

    def _search(self, method: str, i: int, label: Any, w: Vector) -> tuple[Any, Any] | None:
        if label is None:
            return None
        x = self.calls.x[i]
        output = self.calls.output(method, i, *((x, w) if method == "decode" else (x, label, w)))
        if output is None:
            return None
        kept = own(output)
        self.returned.append((method, i, output, kept))
        return key(kept), kept

    @cached_property
    def enumerated(self) -> list[list[Any]]:
        """All outputs by example; empty where they are too many or not offered."""
        listed: list[list[Any]] = [[] for _ in range(self.calls.n)]
        if not offers(self.problem, "outputs"):
            self.notes.append(
                "outputs(x) is not offered, so oracles were compared only with what calls "
                "returned; offer it for a sharper test on small inputs"
            )
            return listed
        room = MAX_OUTPUTS // self._most_labels
        for i in range(self.calls.n):
            raised, outputs = self.calls.call("outputs", i, self.calls.x[i])
            found = [] if raised else list(islice(outputs, room + 1))
            if len(found) <= room:
                listed[i], room = found, room - len(found)
        if missing := sum(not found for found in listed):
            self.notes.append(
                f"{missing} of {len(listed)} examples have too many outputs to enumerate; smaller "
                "inputs make a sharper test"
            )
        return listed

    @property
    def _most_labels(self) -> int:
        """How many labels one example has had, at most."""
        if not self.self_labelled:
            return 1
        return max(
            len({key(visit.labels[i]) for visit in self.visits}) for i in range(self.calls.n)
        )

    # ------------------------------------------------------------------ measuring

    @cached_property
    def pools(self) -> list[list[Pool | None]]:
        """By point and example, the outputs known; None where the truth cannot be measured."""
        made: dict[tuple[int, Any], Pool | None] = {}
        places: list[list[Pool | None]] = []
        for visit in self.visits:
            places.append([])
            for i, label in enumerate(visit.labels):
                place = (i, key(label) if self.self_labelled else None)
                if place not in made:
                    made[place] = self._pool(i, label)
                places[-1].append(made[place])
        return places

    def _pool(self, i: int, label: Any) -> Pool | None:
        truth = None if label is None else self.joint_feature(i, label)
        if truth is None:
            return None
        known: dict[Any, tuple[str, Any]] = {key(label): ("the truth", label)}
        for method in self.searches:
            for visit in self.visits:
                if (entry := visit.found[method][i]) is not None:
                    known.setdefault(entry[0], (method, entry[1]))
        for output in self.enumerated[i]:
            known.setdefault(key(output), ("outputs", output))
        rows: dict[Any, int] = {}
        losses, products, sizes = [], [], []
        for k, (origin, output) in known.items():
            if (measured := self.measure(i, label, origin, output, truth)) is None:
                continue
            rows[k] = len(rows)
            loss, difference = measured
            losses.append(loss)
            products.append(self._points @ difference)
            sizes.append(np.linalg.norm(difference) + np.linalg.norm(truth))
        kept = [known[k] for k in rows]
        origins, outputs = [origin for origin, _ in kept], [output for _, output in kept]
        return Pool(rows, origins, outputs, *map(np.array, (losses, products, sizes)))

    @cached_property
    def _points(self) -> Vector:
        return np.array([visit.w for visit in self.visits])

    def measure(
        self, i: int, label: Any, origin: str, output: Any, truth: Vector
    ) -> tuple[float, Vector] | None:
        """Loss and joint-feature difference of an output; None where either cannot be had."""
        before = len(self.calls.faults)
        loss = self.calls.numbers("loss", i, (), label, output)
        if loss is not None and loss < 0:
            self.calls.fault("loss", i, f"loss(y, y_hat) must be >= 0; it is {loss:g}")
        difference = self._difference(i, label, output, truth)
        faults = self.calls.faults
        if len(faults) == before:
            return float(loss), difference
        if origin in self.searches and "raised" in faults[before].message:
            method, _, message, _ = faults[before]
            faults[before:] = []
            self.calls.fault(
                origin,
                i,
                f"it returned {short(output)}, for which {method} fails: {message}. loss and "
                f"joint_feature_difference must understand all that {origin} returns",
            )
        return None

    def joint_feature(self, i: int, y: Any) -> Any:
        """Psi(x_i, y), or None after a fault."""
        return self.calls.numbers("joint_feature", i, (self.calls.size,), self.calls.x[i], y)

    def _difference(self, i: int, label: Any, output: Any, truth: Vector) -> Any:
        if offers(self.problem, "joint_feature_difference"):
            shape, arguments = (self.calls.size,), (self.calls.x[i], label, output)
            return self.calls.numbers("joint_feature_difference", i, shape, *arguments)
        psi = self.joint_feature(i, output)
        return None if psi is None else truth - psi


def _check_data(problem: Any, X: Any, Y: Any) -> None:
    if not isinstance(problem, Problem):
        kind = "a class: add ()" if isinstance(problem, type) else repr(problem)
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {kind}")
    if Y is None and not isinstance(problem, SelfLabelledProblem):
        raise ValueError(f"{type(problem).__name__} needs outputs to be checked with; Y is None")
    n = require_examples(X)
    if Y is not None and n_examples(Y, "Y") != n:
        raise ValueError(f"X has {n} examples but Y has {n_examples(Y, 'Y')}")
