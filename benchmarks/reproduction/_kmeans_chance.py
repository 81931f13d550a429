"""The effect of the seed of the Iterative search on its mean loss."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.item_sets import available, linqs_sets, synth_sets
from benchmarks.reproduction._kmeans_protocol import GRIDS, SEEDS, chosen, estimator, held_out
from benchmarks.store import Row

#: Collections small enough to be run with many seeds.
CHANCE = [*(partial(synth_sets, noise, 0) for noise in (0.45, 0.48)), linqs_sets]


def chance_rows() -> Iterator[list[Row]]:
    """The mean loss of Iterative on small collections, over the seeds of the search."""
    rows: list[Row] = []
    for collection in available(CHANCE):
        X, y, grid = collection.X, collection.y, GRIDS[collection.name.split()[0]]
        means = []
        for seed in SEEDS:
            model = estimator("Iterative", seed)
            losses = [
                held_out(model, chosen(model, grid, X, y, i), X, y, i)["loss"]
                for i in range(len(X))
            ]
            means.append(np.mean(losses))
        rows.append({"": collection.name, "seeds": len(means)} | described(means))
        print(rows[-1], flush=True)
        yield rows


def described(values: Any) -> Row:
    """Mean and spread of values over seeds."""
    names = ("mean", "standard deviation", "least", "largest")
    measures = np.mean, partial(np.std, ddof=1), np.min, np.max
    return {name: float(of(values)) for name, of in zip(names, measures, strict=True)}
