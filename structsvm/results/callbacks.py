"""Callbacks, which are called after every pass of a run and at its end."""

from __future__ import annotations

import inspect
import json
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from structsvm.data.arrays import Vector
from structsvm.data.names import brief
from structsvm.results.status import Iteration, Outcome

#: A function of the numbers and the point of a pass. A true return value stops the run.
OnPass = Callable[[Iteration, Vector], Any]
#: One callback, several, or None.
Callbacks = OnPass | Sequence[OnPass] | None


class Callback:
    """The base class of callbacks.

    A subclass defines ``__call__``, and may define ``end``. A function can also be used as a
    callback, if it accepts an Iteration and the weights w.

    Examples
    --------
    >>> from structsvm import Callback, OneSlackCuttingPlane
    >>> from structsvm.problems import Multiclass
    >>> class StopBelow(Callback):
    ...     def __init__(self, gap):
    ...         self.gap = gap
    ...
    ...     def __call__(self, iteration, w):
    ...         return iteration.gap < self.gap
    ...
    ...     def end(self, result):
    ...         print(result.status.name)
    >>> X, y = Multiclass.example_data()
    >>> result = OneSlackCuttingPlane().solve(Multiclass(), X, y, callback=StopBelow(0.5))
    STOPPED
    """

    def __call__(self, iteration: Iteration, w: Vector) -> Any:
        """Handle a pass.

        This method is called after every pass.

        Parameters
        ----------
        iteration : Iteration
            The numbers that describe the pass.
        w : ndarray of shape (size_joint_feature,)
            A copy of the weights with which the oracle was called.

        Returns
        -------
        bool or None
            True to stop the training with the status STOPPED.
        """

    def end(self, result: Outcome) -> None:
        """Handle the result.

        This method is called at the end of the run, unless an error ends the run.
        """


class PassWriter(Callback):
    """A callback that writes one line with the numbers of each pass to a file.

    A line has the fields of an :class:`structsvm.Iteration`. A number that was not computed, such
    as an infinite objective, is empty in CSV and null in JSON lines. Every line is written
    immediately: the file can be watched during the run. The file is replaced when a new run begins.
    A run that continues from a checkpoint keeps the lines of the earlier passes.

    Parameters
    ----------
    path : path-like
        The path of the file. The name ends in '.csv' or '.jsonl' (JSON lines).

    Raises
    ------
    ValueError
        If the name of the file does not end in '.csv' or '.jsonl'.

    Examples
    --------
    >>> import os, tempfile
    >>> from structsvm import OneSlackCuttingPlane, PassWriter
    >>> from structsvm.problems import Multiclass
    >>> path = os.path.join(tempfile.mkdtemp(), "passes.csv")
    >>> X, y = Multiclass.example_data()
    >>> result = OneSlackCuttingPlane().solve(Multiclass(), X, y, callback=PassWriter(path))
    >>> with open(path) as file:
    ...     lines = file.read().splitlines()
    >>> len(lines) == 1 + result.iterations
    True
    >>> lines[0].split(",")[:4]
    ['iteration', 'primal', 'best_primal', 'dual']
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.suffix not in (".csv", ".jsonl"):
            raise ValueError(f"path must end in '.csv' or '.jsonl'; got {str(self.path)!r:.80}")
        self._begun = False

    def __call__(self, iteration: Iteration, w: Vector) -> None:
        """Write one line for the pass."""
        if not self._begun:
            self._begin(iteration.iteration)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(self._line(iteration))

    def end(self, result: Outcome) -> None:
        """Prepare for another run."""
        self._begun = False

    def _begin(self, first: int) -> None:
        """Replace the file.

        Keep the lines of passes before ``first`` if the run continues from a checkpoint.
        """
        self._begun = True
        head = [",".join(Iteration._fields) + "\n"] if self.path.suffix == ".csv" else []
        before = head
        if first > 1 and self.path.exists():
            before = self.path.read_text(encoding="utf-8").splitlines(keepends=True) or head
        self.path.write_text("".join(before[: len(head) + first - 1]), encoding="utf-8")

    def _line(self, iteration: Iteration) -> str:
        values = [None if isinstance(v, float) and not math.isfinite(v) else v for v in iteration]
        if self.path.suffix == ".jsonl":
            return json.dumps(dict(zip(Iteration._fields, values, strict=True))) + "\n"
        return ",".join("" if value is None else str(value) for value in values) + "\n"


def as_list(callback: Callbacks) -> list[Any]:
    """Return one or several callbacks as a list."""
    if callback is None:
        return []
    several = isinstance(callback, Sequence) and not isinstance(callback, str)
    return [*callback] if several else [callback]  # type: ignore[misc]


def require_callbacks(callback: Callbacks) -> None:
    """Raise a TypeError if a callback, or its method ``end``, does not accept its arguments."""
    for one in as_list(callback):
        if isinstance(one, type):
            raise TypeError(f"callback is the class {one.__name__}; pass an instance of it")
        if not callable(one):
            raise TypeError(f"callback must be callable, or a list of callables; got {brief(one)}")
        _require_accepts(one, "callback(iteration, w)", _name(one), 2)
        if isinstance(one, Callback):
            _require_accepts(one.end, "end(result)", f"{type(one).__name__}.end", 1)


def _require_accepts(called: Any, call: str, name: str, n_arguments: int) -> None:
    """Raise a TypeError if a function has a signature that does not accept the arguments."""
    if not callable(called):
        raise TypeError(f"a callback is called as {call}, but {name} is {called!r:.60}")
    with suppress(ValueError):  # some functions written in C have no signature
        signature = inspect.signature(called)
        try:
            signature.bind(*range(n_arguments))
        except TypeError as error:
            raise TypeError(
                f"a callback is called as {call}, which {name} does not accept: {error}"
            ) from None


def any_stops(callback: Callbacks, iteration: Iteration, w: Vector) -> bool:
    """Call all callbacks with the numbers of a pass and a copy of its weights.

    Return whether a callback asks to stop.

    Raises
    ------
    TypeError
        If the return value of a callback has no truth value.
    """
    stops = False
    for one in as_list(callback):
        answer = one(iteration, w.copy())
        try:
            stops = bool(answer) or stops
        except Exception as error:
            raise TypeError(
                f"{_name(one)} must return True to stop the training, and else False or None; it "
                f"returned {answer!r:.60}"
            ) from error
    return stops


def _name(one: Any) -> str:
    """Return the name of a function, or the name of an object's ``__call__``."""
    return getattr(one, "__qualname__", f"{type(one).__name__}.__call__")


def end_all(callback: Callbacks, result: Outcome) -> None:
    """Call each callback's ``end`` with the result."""
    for one in as_list(callback):
        if isinstance(one, Callback):
            one.end(result)
