"""The problem under test, its examples, and the values of its measures.

Only methods for single examples are called here; the task is compared with them.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.check.calls import Calls, watched
from structsvm.check.equality import TOLERANCE, own, same
from structsvm.check.findings import (
    TRUTH,
    Finding,
    Unreadable,
    Unusable,
    attempted,
    describe,
    short,
)
from structsvm.check.progress import Progress
from structsvm.contract.capabilities import defines, oracle_may_miss
from structsvm.contract.declarations import wrong_declarations
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.containers import in_single, n_examples, require_examples, take
from structsvm.data.validation import checked_generator, require_integer
from structsvm.oracle.setup import copied, set_sizes
from structsvm.task.answers import real_array
from structsvm.task.likeness import is_finite


class Subject:
    """A problem, some of its examples, and the values of its measures for any outputs."""

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
        self.unreadable: list[Unreadable] = []

    @cached_property
    def calls(self) -> Calls:
        """The problem's methods on the chosen examples; it is initialized with all examples."""
        examples = [int(i) for i in self.index]
        # A copy with half of the data, before another copy has more; None if it refuses so few.
        half = list(self.first_half)
        self.early, _ = attempted(initialized, self.untouched, self.X, self.Y, half)
        data = [part for part in (self.X, self.Y) if part is not None]
        given = own(data)
        method = "initialize" if defines(self.problem, "initialize") else "joint_feature"
        _, error = attempted(
            set_sizes, self.problem, given[0], None if self.Y is None else given[1]
        )
        if error:
            for name, message in wrong_declarations(self.problem):
                raise Unusable(Finding(name, None, f"it {message}")) from error
            raise Unusable(Finding(method, None, describe(error, self.problem, method))) from error
        if not all(map(_same_examples, data, given, 2 * [examples])):
            inner: list[Finding] = []
            attempted(set_sizes, watched(copied(self.untouched), inner), *own((self.X, self.Y)))
            outer = Finding("initialize", None, "it changed the data; work on a copy")
            raise Unusable([*inner, outer][0])
        if message := counts_examples(self.untouched, self.X, self.Y, self.index):
            raise Unusable(Finding("initialize", None, message))
        if found := other_size(self.problem, self.X, self.Y, self.index):
            raise Unusable(Finding(found[0], None, found[1]))
        return Calls(self.problem, self.X, self.Y, self.index, self.progress)

    @property
    def first_half(self) -> range:
        """The first half of all examples."""
        return range(n_examples(self.X) // 2)

    @property
    def searches(self) -> list[str]:
        slack = ["slack_oracle"] if defines(self.problem, "slack_oracle") else []
        return ["separation_oracle", "decode", *slack]

    @property
    def tolerance(self) -> float:
        """Error of a score that is accepted, relative to its terms."""
        return max(TOLERANCE, self.problem.roundoff or 0.0)

    def joint_feature(self, i: int, y: Any) -> Any:
        """Return Psi(x_i, y), or None after an error."""
        case, shape = f"y is {short(y)}", (self.calls.size,)
        return self.calls.numbers("joint_feature", i, shape, self.calls.x[i], y, case=case)

    def measure(
        self, i: int, label: Any, origin: str, output: Any, truth: Vector
    ) -> tuple[float, Vector] | None:
        """Return loss and joint-feature difference of an output; None after an error in either.

        An output that loss or joint feature cannot handle is kept as unreadable, since the method
        that returned it (``origin``) may be at fault.
        """
        before = len(self.calls.errors)
        case = f"y is {short(label)}, and y_hat is {short(output)}"
        loss = self.calls.numbers("loss", i, (), label, output, case=case)
        if loss is not None and loss < 0:
            self.calls.report("loss", i, f"loss(y, y_hat) must be >= 0; it is {loss:g}", case)
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

    def _difference(self, i: int, label: Any, output: Any, truth: Vector) -> Any:
        if defines(self.problem, "joint_feature_difference"):
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
        kind = "a class: add ()" if isinstance(problem, type) else short(problem)
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {kind}")
    name = type(problem).__name__
    own = f"; {name}.example_data() returns X and Y" if defines(problem, "example_data") else ""
    if X is None:
        raise TypeError(f"check_problem needs example data: check_problem(problem, X, Y){own}")
    if Y is None and not isinstance(problem, SelfLabelledProblem):
        raise ValueError(f"{name} needs the outputs Y of the examples; it is None{own}")
    require_examples(X, **({} if Y is None else {"Y": Y}))


def counts_examples(problem: Problem, X: Any, Y: Any, index: Indices) -> str:
    """Return what is wrong where ``size_joint_feature`` changes with a repeated example, or ''.

    With as many examples as features a wrong size is right by chance.
    """
    few = [int(i) for i in index]
    more = [*few, few[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made, error = attempted(lambda: [initialized(problem, X, Y, rows) for rows in (few, more)])
        if error:  # so few examples need not fit the problem
            return ""
        before, after = made
        sizes = [copy.size_joint_feature for copy in (before, after)]
        if sizes[0] == sizes[1]:
            return ""
        wrong = _wrong_joint_feature(after, X, Y, few[0])
    if not wrong:  # a joint feature that grows with the size breaks no rule
        return ""
    return (
        f"it sets size_joint_feature to {sizes[0]} for {len(few)} examples and to {sizes[1]} where "
        f"one of them is repeated, but joint_feature {wrong}: is the number of examples, "
        "X.shape[0], taken for that of features?"
    )


def other_size(problem: Problem, X: Any, Y: Any, index: Indices) -> tuple[str, str] | None:
    """Return the method that is wrong and why, where joint features have one other length.

    If the decoder takes a w of ``size_joint_feature`` but not of that other length, the joint
    feature is wrong, else ``initialize``.
    """
    if Y is None or isinstance(problem, SelfLabelledProblem):
        return None
    pairs = [(own(X[int(i)]), own(Y[int(i)])) for i in index]
    length, error = attempted(_common_length, problem, pairs)
    size = problem.size_joint_feature
    # single_calls_succeed reports an error.
    if error or length == size or not defines(problem, "initialize"):
        return None
    x = pairs[0][0]
    fits, other = (attempted(problem.decode, own(x), np.ones(n))[1] is None for n in (size, length))
    if fits and not other:
        return "joint_feature", (
            f"it returns vectors of length {length}, but initialize sets size_joint_feature to "
            f"{size}, which decode expects too"
        )
    return "initialize", (
        f"it sets size_joint_feature to {size}, but joint_feature returns vectors of length "
        f"{length}; w and all joint features must have the same length"
    )


def _common_length(problem: Problem, pairs: list[tuple[Any, Any]]) -> int:
    """The length of the joint features of all pairs; a ValueError unless they have one."""
    ((length,),) = {np.shape(real_array(problem.joint_feature(x, y))) for x, y in pairs}
    return length


def initialized(problem: Problem, X: Any, Y: Any, rows: list[int]) -> Problem:
    """Return a copy of the problem that is initialized with some examples."""
    copy: Problem = copied(problem)
    set_sizes(copy, own(take(X, rows)), None if Y is None else own(take(Y, rows)))
    return copy


def _wrong_joint_feature(problem: Problem, X: Any, Y: Any, i: int) -> str:
    """Return what is wrong with the joint feature of an example, for the problem's size, or ''."""
    size = problem.size_joint_feature

    def length_of_joint_feature() -> int:
        x = own(X[i])
        if Y is None or isinstance(problem, SelfLabelledProblem):
            y = problem.decode(x, np.random.default_rng(0).standard_normal(size))
        else:
            y = own(Y[i])
        return real_array(problem.joint_feature(x, y)).size

    length, error = attempted(length_of_joint_feature)
    if error:
        return f"then fails ({type(error).__name__}: {error})"
    return "" if length == size else f"has length {length}"
