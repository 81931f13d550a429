"""The usual alternative to learning from whole partitions: a linear classifier of single pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from structsvm.problems import ItemSet
from structsvm.problems.set_clustering.scales import feature_scales

#: Pairs of a set to learn from, at most; more are drawn at random.
MOST_PAIRS = 20_000


class PairScores(NamedTuple):
    """Scores of pairs, positive where they seem to be together: <w, psi_ij> + threshold."""

    w: Any
    threshold: float

    def similarity(self, items: ItemSet) -> Any:
        """K of shape (m, m), which a clusterer takes; with a logistic regression the log-odds."""
        return items.similarity(self.w) + self.threshold


def pair_scores(
    classifier: Any, sets: Sequence[ItemSet], y: Sequence[Any], scaled: bool = False
) -> PairScores:
    """Train a linear classifier to say of two different items whether they are together.

    With ``scaled`` the features are divided by the scales that our estimators divide them by.
    """
    vectors, together = zip(*map(_labelled_pairs, sets, y), strict=True)
    rows = sparse.vstack(vectors, "csr") if sparse.issparse(vectors[0]) else np.vstack(vectors)
    scales = feature_scales(sets, np.ones(len(sets))) if scaled else np.ones(rows.shape[1])
    rows = rows @ sparse.diags(1 / scales) if sparse.issparse(rows) else rows / scales
    fitted = classifier.fit(rows, np.concatenate(together))
    return PairScores(fitted.coef_[0] / scales, float(fitted.intercept_[0]))


def _labelled_pairs(items: ItemSet, labels: Any) -> tuple[Any, Any]:
    rows, cols = np.triu_indices(len(items), 1)
    chosen = np.random.default_rng(0).permutation(len(rows))[:MOST_PAIRS]
    rows, cols = rows[chosen], cols[chosen]
    return items.pair_vectors(rows, cols), labels[rows] == labels[cols]
