"""The time limit and the progress bar of the checks."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm.auto import tqdm

T = TypeVar("T")


class Progress:
    """The time limit of the checks, and a progress bar that counts calls of methods.

    Parameters
    ----------
    name : str, default=""
        The name of the current check, shown beside the bar.
    max_seconds : float, optional
        The time after which no new trial starts. Default: no limit.
    verbose : bool, default=False
        Whether to show the bar.

    Attributes
    ----------
    cut_short : dict of str to None
        The checks that ended early for lack of time, in the order of their runs.
    latest : str
        The method that the current check called last; '' before its first call.
    """

    def __init__(
        self, name: str = "", max_seconds: float | None = None, verbose: bool = False
    ) -> None:
        self.cut_short: dict[str, None] = {}
        self.latest = ""
        self._check = ""
        self._started = time.monotonic()
        self._max_seconds = math.inf if max_seconds is None else max_seconds
        self._bar = tqdm(disable=not verbose, desc=name, unit="call")

    def start(self, check: str) -> None:
        """Set the name of the check that the following trials and calls belong to."""
        self._check, self.latest = check, ""
        self._bar.set_postfix_str(check, refresh=False)

    def call(self, method: str) -> None:
        """Count a call of a method."""
        self.latest = method
        self._bar.update()

    def close(self) -> None:
        """Stop the progress bar, and leave the bar on the screen."""
        self._bar.close()

    def is_over(self, fraction: float = 1.0) -> bool:
        """Whether the given fraction of the time limit has passed."""
        return time.monotonic() - self._started >= fraction * self._max_seconds

    def cut(self) -> None:
        """Record that the current check is incomplete."""
        self.cut_short[self._check] = None

    def trials(self, items: Iterable[T]) -> Iterator[T]:
        """Yield items until the time is over, and note if items were left out."""
        for item in items:
            if self.is_over():
                self.cut()
                return
            yield item
