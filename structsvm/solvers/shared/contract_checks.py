"""Checks of a problem's contract for some examples, before and after the passes of a run.

They are for mistakes that leave a certificate as it should be, of data other than those given or
of predictions other than those made: the gap does not show them. A few examples are enough,
because a mistake like this seldom affects only a few examples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.contract.capabilities import oracle_is_exact, overrides
from structsvm.contract.missing import missing
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.exceptions import ProblemError, warn_user
from structsvm.objective.rounding import AGREEMENT, NEGLIGIBLE
from structsvm.oracle.examples import Examples
from structsvm.oracle.spot_checks import (
    Repeated,
    changed_part,
    decoded_scores,
    example_sketches,
    repeated_slacks,
    true_losses,
    wrong_answers,
)
from structsvm.task.advice import advice
from structsvm.task.faults import name_of
from structsvm.task.watched import watched

#: Examples that are checked, at most.
MOST = 5
#: The advice to the author of the problem, the last words of every message.
MORE = "structsvm.check_problem(problem, X, Y) finds out more"
SEED = f"Seed what is random at every call, and keep no state that calls change. {MORE}"
COPY = f"Work on a copy. {MORE}"


class ContractChecks:
    """Some examples as they are before the passes, to be compared after them."""

    def __init__(self, examples: Examples) -> None:
        self.examples, self.name = examples, type(examples.problem).__name__
        self._before = self._mapped(MOST, example_sketches)
        if not isinstance(examples.problem, SelfLabelledProblem):
            self._require_no_loss_of_truth()

    def after(self, w: Vector) -> None:
        """Raise a ProblemError if an example has changed; warn of searches that fail at w."""
        self._require_unchanged()
        # The labels of a self-labelled problem at w come from its solver.
        if not isinstance(self.examples.problem, SelfLabelledProblem):
            for wrong in self._mapped(self._few, wrong_answers, w):
                raise ProblemError(f"{wrong}. {self._advice(MORE)}")
            asked = self._mapped(self._few, repeated_slacks, w)
            for example in asked:  # of copies, where solvers query mini-batches
                self._require_same(example.example, example.changed)
            self._warn_of_oracle(asked)
        self._warn_of_decoder(w)
        self._require_unchanged()

    def _require_unchanged(self) -> None:
        now = self._mapped(MOST, example_sketches)
        for before, after in zip(self._before, now, strict=True):
            self._require_same(before[0], changed_part(before, after))

    def _require_same(self, example: int, changed: str) -> None:
        if changed:
            raise ProblemError(
                f"a method of {self.name} changed its {changed} in place, that of example "
                f"{example} among others, so the result is not one for the data given. If "
                f"{changed.upper()} was an array or a list it is changed now: load it again. "
                f"{self._advice(COPY)}"
            )

    def _require_no_loss_of_truth(self) -> None:
        for number, loss, largest in self._mapped(MOST, true_losses):
            if abs(loss) > NEGLIGIBLE * largest:
                raise ProblemError(
                    f"{self.name}.loss(y, y) must be 0; it is {loss:.6g} for the true output of "
                    f"example {number}. {self._advice(MORE)}"
                )

    def _warn_of_oracle(self, asked: list[Repeated]) -> None:
        worst = max(asked, key=lambda slacks: abs(slacks.first - slacks.second))
        if abs(worst.first - worst.second) > AGREEMENT * worst.magnitude:
            warn_user(
                f"two calls of the oracle of {self.name} with the same x, y and w differ: for "
                f"example {worst.example} at the final w their outputs have the slacks "
                f"{worst.first:.6g} and {worst.second:.6g}. So the bounds of the result depend on "
                "chance: the oracle must depend on its arguments alone. "
                f"{self._advice(SEED)}"
            )

    def _warn_of_decoder(self, w: Vector) -> None:
        problem = self.examples.problem
        if isinstance(problem, SelfLabelledProblem):
            return
        inside = watched(self.examples.first)
        decoder = name_of(inside, "decode")
        if problem.decode is None or (decoder == "decode" and not overrides(problem, "decode")):
            warn_user(
                f"training has ended, but no output can be predicted: {missing(problem, 'decode')}"
            )
            return
        if problem.decode_may_miss or not oracle_is_exact(problem):
            return
        try:
            decoded = self._mapped(self._few, decoded_scores, w)
        except ProblemError as error:  # training is over, and its result is right
            advised = self._advice(MORE)
            warn_user(f"training has ended, but no output can be predicted: {error}. {advised}")
            return
        worst = max(decoded, key=lambda scores: scores.true - scores.found)
        if worst.true - worst.found > AGREEMENT * worst.magnitude:
            name = decoder if "." in decoder else f"{self.name}.{decoder}"
            warn_user(
                f"{name} misses outputs: for example {worst.example} it returned "
                f"one with a score of {worst.found:.6g} at the final w, but the true output has "
                f"{worst.true:.6g}. Either {decoder} is wrong, or this true output is one that the "
                "searches do not consider, so that the separation oracle misses it too: compare Y "
                f"with outputs(x), and see decode_may_miss. {self._advice(MORE)}"
            )

    def _advice(self, to_author: str) -> str:
        return advice(self.examples.problem, to_author)

    @property
    def _few(self) -> int:
        """Number of examples for which searches are called: it takes no time beside the passes."""
        return min(MOST, -(-self.examples.n // 8))

    def _mapped(self, most: int, function: Any, *shared: Any) -> list[Any]:
        """The function's values for at most ``most`` examples, evenly spread."""
        places = np.unique(np.linspace(0, self.examples.n - 1, most).astype(np.intp))
        blocks = self.examples.subset(places).map(function, None, *shared)
        return [value for values in blocks for value in values]
