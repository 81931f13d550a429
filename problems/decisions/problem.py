"""Decisions for predicted costs as a structured problem: the SPO+ loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
from scipy import sparse

from structsvm.contract.problem import OracleCost, OracleQuality, Parallelism, ScoreTerms
from structsvm.data.arrays import Vector
from structsvm.data.containers import require_examples
from structsvm.data.validation import require_option
from structsvm.networks import TensorInference
from structsvm.problems.by_task import ByTask
from structsvm.problems.decisions.best import best_decisions
from structsvm.problems.decisions.checks import (
    is_exact,
    losses,
    require_own_decisions,
    require_regret,
)
from structsvm.problems.decisions.data import DecisionInputs, Instance, Optima, decision_of
from structsvm.problems.decisions.optimizers import (
    CallableOptimizer,
    GridPaths,
    Optimizer,
    as_optimizer,
)
from structsvm.problems.decisions.optimizers.base import Sense
from structsvm.problems.decisions.task import DecisionTask
from structsvm.problems.programs.search import ROUNDOFF
from structsvm.task.advice import is_own


class DecisionProblem(ByTask):
    r"""The problem of predicting costs for decisions, with the SPO+ loss of Elmachtoub & Grigas.

    With costs c, a decision z has the value c z. An optimizer finds the best decision for any
    costs. Predicted costs are linear in the features, :math:`\hat c = W x`. The regret is the value
    of the decision for the predicted costs minus the value of the best decision, both at the true
    costs.

    - A true output is an :class:`Optimum`, which holds true costs c and the best decision z* for
      the costs c. A predicted output is a decision z. :func:`best_decisions` makes true outputs
      from true costs.
    - The joint feature :math:`\Psi(x, z)` is :math:`-2 z x^T`. If all costs share their weights,
      each cost j has its own features :math:`x_j`, and :math:`\Psi` is :math:`-2 \sum_j z_j x_j`.
      If the optimizer maximises, :math:`\Psi` has the opposite sign.
    - The loss :math:`\Delta(z) = c z - c z^*` is the regret. If the optimizer maximises, the regret
      is :math:`c z^* - c z`.

    The slack of an example is its SPO+ loss, an upper bound of the regret. For predicted costs
    :math:`\hat c` and true costs c, the separation oracle calls the optimizer once, with the costs
    :math:`2 \hat c - c`. The costs :math:`2 \hat c - c` may be negative even if all true and
    predicted costs are positive.

    Parameters
    ----------
    optimize : Optimizer, Program or callable, optional
        Either an optimizer of ``structsvm.problems.decisions``, or a
        :class:`structsvm.problems.Program`, or a function that returns the best decision for costs
        of shape (m,). The decisions of a program are its feasible 0/1 vectors. With None, every
        input is an :class:`Instance`, which holds an optimizer.
    sense : {'min', 'max'}, default='min'
        Whether the optimizer minimises or maximises.

    Attributes
    ----------
    shape_ : tuple of int
        The shape of the weights w: (m, p), or (p,) if all costs share them.

    References
    ----------
    Elmachtoub & Grigas, Smart "Predict, then Optimize", Management Science 68, 2022: definition 3
    is SPO+. Unlike Elmachtoub & Grigas, structsvm adds the norm of W to the objective, as in every
    structural SVM, and solves the problem to a certified gap.

    Examples
    --------
    >>> import numpy as np
    >>> from structsvm import StructuredSVM
    >>> from structsvm.problems.decisions import DecisionProblem, GridPaths, best_decisions
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> paths, costs = GridPaths(3, 3), np.exp(X @ rng.normal(size=(3, 12)))
    >>> svm = StructuredSVM(DecisionProblem(paths)).fit(X, best_decisions(paths, costs))
    >>> svm.predict(X).shape
    (50, 12)
    """

    _made: tuple[Any, Any, Optimizer | None] = None, None, None

    def __init__(self, optimize: Any = None, sense: Sense = "min") -> None:
        self.optimize = optimize
        self.sense = sense

    @property
    def oracle_quality(self) -> OracleQuality:  # type: ignore[override]
        """'undergenerating' if an optimizer may miss the best decision."""
        if self.optimize is None:
            return getattr(self, "_own_quality", "exact")
        return self.optimizer.oracle_quality

    @property
    def oracle_cost(self) -> OracleCost:  # type: ignore[override]
        return "cheap" if self.is_cheap else "expensive"

    @property
    def parallelism(self) -> Parallelism:  # type: ignore[override]
        return "threads" if self.is_cheap else "processes"

    @property
    def block_size(self) -> int | None:  # type: ignore[override]
        together = self.optimize is not None and self.optimizer.takes_batch
        return None if self.is_cheap or together else 1

    @property
    def roundoff(self) -> float | None:  # type: ignore[override]
        return None if self.is_cheap else ROUNDOFF

    @property
    def search_of_user(self) -> str:  # type: ignore[override]
        """'optimize' if the user wrote the optimizer, '' if it belongs to structsvm."""
        own = self.optimize is not None and is_own(type(self.optimizer))
        return "" if own and not isinstance(self.optimizer, CallableOptimizer) else "optimize"

    def initialize(self, X: Any, Y: Any) -> None:
        require_option("sense", self.sense, get_args(Sense))
        inputs = DecisionInputs.of(X, self.sense)
        if Y is None:
            raise ValueError("DecisionProblem needs outputs, Optimum; Y is None")
        optima = Optima.of(Y)
        require_examples(inputs, Y=optima)
        if self.optimize is not None:
            self._made = self.optimize, self.sense, as_optimizer(self.optimize, self.sense)
        optimizers = inputs.optimizers(self._made[2] if self.optimize is not None else None)
        self._own_quality: OracleQuality = (
            "exact" if is_exact(inputs.own or []) else "undergenerating"
        )
        self.shape_ = _shape(inputs, optima)
        self.size_joint_feature = int(np.prod(self.shape_))
        self._require_usable(optimizers, optima)

    # ------------------------------------------------------------------ one example

    def joint_feature(self, x: Any, y: Any) -> Any:
        found = self.task([x]).joint_features([y], [0])
        return found if sparse.issparse(found) else found[0]

    def score_terms(self, x: Any, y: Any, w: Vector) -> ScoreTerms:
        rows, factors = self.inputs([x]).rows, -2 * self.sign * decision_of(y)
        if len(self.shape_) == 1:
            return ScoreTerms(range(len(factors)), factors, rows, w)
        return ScoreTerms.of_blocks(factors, rows, w)

    def loss(self, y: Any, y_hat: Any) -> float:
        return float(losses(Optima.of([y]), decision_of(y_hat), self.sign, self.is_exact)[0])

    def outputs(self, x: Any) -> Iterable[Any]:
        inputs = self.inputs([x])
        return (self.optimizer if inputs.own is None else inputs.own[0]).decisions()

    def tensor_inference(self) -> TensorInference:
        """Return the inference over tensors, for layers of neural networks.

        Returns
        -------
        structsvm.networks.TensorInference
        """
        from structsvm.problems.decisions.tensors import DecisionTensors

        return DecisionTensors(self)

    @staticmethod
    def example_data() -> tuple[Any, Any]:
        """Return features and costs of the edges of ten grids of two sizes."""
        rng = np.random.default_rng(0)
        grids = [GridPaths(2, 3), GridPaths(3, 3)] * 5
        X = [Instance(rng.normal(size=(grid.n_costs, 3)), grid) for grid in grids]
        costs = [np.exp(x.features @ [1.0, -1.0, 0.5]) * rng.uniform(0.5, 2) for x in X]
        return X, best_decisions(grids, costs)

    # ------------------------------------------------------------------ many examples

    def task(self, X: Any, Y: Any = None) -> DecisionTask:
        return DecisionTask(self, X, Y)

    def costs(self, X: Any, w: Vector) -> Any:
        """Return the predicted costs of each input: rows of an array, or a list of arrays."""
        return self.task(X).costs(w)

    # ------------------------------------------------------------------ inside

    @property
    def sign(self) -> float:
        """1 for minimisation, -1 for maximisation."""
        return -1.0 if self.sense == "max" else 1.0

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer that all examples share."""
        given, sense, made = self._made
        if made is not None and given is self.optimize and sense == self.sense:
            return made
        return as_optimizer(self.optimize, self.sense)

    @property
    def is_exact(self) -> bool:
        """Whether all optimizers find the best decision."""
        return self.oracle_quality == "exact"

    @property
    def is_cheap(self) -> bool:
        """Whether all examples share an optimizer that takes only a few microseconds."""
        return self.optimize is not None and self.optimizer.oracle_cost == "cheap"

    def inputs(self, X: Any) -> DecisionInputs:
        """Pack inputs; raise a ValueError unless their features have the shape used in training."""
        inputs, p = DecisionInputs.of(X, self.sense), self.shape_[-1]
        if inputs.rows.shape[1] != p:
            raise ValueError(f"X has {inputs.rows.shape[1]} features; expected {p}")
        shared = len(self.shape_) == 1
        # A sparse row may belong to an example or to its only cost.
        single = sparse.issparse(inputs.rows) and (inputs.layout.sizes == 1).all()
        if inputs.shared != shared and not single:
            expected = "(m, p), a row for each cost" if shared else "(p,)"
            raise ValueError(f"X must have features of shape {expected} for each example")
        return inputs

    def _require_usable(self, optimizers: Any, optima: Optima) -> None:
        """Raise an error if the optimizers cannot find the decisions, or nothing can be learned."""
        require_own_decisions(optimizers, optima, self.sign)
        if is_exact(optimizers):
            require_regret(optimizers, optima, self.sign)


def _shape(inputs: DecisionInputs, optima: Optima) -> tuple[int, ...]:
    """Return the shape of the weights: (m, p), or (p,) if all costs share them."""
    sizes, p = optima.layout.sizes, int(inputs.rows.shape[1])
    if inputs.shared:
        if (wrong := inputs.layout.sizes != sizes).any():
            i = int(np.argmax(wrong))
            raise ValueError(
                f"X[{i}] has features of {inputs.layout.sizes[i]} costs, and Y[{i}] has {sizes[i]}"
            )
        return (p,)
    if (sizes != sizes[0]).any():
        i = int(np.argmax(sizes != sizes[0]))
        raise ValueError(
            f"Y[{i}] has {sizes[i]} costs, and Y[0] has {sizes[0]}: where the numbers differ, X "
            "must have features for each cost, of shape (m, p), whose weights all costs share"
        )
    return int(sizes[0]), p
