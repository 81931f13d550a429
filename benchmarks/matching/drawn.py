"""What AssignmentSVM learns with its default, beside equal weights, another C, and plain features.

Points are found again among others by the squared or absolute differences of their coordinates, or
by their products; coordinates differ in noise, a third tells nothing, and each has a unit of its
own, from 10^-3 to 10^3. Words are items with 60 of them, half of which change. Landmarks are those
of the script house. Wrong rows in percent, means over 3, 10 and 25 examples to learn from, two
draws of points, and both ends of the movies.

    python -m benchmarks matching/drawn

C is in multiples of the default. The sets in "choosing" chose it, and one weight that all features
share. Equal weights are those of features divided by their standard deviations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.experiment import Experiment, means
from benchmarks.matching._frames import facade, house, pairs, split
from benchmarks.matching.house import error
from benchmarks.store import Row
from structsvm.problems import AssignmentSVM

#: Offsets of the seeds, kinds of points, distances of frames, and the box of each half.
HALVES: dict[str, tuple[int, tuple[str, ...], tuple[int, ...], int]] = {
    "choosing": (0, ("squares", "distances"), (40, 60, 90), 1),
    "confirming": (500, ("squares", "products"), (50, 70, 80), 2),
}
EXAMPLES, TESTED, DECADES = (3, 10, 25), 40, 3.0
#: Rows, coordinates and the middle of the noise of points.
POINTS = ((6, 3, 0.1), (10, 6, 0.4), (12, 20, 0.8))
#: Inputs and outputs to learn from, and to test on.
Parts = tuple[tuple[list[Any], list[Any]], tuple[list[Any], list[Any]]]


def points(seed: int, n: int, m: int, d: int, noise: float, kind: str) -> Parts:
    rng = np.random.default_rng(seed)
    deviations = np.exp(rng.uniform(np.log(noise / 4), np.log(noise * 4), d))
    deviations[rng.random(d) < 0.3] = 5
    units = 10 ** rng.uniform(-DECADES, DECADES, d)
    examples = []
    for _ in range(n + TESTED):
        others = m + 3 * (seed % 2)
        a, y, b = rng.normal(size=(m, d)), rng.permutation(others)[:m], rng.normal(size=(others, d))
        b[y] = a + deviations * rng.normal(size=(m, d))
        steps = a[:, None] - b
        scores = {"squares": -(steps**2), "distances": -np.abs(steps), "products": a[:, None] * b}
        examples.append((units * scores[kind], y))
    return _parts(examples, n)


def words(seed: int, n: int, m: int = 10, d: int = 60) -> Parts:
    rng, frequency = np.random.default_rng(seed), np.minimum(0.6, 3 / np.arange(1, d + 1))
    examples = []
    for _ in range(n + TESTED):
        a, y, b = rng.random((m, d)) < frequency, rng.permutation(m), np.empty((m, d), dtype=bool)
        b[y] = np.where(rng.random((m, d)) < 0.5, a, rng.random((m, d)) < frequency)
        examples.append(((a[:, None] & b).astype(float), y))
    return _parts(examples, n)


def _parts(examples: list[Any], n: int) -> Parts:
    train, test = (
        tuple(map(list, zip(*some, strict=True))) for some in (examples[:n], examples[n:])
    )
    return train, test


def of_frames(movie: Callable[[], Any], k: int, graph: bool, backwards: bool) -> Parts:
    starts = split(movie(), k, backwards)
    return tuple(pairs(movie(), some, k, graph) for some in (starts.train, starts.test))


def cases(half: str) -> dict[str, list[Callable[[], Parts]]]:
    """What draws the cases of each kind."""
    offset, kinds, distances, box = HALVES[half]
    found = {"words": [partial(words, offset, n) for n in EXAMPLES]}
    for n, seed, shape, kind in product(EXAMPLES, range(2), POINTS, kinds):
        own = found.setdefault(f"points, {kind}", [])
        own.append(partial(points, offset + seed, n, *shape, kind))
    for name, movie in (("house", house), ("box", partial(facade, box))):
        for graph in (False, True):
            found[f"{name}, graph" if graph else name] = [
                partial(of_frames, movie, k, graph, backwards)
                for k, backwards in product(distances, (False, True))
            ]
    return found


def errors(train: Any, test: Any) -> dict[str, float]:
    (X, Y), (others, true) = train, test
    svm = AssignmentSVM().fit(X, Y)
    found = {"default": svm.predict(others)}
    for factor in (0.1, 10.0):
        found[f"C x {factor:g}"] = AssignmentSVM(C=factor * svm.C_).fit(X, Y).predict(others)
    found["scale=None"] = AssignmentSVM(scale=None).fit(X, Y).predict(others)
    size = np.concatenate([x.reshape(-1, x.shape[2]) for x in X]).std(axis=0)
    equal = 1 / np.where(size > 0, size, 1)
    found["equal"] = [linear_sum_assignment(x @ equal, maximize=True)[1] for x in others]
    return {name: 100 * error(matchings, true) for name, matchings in found.items()}


def kind_of(half: str, kind: str) -> list[Parts]:
    return [case() for case in cases(half)[kind]]


def row(fits: Any, drawn: list[Parts]) -> Row:
    return {"cases": len(drawn)} | means(fits["AssignmentSVM"].found)


EXPERIMENTS = (
    Experiment(
        "wrong rows, percent",
        ("half", "kind"),
        {(half, kind): partial(kind_of, half, kind) for half in HALVES for kind in cases(half)},
        {"AssignmentSVM": lambda drawn: [errors(*parts) for parts in drawn]},
        row,
        wide=True,
    ),
)
