"""An evolutionary search: short descents from many starts and from recombined results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from structsvm.data.arrays import Vector
from structsvm.problems.margin_clustering.annotation import as_annotations
from structsvm.problems.margin_clustering.partitions import matching, numbered, starting_partitions
from structsvm.problems.margin_clustering.problem import ClusteringProblem
from structsvm.problems.margin_clustering.ranking import ranked
from structsvm.problems.margin_clustering.search import FINALISTS, Effort, Found, sampled
from structsvm.problems.margin_clustering.smoothed_margin import (
    Member,
    PrincipalCoordinates,
    SmoothedMargin,
)
from structsvm.results.status import Status

#: Largest number of rows in the search.
SEARCH_ROWS = 2000
#: Largest C in the descents: with a larger C, a few steps do not reduce the loss enough.
MOST_C = 1000.0
#: Number of starting partitions per n_init.
STARTS = 8
#: Largest number of offspring per n_init.
OFFSPRING = 30
#: The search ends after this number of offspring per n_init without a new best clustering.
PATIENCE = 10
#: Number of starts that descend further.
KEPT = 24
#: Number of clusterings in the population.
POPULATION = 16
#: Number of steps of the first descent, which decides whether a second one follows.
FIRST_STEPS = 6
#: Number of steps of the second descent.
MORE_STEPS = 25
#: Offspring above this multiple of the worst objective in the population are discarded.
HOPELESS = 1.15

#: Two clusterings count as the same if at least this fraction of the rows agrees,
SAME_ROWS = 0.99
#: and if their objectives differ by less than this fraction.
SAME_OBJECTIVE = 1e-3


def evolution(problem: ClusteringProblem, Z: Any, known: Any, C: float, effort: Effort) -> Found:
    """Search by a memetic algorithm, which evolves a population of local optima.

    The search works in principal coordinates. For each initial partition, a regression or a linear
    discriminant computes weights, and a few steps of L-BFGS reduce their smoothed objective. The
    best weights get further steps of L-BFGS, and form the population of the memetic algorithm. The
    clusters of two parents are matched, and an offspring inherits each weight vector from one
    parent. L-BFGS also improves the offspring. There are 8 n_init initial partitions and at most 30
    n_init offspring. The function has the same arguments and return value as a :data:`Search`.
    """
    rng = np.random.default_rng(effort.seed)
    rows = sampled(Z.shape[0], SEARCH_ROWS, known, rng)
    Z, known = Z[rows], known if known is None else known[rows]
    problem.initialize([Z], as_annotations(known))
    coordinates = PrincipalCoordinates(problem.rows_, Z)
    margin = SmoothedMargin(problem, coordinates, known, min(C / problem.C_factor, MOST_C))
    found: list[Member] = []
    ended = None
    progress = tqdm(
        _generations(margin, effort.n_init, rng), type(problem).__name__, unit="descent",
        total=effort.n_init * (STARTS + OFFSPRING) + KEPT, disable=not effort.verbose,
    )  # fmt: skip
    try:
        for found in progress:  # noqa: B007
            if effort.is_over():
                ended = Status.TIME_LIMIT
                break
    except KeyboardInterrupt:
        if not found:
            raise KeyboardInterrupt("no start was completed") from None
        ended = Status.INTERRUPTED
    starts = [problem.weights(coordinates.weights(member.W)) for member in found[:FINALISTS]]
    return Found(starts, margin.passes, ended)


def _generations(
    margin: SmoothedMargin, n_init: int, rng: np.random.Generator
) -> Iterator[list[Member]]:
    """Yield the best clusterings so far after every descent.

    The search ends if ``PATIENCE * n_init`` successive offspring give no new best clustering.
    """
    starts: list[Member] = []
    for labels in starting_partitions(margin.x, margin.k, STARTS * n_init, rng):
        W = margin.discriminant(numbered(labels, margin.k, margin.known))
        starts = added(starts, margin.descend(W, FIRST_STEPS), KEPT)
        yield starts
    population: list[Member] = []
    for member in starts:
        population = added(population, margin.descend(member.W, MORE_STEPS), POPULATION)
        yield population
    best, since, left = population[0].objective, 0, OFFSPRING * n_init
    while len(population) > 1 and left and since < PATIENCE * n_init:
        left -= 1
        child = margin.descend(_offspring(population, margin.k, rng), FIRST_STEPS)
        if child.objective <= HOPELESS * population[-1].objective:
            population = added(population, margin.descend(child.W, MORE_STEPS), POPULATION)
        yield population
        improved = population[0].objective < best - SAME_OBJECTIVE * abs(best)
        best, since = population[0].objective, 0 if improved else since + 1


def _offspring(population: list[Member], k: int, rng: np.random.Generator) -> Vector:
    """Return the weights of an offspring of two random members of the population."""
    one, other = (population[int(i)] for i in rng.choice(len(population), 2, replace=False))
    inherited = other.W[matching(one.labels, other.labels, k)]
    return np.where(rng.random(k)[:, None] < 0.5, one.W, inherited)


def added(population: list[Member], member: Member, size: int) -> list[Member]:
    """Return the ``size`` members of lowest objective, without near duplicates."""
    kept: list[Member] = []
    for one in ranked([*population, member], lambda one: one.objective):
        if not any(_same(one, other) for other in kept):
            kept.append(one)
    return kept[:size]


def _same(one: Member, other: Member) -> bool:
    """Whether two clusterings are almost equal, up to the numbering of their clusters."""
    most = max(abs(one.objective), abs(other.objective))
    if abs(one.objective - other.objective) > SAME_OBJECTIVE * most:
        return False
    matched = matching(one.labels, other.labels, len(one.W))
    return bool(np.mean(matched[one.labels] == other.labels) >= SAME_ROWS)
