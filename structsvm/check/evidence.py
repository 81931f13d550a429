"""The data of the checks: points w, the outputs that each search returned there, their scores."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from structsvm.check.checked_calls import Calls, Finding, short
from structsvm.check.copies import key, own, same
from structsvm.check.points import explore
from structsvm.check.pools import TOLERANCE, Pool, pool
from structsvm.check.progress import Progress
from structsvm.check.raised import describe, pass_on
from structsvm.check.sizes import counts_examples, initialized, other_size
from structsvm.contract.capabilities import offers, oracle_may_miss
from structsvm.contract.declarations import wrong_numbers
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import in_single, n_examples, require_examples, take
from structsvm.data.validation import checked_generator, require_integer
from structsvm.oracle.likeness import is_finite
from structsvm.oracle.setup import copied, set_sizes

T = TypeVar("T")

#: Fraction of the time in which points are visited; the rest is for what was found there.
VISITING = 0.5
#: The origin of true outputs.
TRUTH = "the truth"
#: Outputs that are enumerated at most, over all examples and labels: it bounds time and memory.
MAX_OUTPUTS = 10_000


class Unusable(Exception):
    """The problem cannot be checked at all; ``finding`` gives the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class Unreadable(NamedTuple):
    """An output that a measure cannot handle.

    Attributes
    ----------
    origin : str
        The method that returned the output.
    finding : Finding
        Blames that method.
    failure : Finding
        Blames the measure.
    """

    origin: str
    finding: Finding
    failure: Finding


class Visit(NamedTuple):
    """A point w, the label of every example there, and the outputs that the searches returned.

    ``found`` maps a method to one (key, output) per example, None where the call failed.
    """

    w: Vector
    labels: list[Any]
    found: dict[str, list[tuple[Any, Any] | None]]


class Evidence:
    """A problem, some of its examples, and the values of its methods at many points w.

    Everything is computed when a check first needs it and shared by all checks. Only single forms
    are called here; the batch forms are compared with them.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any,
        max_examples: int,
        random_state: int,
        progress: Progress | None = None,
    ) -> None:
        _check_data(problem, X, Y)
        require_integer("max_examples", max_examples, 1)
        self.progress = progress or Progress()
        self._cut_short = False
        self.rng = checked_generator(random_state)
        self.untouched, self.problem = problem, copied(problem)
        self.X, self.Y = in_single(X), Y
        self.self_labelled = isinstance(problem, SelfLabelledProblem)
        n = n_examples(X)
        self.index = np.sort(self.rng.permutation(n)[:max_examples])
        self.notes: list[str] = []
        if oracle_may_miss(problem):
            self.notes.append(
                "oracle_quality is 'undergenerating': an oracle or decoder that misses the best "
                "output is no error, unless it does worse than chance"
            )
        self.returned: list[tuple[str, int, Any, Any]] = []
        self.unreadable: list[Unreadable] = []
        self._complete: set[tuple[int, Any]] = set()
        self.unusable = False
        self.results: dict[Any, list[Finding]] = {}

    # ------------------------------------------------------------------ gathering

    @cached_property
    def calls(self) -> Calls:
        """The problem's methods on the chosen examples; it is initialized with all examples."""
        examples = [int(i) for i in self.index]
        self.early = self._initialized_early()
        data = [part for part in (self.X, self.Y) if part is not None]
        given = own(data)
        method = "initialize" if offers(self.problem, "initialize") else "joint_feature"
        try:
            set_sizes(self.problem, given[0], None if self.Y is None else given[1])
        except Exception as error:
            pass_on(error)
            for name, message in wrong_numbers(self.problem):
                raise Unusable(Finding(name, None, f"it {message}")) from error
            raise Unusable(Finding(method, None, describe(error, self.problem, method))) from error
        if not all(map(_same_examples, data, given, 2 * [examples])):
            raise Unusable(Finding("initialize", None, "it changed the data; work on a copy"))
        if message := counts_examples(self.untouched, self.X, self.Y, self.index):
            raise Unusable(Finding("initialize", None, message))
        if found := other_size(self.problem, self.X, self.Y, self.index):
            raise Unusable(Finding(found[0], None, found[1]))
        return Calls(self.problem, self.X, self.Y, self.index, self.progress)

    @property
    def first_half(self) -> range:
        """The first examples of all, half of them."""
        return range(n_examples(self.X) // 2)

    def _initialized_early(self) -> Problem | None:
        """A copy with half of the data, before any other has more; None where it refuses them."""
        try:
            return initialized(self.untouched, self.X, self.Y, list(self.first_half))
        except Exception as error:  # so few examples need not fit the problem
            pass_on(error)
            return None

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
        listed: list[list[Any]] = [[] for _ in range(self.calls.n)]
        if not offers(self.problem, "outputs"):
            self.notes.append(
                "outputs(x) is not offered, so oracles were compared only with what calls "
                "returned; offer it for a stricter test on small inputs"
            )
            return listed
        # All outputs are measured against each label that the example has had.
        room = MAX_OUTPUTS // self._most_labels
        for i in range(self.calls.n):
            # One more than there is room for shows that there are too many.
            found = self._enumerate(i, room + 1)
            if len(found) <= room:
                listed[i], room = found, room - len(found)
        if missing := sum(not found for found in listed):
            self.notes.append(
                f"{missing} of {len(listed)} examples have too many outputs to enumerate; use "
                "smaller inputs for a stricter test"
            )
        return listed

    def _enumerate(self, i: int, most: int) -> list[Any]:
        """At most so many of outputs(x); none after an error."""
        raised, outputs = self.calls.call("outputs", i, self.calls.x[i])
        if raised:
            return []
        try:
            found = list(islice(outputs, most))
        except Exception as error:
            pass_on(error)
            self.calls.report("outputs", i, describe(error, self.problem, "outputs"))
            return []
        keys = [key(output) for output in found]
        if not found:
            self.calls.report("outputs", i, "it enumerates nothing; the true y is an output too")
        elif any(output is None for output in found):
            self.calls.report("outputs", i, "it enumerates None, which is no output")
        elif len(set(keys)) < len(keys):
            twice = next(output for k, output in enumerate(found) if keys[k] in keys[:k])
            message = f"it enumerates {short(twice)} more than once; every output must come once"
            self.calls.report("outputs", i, message)
        return list(dict(zip(keys, found, strict=True)).values())

    @property
    def _most_labels(self) -> int:
        """The largest number of labels that one example has had."""
        if not self.self_labelled:
            return 1
        return max(
            len({key(visit.labels[i]) for visit in self.visits}) for i in range(self.calls.n)
        )

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
        return pool(self, i, label)

    @cached_property
    def points(self) -> Vector:
        """The points visited, shape (n_points, size)."""
        return np.array([visit.w for visit in self.visits])

    def measure(
        self, i: int, label: Any, origin: str, output: Any, truth: Vector
    ) -> tuple[float, Vector] | None:
        """Return loss and joint-feature difference of an output; None after an error in either.

        An output that loss or joint feature cannot handle is kept as unreadable, since the error
        may be that of the method that returned it (``origin``).
        """
        before = len(self.calls.errors)
        loss = self.calls.numbers("loss", i, (), label, output)
        if loss is not None and loss < 0:
            self.calls.report("loss", i, f"loss(y, y_hat) must be >= 0; it is {loss:g}")
        difference = self._difference(i, label, output, truth)
        errors = self.calls.errors
        if len(errors) == before:
            return float(loss), difference
        failure = errors[before]
        is_broken = is_finite(label) and not is_finite(output)
        if origin != TRUTH and ("raised" in failure.message or is_broken):
            errors[before:] = []
            message = (
                f"it returned {short(output)}, for which {failure.method} fails: "
                f"{failure.message}. loss and joint_feature_difference must accept every output "
                f"that {origin} returns"
            )
            if is_broken:
                message = f"it returned an output that contains NaN or infinity, {short(output)}"
            finding = Finding(origin, self.calls.name(i), message)
            self.unreadable.append(Unreadable(origin, finding, failure))
        return None

    @property
    def largest_loss(self) -> float:
        """The largest loss of any known output."""
        losses = [pool.losses.max(initial=0) for pool in self.pools[0] if pool is not None]
        return float(max(losses, default=0))

    @property
    def tolerance(self) -> float:
        """Error of a score that is accepted, relative to its terms."""
        return max(TOLERANCE, self.problem.roundoff or 0.0)

    def joint_feature(self, i: int, y: Any) -> Any:
        """Return Psi(x_i, y), or None after an error."""
        return self.calls.numbers("joint_feature", i, (self.calls.size,), self.calls.x[i], y)

    def _difference(self, i: int, label: Any, output: Any, truth: Vector) -> Any:
        if offers(self.problem, "joint_feature_difference"):
            shape, arguments = (self.calls.size,), (self.calls.x[i], label, output)
            return self.calls.numbers("joint_feature_difference", i, shape, *arguments)
        psi = self.joint_feature(i, output)
        return None if psi is None else truth - psi


def _same_examples(before: Any, after: Any, examples: list[int]) -> bool:
    """Whether containers are equally long and hold the same in these places."""
    as_long = n_examples(before) == n_examples(after)
    return as_long and same(take(before, examples), take(after, examples))


def _check_data(problem: Any, X: Any, Y: Any) -> None:
    if not isinstance(problem, Problem):
        kind = "a class: add ()" if isinstance(problem, type) else repr(problem)
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {kind}")
    if Y is None and not isinstance(problem, SelfLabelledProblem):
        raise ValueError(
            f"{type(problem).__name__} needs the outputs Y of the examples; it is None"
        )
    n = require_examples(X)
    if Y is not None and n_examples(Y, "Y") != n:
        raise ValueError(f"X has {n} examples but Y has {n_examples(Y, 'Y')}")
