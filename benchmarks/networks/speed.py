"""CPU time of the loss of a chain behind a network, and of its gradients, one thread.

    python -m benchmarks networks/speed    # needs torch, and ocr_letters in STRUCTSVM_DATA

Handwritten words with their 128 pixels as features. "tensors" is the inference that Chain offers to
a layer, with gradients in x and w; "oracles" the way of all other problems, in w alone: the task of
Chain for the hinge, and its soft oracle for one word after another for mu > 0. "one by one" is its
separation oracle with loss and joint-feature difference, or its soft oracle, called for one word
after another, without a layer.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.report import cpu_seconds
from structsvm.problems import Chain

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))

SIZES, REPEATS = (32, 600), 7
LOSSES = {"hinge": 0.0, "mu = 0.3": 0.3}


class OracleChain(Chain):
    """A chain without inference over tensors."""

    tensor_inference = None


def one_by_one(problem: Chain, X: list[Any], Y: list[Any], w: Any, mu: float) -> None:
    for x, y in zip(X, Y, strict=True):
        if mu > 0:
            problem.soft_oracle(x, y, w, mu)
        else:
            y_hat = problem.separation_oracle(x, y, w)
            problem.loss(y, y_hat)
            problem.joint_feature_difference(x, y, y_hat)


class Words(NamedTuple):
    """Pixels of words as tensors, letters, those of all words, and the temperature."""

    X: list[Any]
    Y: list[Any]
    everything: tuple[list[Any], list[Any]]
    mu: float

    def initialised(self, problem: Chain) -> tuple[Chain, Any]:
        """The problem of all words, and weights."""
        pixels, letters = self.everything
        problem.initialize([x.numpy() for x in pixels], letters)
        return problem, np.random.default_rng(0).normal(0, 0.1, problem.size_joint_feature)


def words(n: int, loss: str) -> Words:
    import handwriting
    import torch

    torch.set_num_threads(1)
    pixels, letters, _ = handwriting.words()
    return Words(pixels[:n], letters[:n], (pixels, letters), LOSSES[loss])


def through_layer(data: Words, kind: type[Chain]) -> float:
    import torch

    from structsvm.torch import StructuredHingeLoss

    problem, w = data.initialised(kind())
    layer = StructuredHingeLoss(problem, mu=data.mu)
    layer.w.data = torch.tensor(w, dtype=torch.float32)
    X = [x.clone().requires_grad_(kind is Chain) for x in data.X]
    return 1000 * cpu_seconds(lambda: layer(X, data.Y).backward(), REPEATS)[0]


def alone(data: Words) -> float:
    problem, w = data.initialised(OracleChain())
    run = partial(one_by_one, problem, [x.numpy() for x in data.X], data.Y, w, data.mu)
    return 1000 * cpu_seconds(run, REPEATS)[0]


EXPERIMENTS = (
    Experiment(
        "CPU time",
        ("words", "loss"),
        {(n, loss): partial(words, n, loss) for n in SIZES for loss in LOSSES},
        {
            "tensors, ms": partial(through_layer, kind=Chain),
            "oracles, ms": partial(through_layer, kind=OracleChain),
            "one by one, ms": alone,
        },
        lambda fits, data: {name: fit.found for name, fit in fits.items()},
        wide=True,
    ),
)
