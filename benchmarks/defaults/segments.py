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

import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.averages import averaged
from benchmarks.report import one_thread, report
from benchmarks.store import Row
from structsvm.problems import SegmentSVM

RESULTS = "defaults/segments"
#: Signals to learn from and to divide, positions of a segment, and draws of a kind of signals.
TRAIN, TEST, LENGTHS, DRAWS = 20, 25, (4, 21), 6
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


def scores(kind: str, describe: Describe, draw: int) -> Row:
    """F1 with each of the parameters, in percent, and the CPU seconds of training."""
    rng = np.random.default_rng(draw)
    states = rng.normal(size=(4, 3)) if kind == "states" else None
    signals, y = zip(*(drawn(rng, states) for _ in range(TRAIN + TEST)), strict=True)
    X = [candidates(x, describe) for x in signals]
    row: Row = {"kind": kind}
    for name, parameters in TRIED.items():
        svm = SegmentSVM(max_length=LENGTHS[1] - 1, **parameters)
        start = time.process_time()
        svm.fit(X[:TRAIN], y[:TRAIN])
        row[f"{name}, CPU s"] = time.process_time() - start
        row[name] = 100 * svm.score(X[TRAIN:], y[TRAIN:])
    print(row, flush=True)
    return row


def main() -> None:
    warnings.simplefilter("ignore")  # of limits
    rows = [scores(kind, f, draw) for kind, f in KINDS.items() for draw in range(DRAWS)]
    report(
        RESULTS, {"F1": averaged(rows, ["kind"], [*TRIED, *(f"{name}, CPU s" for name in TRIED)])}
    )


if __name__ == "__main__":
    with one_thread():
        main()
