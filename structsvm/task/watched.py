"""The wrapper that counts, times and checks the calls of a task, and explains errors."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.contract.products import Products
from structsvm.contract.soft_oracle import Axes, SoftSum
from structsvm.data.arrays import Indices, Vector
from structsvm.data.blocks import Stored
from structsvm.exceptions import ProblemError
from structsvm.task import faults
from structsvm.task.advice import advice
from structsvm.task.answers import is_usable
from structsvm.task.call import (
    JOINT_FEATURE,
    ORACLE,
    Call,
    Tally,
    checked_matrix,
    read_only,
    unpacked,
)
from structsvm.task.stored import StoredTask
from structsvm.task.sums import Entries, slices
from structsvm.task.task import Task
from structsvm.task.wrapper import Wrapper, where_defined

NONE = type(None)


class Watched(Wrapper):
    """A task that counts, times and checks its calls.

    Errors are explained by :mod:`structsvm.task.faults`.

    Parameters
    ----------
    task : Task
    index : ndarray of shape (n,)
        The indices of the task's examples among all examples, used in error messages.
    tally : Tally, optional
        The count of calls, shared with all tasks that are made from this task.

    Attributes
    ----------
    index, tally
    whole : int
        The number of examples of the original task, of which this task may be a part.
    imputed : bool
        Whether Y was imputed.
    made : str
        Text added to error messages if the task has converted inputs or outputs to another form.
    found : tuple of sequence and str
        The outputs of the last search, and the name of the search. If the outputs are from a pool
        or from refinement, the name of the search is ''.
    judges : bool
        Whether an error message says which method is at fault after a method such as ``losses`` has
        failed.
    plain : bool
        Whether the task calls the problem's methods for single examples, and the joint features are
        arrays.
    """

    def __init__(self, task: Any, index: Indices, tally: Tally | None = None) -> None:
        super().__init__(task)
        self.index, self.tally, self.whole = index, tally or Tally(), len(index)
        self.imputed, self.made, self.judges = False, "", True
        self.found: tuple[Any, str] = (None, "")
        self.plain = type(task) is Task

    @classmethod
    def of(cls, problem: Any, X: Any, Y: Any, index: Indices) -> Watched:
        """Create the problem's task for the data, and raise an error if the task is invalid."""
        try:
            task = StoredTask(problem, X, Y) if isinstance(X, Stored) else problem.task(X, Y)
        except Exception as error:
            hint = "Y is None to predict" if Y is None else ""
            Call(problem, "task", propagates=ValueError, hint=hint).require_none(error)
            raise
        name = type(problem).__name__
        if not isinstance(task, Task):
            raise ProblemError(
                f"{name}.task must return a structsvm.Task; it returned {task!r:.80}"
            )
        if not hasattr(task, "ends"):
            raise ProblemError(
                f"{type(task).__name__}.__init__ must call super().__init__(problem, X, Y)"
            )
        if task.n != len(index):
            raise ProblemError(
                f"{name}.task must hold the {len(index)} examples that it was given; it holds "
                f"{task.n}; {advice(problem)}"
            )
        watched = cls(task, index)
        changed = []
        for what, given, held in (("X[i]", X, task.X), ("Y[i]", Y, task.Y)):
            if given is not held and _form(given) != _form(held):
                changed.append(what)
        if changed:
            made = " and ".join(changed)
            watched.made = f"{type(task).__name__} made {made}, which {name}'s methods must accept"
        return watched

    def around(self, task: Any, places: Any = slice(None)) -> Any:
        watched = super().around(task)
        watched.index, watched.plain = self.index[places], type(task) is Task
        if getattr(task, "n", None) != len(watched.index):
            raise ProblemError(
                f"{type(self.task).__name__}.part must return the task of the "
                f"{len(watched.index)} examples that it is asked for; it returned {task!r:.80}"
            )
        return watched

    def with_labels(self, labels: Any) -> Any:
        watched = super().with_labels(labels)
        watched.imputed = watched.imputed or labels is not None
        return watched

    # ------------------------------------------------------------------ calls and answers

    def _asked(self, method: str, kind: str, *arguments: Any) -> Any:
        """Call a method of the task, measure the time, and return the value."""
        started = time.perf_counter()
        try:
            return getattr(self.task, method)(*arguments)
        except Exception as error:
            raise faults.named(self, method, arguments, error)  # noqa: B904
        finally:
            self.tally.seconds[kind] += time.perf_counter() - started

    def _numbers(self, method: str, value: Any, shape: tuple[int, ...], **how: Any) -> Vector:
        """Return the value as a finite array of shape `shape`, or raise a ProblemError."""
        if is_usable(value, shape):
            return np.asarray(value)
        return faults.call_of(self, method).checked(value, shape, **how)

    def _searched(self, method: str, w: Vector, *arguments: Any) -> Any:
        """Call a search of the task, and check and return the outputs."""
        return self._outputs(method, self._asked(method, ORACLE, read_only(w), *arguments))

    def _outputs(self, method: str, outputs: Any) -> Any:
        """Return the outputs, or raise a ProblemError if an output is missing or None."""
        complete = hasattr(outputs, "__len__") and len(outputs) == self.n
        # Compare types, since outputs may define any comparison. Other containers are not read.
        if not complete or (isinstance(outputs, list) and NONE in set(map(type, outputs))):
            faults.call_of(self, method).checked_outputs(outputs)
        self.found = outputs, method
        return outputs

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Any:
        self.tally.calls += self.n
        started = time.perf_counter()
        try:  # without _asked, to keep tracebacks short
            outputs = self.task.search(read_only(w))
        except Exception as error:
            raise faults.named(self, "search", (w,), error)  # noqa: B904
        finally:
            self.tally.seconds[ORACLE] += time.perf_counter() - started
        return self._outputs("search", outputs)

    def one(self, place: int, w: Vector) -> tuple[Any, float, Any]:
        """Return what ``Wrapper.one`` returns, by direct calls of the problem if possible."""
        if not self.plain:
            return super().one(place, w)
        task, seconds, problem = self.task, self.tally.seconds, self.task.problem
        x, y, task.place, started = task.X[place], task.Y[place], place, time.perf_counter()
        self.tally.calls += 1
        try:
            output = problem.separation_oracle(x, y, read_only(w))
        except Exception as error:
            raise faults.named(self, "search", (w,), error)  # noqa: B904
        try:
            loss, found = problem.loss(y, output), time.perf_counter()
            if problem.has_own_difference:
                row = problem.joint_feature_difference(x, y, output)
            else:
                row = problem.joint_feature(x, y) - problem.joint_feature(x, output)
            seconds[ORACLE] += found - started
            seconds[JOINT_FEATURE] += time.perf_counter() - found
            usable = output is not None and 0 <= loss < math.inf and is_usable(row, w.shape)
        except Exception:  # the call below raises it again, in words
            usable = False
        if usable:
            return output, float(loss), row
        self.plain = False
        return super().one(place, w)

    def search_rescaled(self, w: Vector) -> Any:
        self.tally.calls += self.n
        return self._searched("search_rescaled", w)

    def decode(self, w: Vector) -> Any:
        if self.plain or self.Y is None:
            return self._searched("decode", w)
        unlabelled = copy.copy(self.task)  # predictions may not depend on Y
        unlabelled.Y = None
        found = self.around(unlabelled)._searched("decode", w)
        self.found = found, "decode"
        return found

    def impute(self, w: Vector) -> Any:
        return self._searched("impute", w)

    @where_defined
    def refine(self, w: Vector, outputs: Any) -> Any:
        return self._searched("refine", w, outputs)

    @where_defined
    def pool_outputs(self, outputs: Any, pool: Any = None) -> Any:
        return self._asked("pool_outputs", ORACLE, outputs, pool)

    @where_defined
    def search_pool(self, w: Vector, pool: Any) -> Any:
        return self._searched("search_pool", w, pool)

    # ------------------------------------------------------------------ measures of outputs

    def losses(self, outputs: Any) -> Vector:
        return self._losses("losses", outputs)

    def evaluation_losses(self, outputs: Any) -> Vector:
        self.found = outputs, "decode"
        return self._losses("evaluation_losses", outputs)

    def _losses(self, method: str, outputs: Any) -> Vector:
        try:
            found = self._asked(method, ORACLE, outputs)
            losses = self._numbers(method, found, (self.n,), rows=self.index)
            if not np.all(losses >= 0):
                i = int(np.argmin(losses))
                raise ProblemError(
                    f"{faults.name_of(self, method)} must be >= 0; it is {losses[i]} for example "
                    f"{self.index[i]}"
                )
            return losses
        except ProblemError as error:
            raise self._judged(error, method, outputs)  # noqa: B904

    def joint_features(self, outputs: Any, places: Sequence[int]) -> Any:
        return self._rows("joint_features", outputs, places)

    def differences(self, outputs: Any, places: Sequence[int]) -> Any:
        return self._rows("differences", outputs, places)

    def _rows(self, method: str, outputs: Any, places: Sequence[int]) -> Any:
        try:
            found = self._asked(method, JOINT_FEATURE, outputs, places)
            shape, index = (len(places), self.size), self.index[places]
            if sparse.issparse(found):
                return checked_matrix(partial(faults.name_of, self, method), found, shape, index)
            return self._numbers(method, found, shape, rows=index)
        except ProblemError as error:
            raise self._judged(error, method, outputs, places)  # noqa: B904

    def plane(self, outputs: Any, weights: Vector) -> Vector | Entries:
        try:
            found = self._asked("plane", JOINT_FEATURE, outputs, read_only(weights))
            if isinstance(found, Entries):
                self._numbers("plane", found.values, (len(found.values),))
                return found
            return self._numbers("plane", found, (self.size,))
        except ProblemError as error:
            if error.__cause__ is None and faults.single_form(self, "plane"):
                # The difference that fails first has a better message.
                counted = np.flatnonzero(weights)
                for some, _, _ in slices([len(counted)], self.size):
                    self.differences(outputs, counted[some.start : some.stop].tolist())
            raise self._judged(error, "plane", outputs, weights)  # noqa: B904

    def _judged(self, error: ProblemError, method: str, *arguments: Any) -> ProblemError:
        """Return an error that names the method or the search at fault: see ``faults.verdict``."""
        return faults.verdict(self, error, method, *arguments) if self.judges else error

    @where_defined
    def term_sizes(self, outputs: Any, places: Sequence[int]) -> tuple[Any, Vector]:
        found = self._asked("term_sizes", JOINT_FEATURE, outputs, places)
        rows, losses = self._unpacked("term_sizes", found, 2, "pair (rows, losses)")
        m, index = len(places), self.index[places]
        if not sparse.issparse(rows):
            rows = self._numbers("term_sizes", rows, (m, self.size), rows=index)
        return abs(rows), np.abs(self._numbers("term_sizes", losses, (m,), rows=index))

    def _unpacked(self, method: str, found: Any, count: int, expected: str) -> tuple[Any, ...]:
        if isinstance(found, tuple) and len(found) == count:
            return found
        return unpacked(found, count, faults.name_of(self, method), expected)

    # ------------------------------------------------------------------ the soft oracle

    @where_defined
    def soft(self, w: Vector, mu: float, weights: Vector) -> SoftSum:
        self.tally.calls += self.n
        found = self._asked("soft", ORACLE, read_only(w), mu, read_only(weights))
        values, difference, loss, slacks = self._unpacked("soft", found, 4, "SoftSum")
        return SoftSum(
            self._numbers("soft", values, (self.n,), rows=self.index),
            self._numbers("soft", difference, (self.size,), single=True),
            float(faults.call_of(self, "soft").checked(loss, ())),
            None if slacks is None else self._numbers("soft", slacks, (self.n,), rows=self.index),
        )

    @where_defined
    def curvature(self, w: Vector, mu: float, weights: Vector) -> Vector:
        found = self._asked("curvature", ORACLE, read_only(w), mu, read_only(weights))
        variances = self._numbers("curvature", found, (self.size,))
        if not variances.min() >= 0:
            j = int(variances.argmin())
            name = faults.name_of(self, "curvature")
            raise ProblemError(f"{name} must be >= 0; it is {variances[j]} at index {j} of w")
        return variances

    @where_defined
    def axes(self) -> Axes | None:
        found = self._asked("axes", ORACLE)
        if not (found is None or isinstance(found, Axes)):
            raise ProblemError(
                f"{faults.name_of(self, 'axes')} must return structsvm.Axes or None; it returned "
                f"{found!r}"
            )
        return found

    # ------------------------------------------------------------------ few outputs

    @where_defined
    def score_outputs(self, w: Vector) -> Vector:
        self.tally.calls += self.n
        found = self._asked("score_outputs", ORACLE, read_only(w))
        k = np.shape(found)[-1] if np.ndim(found) == 2 else 1
        return self._numbers("score_outputs", found, (self.n, k), rows=self.index)

    @where_defined
    def expected_difference(self, probabilities: Vector) -> Vector:
        found = self._asked("expected_difference", JOINT_FEATURE, probabilities)
        return self._numbers("expected_difference", found, (self.size,), single=True)

    @where_defined
    def products(self) -> Products:
        found = self._asked("products", JOINT_FEATURE)
        products, true, features = self._unpacked("products", found, 3, "Products")
        true = np.asarray(true)
        if true.shape != (self.n,) or true.dtype.kind not in "iu":
            raise ProblemError(
                f"{faults.name_of(self, 'products')} must return the places of {self.n} true "
                f"outputs; it returned {true!r:.80}"
            )
        if features is None:
            shape = (self.n, self.n)
            return Products(self._numbers("products", products, shape, rows=self.index), true)
        shape = (self.n, *np.shape(features)[1:2])
        if sparse.issparse(features):
            name = partial(faults.name_of, self, "products")
            return Products(None, true, checked_matrix(name, features, shape, self.index))
        return Products(None, true, self._numbers("products", features, shape, rows=self.index))

    @where_defined
    def relabelled(self, passes: Any, weights: Vector, previous: Any = None) -> Any:
        found = self._asked("relabelled", JOINT_FEATURE, passes, read_only(weights), previous)
        rows, losses = self._unpacked("relabelled", found, 2, "pair (rows, losses)")
        m = len(passes)
        rows = self._numbers("relabelled", rows, (m, self.size))
        return rows, self._numbers("relabelled", losses, (m,))


def watched(task: Any) -> Watched:
    """Return the :class:`Watched` inside the wrappers that add weights and a prior to a task."""
    while not isinstance(task, Watched):
        task = task.task
    return task


def _form(data: Any) -> Any:
    """Return the type and shape of the first example."""
    try:
        first = data[0]
    except Exception as error:  # Y is None, or scipy < 1.13 cannot index sparse arrays
        return type(error)
    return type(first), getattr(first, "shape", None)
