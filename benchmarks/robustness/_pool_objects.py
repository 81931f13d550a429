"""Objects that no parameter may be, and data that fail when they are read."""

from __future__ import annotations

from typing import Any

from benchmarks.robustness._pool import Pool


class Odd:
    """An object of a kind that no parameter may be."""

    def __repr__(self) -> str:
        return "Odd()"


class Lengthless:
    """A sequence by its __getitem__ alone."""

    def __getitem__(self, i: Any) -> Any:
        raise IndexError(i)


class Strange(Exception):
    """An error of a type that nobody documents."""


class Unreadable:
    """Data whose conversion to an array fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __repr__(self) -> str:
        return f"Unreadable({self._error!r})"

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._error


class UnreadableRows(Unreadable):
    """The same with rows, as a tensor has them whose memory is elsewhere."""

    shape = (12, 3)

    def __len__(self) -> int:
        return 12

    def __getitem__(self, i: Any) -> Unreadable:
        range(12)[i]
        return Unreadable(self._error)


#: Data that fail when they are read, alone and in lists.
UNREADABLE: Pool = {
    f"{prefix}{cls.__name__}({error.__name__})": lambda cls=cls, error=error, put=put: put(
        cls(error("planted"))
    )
    for error in (ValueError, RuntimeError, Strange)
    for cls in (Unreadable, UnreadableRows)
    for prefix, put in (("", lambda one: one), ("list of ", lambda one: [one] * 12))
}
