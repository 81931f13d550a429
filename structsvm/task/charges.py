"""The method at fault where an output cannot be measured: the measure, or a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from structsvm.exceptions import ProblemError
from structsvm.task.likeness import Likeness


@contextmanager
def charged(without: Mapping[str, Callable[[], Likeness]]) -> Iterator[None]:
    """A context for a measure of outputs, such as their loss, that finds the method at fault.

    ``without`` has for each search a function that makes the same measure without the search's
    outputs, and returns their likeness to others. The first search without which the measure
    succeeds is charged, unless its outputs are like others: then the measure is at fault, or it
    cannot be known. Without such a search the measure is at fault, and its error stays as it is.
    """
    try:
        yield
    except ProblemError as error:
        for search, measure in without.items():
            found = _measured(measure)
            if found is not None:
                raise ProblemError(_verdict(search, found, error)) from error.__cause__
        raise


def _measured(measure: Callable[[], Likeness]) -> Likeness | None:
    try:
        return measure()
    except ProblemError:
        return None


def _verdict(search: str, found: Likeness, error: ProblemError) -> str:
    """The error, and what is at fault.

    A measure that returns NaN for a finite output, or divides by 0, is wrong. Another error may
    mean that its argument is not an output, for example a label out of range.
    """
    cause = error.__cause__
    if found is Likeness.UNLIKE:
        return f"{search} returned an output that cannot be read, while others can: {error}"
    if found is Likeness.ALIKE and (cause is None or isinstance(cause, ArithmeticError)):
        return (
            f"{error}. What {search} returned is finite and has the form of other outputs: the "
            "method named first is wrong for it"
        )
    return (
        f"{error}. Other outputs can be read. Either {search} returned what is no output of this "
        "x, or the method named first cannot read all outputs: look at what was returned"
    )
