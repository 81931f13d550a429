"""The best mode from several starts."""

from __future__ import annotations

import logging

import numpy as np
from tqdm.auto import tqdm

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.bayesian_mmc.coordinates import Settings
from structsvm.problems.margin_clustering.bayesian_mmc.likelihood import (
    Model,
    label_model,
    label_values,
    prior_model,
)
from structsvm.problems.margin_clustering.bayesian_mmc.posterior import (
    EPSILONS,
    Posterior,
    posterior_mode,
)
from structsvm.problems.margin_clustering.ranking import ranked

logger = logging.getLogger(__name__)

#: Size below which a cluster counts as collapsed, relative to an equal share of the rows.
SMALLEST = 0.1
#: Largest change of f in a step at which the first run of each start stops.
COARSE = 0.1
#: Starts that are then continued to the tolerance.
FINALISTS = 2


class ModeSearch:
    """The mode of highest log posterior, among the modes without a collapsed cluster.

    Parameters
    ----------
    settings : Settings
    features : ndarray of shape (n + m, r)
        Of the data rows, then of the Universum rows.
    starts : list of ndarray of shape (n,)
        Initial clusters.

    Attributes
    ----------
    posterior : Posterior
    model : Model
        The prior model, of new rows.
    collapsed : bool
        Whether every start ended with a cluster of too few rows; the posterior is then computed
        from the labels of the first start.
    interrupted : bool
        Whether Ctrl-C ended the starts early; the posterior is then the best so far.
    steps : int
        The number of steps of all starts.
    """

    def __init__(self, settings: Settings, features: Vector, starts: list[Indices]) -> None:
        self.settings, self.features, self.n = settings, features, len(starts[0])
        self.model = prior_model(settings.C, settings.gamma, settings.n_clusters)
        self.steps = 0
        self.interrupted = False
        best = self._best(starts)
        self.collapsed = best is None
        self.posterior = self._of_labels(starts[0]) if best is None else best

    def _best(self, starts: list[Indices]) -> Posterior | None:
        k = self.settings.n_clusters
        if self.settings.gamma != 0.5:  # then the two names of a cluster have different posteriors
            starts = [labels for y in starts for labels in (y, 1 - y)]
        coarse: list[Posterior] = []
        finals: list[Posterior] = []
        try:
            for labels in tqdm(
                starts, desc="BayesianMMC", unit="start", disable=not self.settings.verbose
            ):
                f0 = label_values(labels, k)
                coarse.append(self._mode(self.model, f0, EPSILONS[:1], COARSE))
            coarse = [found for found in coarse if not self._is_collapsed(found)]
            for found in ranked(coarse, _loss)[:FINALISTS]:
                finals.append(self._mode(self.model, found.f[: self.n]))
        except KeyboardInterrupt:
            if not coarse:
                raise
            self.interrupted = True
        kept = [found for found in finals or coarse if not self._is_collapsed(found)]
        return next(iter(ranked(kept, _loss)), None)

    def _of_labels(self, labels: Indices) -> Posterior:
        """The posterior given the clusters of the rows."""
        k = self.settings.n_clusters
        return self._mode(label_model(self.settings.C, labels, k), label_values(labels, k))

    def _mode(
        self, model: Model, f0: Vector, epsilons: tuple[float, ...] = EPSILONS,
        tol: float | None = None,
    ) -> Posterior:  # fmt: skip
        tol = self.settings.tol if tol is None else tol
        found = posterior_mode(self.features, model, f0, tol, self.settings.max_iter, epsilons)
        self.steps += len(found.history)
        logger.debug("log posterior %.6g after %d steps", found.log_posterior, len(found.history))
        return found

    def _is_collapsed(self, found: Posterior) -> bool:
        f, k = found.f[: self.n], self.settings.n_clusters
        labels = f.argmax(axis=1) if k > 2 else (f[:, 0] > 0).astype(np.intp)
        return bool(np.bincount(labels, minlength=k).min() < SMALLEST * self.n / k)


def _loss(found: Posterior) -> float:
    return -found.log_posterior
