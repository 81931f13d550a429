"""Short searches under several settings, on a sample of the rows, to choose one of them."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.features.diffusion import CopiesError
from structsvm.problems.margin_clustering.choice import agreements
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.coordinates import PrincipalCoordinates
from structsvm.problems.margin_clustering.evolution import (
    FIRST_STEPS,
    MORE_STEPS,
    MOST_C,
    POPULATION,
    generations,
    in_order,
)
from structsvm.problems.margin_clustering.partitions import numbered, starting_partitions
from structsvm.problems.margin_clustering.population import Population
from structsvm.problems.margin_clustering.rows import StandardRows
from structsvm.problems.margin_clustering.search import sampled
from structsvm.problems.margin_clustering.settings import Setting
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin
from structsvm.results.status import Status

logger = logging.getLogger(__name__)

#: Rows in a trial, at most: Ward's method is used up to as many.
ROWS = 1000
#: Starting partitions, for each of n_init.
STARTS = 2
#: By how much clusters of unequal size must agree better than those of equal size to be kept.
EQUAL_SIZES = 0.05
#: Starts that are descended further.
KEPT = 6
#: Offspring under the setting that is kept, at most, for each of n_init,
OFFSPRING = 10
#: and those without a new best, for each of n_init, after which the search ends.
PATIENCE = 3

#: Makes the map to the features of a kernel, and the rows in them.
Features = Callable[[Any, Any], tuple[Any, Any]]
#: Makes the problem of a setting, initialised with such coordinates and known labels, and its C.
Problems = Callable[[Setting, Any, Any], tuple[ClusteringProblem, float]]


class Trial(NamedTuple):
    """A setting, and what was found under it on a sample of the rows.

    ``map`` leads to the features of the kernel, and ``margin`` is in coordinates of these.
    """

    setting: Setting
    map: Any
    coordinates: PrincipalCoordinates
    margin: SmoothedMargin
    found: Population

    @property
    def labels(self) -> Indices:
        """The clusters of lowest objective."""
        return self.found[0].labels

    @property
    def w(self) -> Vector:
        """The weights of the problem for these clusters."""
        W = self.found[0].W if self.margin.known is not None else in_order(self.found[0])
        return self.margin.problem.weights(self.coordinates.weights(W))


class Trials:
    """Short searches, one for each setting, on the same rows and from the same partitions.

    Parameters
    ----------
    k : int
        Number of clusters.
    features, problems
        Make the features of a kernel, and the problem and C of a setting.
    n_init : int
        There are 2 n_init starting partitions.
    rng : numpy.random.Generator
        Draws the rows and the partitions.
    deadline : float
        The value of ``time.monotonic()`` after which nothing else is tried.
    further : bool
        Whether the search goes on under the setting that is kept.
    verbose : bool
        Show progress bars.

    Attributes
    ----------
    passes : int
        Passes over the sample so far.
    ended : Status or None
        What ended the trials early.
    """

    def __init__(
        self, k: int, features: Features, problems: Problems, n_init: int,
        rng: np.random.Generator, deadline: float, further: bool, verbose: bool,
    ) -> None:  # fmt: skip
        self._k, self._further, self._verbose = k, further, verbose
        self._features, self._problems = features, problems
        self._n_init, self._rng, self._deadline = n_init, rng, deadline
        self.passes = 0
        self.ended: Status | None = None

    def best(self, settings: list[Setting], X: Any, known: Indices | None) -> Trial:
        """The trial whose clusters agree best with neighbours and with other clusterings.

        A search goes on from it, and is kept where its clusters agree no less.
        """
        rows = sampled(X.shape[0], ROWS, known, self._rng)
        x, known = X[rows], None if known is None else known[rows]
        trials, partitions = self._tried(settings, x, known)
        values = agreements([trial.labels for trial in trials], partitions, x, self._k)
        for trial, value in zip(trials, values, strict=True):
            logger.info("%s: agreement %.3f", trial.setting, value)
        preferred = [EQUAL_SIZES * trial.setting.equal_sizes for trial in trials]
        best = trials.pop(int(np.argmax(np.add(values, preferred))))
        if self.ended is not None or not self._further:
            return best
        searched = self._searched(best)
        others = partitions + [trial.labels for trial in trials]
        before, after = agreements([best.labels, searched.labels], others, x, self._k)
        logger.info("agreement before and after the search: %.3f, %.3f", before, after)
        return searched if after >= before else best

    def _tried(
        self, settings: list[Setting], x: Any, known: Indices | None
    ) -> tuple[list[Trial], list[Indices]]:
        """A trial of every setting, and the partitions from which they start."""
        trials: list[Trial] = []
        try:
            coordinates = PrincipalCoordinates(StandardRows(x, offset=False), x)
            drawn = starting_partitions(
                coordinates.values, self._k, STARTS * self._n_init, self._rng
            )
            partitions = [numbered(labels, self._k, known) for labels in drawn]
            made = self._made(settings, x, known, partitions)
            for trial in tqdm(made, total=len(settings), unit="setting", disable=not self._verbose):
                trials.append(trial)
                if time.monotonic() >= self._deadline:
                    self.ended = Status.TIME_LIMIT
                    break
        except KeyboardInterrupt:
            if not trials:
                raise KeyboardInterrupt("no start was completed") from None
            self.ended = Status.INTERRUPTED
        return trials, partitions

    def _searched(self, trial: Trial) -> Trial:
        """The trial with what is found by offspring of its clusterings."""
        population = Population(POPULATION)
        for member in trial.found:
            population.add(member)
        before, most = trial.margin.passes, OFFSPRING * self._n_init
        born = generations(trial.margin, population, most, PATIENCE * self._n_init, self._rng)
        try:
            for _ in tqdm(born, total=most, unit="descent", disable=not self._verbose):
                if time.monotonic() >= self._deadline:
                    self.ended = Status.TIME_LIMIT
                    break
        except KeyboardInterrupt:
            self.ended = Status.INTERRUPTED
        self.passes += trial.margin.passes - before
        return trial._replace(found=population)

    def _made(
        self, settings: list[Setting], x: Any, known: Indices | None, partitions: list[Indices]
    ) -> Iterator[Trial]:
        """A trial of every setting; without features that need rows that differ, if they do not."""
        for kernel, of_kernel in groupby(settings, lambda setting: setting.kernel):
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "the graph of nearest neighbours falls into")
                    features, Z = self._features(kernel, x)
            except CopiesError:
                continue
            for setting in of_kernel:
                problem, C = self._problems(setting, Z, known)
                coordinates = PrincipalCoordinates(problem.rows_, Z)
                C = min(C / problem.C_factor, MOST_C)
                margin = SmoothedMargin(problem, coordinates, known, C)
                found = _descended(margin, partitions)
                self.passes += margin.passes
                yield Trial(setting, features, coordinates, margin, found)


def _descended(margin: SmoothedMargin, partitions: list[Indices]) -> Population:
    """The clusterings of lowest objective that short descents from the partitions find."""
    starts = Population(KEPT)
    for labels in partitions:
        starts.add(margin.descend(margin.discriminant(labels), FIRST_STEPS))
    ends = Population(KEPT)
    for member in starts:
        ends.add(margin.descend(member.W, MORE_STEPS))
    return ends
