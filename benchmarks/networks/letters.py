"""Handwritten words read by a network and a chain: the error of a letter over ten folds.

    python -m benchmarks networks/letters    # needs torch, and ocr_letters in STRUCTSVM_DATA

A fold is trained on and the nine others are predicted, as in benchmarks/sequences/letters.py. The
network and its training come from docs/examples/handwriting.py, and are the same for all losses
except the largest learning rate. That, and the temperature of the example, were chosen so: trained
on four fifths of the words of the first fold, tested on the last fifth, two seeds. So no test word
of the first fold took part in the choice; for the other folds, words of the first are among the
test words.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.experiment import Experiment, Fit, cpu_seconds
from benchmarks.sequences.letters import summary
from benchmarks.store import Row

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))

#: Temperatures of the chain's loss, None for a softmax; learning rates; and seeds.
TEMPERATURES, RATES, SEEDS = (None, 0.0, 0.3, 1.0), (1e-3, 5e-3), 2
#: Pixels and letters of words to learn from and to read; and a seed.
Parts = tuple[Any, Any, int]


def name(mu: float | None) -> str:
    if mu is None:
        return "network, softmax"
    return "network, chain, hinge" if mu == 0 else f"network, chain, mu = {mu:g}"


def parts(train: Any, test: Any, seed: int = 0) -> Parts:
    import handwriting
    import torch

    torch.set_num_threads(1)
    pixels, letters, _ = handwriting.words()
    return *(
        ([pixels[i] for i in part], [letters[i] for i in part]) for part in (train, test)
    ), seed


def fold(k: int) -> Parts:
    import handwriting

    of = handwriting.words()[2]
    return parts(np.flatnonzero(of == k), np.flatnonzero(of != k), k)


def held_out() -> Parts:
    """Four fifths of the words of the first fold, and the others."""
    import handwriting

    of = handwriting.words()[2]
    first = np.random.default_rng(0).permutation(np.flatnonzero(of == 0))
    return parts(*np.split(first, [len(first) * 4 // 5]))


def wrong(data: Parts, mu: float | None, rate: float, seed: int) -> float:
    """The percentage of letters that a network reads wrong, trained with a loss."""
    import handwriting
    import torch

    train, test, _ = data
    torch.manual_seed(seed)
    reader = handwriting.LetterReader() if mu is None else handwriting.ChainReader(train[1], mu)
    return float(handwriting.error(handwriting.trained(reader, *train, rate), *test))


def by_rate(data: Parts, mu: float | None) -> dict[float, float]:
    return {
        rate: float(np.mean([wrong(data, mu, rate, seed) for seed in range(SEEDS)]))
        for rate in RATES
    }


def network(data: Parts, mu: float | None) -> Fit:
    """With the rate that is best on the held-out words; the seconds do not count the choice."""
    rates = chosen_by(mu)
    seconds, error = cpu_seconds(
        lambda: wrong(data, mu, min(rates, key=rates.__getitem__), data[2]), 1
    )
    return Fit(error, seconds)


@cache
def chosen_by(mu: float | None) -> dict[float, float]:
    return by_rate(held_out(), mu)


def linear(data: Parts) -> Fit:
    import handwriting

    train, test, _ = data
    seconds, error = cpu_seconds(
        lambda: handwriting.error(handwriting.LinearReader(*train), *test), 1
    )
    return Fit(float(error), seconds)


def summary_of_folds(folds: list[Row]) -> Row:
    row = summary(folds)
    row.pop("fold 1")
    return row | {"fold 0": folds[0]["error"]}


NETWORKS = {name(mu): mu for mu in TEMPERATURES}
EXPERIMENTS = (
    Experiment(
        "error of a letter",
        ("trainer",),
        {(): fold},
        {
            "ChainSVM()": linear,
            **{loss: partial(network, mu=mu) for loss, mu in NETWORKS.items()},
        },
        lambda fit, data: {"error": fit.found.found, "seconds": fit.found.seconds},
        draws=10,
        summary=summary_of_folds,
    ),
)
