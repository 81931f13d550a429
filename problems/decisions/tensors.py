"""Decisions for predicted costs in PyTorch tensors, used by layers of neural networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from structsvm.data.arrays import Indices, Vector
from structsvm.data.examples import Spans
from structsvm.networks import TensorInference
from structsvm.problems.decisions.checks import losses, require_not_worse
from structsvm.problems.decisions.data import Optima, Optimum, apart, by_example
from structsvm.problems.decisions.optimizers import Optimizer, as_optimizer
from structsvm.problems.decisions.search import PREDICTED, TRAINING, solve_in_parts
from structsvm.torch.arguments import as_numpy, require_alike, require_tensor, tensor_like

if TYPE_CHECKING:
    from structsvm.problems.decisions.problem import DecisionProblem


class PredictedCosts(NamedTuple):
    """The predicted costs of n examples.

    Attributes
    ----------
    values : tensor of shape (n_costs,)
        The concatenated costs of all examples.
    spans : Spans
        The span of costs that belongs to each example.
    optimizers : Optimizer, or list of n of them
        One optimizer for all examples, or a list with an optimizer for each example.
    """

    values: torch.Tensor
    spans: Spans
    optimizers: Any

    def perturbed(self, noise: Callable[[torch.Tensor], torch.Tensor]) -> PredictedCosts:
        """Return all noisy samples of the n examples as one batch, sample by sample."""
        samples = self.values + noise(self.values)
        spans = Spans(np.tile(self.spans.sizes, len(samples)))
        several = isinstance(self.optimizers, list)
        optimizers = self.optimizers * len(samples) if several else self.optimizers
        return PredictedCosts(samples.flatten(), spans, optimizers)

    def products(self, change: Vector) -> torch.Tensor:
        """Return the product of each example's costs and its part of ``change``, shape (n,)."""
        terms = self.values * tensor_like(change, self.values)
        n, sizes = len(self.spans), self.spans.sizes
        if (sizes == sizes[0]).all():
            return terms.view(n, -1).sum(dim=1)
        owner = torch.as_tensor(self.spans.owner, device=terms.device)
        return terms.new_zeros(n).index_add(0, owner, terms)


class DecisionTensors(TensorInference):
    """Inference of :class:`DecisionProblem` over tensors; scores are predicted costs.

    Scores are a tensor of shape (n, m), or a sequence with a tensor of shape (m,) for each example.
    If feasible sets differ between examples, an :class:`Instance` holds the tensor of each example.
    Features are tensors of the shapes that the problem accepts, or a sequence of tensors. True
    outputs are a sequence of :class:`Optimum`, or one Optimum of tensors of shape (n, m).

    In the perturbed loss the score of a decision is minus its predicted cost. In the slack, which
    is the SPO+ loss, the score is minus twice the predicted cost. For maximisation, scores have the
    opposite sign.
    """

    def __init__(self, problem: DecisionProblem, n_jobs: int | None = None) -> None:
        self.problem, self._n_jobs = problem, n_jobs
        given = problem.optimize
        self._common = None if given is None else as_optimizer(given, problem.sense)

    def with_jobs(self, n_jobs: int) -> DecisionTensors:
        return DecisionTensors(self.problem, n_jobs)

    def of_features(self, X: Any, w: torch.Tensor, mask: Any = None) -> PredictedCosts:
        features, optimizers = self._split("X", X, mask)
        m, p = self._n_costs, self.problem.shape_[-1]
        rows, spans = _flat("X", features, 2 if m is None else 1)
        require_alike("X", rows, "w", w)
        columns = rows.shape[1:] if m is None else spans.sizes
        if np.not_equal(columns, p).any():
            expected = f"(n, m, {p})" if m is None else f"(n, {p})"
            raise ValueError(f"X must be of shape {expected}; got {_shape(features)}")
        if m is not None:
            rows, spans = rows.view(-1, p), Spans(np.full(len(spans), m))
        costs = torch.nn.functional.linear(rows, w.reshape(self.problem.shape_))
        return _finite(PredictedCosts(costs.flatten(), spans, optimizers))

    @property
    def _n_costs(self) -> int | None:
        """The number of costs if costs have separate weights, otherwise None."""
        return self.problem.shape_[0] if len(self.problem.shape_) == 2 else None

    def of_scores(self, scores: Any, mask: Any = None) -> PredictedCosts:
        costs, optimizers = self._split("scores", scores, mask)
        values, spans = _flat("scores", costs, 1)
        m = self._n_costs
        if m is None and isinstance(optimizers, Optimizer):
            m = optimizers.n_costs
        if m is not None and (spans.sizes != m).any():
            raise ValueError(
                f"scores must be of shape (n, {m}), a predicted cost for each of {m} entries of a "
                f"decision; got {_shape(costs)}"
            )
        return _finite(PredictedCosts(values, spans, optimizers))

    def slacks(self, scores: PredictedCosts, Y: Any, mu: float) -> torch.Tensor:
        if mu > 0:
            raise ValueError(
                "mu > 0 needs a soft oracle, which decisions do not have: take mu=0, or "
                "PerturbedFenchelYoungLoss, which smooths by noise"
            )
        optima = _optima(Y, scores.spans)
        costs = 2 * _numbers(scores) - optima.costs
        found = self._solved(scores, costs, optima.numbers, TRAINING)
        exact = self.problem.is_exact
        if exact:
            require_not_worse(optima, costs, found, self.problem.sign)
        regrets = tensor_like(losses(optima, found, self.problem.sign, exact), scores.values)
        change = 2 * self.problem.sign * (optima.decisions - found)
        # An optimizer that misses decisions may miss the true one, whose slack is 0.
        return (regrets + scores.products(change)).relu()

    def perturbed_losses(
        self, scores: PredictedCosts, Y: Any, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        optima, samples = _optima(Y, scores.spans), scores.perturbed(noise)
        count = len(samples.spans) // len(optima)
        found = self._solved(samples, _numbers(samples), np.tile(optima.numbers, count), PREDICTED)
        change = self.problem.sign * (np.tile(optima.decisions, count) - found)
        return samples.products(change).relu().view(count, -1).mean(dim=0)

    def decode(self, scores: PredictedCosts) -> Any:
        numbers = np.arange(len(scores.spans))
        return by_example(self._solved(scores, _numbers(scores), numbers, PREDICTED), scores.spans)

    def _solved(
        self, scores: PredictedCosts, costs: Vector, numbers: Indices, called_with: str
    ) -> Vector:
        """Return the best decision for the costs of each example."""
        return solve_in_parts(
            scores.optimizers, costs, scores.spans, numbers, self._n_jobs, called_with
        )

    def _split(self, name: str, X: Any, mask: Any) -> tuple[Any, Any]:
        """Return the tensors of the inputs, and their common optimizer or a list of optimizers."""
        if mask is not None:
            raise ValueError("costs have no positions: expected no mask")
        own = None
        if isinstance(X, (list, tuple)) and len(X):
            X, own = apart(name, X, self.problem.sense)
        if own is None and self._common is None:
            raise ValueError(
                f"optimize is None, so {name} must be a sequence of Instance, of a tensor and the "
                "optimizer of the example"
            )
        return X, self._common if own is None else own


def _flat(name: str, X: Any, ndim: int) -> tuple[torch.Tensor, Spans]:
    """Concatenate the tensors of all examples, given as a sequence or as one stacked tensor."""
    if not isinstance(X, (list, tuple)):
        require_tensor(name, X, ndim + 1)
        return X.flatten(0, 1), Spans(np.full(len(X), X.shape[1]))
    if not X:
        raise ValueError(f"{name} is empty; expected at least one example")
    for i, x in enumerate(X):
        require_tensor(f"{name}[{i}]", x, ndim)
        require_alike(f"{name}[{i}]", x, f"{name}[0]", X[0])
        if x.shape[1:] != X[0].shape[1:]:
            raise ValueError(
                f"{name}[{i}] has {x.shape[1]} features, and {name}[0] has {X[0].shape[1]}"
            )
    return torch.cat(list(X)), Spans(np.array([len(x) for x in X]))


def _shape(X: Any) -> str:
    """Describe the shape of a tensor, or the shapes in a sequence."""
    if isinstance(X, torch.Tensor):
        return str(tuple(X.shape))
    return "a sequence of shapes " + ", ".join(sorted({str(tuple(x.shape)) for x in X}))


def _finite(costs: PredictedCosts) -> PredictedCosts:
    finite = torch.isfinite(costs.values.detach())
    if not finite.all():
        i = costs.spans.owner[int(finite.int().argmin())]
        raise ValueError(
            f"the predicted costs of example {i} contain NaN or infinity: look at the network's "
            "inputs and weights; the learning rate may be too large"
        )
    return costs


def _numbers(costs: PredictedCosts) -> Vector:
    return np.array(as_numpy(costs.values), dtype=np.float64)


def _optima(Y: Any, spans: Spans) -> Optima:
    """Return the optima in Y; raise a ValueError if their sizes differ from ``spans``."""
    optima = _unstacked(Y) if isinstance(Y, Optimum) else Optima.of(Y)
    if len(optima) != len(spans):
        raise ValueError(f"X has {len(spans)} examples but Y has {len(optima)}; they must be equal")
    different = optima.layout.sizes != spans.sizes
    if different.any():
        i = int(np.argmax(different))
        raise ValueError(
            f"Y[{i}] has {optima.layout.sizes[i]} costs, but {spans.sizes[i]} are predicted"
        )
    return optima


def _unstacked(stacked: Optimum) -> Optima:
    """Return the separate optima that a DataLoader has stacked into one Optimum."""
    costs, decisions = (np.asarray(as_numpy(part), dtype=np.float64) for part in stacked)
    if costs.ndim != 2 or costs.shape != decisions.shape:
        raise ValueError(
            "Y must be a sequence of Optimum, or one of costs and decisions of shape (n, m); got "
            f"shapes {costs.shape} and {decisions.shape}"
        )
    spans = Spans(np.full(len(costs), costs.shape[1]))
    return Optima(costs.reshape(-1), decisions.reshape(-1), spans, np.arange(len(costs)))
