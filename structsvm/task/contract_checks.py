"""Checks that a problem keeps its contract, for some examples, before and after a run.

The checks find mistakes that the gap does not show. For example, a method may change the data, or a
decoder may contradict the oracle. Checking a few examples is enough, because a wrong method usually
fails for most examples.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.exceptions import warn_user
from structsvm.task.advice import is_own
from structsvm.task.contradictions import changed
from structsvm.task.faults import notes
from structsvm.task.spot_checks import decoded, first_look, second_look, sketches
from structsvm.task.watched import watched

#: Largest number of examples that are checked.
MOST = 5


class ContractChecks:
    """Fingerprints of some examples before a run, for a comparison after the run."""

    def __init__(self, examples: Any) -> None:
        self.examples, kind = examples, type(watched(examples.task).task)
        for note in () if is_own(kind) else notes(examples.problem, kind):
            warn_user(note)
        self._before = self._looked_at(MOST, first_look)

    def after(self, w: Vector) -> None:
        """Raise a ProblemError if an example has changed, and warn if a search fails at w."""
        problem, now = self.examples.problem, self._looked_at(MOST, sketches)
        if now != self._before:
            raise changed(problem, self._before, now)
        # The labels of a self-labelled problem at w come from its solver.
        looks = () if isinstance(problem, SelfLabelledProblem) else (second_look, decoded)
        for look in looks:
            # So few examples that their searches take little time beside the passes.
            doubts = self._looked_at(min(MOST, -(-self.examples.n // 8)), look, w)
            if doubts:
                warn_user(max(doubts)[1])

    def _looked_at(self, most: int, look: Any, *shared: Any) -> list[Any]:
        """Call the function `look` for some examples, evenly spread over the data."""
        n = self.examples.n
        places = np.linspace(0, n - 1, min(n, most)).astype(np.intp)
        return [*chain.from_iterable(self.examples.subset(places).map(look, None, *shared))]
