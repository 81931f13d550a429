"""The calls of a problem's methods: counted and timed, their answers checked, their errors named.

Only here, and in what this file calls, are faults found. An error names the method and the example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.minibatches import MiniBatch, Products
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Outputs, Vector
from structsvm.exceptions import ProblemError
from structsvm.task.advice import advice
from structsvm.task.call import (
    JOINT_FEATURE,
    ORACLE,
    Call,
    Tally,
    checked_matrix,
    read_only,
    unpacked,
)
from structsvm.task.charges import charged
from structsvm.task.likeness import Likeness, likeness
from structsvm.task.sums import Entries, sliced
from structsvm.task.task import SoftTask, Task
from structsvm.task.wrapper import Wrapper, each_task, where_defined

#: The method of a problem that a method of a task calls for one example after another.
SINGLE = {
    "search": "separation_oracle",
    "search_rescaled": "slack_oracle",
    "decode": "decode",
    "impute": "impute",
    "losses": "loss",
    "evaluation_losses": "evaluation_loss",
    "joint_features": "joint_feature",
    "differences": "joint_feature",
    "plane": "joint_feature",
    "soft": "soft_oracle",
}


class Watched(Wrapper):
    """A task whose calls are watched.

    Parameters
    ----------
    task : Task
    index : ndarray of shape (n,)
        The numbers of the examples among all, which errors report.
    tally : Tally, optional
        Counts the calls; shared by all tasks made from this one.

    Attributes
    ----------
    index, tally
    """

    def __init__(self, task: Any, index: Indices, tally: Tally | None = None) -> None:
        super().__init__(task)
        self.index, self.tally = index, tally or Tally()
        self._relabelled, self._made = False, ""
        #: Outputs and the method that returned them, of the last search.
        self._found: tuple[Any, str] = (None, "")

    @classmethod
    def of(cls, problem: Any, X: Any, Y: Any, index: Indices) -> Watched:
        """Bind a problem to its data; errors for a task that does not hold them."""
        with Call(problem, "task", propagates=ValueError):
            task = problem.task(X, Y)
        name = type(problem).__name__
        if not isinstance(task, Task):
            raise ProblemError(
                f"{name}.task must return a structsvm.Task; it returned {task!r:.80}"
            )
        if task.n != len(index):
            raise ProblemError(
                f"{name}.task must hold the {len(index)} examples that it was given; it holds "
                f"{task.n}; {advice(problem)}"
            )
        watched = cls(task, index)
        pairs = ("X", X, task.X), ("Y", Y, task.Y)
        made = [f"{what}[i]" for what, given, held in pairs if _form(given) != _form(held)]
        if made:
            held = " and ".join(made)
            watched._made = f"{type(task).__name__} made {held}, which {name}'s methods must accept"
        return watched

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        watched = Watched(task, self.index[places], self.tally)
        watched._relabelled, watched._made = self._relabelled, self._made
        return watched

    def with_labels(self, labels: Any) -> Any:
        watched = super().with_labels(labels)
        watched._relabelled = watched._relabelled or labels is not None
        return watched

    def at(self, w: Vector) -> Vector:
        """The point of the problem's methods; a wrapper outside may shift it."""
        return w

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Outputs:
        self.tally.calls += self.n
        with self._call("search", hint=self._imputed) as call:
            outputs = self.task.search(read_only(w))
        return self._searched(call, outputs)

    def search_rescaled(self, w: Vector) -> Outputs:
        self.tally.calls += self.n
        with self._call("search_rescaled", hint=self._imputed) as call:
            outputs = self.task.search_rescaled(read_only(w))
        return self._searched(call, outputs)

    def decode(self, w: Vector) -> Outputs:
        with self._call("decode") as call:
            outputs = self.task.decode(read_only(w))
        return self._searched(call, outputs)

    def impute(self, w: Vector) -> Outputs:
        with self._call("impute") as call:
            outputs = self.task.impute(read_only(w))
        return self._searched(call, outputs)

    @where_defined
    def refine(self, w: Vector, outputs: Outputs) -> Outputs:
        with self._call("refine", hint=self._origin(outputs)) as call:
            refined = self.task.refine(read_only(w), outputs)
        return self._searched(call, refined)

    @where_defined
    def pool_outputs(self, outputs: Outputs, pool: Any = None) -> Any:
        with self._call("pool_outputs"):
            return self.task.pool_outputs(outputs, pool)

    @where_defined
    def search_pool(self, w: Vector, pool: Any) -> Outputs:
        with self._call("search_pool") as call:
            outputs = self.task.search_pool(read_only(w), pool)
        return self._searched(call, outputs)

    def _searched(self, call: Call, outputs: Any) -> Any:
        self._found = call.checked_outputs(outputs), call.name
        return outputs

    def note(self, outputs: Outputs, search: str) -> None:
        """Note which search returned the outputs, one by one, for messages."""
        self._found = outputs, self.name_of(search)

    # ------------------------------------------------------------------ losses

    def losses(self, outputs: Outputs) -> Vector:
        with self._charged(outputs, Watched._losses):
            return self._losses(outputs)

    def _losses(self, outputs: Outputs) -> Vector:
        with self._call("losses", hint=self._origin(outputs)) as call:
            losses = self.task.losses(outputs)
        return self._nonnegative(call, losses)

    def evaluation_losses(self, outputs: Outputs) -> Vector:
        with self._charged(outputs, Watched._evaluation_losses):
            return self._evaluation_losses(outputs)

    def _evaluation_losses(self, outputs: Outputs) -> Vector:
        hint, method = self._origin(outputs), "evaluation_losses"
        if isinstance(self.problem, SelfLabelledProblem) and self.problem.evaluation_loss is None:
            hint += ", y an annotation: define evaluation_loss if it is not a complete output"
            method = "losses"
        with self._call(method, hint=hint) as call:
            losses = self.task.evaluation_losses(outputs)
        return self._nonnegative(call, losses)

    def _nonnegative(self, call: Call, losses: Any) -> Vector:
        losses = call.checked(losses, (self.n,), rows=self.index)
        if not np.all(losses >= 0):
            i = int(np.argmin(losses))
            raise ProblemError(
                f"{call.name} must be >= 0; it is {losses[i]} for example {self.index[i]}"
            )
        return losses

    # ------------------------------------------------------------------ joint features

    def joint_features(self, outputs: Outputs, places: Sequence[int]) -> Any:
        def measured(watched: Watched, given: Any) -> Any:
            return watched._rows("joint_features", given, places, hint)

        if outputs is self.Y:
            hint = f"y is {self._truth}"
            with self._charged_imputation(measured):
                return measured(self, outputs)
        hint = self._origin(outputs, "y")
        with self._charged(outputs, measured):
            return measured(self, outputs)

    def differences(self, outputs: Outputs, places: Sequence[int]) -> Any:
        def measured(watched: Watched, given: Any) -> Any:
            return watched._rows("differences", given, places, self._of_difference(outputs))

        with self._charged(outputs, measured):
            return measured(self, outputs)

    def _rows(self, method: str, outputs: Any, places: Sequence[int], hint: str) -> Any:
        with self._call(method, JOINT_FEATURE, hint) as call:
            found = getattr(self.task, method)(outputs, places)
        shape, index = (len(places), self.size), self.index[places]
        if sparse.issparse(found):
            return checked_matrix(call.name, found, shape, index)
        return call.checked(found, shape, rows=index)

    def plane(self, outputs: Outputs, weights: Vector) -> Vector | Entries:
        def measured(watched: Watched, given: Any) -> Any:
            return watched._plane(given, weights, self._of_difference(outputs))

        with self._charged(outputs, measured):
            return measured(self, outputs)

    def _plane(self, outputs: Any, weights: Vector, hint: str) -> Vector | Entries:
        with self._call("plane", JOINT_FEATURE, hint) as call:
            found = self.task.plane(outputs, weights)
        values = found.values if isinstance(found, Entries) else found
        shape = (len(values),) if isinstance(found, Entries) else (self.size,)
        try:
            checked = call.checked(values, shape)
        except ProblemError:
            if call.task is not None:  # the first difference at fault has a better message
                for _ in sliced(self.differences, outputs, self.n, self.size):
                    pass
            raise
        return found if isinstance(found, Entries) else checked

    @where_defined
    def term_sizes(self, outputs: Outputs, places: Sequence[int]) -> tuple[Any, Vector]:
        with self._call("term_sizes", JOINT_FEATURE, self._origin(outputs)) as call:
            found = self.task.term_sizes(outputs, places)
        rows, losses = unpacked(found, 2, call.name, "pair (rows, losses)", "")
        m, index = len(places), self.index[places]
        if not sparse.issparse(rows):
            rows = call.checked(rows, (m, self.size), rows=index)
        return abs(rows), np.abs(call.checked(losses, (m,), rows=index))

    # ------------------------------------------------------------------ the soft oracle

    @where_defined
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        self.tally.calls += self.n
        with self._call("soft") as call:
            found = self.task.soft(read_only(w), mu, weights)
        values, difference, loss, slacks = unpacked(found, 4, call.name, "SoftSum", "")
        return SoftSum(
            call.checked(values, (self.n,), rows=self.index),
            call.checked(difference, (self.size,), single=True),
            float(call.checked(loss, ())),
            None if slacks is None else call.checked(slacks, (self.n,), rows=self.index),
        )

    @where_defined
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        with self._call("curvature") as call:
            found = self.task.curvature(read_only(w), mu, weights)
        variances = call.checked(found, (self.size,))
        if not variances.min() >= 0:
            j = int(variances.argmin())
            raise ProblemError(f"{call.name} must be >= 0; it is {variances[j]} at index {j} of w")
        return variances

    @where_defined
    def axes(self) -> Axes | None:
        with self._call("axes") as call:
            found = self.task.axes()
        if not (found is None or isinstance(found, Axes)):
            raise ProblemError(
                f"{call.name} must return structsvm.Axes or None; it returned {found!r}"
            )
        return found

    # ------------------------------------------------------------------ mini-batches

    @where_defined
    def minibatches(self) -> Sequence[MiniBatch]:
        def watched(task: Any, examples: Indices, columns: Any) -> Watched:
            return Watched(task, self.index[examples], self.tally)

        with self._call("minibatches"):
            return each_task(self.task.minibatches(), watched)

    @where_defined
    def score_outputs(self, w: Vector) -> Vector:
        self.tally.calls += self.n
        with self._call("score_outputs") as call:
            found = self.task.score_outputs(read_only(w))
        k = np.shape(found)[-1] if np.ndim(found) == 2 else 1
        return call.checked(found, (self.n, k), rows=self.index)

    @where_defined
    def expected_difference(self, probabilities: Vector) -> Vector:
        with self._call("expected_difference", JOINT_FEATURE) as call:
            found = self.task.expected_difference(probabilities)
        return call.checked(found, (self.size,), single=True)

    @where_defined
    def products(self) -> Products:
        with self._call("products", JOINT_FEATURE) as call:
            found = self.task.products()
        products, true, features = unpacked(found, 3, call.name, "Products", "")
        true = np.asarray(true)
        if true.shape != (self.n,) or true.dtype.kind not in "iu":
            raise ProblemError(
                f"{call.name} must return the places of {self.n} true outputs; it returned "
                f"{true!r:.80}"
            )
        if features is None:
            products = call.checked(products, (self.n, self.n), rows=self.index)
            return Products(products, true)
        shape = (self.n, *np.shape(features)[1:2])
        return Products(None, true, call.checked(features, shape, rows=self.index))

    @where_defined
    def relabelled(self, passes: Any, weights: Vector, previous: Any = None) -> Any:
        with self._call("relabelled", JOINT_FEATURE) as call:
            rows, losses = self.task.relabelled(passes, weights, previous)
        m = len(passes)
        return call.checked(rows, (m, self.size)), call.checked(losses, (m,))

    # ------------------------------------------------------------------ messages

    def _call(self, method: str, kind: str = ORACLE, hint: str = "") -> Call:
        """A call of a method of the task, or of the problem's method for one example."""
        task, single = self.task, self._single(method)
        if not single:
            owner = type(task).__name__
            return Call(self.problem, method, self.index, self.tally, kind, hint=hint, owner=owner)
        hint = "; ".join(filter(None, (hint, self._made)))
        return Call(self.problem, single, self.index, self.tally, kind, hint=hint, task=task)

    def _single(self, method: str) -> str:
        """The problem's method that a method of the task calls; empty where the task has its own."""
        base, kind = SoftTask if method == "soft" else Task, type(self.task)
        if getattr(kind, method) is not getattr(base, method):
            return ""
        if method == "plane":
            return self._single("differences") or f"{kind.__name__}.differences"
        if method == "differences" and self.problem.has_own_difference:
            return "joint_feature_difference"
        if method == "evaluation_losses" and not isinstance(self.problem, SelfLabelledProblem):
            return self._single("losses")
        return SINGLE.get(method, "")

    def name_of(self, method: str) -> str:
        """The name of a method for messages: of the task, or of the problem."""
        return self._single(method) or f"{type(self.task).__name__}.{method}"

    @property
    def _imputed(self) -> str:
        if isinstance(self.problem, SelfLabelledProblem):
            return "y is what impute returned, or is in Y: only CCCP imputes"
        return ""

    @property
    def _truth(self) -> str:
        if isinstance(self.problem, SelfLabelledProblem):
            return "what impute returned (complete, in a LatentProblem: it must be a whole output)"
        return "the true output"

    def _search_of(self, outputs: Any) -> str:
        """The search that returned the outputs, or those that may have."""
        found, name = self._found
        if found is outputs:
            return name
        cheap = [name for name in ("search_pool", "refine") if getattr(self.task, name) is not None]
        searches = ["search", *([] if self.problem.slack_oracle is None else ["search_rescaled"])]
        return " or ".join(map(self.name_of, [*searches[:1], *cheap]))

    def _origin(self, outputs: Any, argument: str = "y_hat") -> str:
        return f"{argument} is what {self._search_of(outputs)} returned"

    def _of_difference(self, outputs: Any) -> str:
        """The origin of the arguments of a difference, for messages."""
        if self._single("differences") != "joint_feature":
            return self._origin(outputs)
        return f"y is {self._truth}, or what {self._search_of(outputs)} returned"

    def _charged(
        self, outputs: Any, measure: Callable[[Watched, Any], Any]
    ) -> AbstractContextManager[None]:
        """A context for a measure of outputs that charges its errors to the method at fault.

        The task's own outputs are measured for comparison; errors for these are raised as they are.
        """
        if outputs is self.Y:
            return charged({})
        without = {self._search_of(outputs): lambda: self._likeness(measure, outputs)}
        if self._relabelled:
            without[self.name_of("impute")] = lambda: self.with_labels(outputs)._likeness(
                measure, self.Y
            )
        return charged(without)

    def _charged_imputation(
        self, measure: Callable[[Watched, Any], Any]
    ) -> AbstractContextManager[None]:
        """The same for a measure of imputed labels alone, which it compares with predictions."""
        if not self._relabelled:
            return charged({})

        def decoded() -> Likeness:
            labelled = self.with_labels(self.decode(np.zeros(self.size)))
            return Likeness(labelled._likeness(measure, self.Y))

        return charged({self.name_of("impute"): decoded})

    def _likeness(self, measure: Callable[[Watched, Any], Any], outputs: Any) -> Likeness:
        """Whether outputs are like the task's own, which can be measured or raise an error."""
        measure(self, self.Y)
        found = likeness(outputs, self.Y)
        # A relaxed output may have another form.
        relaxed = self.problem.oracle_quality == "overgenerating"
        return min(found, Likeness.UNSETTLED) if relaxed else found


def watched(task: Any) -> Watched:
    """The watched task inside all other wrappers: its weights are 1, its points relative to 0."""
    while not isinstance(task, Watched):
        task = task.task
    return task


def _form(data: Any) -> Any:
    """The type and shape of the first example."""
    try:
        first = data[0]
    except Exception as error:  # scipy < 1.13 cannot index sparse arrays; there is no Y
        return type(error)
    return type(first), getattr(first, "shape", None)
