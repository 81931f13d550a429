"""Snakes of ten cells, numbered from head to tail: the graph under time limits, and nodes alone.

    python -m benchmarks graphs/snakes

A task after Nowozin et al. (Decision Tree Fields, ICCV 2011), drawn at random: 120 grids of 9 x 9
cells train and 60 test. A cell's colour is the direction in which the snake leaves it, and another
one beside the snake; the label is the number of the cell, or 0. Node features are the colours of
nine cells, edge features those of both ends, by direction. Times are CPU seconds of one thread, but
limits are wall time.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import Graph, GraphSVM, grid_graph

SIZE, LENGTH = 9, 10
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
LIMITS = (2.0, 5.0, 10.0, 20.0)


def snake(rng: np.random.Generator) -> tuple[Any, Any]:
    """The cells of a walk that never meets itself, and the number of each step."""
    cells, steps = [tuple(rng.integers(SIZE, size=2).tolist())], []
    while len(cells) < LENGTH:
        (row, column) = cells[-1]
        free = [
            (step, cell)
            for step, (down, right) in enumerate(STEPS)
            if (cell := (row + down, column + right)) not in cells
            and 0 <= min(cell) <= max(cell) < SIZE
        ]
        if not free:
            return snake(rng)
        step, cell = free[rng.integers(len(free))]
        cells.append(cell)
        steps.append(step)
    return np.transpose(cells), [*steps, steps[-1]]


def grid(rng: np.random.Generator) -> tuple[Graph, Any]:
    """A grid with a snake, and the labels of its cells."""
    colours, labels = np.full((SIZE + 2, SIZE + 2), len(STEPS)), np.zeros((SIZE, SIZE), dtype=int)
    (rows, columns), steps = snake(rng)
    labels[rows, columns] = np.arange(1, LENGTH + 1)
    colours[rows + 1, columns + 1] = steps
    colours = np.eye(len(STEPS) + 1)[colours]
    around = [colours[i : i + SIZE, j : j + SIZE] for i in range(3) for j in range(3)]
    graph = grid_graph(np.concatenate(around, axis=2))
    own = colours[1:-1, 1:-1].reshape(SIZE * SIZE, -1)
    ends = np.hstack([own[graph.edges[:, end]] for end in (0, 1)])
    by_direction = graph.edge_features[:, :, None] * ends[:, None, :]
    edge_features = by_direction.reshape(len(ends), -1)
    return graph._replace(edge_features=edge_features), labels.ravel()


def snakes(n: int, seed: int) -> tuple[list[Graph], list[Any]]:
    rng = np.random.default_rng(seed)
    graphs, labels = zip(*(grid(rng) for _ in range(n)), strict=True)
    return list(graphs), list(labels)


def without_edges(graph: Graph) -> Graph:
    return graph._replace(edges=graph.edges[:0], edge_features=graph.edge_features[:0])


class Snakes(NamedTuple):
    """Grids to learn from and to label."""

    X: list[Graph]
    y: list[Any]
    T: list[Graph]
    z: list[Any]


def nodes_alone(data: Snakes) -> tuple[Any, list[Graph]]:
    X, T = ([without_edges(x) for x in part] for part in (data.X, data.T))
    return GraphSVM(directed=True).fit(X, data.y), T


def limited(data: Snakes, limit: float | None) -> tuple[Any, list[Graph]]:
    return GraphSVM(directed=True, time_limit=limit).fit(data.X, data.y), data.T


def row(fit: Any, data: Snakes) -> Row:
    (svm, T), seconds = fit
    found = {"accuracy": svm.score(T, data.z), "objective": svm.result_.primal}
    return found | {"passes": svm.n_iter_, "seconds": seconds}


EXPERIMENTS = (
    Experiment(
        "snakes",
        ("method",),
        {(): lambda: Snakes(*snakes(120, seed=0), *snakes(60, seed=1))},
        {"nodes alone": nodes_alone}
        | {f"graph, at most {limit:g} s": partial(limited, limit=limit) for limit in LIMITS}
        | {"graph, to the end": partial(limited, limit=None)},
        row,
    ),
)
