"""Calls of a problem's methods, with a count, explained errors and checked return values."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from structsvm.contract.problem import Problem
from structsvm.data.arrays import Indices, Vector
from structsvm.data.sparse_indices import fault_of_indices
from structsvm.exceptions import InputError, ProblemError
from structsvm.task.advice import CHECK, advice, is_own
from structsvm.task.answers import REAL, UnusableAnswer, real_array

#: The name for the time of oracles, losses and imputation.
ORACLE = "oracle"
#: The name for the time of joint features.
JOINT_FEATURE = "joint_feature"
#: The remedy if a method takes too much memory.
MEMORY = (
    "use sparse features, single precision, fewer classes or fewer jobs, or set block_size in the "
    "problem: a block has at least so many examples, and a 32nd of all"
)
#: The remedy for numbers that are not finite.
FINITE = "look for missing values in the data, a division by 0 or an overflow"


class Tally:
    """A count of oracle calls, and of the time spent in a problem's methods.

    Attributes
    ----------
    calls : int
        Number of calls of the separation oracle or the soft oracle, one per example and pass.
        Refinements of earlier outputs do not count as calls.
    seconds : dict of str to float
        Wall time spent in 'oracle' (oracles, losses, imputation) and in 'joint_feature'.
    """

    def __init__(self) -> None:
        self.calls, self.seconds = 0, {ORACLE: 0.0, JOINT_FEATURE: 0.0}

    def add(self, other: Tally, scale: float = 1.0) -> None:
        """Add the calls of ``other``, and ``scale`` times the seconds of ``other``."""
        self.calls += other.calls
        for what, seconds in other.seconds.items():
            self.seconds[what] += scale * seconds

    def take(self) -> Tally:
        """Return a copy of this tally, and reset this tally to 0."""
        taken = Tally()
        taken.calls, taken.seconds = self.calls, self.seconds
        Tally.__init__(self)
        return taken


class Call:
    """A context for calls of a method of a problem or a task.

    An exception in the context becomes a ProblemError that names the method and the example.

    Parameters
    ----------
    problem : Problem
    method : str
        Name of the method, for messages.
    index : ndarray, optional
        Indices of the examples among all examples, for messages.
    hint : str, default=""
        A hint for messages, which names another possible cause, such as the outputs passed to the
        method.
    place : int, optional
        The position of the example for which the method is called.
    propagates : type or tuple of types, default=ProblemError
        Exceptions that are not converted to a ProblemError.
    task : Task, optional
        The task that calls the method for one example after another.
    owner : str, optional
        The name of the class that defines the method, if different from the problem's class.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        index: Indices | None = None,
        hint: str = "",
        place: int | None = None,
        propagates: type[Exception] | tuple[type[Exception], ...] = ProblemError,
        task: Any = None,
        owner: str = "",
    ) -> None:
        self.problem, self.index, self.task, self.owner = problem, index, task, owner
        self.method, self.name = method, f"{owner}.{method}" if owner else method
        self.hint, self.remedy = hint, "; ".join(filter(None, (hint, advice(problem))))
        self.place, self.propagates = place, propagates

    def __enter__(self) -> Call:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A KeyboardInterrupt is not an Exception, and no error of the problem.
        if isinstance(error, Exception):
            self.require_none(error)

    def require_none(self, error: Exception) -> None:
        """Convert an error to a ProblemError that names method and example, or let it propagate."""
        if self.task is not None and self.task.place is not None:
            self.place, self.task.place = self.task.place, None
        if isinstance(error, UnusableAnswer):
            where = self.where(error.place)
            if error.expected:
                raise ProblemError(
                    f"{self.name} must return a {error.expected}{where}; it returned "
                    f"{error.answer!r:.80}"
                ) from None
            checked(self.name, error.answer, error.shape, where, remedy=self.remedy)
        if isinstance(error, self.propagates):
            return
        notes = [self._inheritance(), self.remedy if self.hint else ""]
        if isinstance(error, (InputError, ImportError)):
            notes = []
        remedy = f" ({'; '.join(filter(None, notes))})" if any(notes) else ""
        if "read-only" in str(error):
            remedy = " (arguments must not be changed: work on a copy)"
        where = self.where()
        if isinstance(error, MemoryError):
            remedy = f" ({MEMORY})"
            if not where and self.index is not None:
                where = f" for {len(self.index)} examples at once"
        raise ProblemError(
            f"{self.owner or type(self.problem).__name__}.{self.method} raised "
            f"{type(error).__name__}{where}: {error}{remedy}"
        ) from error

    def _inheritance(self) -> str:
        """Return a remark for a message if a class of structsvm defines the method, or ''."""
        kind = type(self.problem)
        if self.owner:
            return ""
        owner = next((base for base in kind.__mro__ if self.method in vars(base)), kind)
        if not is_own(owner) or owner in (kind, Problem):
            return ""
        return f"{kind.__name__} inherits {self.method} from {owner.__name__}"

    def where(self, place: int | None = None) -> str:
        """Return text such as ' for example 3', which names an example in an error message."""
        place = self.place if place is None else place
        return "" if place is None or self.index is None else f" for example {self.index[place]}"

    def checked(self, value: Any, shape: tuple[int, ...], **place: Any) -> Vector:
        """Return the method's value as an array of shape `shape`: see :func:`checked`."""
        return checked(self.name, value, shape, remedy=self.remedy, **place)

    def checked_outputs(self, outputs: Any) -> Any:
        """Return the outputs, or raise a ProblemError if an output is missing or None."""
        assert self.index is not None
        try:
            found: int | str = len(outputs)
        except TypeError:  # for example an array without dimensions
            found = type(outputs).__name__
        n, hint = len(self.index), f"; {self.hint}" if self.hint else ""
        if found != n:
            raise ProblemError(f"{self.name} must return {n} outputs; it returned {found}{hint}")
        for place, output in enumerate(outputs if isinstance(outputs, list) else ()):
            if output is None:
                raise ProblemError(
                    f"{self.name} returned None{self.where(place)}; expected an output"
                )
        return outputs


def checked(
    method: str,
    value: Any,
    shape: tuple[int, ...],
    where: str = "",
    rows: Any = None,
    remedy: str = CHECK,
    single: bool = False,
) -> Vector:
    """Return the value as a finite float64 array of shape `shape`, or raise a ProblemError.

    Error messages end with the advice ``remedy``. ``rows[i]`` is the index of the example of row i,
    for error messages. If ``single`` is true, float32 stays float32.
    """
    expected = f"numbers of shape {shape}" if shape else "a number"
    if value is None:
        raise ProblemError(f"{method} returned None{where}; expected {expected}; {remedy}")
    try:
        array = real_array(value, single)
    except TypeError as error:
        raise ProblemError(
            f"{method} must return {expected}{where}; got {error}; {remedy}"
        ) from error.__cause__
    if array.shape != shape:
        hint = (
            "; the length is size_joint_feature, which initialize sets" if "joint" in method else ""
        )
        if array.size == np.prod(shape):
            hint = "; return it flat, as ravel() does" if shape else "; return float(...) of it"
        raise ProblemError(
            f"{method} must return {f'shape {shape}' if shape else 'a number'}{where}; got shape "
            f"{array.shape}{hint}; {remedy}"
        )
    # The product is finite if all numbers are and none is huge: mostly one pass is enough.
    if not (math.isfinite(np.vdot(array, array)) or np.isfinite(array).all()):
        if rows is not None:
            bad = ~np.isfinite(array.reshape(len(rows), -1)).all(axis=1)
            where = f" for example {rows[np.argmax(bad)]}"
        raise ProblemError(f"{method} returned NaN or infinity{where}; {FINITE}; {remedy}")
    return array


def checked_matrix(
    name: Callable[[], str], found: Any, shape: tuple[int, int], index: Indices
) -> Any:
    """Convert a sparse array to finite float64 CSR of shape `shape`, or raise a ProblemError.

    ``name()`` returns the name of the method, for error messages. ``index`` holds the index of each
    row's example.
    """
    fault = fault_of_indices(found)
    if fault:
        where = f" for example {index[0]}" if shape[0] == 1 else ""
        raise ProblemError(f"{name()} returned an invalid sparse array{where}: {fault}; {CHECK}")
    rows = found.reshape((1, -1)) if found.ndim == 1 else found
    if rows.shape != shape:
        raise ProblemError(
            f"{name()} must return shape {shape}; got shape {found.shape}, {type(found).__name__}"
        )
    if rows.dtype.kind not in REAL:
        raise ProblemError(f"{name()} must return real numbers; got dtype {rows.dtype}")
    rows = rows.tocsr().astype(np.float64)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        bad = np.searchsorted(rows.indptr, np.argmin(np.isfinite(rows.data)), "right") - 1
        raise ProblemError(f"{name()} returned NaN or infinity for example {index[bad]}; {FINITE}")
    return rows


def read_only(w: Vector) -> Vector:
    """Return a view of w that a problem's method cannot change."""
    view = w.view()
    view.flags.writeable = False
    return view


def unpacked(found: Any, count: int, method: str, expected: str) -> tuple[Any, ...]:
    """Return the fields of a method's value, or raise a ProblemError if their number is wrong."""
    try:
        fields = tuple(found)
    except TypeError:
        fields = ()
    if len(fields) != count:
        raise ProblemError(f"{method} must return a {expected}; it returned {found!r:.80}")
    return fields
