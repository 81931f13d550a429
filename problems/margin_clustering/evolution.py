"""An evolutionary search: short descents from many starts, and from mixtures of the best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.coordinates import PrincipalCoordinates
from structsvm.problems.margin_clustering.partitions import numbered, starting_partitions
from structsvm.problems.margin_clustering.population import SAME_OBJECTIVE, Population, matching
from structsvm.problems.margin_clustering.search import FINALISTS, Search
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin
from structsvm.results.status import Status

#: C in the descents, at most: a few steps do not suffice to reduce the loss under a larger one.
MOST_C = 1000.0
#: Starting partitions, for each of n_init.
STARTS = 8
#: Offspring, at most, for each of n_init.
OFFSPRING = 30
#: Offspring without a new best, for each of n_init, after which the search ends.
PATIENCE = 10
#: Starts that are descended further.
KEPT = 24
#: Clusterings in the population.
POPULATION = 16
#: Steps of the first descent, which decides whether a second one is worth it.
FIRST_STEPS = 6
#: Steps of the second descent.
MORE_STEPS = 25
#: Offspring above this multiple of the worst objective in the population are given up.
HOPELESS = 1.15


class Evolution(Search):
    """A memetic algorithm: an evolutionary search whose members are local optima.

    In principal coordinates, partitions of several kinds get weights by ridge regression and a few
    steps of L-BFGS on the smoothed objective; the best descend further. A population of the best
    has offspring: the clusters of two parents are matched, and each weight vector is inherited from
    either. The offspring descend likewise.

    Parameters
    ----------
    C, n_init, rtol, max_iter, rng, n_jobs, verbose, deadline
        As in :class:`Search`. There are 8 n_init starts and up to 30 n_init offspring.
    """

    search_rows = 2000

    def _found(self, problem: ClusteringProblem, Z: Any, known: Indices | None) -> list[Vector]:
        problem.initialize([Z], None if known is None else [known])
        coordinates = PrincipalCoordinates(problem.rows_, Z)
        C = min(self.C / problem.C_factor, MOST_C)
        margin = SmoothedMargin(problem, coordinates, known, C)
        found = Population(FINALISTS)
        progress = tqdm(
            total=self.n_init * (STARTS + OFFSPRING) + KEPT, desc=type(problem).__name__,
            unit="descent", disable=not self.verbose,
        )  # fmt: skip
        try:
            with progress:
                for found in self._generations(margin):  # noqa: B007, also after an interruption
                    progress.update()
                    if self._left() <= 0:
                        self._ended = Status.TIME_LIMIT
                        break
                progress.total = progress.n
        except KeyboardInterrupt:
            if not len(found):
                raise KeyboardInterrupt("no start was completed") from None
            self._ended = Status.INTERRUPTED
        self.passes += margin.passes
        best = list(found)[:FINALISTS]
        return [problem.weights(coordinates.weights(member.W)) for member in best]

    def _generations(self, margin: SmoothedMargin) -> Iterator[Population]:
        """The population after every descent."""
        starts = Population(KEPT)
        partitions = starting_partitions(margin.x, margin.k, STARTS * self.n_init, self.rng)
        for labels in partitions:
            W = margin.discriminant(numbered(labels, margin.k, margin.known))
            starts.add(margin.descend(W, FIRST_STEPS))
            yield starts
        population = Population(POPULATION)
        for member in starts:
            population.add(margin.descend(member.W, MORE_STEPS))
            yield population
        most, patience = OFFSPRING * self.n_init, PATIENCE * self.n_init
        yield from generations(margin, population, most, patience, self.rng)


def generations(
    margin: SmoothedMargin, population: Population, most: int, patience: int,
    rng: np.random.Generator,
) -> Iterator[Population]:  # fmt: skip
    """The population after each of its offspring.

    There are at most ``most``, and at most ``patience`` in a row without a new best.
    """
    if len(population) == 1:
        return
    best, since = population[0].objective, 0
    for _ in range(most):
        child = margin.descend(_offspring(margin, population, rng), FIRST_STEPS)
        if child.objective <= HOPELESS * population[len(population) - 1].objective:
            population.add(margin.descend(child.W, MORE_STEPS))
        yield population
        improved = population[0].objective < best - SAME_OBJECTIVE * abs(best)
        best, since = population[0].objective, 0 if improved else since + 1
        if since == patience:
            return


def _offspring(margin: SmoothedMargin, population: Population, rng: np.random.Generator) -> Vector:
    """Weights of an offspring of two members."""
    i, j = rng.choice(len(population), 2, replace=False)
    one, other = population[int(i)], population[int(j)]
    matched = other.W[matching(one.labels, other.labels, margin.k)]
    return np.where(rng.random(margin.k)[:, None] < 0.5, one.W, matched)
