"""Decisions for the costs that are predicted for n examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.data.examples import Spans
from structsvm.problems.decisions.comparisons import losses, require_not_worse, sizes_of_terms
from structsvm.problems.decisions.inputs import DecisionInputs
from structsvm.problems.decisions.optima import Optima, by_example, flat_decisions
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions
from structsvm.problems.decisions.pool import lowest, merged
from structsvm.problems.decisions.solving import PREDICTED, TRAINING, solve
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.decisions.problem import DecisionProblem

#: A pool of more decisions than this takes far longer to search than a cheap optimizer to call. It
#: is given up, or kept as it is where these many are enough: an optimizer improves them.
FEW = 1000


class DecisionTask(Task):
    """The costs of n examples, and the optimizers that decide for them.

    X are :class:`DecisionInputs`, Y are :class:`Optima`.
    """

    problem: DecisionProblem
    X: DecisionInputs
    Y: Any

    def __init__(self, problem: DecisionProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.inputs(X), None if Y is None else Optima.of(Y))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(Optima.of(labels))

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Sequence[Any]:
        costs, optima, sign = self._training_costs(w), self.Y, self.problem.sign
        decisions = solve(self._optimizers, costs, optima.spans, optima.numbers, TRAINING)
        if self.problem.oracle_quality == "exact":
            require_not_worse(optima, costs, decisions, sign)
            losses(optima, decisions, sign, exact=True)  # raises where one is better
        return by_example(decisions, optima.spans)

    def decode(self, w: Vector) -> Sequence[Any]:
        costs, spans = self._costs(w), self._spans
        found = solve(self._optimizers, costs, spans, np.arange(self.n), PREDICTED)
        return by_example(found, spans)

    def costs(self, w: Vector) -> Sequence[Any]:
        """The predicted costs, a row for each example, or a list where they differ in number."""
        return by_example(self._costs(w), self._spans)

    # ------------------------------------------------------------------ losses and differences

    def losses(self, outputs: Any) -> Vector:
        optima, decisions = self.Y, flat_decisions(outputs)
        if len(decisions) != len(optima.costs):
            sizes = optima.spans.sizes
            i = next(i for i, y in enumerate(outputs) if len(y) != sizes[i])
            raise ValueError(
                f"Y[{i}] must hold costs of shape {np.shape(outputs[i])}, one for each entry of "
                f"the decision of X[{i}]; got shape ({sizes[i]},)"
            )
        return losses(optima, decisions, self.problem.sign, self.problem.oracle_quality == "exact")

    def differences(self, outputs: Any, places: Any) -> Any:
        some = self.part(places)
        return self.problem.weights_.gradients(some.X, some.change(take(outputs, places)))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        change = self.change(outputs) * np.repeat(weights, self.Y.spans.sizes)
        return self.problem.weights_.gradient(self.X.rows, change)

    def change(self, outputs: Any) -> Vector:
        """The factors of the features in the difference of each example."""
        return 2 * self.problem.sign * (flat_decisions(outputs) - self.Y.decisions)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Any, Vector]:
        # The costs may have an offset in common, which cancels in the regret.
        some, decisions = self.part(places), flat_decisions(take(outputs, places))
        both = 2 * (np.abs(decisions) + np.abs(some.Y.decisions))
        inputs = some.X.with_rows(abs(some.X.rows))
        rows = self.problem.weights_.gradients(inputs, both)
        return rows, sizes_of_terms(some.Y, some.Y.costs, decisions)

    # ------------------------------------------------------------------ the pool

    def pool_outputs(self, outputs: Sequence[Any], pool: Any = None) -> Any:
        problem = self.problem
        if problem.optimize is None:
            return None
        found = merged(pool, outputs)
        if not problem.is_cheap or len(found) <= FEW:
            return found
        improves = type(problem.optimizer).improve is not Optimizer.improve
        return found[:FEW] if improves else None

    def search_pool(self, w: Vector, pool: Any) -> Vector:
        costs = self._training_costs(w).reshape(self.n, -1)
        given = pool[lowest(self.problem.sign * costs, pool)]
        return checked_decisions(
            "improve", self.problem.optimizer.improve(costs, given), costs.shape
        )

    # ------------------------------------------------------------------ inside

    @property
    def _optimizers(self) -> Any:
        """The one that all examples have in common, or a list of their own."""
        return self.X.own or self.problem.optimizer

    @property
    def _spans(self) -> Spans:
        """The costs of each example."""
        m = self.problem.weights_.n_costs
        return self.X.spans if m is None else Spans(np.full(self.n, m))

    def _costs(self, w: Vector) -> Vector:
        return self.problem.weights_.costs(self.X.rows, w)

    def _training_costs(self, w: Vector) -> Vector:
        return 2 * self._costs(w) - self.Y.costs
