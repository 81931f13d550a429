"""Calling a problem's methods over its data: validated, counted and timed.

Everything the engine asks of a problem passes through :class:`BoundProblem`. A batch form is used
where the problem offers one, else the single form in a loop; either way what comes back is checked
and a fault is reported with the method's name and the example's index.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from structsvm.exceptions import ProblemError
from structsvm.problem import Indices, Problem, SelfLabelledProblem, SoftSum, Vector, offers

#: Numbers of joint-feature differences held in memory at once.
CHUNK = 4_000_000


def require_problem(problem: Any) -> None:
    """Raise a TypeError unless it is an instance of Problem."""
    if not isinstance(problem, Problem):
        hint = "; a class: add ()" if isinstance(problem, type) else ""
        raise TypeError(f"problem must be an instance of structsvm.Problem; got {problem!r}{hint}")


def n_examples(data: Any, name: str = "X") -> int:
    """The length of X or Y, which may be an array, a sparse matrix or any sequence."""
    if hasattr(data, "iloc"):
        raise ValueError(
            f"{name} is indexed by label, as pandas does, where examples are counted from 0; "
            f"pass {name}.to_numpy()"
        )
    try:
        return int(data.shape[0]) if hasattr(data, "shape") else len(data)
    except (TypeError, IndexError):
        raise ValueError(
            f"{name} must be a sequence of examples; got {type(data).__name__}"
        ) from None


def take(data: Any, rows: Sequence[int] | Indices | slice) -> Any:
    """The examples at ``rows``, in the same kind of container where it can be indexed so."""
    if hasattr(data, "shape") or isinstance(rows, slice):
        return data[rows]
    return [data[i] for i in rows]


def initialize(problem: Problem, X: Any, Y: Any) -> None:
    """Let the problem learn its sizes, and check that X, Y and the sizes are usable."""
    n = n_examples(X)
    if n == 0:
        raise ValueError("X is empty; expected at least one example")
    if Y is not None and n_examples(Y, "Y") != n:
        raise ValueError(f"X has {n} examples but Y has {n_examples(Y)}; they must be equal")
    _of_the_data(problem, "initialize", X, Y)
    size = getattr(problem, "size_joint_feature", None)
    if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 1:
        raise ProblemError(
            f"{type(problem).__name__}.initialize must set size_joint_feature to the length of "
            f"the joint feature, an integer >= 1; it is {size!r}"
        )


def _of_the_data(problem: Problem, method: str, X: Any, Y: Any) -> Any:
    """What a method says of the data; a ValueError is the problem's own word on them."""
    try:
        return getattr(problem, method)(X, Y)
    except ValueError:
        raise
    except Exception as error:
        raise ProblemError(
            f"{type(problem).__name__}.{method} raised {type(error).__name__}: {error}"
        ) from error


class BoundProblem:
    """An initialized problem and data, ready to be asked.

    Attributes
    ----------
    n : int
        Number of examples.
    size : int
        Length of w.
    oracle_calls : int
        Calls of the separation oracle or the soft one so far, one per example and pass that does
        not only refine; those over subsets are counted here too.
    seconds : dict of str to float
        Wall time spent in 'oracle' (oracles, losses, imputation) and 'joint_feature'.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any = None,
        rescaling: str = "margin",
        use_batch_forms: bool = True,
    ) -> None:
        self.problem = problem
        self.n = n_examples(X)
        self.size = int(problem.size_joint_feature)
        self.rescaling = rescaling
        self.use_batch_forms = use_batch_forms
        self.index: Indices = np.arange(self.n)
        self._calls = [0]  # shared by subsets, as the seconds are
        self.seconds = {"oracle": 0.0, "joint_feature": 0.0}
        self.X, self.Y = _of_the_data(problem, "prepare", X, Y)

    @property
    def oracle_calls(self) -> int:
        return self._calls[0]

    def subset(self, examples: Sequence[int] | Indices) -> BoundProblem:
        """The same problem over some of the examples; errors keep naming them by old index."""
        part = copy.copy(self)
        part.X = take(self.X, examples)
        part.Y = None if self.Y is None else take(self.Y, examples)
        part.n, part.index = len(examples), self.index[examples]
        return part

    # ------------------------------------------------------------------ the oracle's side

    def separate(self, labels: Any, w: Vector) -> Sequence[Any]:
        """The most violated output of every example."""
        single = "separation_oracle" if self.rescaling == "margin" else "slack_oracle"
        self._calls[0] += self.n
        with self._timed("oracle"):
            return self._outputs(single, lambda i: (self.X[i], labels[i], w), (self.X, labels, w))

    def soft(self, labels: Any, w: Vector, mu: float) -> SoftSum:
        """The soft outputs of all examples, summed where only the sum is wanted."""
        self._calls[0] += self.n
        with self._timed("oracle"):
            if not self._offers("sum_soft_oracle"):
                return self._sum_of_soft(labels, w, mu)
            found = self._call("sum_soft_oracle", None, self.X, labels, w, mu)
        method = "sum_soft_oracle"
        try:
            values, difference, loss, slacks = found
        except (TypeError, ValueError):
            raise ProblemError(
                f"{method} must return a SoftSum; it returned {found!r:.80}"
            ) from None
        return SoftSum(
            _checked(method, values, (self.n,), rows=self.index),
            _checked(method, difference, (self.size,)),
            float(_checked(method, loss, ())),
            None if slacks is None else _checked(method, slacks, (self.n,), rows=self.index),
        )

    def _sum_of_soft(self, labels: Any, w: Vector, mu: float) -> SoftSum:
        values, total, losses = np.empty(self.n), np.zeros(self.size), 0.0
        for i in range(self.n):
            found, where = (
                self._call("soft_oracle", i, self.X[i], labels[i], w, mu),
                self._where(i),
            )
            try:
                value, difference, loss = found
            except (TypeError, ValueError):
                raise ProblemError(
                    f"soft_oracle must return a SoftOutput{where}; it returned {found!r:.80}"
                ) from None
            values[i] = _checked("soft_oracle", value, (), where)
            total += _checked("soft_oracle", difference, (self.size,), where)
            losses += float(_checked("soft_oracle", loss, (), where))
        return SoftSum(values, total, losses)

    @property
    def may_refine(self) -> bool:
        """Whether earlier outputs can be refined in place of a full search."""
        return (
            self.problem.oracle_quality == "undergenerating"
            and self.rescaling == "margin"
            and not isinstance(self.problem, SelfLabelledProblem)
            and offers(self.problem, "refine")
        )

    def refine(self, labels: Any, w: Vector, outputs: Sequence[Any]) -> Sequence[Any]:
        """A more violated output near the given one, for every example."""
        with self._timed("oracle"):
            return self._outputs("refine", lambda i: (self.X[i], labels[i], w, outputs[i]), None)

    def impute(self, w: Vector) -> Any:
        """Labels of a self-labelled problem at w."""
        annotation = (lambda i: None) if self.Y is None else (lambda i: self.Y[i])
        with self._timed("oracle"):
            return self._outputs("impute", lambda i: (self.X[i], annotation(i), w), None)

    def decode(self, w: Vector) -> Sequence[Any]:
        """The prediction for every example."""
        return self._outputs("decode", lambda i: (self.X[i], w), (self.X, w))

    def losses(self, labels: Any, outputs: Sequence[Any]) -> Vector:
        """The loss of every example's output, shape (n,)."""
        with self._timed("oracle"):
            if self._offers("batch_loss"):
                losses = self._array("batch_loss", (self.n,), labels, outputs, rows=self.index)
            else:
                losses = np.array([self._loss(i, labels[i], outputs[i]) for i in range(self.n)])
        if not np.all(losses >= 0):
            i = int(np.argmin(losses))
            raise ProblemError(f"loss must be >= 0; it is {losses[i]}{self._where(i)}")
        return losses

    def constraints(self) -> Any:
        """The problem's A and b, or None."""
        return self._call("constraints", None)

    def lower_bounds(self) -> Any:
        """The problem's lower bounds on w, or None."""
        return self._call("lower_bounds", None)

    # ------------------------------------------------------------------ joint features

    def joint_feature(self, i: int, y: Any) -> Vector:
        """Psi(x_i, y)."""
        psi = self._call("joint_feature", i, self.X[i], y)
        return _checked("joint_feature", psi, (self.size,), self._where(i))

    def sum_difference(self, labels: Any, outputs: Sequence[Any], weights: Vector) -> Vector:
        """sum_i weights[i] * joint_feature_difference(x_i, y_i, y_hat_i)."""
        with self._timed("joint_feature"):
            if self._offers("sum_joint_feature_difference"):
                return self._array(
                    "sum_joint_feature_difference", (self.size,), self.X, labels, outputs, weights
                )
            total = np.zeros(self.size)
            for i in np.flatnonzero(weights).tolist():
                total += weights[i] * self._difference(i, labels[i], outputs[i])
            return total

    def differences(self, labels: Any, outputs: Sequence[Any]) -> Iterator[tuple[slice, Vector]]:
        """joint_feature_difference of all examples, a chunk of rows at a time."""
        for rows, chunk in self.differences_as_they_are(labels, outputs):
            yield rows, chunk.toarray() if sparse.issparse(chunk) else chunk

    def differences_as_they_are(
        self, labels: Any, outputs: Sequence[Any]
    ) -> Iterator[tuple[slice, Any]]:
        """The same, in CSR format where the problem returns that."""
        batch = self._offers("batch_joint_feature_difference")
        step = max(1, CHUNK // self.size)
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            with self._timed("joint_feature"):
                if batch:
                    parts = (take(data, rows) for data in (self.X, labels, outputs))
                    chunk = self._rows("batch_joint_feature_difference", rows, *parts)
                else:
                    chunk = np.array(
                        [
                            self._difference(i, labels[i], outputs[i])
                            for i in range(rows.start, rows.stop)
                        ]
                    )
            yield rows, chunk

    def relabelled_planes(
        self,
        labels: Any,
        passes: Sequence[Sequence[Any]],
        weights: Vector,
        previous: tuple[Any, Vector, Vector] | None = None,
    ) -> tuple[Vector, Vector]:
        """The planes of m earlier passes against new labels: rows (m, size), offsets (m,)."""
        if self._offers("relabelled_planes"):
            with self._timed("joint_feature"):
                rows, offsets = self._call(
                    "relabelled_planes", None, self.X, labels, passes, weights, previous
                )
            return (
                _checked("relabelled_planes", rows, (len(passes), self.size)),
                _checked("relabelled_planes", offsets, (len(passes),)),
            )
        pairs = list(zip(passes, weights, strict=True))
        rows = [self.sum_difference(labels, outputs, weight) for outputs, weight in pairs]
        offsets = [float(weight @ self.losses(labels, outputs)) for outputs, weight in pairs]
        return np.array(rows), np.array(offsets)

    # ------------------------------------------------------------------ one call

    def _outputs(
        self, single: str, arguments: Callable[[int], tuple], batch_arguments: tuple | None
    ) -> Sequence[Any]:
        batch = "batch_" + single
        if batch_arguments is not None and self._offers(batch):
            outputs = self._call(batch, None, *batch_arguments)
            found = len(outputs) if isinstance(outputs, Sized) else type(outputs).__name__
            if found != self.n:
                raise ProblemError(f"{batch} must return {self.n} outputs; it returned {found}")
            return outputs
        outputs = [self._call(single, i, *arguments(i)) for i in range(self.n)]
        for i, output in enumerate(outputs):
            if output is None:
                raise ProblemError(f"{single} returned None{self._where(i)}; expected an output")
        return outputs

    def _difference(self, i: int, y: Any, y_hat: Any) -> Vector:
        difference = self._call("joint_feature_difference", i, self.X[i], y, y_hat)
        return _checked("joint_feature", difference, (self.size,), self._where(i))

    def _loss(self, i: int, y: Any, y_hat: Any) -> float:
        return float(_checked("loss", self._call("loss", i, y, y_hat), (), self._where(i)))

    def _rows(self, method: str, rows: slice, *arguments: Any) -> Any:
        """A row for every example, dense or CSR."""
        shape, index = (rows.stop - rows.start, self.size), self.index[rows]
        found = self._call(method, None, *arguments)
        if not sparse.issparse(found):
            return _checked(method, found, shape, rows=index)
        found = found.tocsr().astype(np.float64)
        if found.shape != shape:
            raise ProblemError(f"{method} must return shape {shape}; got shape {found.shape}")
        if not np.isfinite(found.data).all():
            bad = np.searchsorted(found.indptr, np.argmin(np.isfinite(found.data)), "right") - 1
            raise ProblemError(f"{method} returned NaN or infinity for example {index[bad]}")
        return found

    def _array(
        self, method: str, shape: tuple[int, ...], *arguments: Any, rows: Any = None
    ) -> Vector:
        return _checked(method, self._call(method, None, *arguments), shape, rows=rows)

    def _call(self, method: str, i: int | None, *arguments: Any) -> Any:
        try:
            return getattr(self.problem, method)(*arguments)
        except Exception as error:
            raise ProblemError(
                f"{type(self.problem).__name__}.{method} raised {type(error).__name__}"
                f"{self._where(i)}: {error}"
            ) from error

    def _where(self, i: int | None) -> str:
        return "" if i is None else f" for example {self.index[i]}"

    def _offers(self, method: str) -> bool:
        return self.use_batch_forms and offers(self.problem, method)

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] += time.perf_counter() - start


def _checked(
    method: str, value: Any, shape: tuple[int, ...], where: str = "", rows: Any = None
) -> Vector:
    """The value as a finite float64 array of the shape asked for, or a ProblemError.

    ``rows`` are the numbers of the examples that the rows of the array belong to.
    """
    if value is None:
        raise ProblemError(f"{method} returned None{where}; expected numbers of shape {shape}")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"{method} must return numbers of shape {shape}{where}; got {type(value).__name__}"
        ) from error
    if array.shape != shape:
        raise ProblemError(
            f"{method} must return shape {shape}{where}; got shape {array.shape}"
            + (" (the length is size_joint_feature)" if method.endswith("feature") else "")
        )
    if not np.isfinite(array).all():
        if rows is not None:
            bad = ~np.isfinite(array.reshape(len(rows), -1)).all(axis=1)
            where = f" for example {rows[np.argmax(bad)]}"
        raise ProblemError(f"{method} returned NaN or infinity{where}")
    return array
