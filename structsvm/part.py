"""A problem asked about some examples: its methods in single or batch form, counted and timed.

Everything the engine asks about examples passes through :class:`Part`. A batch form is used where
the problem offers one, else the single form in a loop; either way what comes back is checked, and a
fault is reported with the method's name and the example's index.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.calls import call, call_with_data, checked
from structsvm.containers import take
from structsvm.exceptions import ProblemError
from structsvm.problem import Indices, Problem, SoftSum, Vector, offers

#: Numbers of joint-feature differences held in memory at once.
CHUNK = 4_000_000


class Answer(NamedTuple):
    """What a function of a part returned, and what it asked of the problem for that."""

    found: Any
    calls: int
    seconds: dict[str, float]


class Part:
    """An initialized problem and some of the examples, ready to be asked.

    Attributes
    ----------
    n : int
        Number of these examples.
    size : int
        Length of w.
    index : ndarray of shape (n,)
        Their numbers among all examples, by which errors name them.
    X, Y : sequences
        Inputs and outputs, as the problem's ``prepare`` returns them.
    calls : int
        Calls of the separation oracle or the soft one so far, one per example and pass that does
        not only refine.
    seconds : dict of str to float
        Time spent in 'oracle' (oracles, losses, imputation) and 'joint_feature'.
    """

    def __init__(
        self,
        problem: Problem,
        X: Any,
        Y: Any,
        index: Indices,
        rescaling: str = "margin",
        use_batch_forms: bool = True,
    ) -> None:
        self.problem, self.index, self.n = problem, index, len(index)
        self.size = int(problem.size_joint_feature)
        self.rescaling = rescaling
        self.use_batch_forms = use_batch_forms
        self.X, self.Y = call_with_data(problem, "prepare", X, Y)
        self._start_tally()

    def _start_tally(self) -> None:
        self.calls, self.seconds = 0, {"oracle": 0.0, "joint_feature": 0.0}

    def answer(self, function: Callable[..., Any], labels: Any, *arguments: Any) -> Answer:
        """``function(part, labels, *arguments)``, the labels None for the examples' own."""
        self._start_tally()
        found = function(self, self.Y if labels is None else labels, *arguments)
        return Answer(found, self.calls, self.seconds)

    def subset(self, rows: Indices) -> Part:
        """Some of these examples, by their place among them."""
        part = copy.copy(self)
        part.X = take(self.X, rows)
        part.Y = None if self.Y is None else take(self.Y, rows)
        part.n, part.index = len(rows), self.index[rows]
        part._start_tally()
        return part

    # ------------------------------------------------------------------ the oracle's side

    def separate(self, labels: Any, w: Vector) -> Sequence[Any]:
        """The most violated output of every example."""
        single = "separation_oracle" if self.rescaling == "margin" else "slack_oracle"
        self.calls += self.n
        with self._timed("oracle"):
            return self._outputs(single, lambda i: (self.X[i], labels[i], w), (self.X, labels, w))

    def soft(self, labels: Any, w: Vector, mu: float) -> SoftSum:
        """The soft outputs of all examples, summed where only the sum is wanted."""
        self.calls += self.n
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
            checked(method, values, (self.n,), rows=self.index),
            checked(method, difference, (self.size,)),
            float(checked(method, loss, ())),
            None if slacks is None else checked(method, slacks, (self.n,), rows=self.index),
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
            values[i] = checked("soft_oracle", value, (), where)
            total += checked("soft_oracle", difference, (self.size,), where)
            losses += float(checked("soft_oracle", loss, (), where))
        return SoftSum(values, total, losses)

    def refine(self, labels: Any, w: Vector, outputs: Sequence[Any]) -> Sequence[Any]:
        """A more violated output near the given one, for every example."""
        with self._timed("oracle"):
            return self._outputs("refine", lambda i: (self.X[i], labels[i], w, outputs[i]), None)

    def impute(self, annotations: Any, w: Vector) -> Any:
        """Labels of a self-labelled problem at w."""
        annotation = (lambda i: None) if annotations is None else (lambda i: annotations[i])
        with self._timed("oracle"):
            return self._outputs("impute", lambda i: (self.X[i], annotation(i), w), None)

    def decode(self, labels: Any, w: Vector) -> Sequence[Any]:
        """The prediction for every example, whatever its label."""
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

    # ------------------------------------------------------------------ joint features

    def rescaled(self, weights: Vector, losses: Vector) -> Vector:
        """Weights of the joint-feature differences: slack rescaling multiplies them by the loss."""
        return weights if self.rescaling == "margin" else weights * losses

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
        return checked("joint_feature", difference, (self.size,), self._where(i))

    def _loss(self, i: int, y: Any, y_hat: Any) -> float:
        return float(checked("loss", self._call("loss", i, y, y_hat), (), self._where(i)))

    def _rows(self, method: str, rows: slice, *arguments: Any) -> Any:
        """A row for every example, dense or CSR."""
        shape, index = (rows.stop - rows.start, self.size), self.index[rows]
        found = self._call(method, None, *arguments)
        if not sparse.issparse(found):
            return checked(method, found, shape, rows=index)
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
        return checked(method, self._call(method, None, *arguments), shape, rows=rows)

    def _call(self, method: str, i: int | None, *arguments: Any) -> Any:
        return call(self.problem, method, *arguments, where=self._where(i))

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
