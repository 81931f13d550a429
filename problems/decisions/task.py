"""The task of decisions: searches, losses and cutting planes for n examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.containers import take
from structsvm.data.examples import Spans
from structsvm.problems.decisions.checks import losses, require_not_worse, sizes_of_terms
from structsvm.problems.decisions.data import DecisionInputs, Optima, by_example, flat_decisions
from structsvm.problems.decisions.optimizers import Optimizer
from structsvm.problems.decisions.optimizers.costs import checked_decisions
from structsvm.problems.decisions.search import PREDICTED, TRAINING, lowest, merged, solve
from structsvm.task.task import Task

if TYPE_CHECKING:
    from structsvm.problems.decisions.problem import DecisionProblem

#: Largest pool: a search of more decisions takes far longer than a call of a cheap optimizer. A
#: larger pool is cut to this size if the optimizer can improve decisions, and dropped otherwise.
FEW = 1000


class DecisionTask(Task):
    """The decisions of n examples, for their predicted costs.

    X holds :class:`DecisionInputs`, and Y holds :class:`Optima`.
    """

    problem: DecisionProblem
    X: DecisionInputs
    Y: Any

    def __init__(self, problem: DecisionProblem, X: Any, Y: Any = None) -> None:
        super().__init__(problem, problem.inputs(X), None if Y is None else Optima.of(Y))

    def with_labels(self, labels: Any) -> Any:
        return super().with_labels(Optima.of(labels))

    # ------------------------------------------------------------------ searches

    def search(self, w: Vector) -> Any:
        costs, optima, problem = self._training_costs(w), self.Y, self.problem
        decisions = solve(self._optimizers, costs, optima.layout, optima.numbers, TRAINING)
        if problem.is_exact:
            require_not_worse(optima, costs, decisions, problem.sign)
            losses(optima, decisions, problem.sign, exact=True)  # raises if one is better
        return by_example(decisions, optima.layout)

    def decode(self, w: Vector) -> Any:
        numbers = np.arange(self.n)
        found = solve(self._optimizers, self._costs(w), self._layout, numbers, PREDICTED)
        return by_example(found, self._layout)

    def costs(self, w: Vector) -> Any:
        """Return the predicted costs as rows of an array, or as a list if sizes differ."""
        return by_example(self._costs(w), self._layout)

    # ------------------------------------------------------------------ losses and features

    def losses(self, outputs: Any) -> Vector:
        optima, decisions = self.Y, flat_decisions(outputs)
        if len(decisions) != len(optima.costs):
            sizes = optima.layout.sizes
            i = next(i for i, y in enumerate(outputs) if len(y) != sizes[i])
            raise ValueError(
                f"Y[{i}] must hold costs of shape {np.shape(outputs[i])}, one for each entry of "
                f"the decision of X[{i}]; got shape ({sizes[i]},)"
            )
        return losses(optima, decisions, self.problem.sign, self.problem.is_exact)

    def joint_features(self, outputs: Any, places: Any) -> Any:
        decisions = flat_decisions(take(outputs, places))
        return self._gradients(take(self.X, places), -2 * self.problem.sign * decisions)

    def differences(self, outputs: Any, places: Any) -> Any:
        some = self.part(places)
        return self._gradients(some.X, some.change(take(outputs, places)))

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        change = self.change(outputs) * np.repeat(weights, self.Y.layout.sizes)
        if self._shared:
            return np.asarray(self.X.rows.T @ change)
        return np.asarray(self.X.rows.T @ self._by_cost(change)).T.reshape(-1)

    def change(self, outputs: Any) -> Vector:
        """Return the coefficients of the features in Psi(x, y) - Psi(x, output)."""
        return 2 * self.problem.sign * np.asarray(flat_decisions(outputs) - self.Y.decisions)

    def term_sizes(self, outputs: Any, places: Any) -> tuple[Any, Vector]:
        # A common offset of the costs cancels in the regret.
        some, decisions = self.part(places), flat_decisions(take(outputs, places))
        both = 2 * (np.abs(decisions) + np.abs(some.Y.decisions))
        rows = self._gradients(some.X.with_fields(rows=abs(some.X.rows)), both)
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
        """One optimizer for all examples, or a list with an optimizer for each example."""
        return self.X.own or self.problem.optimizer

    @property
    def _shared(self) -> bool:
        return len(self.problem.shape_) == 1

    @property
    def _layout(self) -> Spans:
        """The span of costs that belongs to each example."""
        return self.X.layout if self._shared else Spans(np.full(self.n, self.problem.shape_[0]))

    def _costs(self, w: Vector) -> Vector:
        """Return the predicted costs of all examples, concatenated."""
        return np.asarray(self.X.rows @ w.reshape(self.problem.shape_).T).reshape(-1)

    def _training_costs(self, w: Vector) -> Vector:
        return np.asarray(2 * self._costs(w) - self.Y.costs)

    def _by_cost(self, change: Vector) -> Vector:
        return change.reshape(-1, self.problem.shape_[0])

    def _gradients(self, inputs: DecisionInputs, change: Vector) -> Any:
        """Return, for each example, the gradient of ``change @ costs`` with respect to w.

        The rows are sparse if the features are sparse.
        """
        rows = inputs.rows
        if self._shared:
            places = np.arange(len(change)), inputs.layout.starts
            votes = sparse.csr_matrix((change, *places), (len(inputs), len(change)))
            return votes @ rows
        change = self._by_cost(change)
        if not sparse.issparse(rows):
            return (change[:, :, None] * rows[:, None, :]).reshape(len(inputs), -1)
        return _outer_products(change, rows)


def _outer_products(left: Vector, right: Any) -> Any:
    """Return the flat outer products of the rows of an array and a CSR matrix, as CSR."""
    owner, columns = np.nonzero(left)
    rows, (m, p) = right[owner].tocoo(), (left.shape[1], right.shape[1])
    places = owner[rows.row], columns[rows.row] * p + rows.col
    data = left[owner, columns][rows.row] * rows.data
    return sparse.csr_matrix((data, places), (len(left), m * p))
