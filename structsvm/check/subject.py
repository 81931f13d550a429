"""The problem under test, its examples, and the values of its loss and joint feature.

This module calls only the methods for single examples. Other modules compare the values from this
module with the values that the task computes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from structsvm.check.calls import Calls, watched
from structsvm.check.equality import TOLERANCE, own, same
from structsvm.check.findings import TRUTH, Finding, Unusable, attempted, describe, named, short
from structsvm.check.progress import Progress
from structsvm.contract.capabilities import defines, oracle_may_miss
from structsvm.contract.declarations import wrong_declarations
from structsvm.contract.problem import Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import in_single, n_examples, require_examples, take
from structsvm.data.validation import checked_generator, require_integer
from structsvm.oracle.setup import copied, set_sizes
from structsvm.task.answers import real_array
from structsvm.task.likeness import is_finite


class Subject:
    """A problem, some of its examples, and the loss and the joint feature of outputs."""

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
        self.index = np.sort(self.rng.permutation(n_examples(X))[:max_examples])
        self.notes: list[str] = []
        if oracle_may_miss(problem):
            self.notes.append(
                "oracle_quality is 'undergenerating': an oracle or decoder that misses the best "
                "output is no error, unless it does worse than chance"
            )
        #: For each output that a measure cannot handle, a finding that blames the method that
        #: returned it, and a finding that blames the measure.
        self.unreadable: list[tuple[Finding, Finding]] = []

    @cached_property
    def calls(self) -> Calls:
        """Calls of the problem's methods for some examples, after initialization with all data."""
        # A copy with half of the data, made before any copy has more; None if it refuses few data.
        self.early, _ = attempted(self.initialized, self.first_half)
        method = "initialize" if defines(self.problem, "initialize") else "joint_feature"
        data = self.X, self.Y
        given = own(data)
        _, error = attempted(set_sizes, self.problem, *given)
        if error:
            wrong = [
                Finding(name, None, f"it {text}") for name, text in wrong_declarations(self.problem)
            ]
            found = Finding(method, None, describe(error, self.problem, method))
            raise Unusable(*wrong[:1] or [found]) from error
        if not all(map(self._same_examples, data, given)):
            inner: list[Finding] = []
            attempted(set_sizes, watched(copied(self.untouched), inner), *own(data))
            outer = Finding("initialize", None, "it changed the data; work on a copy")
            raise Unusable([*inner, outer][0])
        if wrong_size := self._wrong_size():
            raise Unusable(Finding(wrong_size[0], None, wrong_size[1]))
        return Calls(self.problem, self.X, self.Y, self.index, self.progress)

    def initialized(self, rows: Sequence[int], problem: Problem | None = None) -> Problem:
        """Initialize a problem with some examples.

        The default problem is a copy of the problem under test.
        """
        problem = problem or copied(self.untouched)
        with warnings.catch_warnings():  # a problem may need more examples
            warnings.simplefilter("ignore")
            set_sizes(problem, *(data if data is None else own(take(data, list(rows)))
                                 for data in (self.X, self.Y)))  # fmt: skip
        return problem

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
        """The accepted error of a score, relative to the size of its terms."""
        return max(TOLERANCE, self.problem.roundoff or 0.0)

    def joint_feature(self, i: int, y: Any) -> Any:
        """Return Psi(x_i, y).

        Return None after an error or if y is None.
        """
        if y is None:
            return None
        shape = (self.calls.size,)
        return self.calls.numbers("joint_feature", i, shape, self.calls.x[i], y, names=["y"])

    def measure(
        self, i: int, label: Any, origin: str, output: Any, truth: Any = None
    ) -> tuple[float, Vector] | None:
        """Return loss and joint-feature difference of an output, or None if either call fails.

        ``truth`` is the joint feature of the label, if already computed.

        An output for which loss or joint feature fails is recorded in ``unreadable``. The method
        that returned the output (``origin``) may be at fault.
        """
        truth = self.joint_feature(i, label) if truth is None else truth
        if truth is None or output is None:
            return None
        errors, before = self.calls.errors, len(self.calls.errors)
        names = "y", "y_hat"
        loss = self.calls.numbers("loss", i, (), label, output, names=names)
        if loss is not None and loss < 0:
            case = named(names, (label, output))
            self.calls.report("loss", f"loss(y, y_hat) must be >= 0; it is {loss:g}", i, case)
        if defines(self.problem, "joint_feature_difference"):
            method, shape = "joint_feature_difference", (self.calls.size,)
            difference = self.calls.numbers(method, i, shape, self.calls.x[i], label, output)
        elif (difference := self.joint_feature(i, output)) is not None:
            difference = truth - difference
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
            self.unreadable.append((self.calls.finding(origin, message, i), failure))
        return None

    def _same_examples(self, before: Any, after: Any) -> bool:
        """Whether two data sets have the same length and the same values at the chosen examples."""
        if before is None or n_examples(before) != n_examples(after):
            return before is None
        return same(*(take(data, self.index.tolist()) for data in (before, after)))

    def _wrong_size(self) -> tuple[str, str] | None:
        """Return the method to blame and a message if joint features have a wrong length."""
        few, size = self.index.tolist(), self.problem.size_joint_feature
        # With as many examples as features a wrong size is right by chance, so repeat one example.
        made, error = attempted(lambda: [self.initialized(rows) for rows in (few, [*few, few[0]])])
        sizes = [] if error else [each.size_joint_feature for each in made]
        if len({*sizes}) > 1:  # empty after an error: a problem may need more examples
            lengths, error = attempted(self._lengths, made[1], few[:1])
            wrong = f"fails ({type(error).__name__}: {error})" if error else "has another length"
            if lengths != {sizes[1]}:  # joint features may grow with the number of examples
                return "initialize", (
                    f"it sets size_joint_feature to {sizes[0]} for {len(few)} examples and to "
                    f"{sizes[1]} where one of them is repeated, but joint_feature then {wrong}: is "
                    "the number of examples, X.shape[0], taken for that of features?"
                )
        if self.self_labelled or not defines(self.problem, "initialize"):
            return None
        lengths, error = attempted(self._lengths, self.problem, few)
        # single_calls_succeed reports errors, and lengths that differ between examples.
        if error or len(lengths) > 1 or lengths == {size}:
            return None
        (length,), x = lengths, self.X[few[0]]
        takes = [
            attempted(self.problem.decode, own(x), np.ones(n))[1] is None for n in (size, length)
        ]
        if takes == [True, False]:
            return "joint_feature", (
                f"it returns vectors of length {length}, but initialize sets size_joint_feature to "
                f"{size}, which decode expects too"
            )
        return "initialize", (
            f"it sets size_joint_feature to {size}, but joint_feature returns vectors of length "
            f"{length}; w and all joint features must have the same length"
        )

    def _lengths(self, problem: Problem, index: list[int]) -> set[int]:
        """Return the lengths of the joint features of true outputs, or of decoded outputs."""
        w = np.random.default_rng(0).standard_normal(problem.size_joint_feature)
        pairs = [
            (own(self.X[i]), problem.decode(own(self.X[i]), w) if self.self_labelled
             else own(self.Y[i])) for i in index
        ]  # fmt: skip
        return {real_array(problem.joint_feature(x, y)).size for x, y in pairs}


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
