"""The method at fault where an output cannot be measured: the measure, or a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from structsvm.exceptions import ProblemError
from structsvm.oracle.likeness import Likeness


@contextmanager
def charged(without: Mapping[str, Callable[[], Likeness]]) -> Iterator[None]:
    """A context for a measure of outputs, such as their loss, that finds out whose errors are.

    ``without`` has the same measure for each search, without the outputs that it returned, whose
    likeness to others it returns. The first search without which the measure succeeds is charged,
    unless its outputs are like others: then the measure is at fault, or it cannot be known. Where
    there is no such search, the measure is at fault, and its error is left as it is.
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

    A measure that returns NaN for a finite output is wrong, and so is one that divides by 0; one
    that raises another error may have been given what is no output, such as a label out of range.
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
