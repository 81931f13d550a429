"""The samples of the perturbed loss: variance of its gradient, and errors for as many decodings.

    python -m benchmarks networks/perturbed    # needs torch

"variance": of the gradient in the scores, summed over its entries, with pairs Z and -Z relative to
independent samples, for standard normal scores times a scale, 8 examples and sigma = 1. "errors": a
network of 32 hidden units scores the pairs of a matching of 6 x 6 from 4 features each, trained on
200 matchings, in mini-batches of 20, by Adam with a learning rate that falls to 0. Each number of
samples may decode every example 80 times, so fewer samples make more steps; mean over three seeds
of the percentage of items with another partner, on 500 other matchings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.experiment import Experiment
from structsvm.problems import Assignment, Chain, Multiclass

SCALES, REPEATS = (0.0, 1.0, 3.0), 300
ITEMS, FEATURES, TRAINED, TESTED, BATCH, DECODINGS = 6, 4, 200, 500, 20, 80
SAMPLES = ((1, False), (2, False), (2, True), (4, True), (8, True))
RATES, SEEDS = (0.01, 0.03, 0.1), range(3)


class Case(NamedTuple):
    """A problem, the form of its scores, the tensors of these, and true outputs."""

    problem: Any
    form: Callable[..., Any]
    tensors: list[Any]
    Y: Any


def initialised(problem: Any, X: Any, Y: Any) -> Any:
    problem.initialize(X, Y)
    return problem


def matching(Y: Any) -> tuple[Any, Any]:
    """A matching whose weights are the scores of its pairs, and its only input."""
    x = np.eye(ITEMS**2).reshape(ITEMS, ITEMS, -1)
    return initialised(Assignment(), [x] * len(Y), Y), x


def cases(scale: float) -> dict[str, Case]:
    """By name."""
    import torch

    torch.set_num_threads(1)

    rng, n, k, length = np.random.default_rng(0), 8, 10, 8

    def normal(*shape: int) -> Any:
        return torch.tensor(scale * rng.normal(size=shape), requires_grad=True)

    classes = initialised(Multiclass(), np.zeros((k, 1)), list(range(k)))
    own = [normal(n, k)]
    found = {"10 classes": Case(classes, lambda scores: scores, own, rng.integers(k, size=n))}
    Y = [rng.permutation(length) for _ in range(n)]
    chain = initialised(Chain(), [np.zeros((length, 1))] * n, Y)
    tables = [normal(n, length, length), normal(length, length)]
    found["chains, 8 positions, 8 labels"] = Case(chain, lambda *pair: pair, tables, Y)
    Y = [rng.permutation(ITEMS) for _ in range(n)]
    problem, x = matching(Y)
    own = [normal(n, ITEMS**2)]
    return found | {"matchings, 6 x 6": Case(problem, lambda w: ([x] * n, w), own, Y)}


def variance(case: Case, antithetic: bool) -> float:
    import torch

    from structsvm.torch import PerturbedFenchelYoungLoss

    problem, form, tensors, Y = case
    layer = PerturbedFenchelYoungLoss(
        problem, antithetic=antithetic, random_state=0, scores=True, reduction="sum"
    )
    found = [torch.autograd.grad(layer(form(*tensors), Y), tensors) for _ in range(REPEATS)]
    return sum(float(torch.stack(same).var(dim=0).sum()) for same in zip(*found, strict=True))


def matchings(n: int, seed: int) -> tuple[Any, list[Any]]:
    """Features of pairs, and the best partners by a function of them that is not linear."""
    import torch

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, ITEMS, ITEMS, FEATURES))
    value = 2 * X[..., 0] * X[..., 1] + np.sin(2 * X[..., 2])
    value += 0.5 * rng.normal(size=value.shape)
    Y = [linear_sum_assignment(own, maximize=True)[1] for own in value]
    return torch.tensor(X, dtype=torch.float32), Y


def error(n_samples: int, antithetic: bool, rate: float, seed: int) -> float:
    import torch

    from structsvm.torch import PerturbedFenchelYoungLoss

    (X, Y), (X_test, Y_test) = matchings(TRAINED, 0), matchings(TESTED, 1)
    torch.manual_seed(seed)
    hidden = torch.nn.Linear(FEATURES, 32)
    network = torch.nn.Sequential(hidden, torch.nn.Tanh(), torch.nn.Linear(32, 1))
    problem, x = matching(Y)
    layer = PerturbedFenchelYoungLoss(
        problem, n_samples=n_samples, antithetic=antithetic, random_state=seed, scores=True
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    steps = TRAINED * DECODINGS // (BATCH * n_samples)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)

    def scores(X: Any) -> Any:
        # Psi is a mean over the items.
        return [x] * len(X), ITEMS * network(X).reshape(len(X), -1)

    for _ in range(steps):
        chosen = torch.randint(TRAINED, (BATCH,))
        optimizer.zero_grad()
        layer(scores(X[chosen]), [Y[i] for i in chosen]).backward()
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        predicted = layer.decode(scores(X_test))
    return 100 * float(np.mean(np.array(predicted) != np.array(Y_test)))


def mean_error(data: tuple[int, bool], rate: float) -> float:
    return float(np.mean([error(*data, rate, seed) for seed in SEEDS]))


CASES = ("10 classes", "chains, 8 positions, 8 labels", "matchings, 6 x 6")
EXPERIMENTS = (
    Experiment(
        "variance",
        ("scores", "scale"),
        {
            (name, scale): lambda name=name, scale=scale: cases(scale)[name]
            for scale in SCALES
            for name in CASES
        },
        {
            "pairs": lambda case: variance(case, antithetic=True),
            "independent": lambda case: variance(case, antithetic=False),
        },
        lambda fits, case: {"variance": fits["pairs"].found / fits["independent"].found},
        wide=True,
    ),
    Experiment(
        "errors",
        ("samples",),
        {
            f"{n}{', pairs' if antithetic else ''}": lambda n=n, antithetic=antithetic: (
                n,
                antithetic,
            )
            for n, antithetic in SAMPLES
        },
        {f"learning rate {rate:g}": partial(mean_error, rate=rate) for rate in RATES},
        lambda fits, data: {name: fit.found for name, fit in fits.items()},
        wide=True,
    ),
)
