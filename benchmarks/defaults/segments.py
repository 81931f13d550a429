"""SegmentSVM with its default C, on drawn signals: change points, and states with labels.

Change points are found by the sum of squares around the mean of a segment and a constant ("two
features"), by these beside its length, mean, variance and slope ("six features"), or by sums of
squares from which the first is a difference ("sums"). Signals of four states are described by sums.
The score is F1 of segments. Beside the default: C for n sequences as if the rivals of a segment
differed from it by a vector of length 1, and a hundred times that; and the other losses, with their
default C.

    python -m benchmarks defaults/segments
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment, means
from benchmarks.store import Row
from structsvm.problems import SegmentSVM

#: Signals to learn from and to divide, and positions of a segment.
TRAIN, TEST, LENGTHS = 20, 25, (4, 21)
#: Parameters by the names of columns.
TRIED: dict[str, dict[str, Any]] = {
    "default": {}, "C=5 n": {"C": 5.0 * TRAIN}, "C=500 n": {"C": 500.0 * TRAIN},
    "log loss": {"loss": "log_loss"}, "softmax margin": {"loss": "softmax_margin"},
}  # fmt: skip

Divided = tuple[Any, list[tuple[int, int, int]]]
Describe = Callable[[Any], list[float]]


def drawn(rng: Any, states: Any = None) -> Divided:
    """A signal that jumps, or of four states; and its segments."""
    codes = rng.permutation(4).tolist() + rng.permutation(4).tolist()
    stops = [0, *np.cumsum(rng.integers(*LENGTHS, size=len(codes))).tolist()]
    if states is None:
        codes = [0] * len(codes)
        levels = np.cumsum(rng.choice([-1, 1], len(codes)) * rng.uniform(1.5, 3.0, len(codes)))
        signal = np.repeat(levels, np.diff(stops)) + 0.8 * rng.normal(size=stops[-1])
    else:
        kinds = states[np.repeat(codes, np.diff(stops))]
        signal = kinds + 0.5 * rng.normal(size=kinds.shape)
    return signal, [(a, b, code) for (a, b), code in zip(pairwise(stops), codes, strict=True)]


def two(x: Any) -> list[float]:
    return [len(x) * x.var(), 1.0]


def six(x: Any) -> list[float]:
    places = np.arange(len(x)) - (len(x) - 1) / 2
    slope = places @ x / max(1.0, places @ places)
    return [*two(x), len(x), x.mean(), x.var(), slope]


def sums(x: Any) -> list[float]:
    return [x @ x, x.sum() ** 2 / len(x), 1.0, len(x), x.mean(), x.sum()]


def of_states(x: Any) -> list[float]:
    return [*x.sum(axis=0), *np.square(x).sum(axis=0), len(x), 1.0]


KINDS: dict[str, Describe] = {
    "two features": two, "six features": six, "sums": sums, "states": of_states,
}  # fmt: skip


def candidates(x: Any, describe: Describe) -> Any:
    """The features of all candidate segments, as SegmentSVM takes them."""
    every = ((stop, m) for stop in range(1, len(x) + 1) for m in range(1, LENGTHS[1]))
    return np.array([describe(x[max(0, stop - m) : stop]) for stop, m in every])


class Signals(NamedTuple):
    """Candidates of signals, and their segments: those to learn from come first."""

    X: list[Any]
    y: Any


def signals(kind: str, draw: int) -> Signals:
    rng = np.random.default_rng(draw)
    states = rng.normal(size=(4, 3)) if kind == "states" else None
    signals, y = zip(*(drawn(rng, states) for _ in range(TRAIN + TEST)), strict=True)
    return Signals([candidates(x, KINDS[kind]) for x in signals], y)


def row(fits: Any, data: Signals) -> Row:
    """F1 with each of the parameters, in percent, and the CPU seconds of training."""
    row: Row = {}
    for name, (svm, seconds) in fits.items():
        row |= {name: 100 * svm.score(data.X[TRAIN:], data.y[TRAIN:]), f"{name}, CPU s": seconds}
    return row


def fitted(data: Signals, **parameters: Any) -> SegmentSVM:
    svm = SegmentSVM(max_length=LENGTHS[1] - 1, **parameters)
    return svm.fit(data.X[:TRAIN], data.y[:TRAIN])


def summary(draws: list[Row]) -> Row:
    return {"sets": len(draws)} | {name: round(mean, 1) for name, mean in means(draws).items()}


EXPERIMENTS = (
    Experiment(
        "F1",
        ("kind",),
        {kind: partial(signals, kind) for kind in KINDS},
        {name: partial(fitted, **parameters) for name, parameters in TRIED.items()},
        row,
        wide=True,
        draws=6,
        summary=summary,
    ),
)
