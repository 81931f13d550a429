"""The method at fault where an output cannot be measured: the measure, or a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from structsvm.exceptions import ProblemError


@contextmanager
def charged(without: Mapping[str, Callable[[], Any]]) -> Iterator[None]:
    """A context for a measure of outputs, such as their loss, that charges errors to a search.

    ``without`` has the same measure for each search, without the outputs that it returned. The
    first search without which the measure succeeds is charged. Where there is none, the measure is
    at fault, and its error is left as it is.
    """
    try:
        yield
    except ProblemError as error:
        for search, measure in without.items():
            if _succeeds(measure):
                raise ProblemError(
                    f"{search} returned an output that cannot be read, while others can: {error}"
                ) from error.__cause__
        raise


def _succeeds(measure: Callable[[], Any]) -> bool:
    try:
        measure()
    except ProblemError:
        return False
    return True
