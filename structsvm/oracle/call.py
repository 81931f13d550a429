"""Calls of a problem's methods: timed, their errors named, what they return checked."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence, Sized
from types import TracebackType
from typing import Any

import numpy as np

from structsvm.exceptions import ProblemError
from structsvm.problem import Indices, Problem, Vector

#: The time of a call counts as that of an oracle, a loss or an imputation,
ORACLE = "oracle"
#: or as that of joint features.
JOINT_FEATURE = "joint_feature"


class Tally:
    """Oracle calls, and the time spent in a problem's methods.

    Attributes
    ----------
    calls : int
        Calls of the separation oracle or the soft oracle, one per example and pass; refining an
        earlier output does not count.
    seconds : dict of str to float
        Wall time in 'oracle' (oracles, losses, imputation) and in 'joint_feature'.
    """

    def __init__(self) -> None:
        self.calls, self.seconds = 0, {ORACLE: 0.0, JOINT_FEATURE: 0.0}

    def add(self, other: Tally, scale: float = 1.0) -> None:
        """Add another tally, its seconds multiplied by ``scale``."""
        self.calls += other.calls
        for what, seconds in other.seconds.items():
            self.seconds[what] += scale * seconds

    def take(self) -> Tally:
        """Return a copy, and start again at 0."""
        taken = Tally()
        taken.calls, taken.seconds = self.calls, self.seconds
        Tally.__init__(self)
        return taken


class Call:
    """A context for calls of one method of a problem, for some examples or for none in particular.

    An exception inside becomes a ProblemError that names the method and the example. It is a
    context, not a function that calls the method, so that the call stands in the code as
    ``problem.method(...)`` and a traceback has no frame between.

    Parameters
    ----------
    problem : Problem
    method : str
        Name of the method, for messages.
    index : ndarray, optional
        Numbers of the examples among all, for messages.
    tally : Tally, optional
        Where the time is added, under ``kind``.
    kind : str
    propagates : type, default=ProblemError
        Exceptions that are left as they are.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        index: Indices | None = None,
        tally: Tally | None = None,
        kind: str = ORACLE,
        propagates: type[Exception] = ProblemError,
    ) -> None:
        self.problem, self.method, self.index = problem, method, index
        self.tally, self.kind, self.propagates = tally, kind, propagates
        self._place: int | None = None

    def __enter__(self) -> Call:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.tally is not None:
            self.tally.seconds[self.kind] += time.perf_counter() - self._started
        # KeyboardInterrupt and the like are no Exception: they are not the problem's errors.
        if isinstance(error, Exception) and not isinstance(error, self.propagates):
            raise ProblemError(
                f"{type(self.problem).__name__}.{self.method} raised "
                f"{type(error).__name__}{self.where()}: {error}"
            ) from error

    def examples(self, places: Sequence[int] | range | None = None) -> Iterator[int]:
        """The places of the examples, all or some; an error names the example of the last one."""
        assert self.index is not None
        for place in range(len(self.index)) if places is None else places:
            self._place = place
            yield place
        self._place = None

    def where(self, place: int | None = None) -> str:
        """Return words for a message that name the example at a place; default: the current."""
        place = self._place if place is None else place
        return "" if place is None or self.index is None else f" for example {self.index[place]}"

    def checked_outputs(self, outputs: list[Any]) -> list[Any]:
        """Return the outputs of the single form, or raise where one is None."""
        for place, output in enumerate(outputs):
            if output is None:
                raise ProblemError(
                    f"{self.method} returned None{self.where(place)}; expected an output"
                )
        return outputs

    def checked_length(self, outputs: Any, n: int) -> Sequence[Any]:
        """Return the outputs of a batch form, or raise unless they are n."""
        found = len(outputs) if isinstance(outputs, Sized) else type(outputs).__name__
        if found != n:
            raise ProblemError(f"{self.method} must return {n} outputs; it returned {found}")
        return outputs


def checked(
    method: str, value: Any, shape: tuple[int, ...], where: str = "", rows: Any = None
) -> Vector:
    """Return the value as a finite float64 array of this shape, or raise a ProblemError.

    ``rows`` are the numbers of the examples that the rows of the array belong to, for the message.
    """
    expected = f"numbers of shape {shape}" if shape else "a number"
    if value is None:
        raise ProblemError(f"{method} returned None{where}; expected {expected}")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"{method} must return {expected}{where}; got {type(value).__name__}"
        ) from error
    if array.shape != shape:
        raise ProblemError(
            f"{method} must return {f'shape {shape}' if shape else 'a number'}{where}; got shape "
            f"{array.shape}"
            + (" (the length is size_joint_feature)" if method.endswith("feature") else "")
        )
    # The product is finite if all numbers are and none is huge: mostly one pass is enough.
    if not (math.isfinite(np.vdot(array, array)) or np.isfinite(array).all()):
        if rows is not None:
            bad = ~np.isfinite(array.reshape(len(rows), -1)).all(axis=1)
            where = f" for example {rows[np.argmax(bad)]}"
        raise ProblemError(f"{method} returned NaN or infinity{where}")
    return array
