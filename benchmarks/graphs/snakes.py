"""Snakes in grids: each of ten pixels of a snake has its place along it as label.

A snake walks through a grid of 10 x 10 at random without crossing itself; a pixel shows nothing,
the direction to the next one, or the head. The features of a node are those of 3 x 3 pixels around
it, and edges lead right or down, after the snakes of Nowozin et al., Decision Tree Fields, ICCV
2011. 120 grids are trained on, and 60 predicted. CPU seconds of training, one thread.

    python -m benchmarks graphs/snakes
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment, Fit
from benchmarks.store import Row
from structsvm import SmoothedCuttingPlane
from structsvm.problems import Graph, GraphSVM

SIDE, LENGTH, TRAINED, TESTED = 10, 10, 120, 60
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
HEAD = len(MOVES)


class Snakes(NamedTuple):
    X: list[Graph]
    y: list[Any]


def walk(rng: np.random.Generator) -> tuple[list[tuple[int, int]], list[int]]:
    """The pixels of a snake, and the direction from each to the next."""
    while True:
        (row, column), pixels, directions = rng.integers(SIDE, size=2).tolist(), [], []
        while len(pixels) < LENGTH:
            pixels.append((row, column))
            possible = [
                (i, (row + down, column + right))
                for i, (down, right) in enumerate(MOVES)
                if 0 <= row + down < SIDE and 0 <= column + right < SIDE
                and (row + down, column + right) not in pixels
            ]  # fmt: skip
            if not possible:
                break
            i, (row, column) = possible[int(rng.integers(len(possible)))]
            directions.append(i)
        if len(pixels) == LENGTH:
            return pixels, [*directions[: LENGTH - 1], HEAD]


def snakes() -> Snakes:
    rng, number = np.random.default_rng(0), np.arange(SIDE**2).reshape(SIDE, SIDE)
    right = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    down = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    edges, kinds = np.vstack([right, down]), np.repeat(np.eye(2), [len(right), len(down)], axis=0)
    X, Y = [], []
    for _ in range(TRAINED + TESTED):
        y, shown = np.zeros((2, SIDE, SIDE), dtype=int)
        for place, (pixel, direction) in enumerate(zip(*walk(rng), strict=True), 1):
            y[pixel], shown[pixel] = place, 1 + direction
        around = np.eye(HEAD + 2)[np.pad(shown, 1)]
        near = [around[i : i + SIDE, j : j + SIDE] for i in range(3) for j in range(3)]
        X.append(Graph(np.concatenate(near, axis=2).reshape(SIDE**2, -1), edges, kinds))
        Y.append(y.ravel())
    return Snakes(X, Y)


def svc(data: Snakes) -> Any:
    rows = np.concatenate([x.features for x in data.X[:TRAINED]])
    return LinearSVC().fit(rows, np.concatenate(data.y[:TRAINED]))


def measured(fit: Fit, data: Snakes) -> Row:
    new, true = data.X[TRAINED:], np.concatenate(data.y[TRAINED:])
    if isinstance(fit.found, GraphSVM):
        found = np.concatenate(fit.found.predict(new))
    else:
        found = fit.found.predict(np.concatenate([x.features for x in new]))
    own = found == true
    return {"right pixels": own.mean(), "of snakes": own[true > 0].mean(), "CPU s": fit.seconds}


EXPERIMENTS = (
    Experiment(
        "11 labels, directed edges",
        ("method",),
        {(): snakes},
        {
            "GraphSVM(directed=True)": lambda data: GraphSVM(directed=True).fit(
                data.X[:TRAINED], data.y[:TRAINED]
            ),
            "GraphSVM, SmoothedCuttingPlane": lambda data: GraphSVM(
                directed=True, solver=SmoothedCuttingPlane(rtol=1e-2)
            ).fit(data.X[:TRAINED], data.y[:TRAINED]),
            "LinearSVC of pixels": svc,
        },
        measured,
    ),
)
