"""PyEPO 2.2.7: a linear model trained by Adam on its losses, with our optimizers.

PyEPO calls a solver for one example after the other, unless the model is an ``optMpaxModel``: that
gets the costs of a batch, through ``batch_optimize``. Ours are such models, without MPAX, so PyEPO
has the batch form of our optimizers. Batches are taken by index, which is faster than its loader.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyepo
import torch
from pyepo import EPO
from pyepo.model.mpax import optMpaxModel
from pyepo.model.opt import optModel

from benchmarks.decisions._draws import Draw, Learned, Predict
from structsvm.problems.decisions import Optimizer

torch.set_num_threads(1)

#: Examples in a batch, and learning rates to choose from.
BATCH, RATES = 32, (0.01, 0.1)
#: Epochs of any run; and at most, while one of the last ones is the best so far.
EPOCHS, MOST, PATIENCE = 20, 50, 10
#: Number of examples from which on no run is longer than EPOCHS.
MANY = 5000


def sense_of(optimizer: Optimizer) -> Any:
    return EPO.MAXIMIZE if optimizer.sense == "max" else EPO.MINIMIZE


class Batched(optMpaxModel):
    """An optimizer as a model of PyEPO that solves a batch at once."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self.modelSense = optimizer, sense_of(optimizer)
        optModel.__init__(self)  # that of optMpaxModel is for MPAX

    def _getModel(self) -> tuple[Any, Any]:
        return None, range(self.num_cost)

    @property
    def num_cost(self) -> int:
        return self.optimizer.n_costs or 0

    def setObj(self, c: Any) -> None:
        self.c = c

    def batch_optimize(self, costs: Any) -> tuple[Any, Any, Any]:
        """Return decisions and their costs; PyEPO expects minus the value of a maximum."""
        given = costs.numpy().astype(np.float64)
        decisions = self.optimizer.batch(given)
        values = (decisions * given).sum(axis=1)
        return decisions, -values if self.modelSense == EPO.MAXIMIZE else values, None


class Single(optModel):
    """An optimizer as a model of PyEPO that solves one example at a time."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self.modelSense = optimizer, sense_of(optimizer)
        super().__init__()

    def _getModel(self) -> tuple[Any, Any]:
        return None, range(self.optimizer.n_costs or 0)

    def setObj(self, c: Any) -> None:
        self.costs = np.asarray(c, dtype=np.float64)

    def solve(self) -> tuple[Any, float]:
        decision = self.optimizer(self.costs)
        return decision, float(decision @ self.costs)


def spo_plus(model: Any) -> Callable[..., Any]:
    return pyepo.func.SPOPlus(model)


def perturbed(model: Any) -> Callable[..., Any]:
    """The perturbed Fenchel-Young loss; one sample and sigma = 1, as in PyEPO's experiments."""
    loss = pyepo.func.perturbedFenchelYoung(model, n_samples=1, sigma=1.0)
    return lambda predicted, costs, decisions, values: loss(predicted, decisions)


#: The losses, with one call of the optimizer for each example in an epoch.
LOSSES: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "PyEPO SPO+": spo_plus,
    "PyEPO perturbed": perturbed,
}


class Run(NamedTuple):
    """A run of Adam: the best epoch by the validation examples, and seconds of one epoch."""

    predict: Predict
    regret: float
    epoch: int
    seconds: float


def epochs(draw: Draw, loss: Callable[..., Any], rate: float, seed: int) -> Iterator[Any]:
    """Train: the linear model after each epoch, and the CPU seconds that the epoch took."""
    torch.manual_seed(seed)
    train = draw.train
    X, *rest = (
        torch.as_tensor(part, dtype=torch.float32)
        for part in (train.X, train.costs, train.best, train.values[:, None])
    )
    linear = torch.nn.Linear(X.shape[1], train.costs.shape[1])
    adam = torch.optim.Adam(linear.parameters(), lr=rate)
    while True:
        start = time.process_time()
        for rows in torch.randperm(len(X)).split(BATCH):
            adam.zero_grad()
            loss(linear(X[rows]), *(part[rows] for part in rest)).backward()
            adam.step()
        yield linear, time.process_time() - start


def run(draw: Draw, name: str, rate: float, seed: int) -> Run:
    """Adam with a learning rate, until no epoch improves on the validation examples."""
    most = EPOCHS if len(draw.train.X) >= MANY else MOST
    seconds, best = 0.0, Run(np.asarray, np.inf, 0, 0.0)
    steps = epochs(draw, LOSSES[name](Batched(draw.optimizer)), rate, seed)
    for epoch, (linear, took) in enumerate(steps, 1):
        seconds += took
        predict = _predictor(linear)
        regret = draw.validation.regret(predict)
        if regret < best.regret:
            best = Run(predict, regret, epoch, 0.0)
        if epoch == most or (epoch >= EPOCHS and epoch - best.epoch >= PATIENCE):
            return best._replace(seconds=seconds / epoch)
    raise AssertionError("epochs do not end")


def learned(draw: Draw, name: str) -> Learned:
    """Return the best epoch of the best learning rate, with the calls and seconds until then."""
    start = time.process_time()
    draw.optimizer.batch(draw.train.costs)
    known = time.process_time() - start
    runs = [run(draw, name, rate, draw.seed) for rate in RATES]
    best = min(runs, key=lambda run: run.regret)
    return Learned(
        best.predict,
        known + best.epoch * best.seconds,
        best.epoch,
    )


def _predictor(linear: Any) -> Predict:
    weights = copy.deepcopy(linear.state_dict())
    W, b = (weights[part].double().numpy() for part in ("weight", "bias"))
    return lambda X: X @ W.T + b
