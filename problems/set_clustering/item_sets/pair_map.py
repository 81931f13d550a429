"""Nonlinear similarities, by maps of pair vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.utils.validation import check_is_fitted

from structsvm.bases import HasParameters, TransformerMixin
from structsvm.data.arrays import Self
from structsvm.data.matrices import stacked_matrices
from structsvm.data.names import brief
from structsvm.data.validation import require_integer
from structsvm.problems.set_clustering.item_sets.checks import common_features
from structsvm.problems.set_clustering.item_sets.item_set import ItemSet, as_item_sets

#: Largest number of pairs to which the transformer is fitted.
FITTED = 10_000


class PairMap(TransformerMixin, HasParameters):
    """A transformer of item sets, for similarities that are nonlinear in the pair vectors.

    A similarity that is defined by a kernel between pair vectors is linear in an explicit feature
    map of the kernel (Finley & Joachims, Supervised k-Means Clustering, section 3.3 and equation
    8). An approximate transformer, such as Nystroem's method with few components, gives an
    approximate map. Use a PairMap in a pipeline before an estimator.

    Parameters
    ----------
    transformer : scikit-learn transformer, optional
        The transformer is cloned and fitted to the vectors of at most 10000 random pairs from all
        sets. The fitted transformer maps all pair vectors. Default:
        ``sklearn.kernel_approximation.Nystroem(random_state=random_state)``, the Gaussian kernel
        with 100 components.
    random_state : int, default=0
        Seed of the random pairs and of the default transformer, >= 0.

    Attributes
    ----------
    transformer_ : transformer
        The fitted transformer.

    Notes
    -----
    Each of the m (m + 1) / 2 pairs of a set is mapped to a row with a column for each component.
    The mapped rows take 400 MB for 1000 items and 100 components, and 800 MB during the
    transformation.

    Examples
    --------
    Two items belong together if the feature of their pair is near 1, but not if it is near 0 or 2:

    >>> import numpy as np
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> from structsvm.problems import ItemSet, PairMap, SupervisedKMeans
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     y, (i, j) = np.arange(20) % 2, np.triu_indices(20)
    ...     feature = np.where(y[i] == y[j], 1, 2 * rng.integers(2, size=len(i)))
    ...     noisy = feature[:, None] + 0.1 * rng.normal(size=(210, 1))
    ...     items = ItemSet(pairs=(i, j, noisy), n_items=20)
    ...     return items, y
    >>> X, y = zip(*map(draw, range(4)))
    >>> nystroem = Nystroem(gamma=4.0, n_components=20, random_state=0)
    >>> model = make_pipeline(PairMap(nystroem), SupervisedKMeans()).fit(X[:3], y[:3])
    >>> model.score(X[3:], y[3:])
    1.0
    >>> linear = SupervisedKMeans().fit(X[:3], y[:3])
    >>> linear.score(X[3:], y[3:]) < 0.8
    True
    """

    def __init__(self, transformer: Any = None, random_state: int = 0) -> None:
        self.transformer = transformer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the transformer to a sample of pairs.

        Parameters
        ----------
        X : sequence of n item sets
        y : ignored

        Returns
        -------
        PairMap
            The fitted transformer itself.

        Raises
        ------
        ValueError
            If the sets have different features, or random_state is not an integer >= 0.
        """
        item_sets = _not_listed(X)
        self._features = common_features(item_sets)
        require_integer("random_state", self.random_state, 0, 2**32 - 1)
        if self.transformer is None:
            transformer = Nystroem(random_state=self.random_state)
        elif hasattr(self.transformer, "fit") and hasattr(self.transformer, "transform"):
            transformer = clone(self.transformer)
        else:
            raise TypeError(
                f"transformer must be a transformer of scikit-learn; got {brief(self.transformer)}"
            )
        self.transformer_ = transformer.fit(stacked_matrices(self._drawn(item_sets)))
        return self

    def transform(self, X: Any) -> list[ItemSet]:
        """Return item sets that have only pair features: the mapped pair vectors.

        Parameters
        ----------
        X : sequence of n item sets

        Returns
        -------
        list of n ItemSet
        """
        check_is_fitted(self)
        if isinstance(X, (list, tuple)) and not X:
            return []
        item_sets = _not_listed(X)
        common_features(item_sets, self._features)
        return [self._mapped(items) for items in item_sets]

    def _mapped(self, items: ItemSet) -> ItemSet:
        rows, cols = np.triu_indices(len(items))
        features = self.transformer_.transform(items.pair_vectors(rows, cols))
        mapped = ItemSet(pairs=(rows, cols, features), n_items=len(items))
        mapped.items = items.items
        return mapped

    def _drawn(self, item_sets: list[ItemSet]) -> list[Any]:
        """Draw pairs uniformly from all sets; return the vectors of the pairs."""
        rng = np.random.default_rng(self.random_state)
        sizes = np.array([len(items) * (len(items) + 1) // 2 for items in item_sets])
        starts = np.cumsum(sizes) - sizes
        chosen = np.sort(rng.permutation(sizes.sum())[:FITTED])
        drawn = []
        parts = np.split(chosen, np.searchsorted(chosen, starts[1:]))
        for items, part, start in zip(item_sets, parts, starts, strict=True):
            rows, cols = np.triu_indices(len(items))
            drawn.append(items.pair_vectors(rows[part - start], cols[part - start]))
        return drawn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _not_listed(X: Any) -> list[ItemSet]:
    """Return the item sets; raise a ValueError if one is a block of a table of pairs."""
    item_sets = as_item_sets(X)
    if any(items.unlisted for items in item_sets):
        raise ValueError(
            "PairMap maps all pairs of items, and a PairTable lists only some; transform the "
            "columns of features before you make the table"
        )
    return item_sets
