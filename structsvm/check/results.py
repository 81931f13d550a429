"""The outputs of a search among all known outputs of an example, by their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from structsvm.check.evidence import Evidence
from structsvm.check.pools import Pool
from structsvm.check.scores import SCORES, term_sizes


class SearchResult:
    """The output of a search for one example at one point, among all known outputs of the example.

    Attributes
    ----------
    point, i, row : int
        Indices of the point, the example and the output in ``pool``.
    norm : float
        |w|.
    loss : float
        Loss of the output.
    scores, plain_scores : ndarray of shape (n_outputs,)
        What the search maximises, and <w, Psi>, of all known outputs, relative to the true one.
    best : int
        Row of the largest score.
    tolerance : float
        Difference of two scores that may be rounding.
    """

    def __init__(
        self, evidence: Evidence, method: str, pool: Pool, point: int, i: int, row: int
    ) -> None:
        self.point, self.i, self.row, self.pool = point, i, row, pool
        self.norm = float(np.linalg.norm(evidence.visits[point].w))
        losses, products = pool.losses, pool.products[:, point]
        self.loss = losses[row]
        self.scores = SCORES[method](losses, products)
        self.plain_scores = -products
        self.best = self._highest(self.scores)
        scale = term_sizes(method, losses, self.norm * pool.sizes)
        self.tolerance = evidence.tolerance * max(scale[row], scale[self.best])

    @property
    def shortfall(self) -> float:
        """By how much the best known output scores higher."""
        return float(self.scores[self.best] - self.scores[self.row])

    @property
    def beaten(self) -> bool:
        return self.shortfall > self.tolerance

    def maximises(self, scores: np.ndarray) -> bool:
        """Whether the output attains the maximum of other scores than those it should maximise."""
        return bool(scores[self.row] >= scores[self._highest(scores)] - self.tolerance)

    def _highest(self, scores: np.ndarray) -> int:
        return int(np.where(self.pool.outside, -np.inf, scores).argmax())


def results(
    evidence: Evidence, method: str, pools: Sequence[Sequence[Pool | None]] | None = None
) -> Iterator[SearchResult]:
    """Yield the results of a search at all points, for all examples, if they are outputs.

    ``pools`` defaults to the pools of the evidence.
    """
    pools = evidence.pools if pools is None else pools
    for point, visit in enumerate(evidence.visits):
        for i, entry in enumerate(visit.found[method]):
            pool = pools[point][i]
            if entry is None or pool is None or entry[0] not in pool.rows:
                continue
            row = pool.rows[entry[0]]
            if not pool.outside[row]:  # results_are_outputs reports it
                yield SearchResult(evidence, method, pool, point, i, row)
