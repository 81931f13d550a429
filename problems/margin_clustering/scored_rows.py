"""Base class of the clusterers that score rows by the weights of a result."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.utils.validation import check_is_fitted

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.margin_clustering.clustering_problem import ClusteringProblem
from structsvm.problems.margin_clustering.row_clusterer import RowClusterer
from structsvm.results.result import Result


class ScoresRows(RowClusterer):
    """Scores rows in the coordinates of kernel features, by the problem that was solved."""

    kernel_: Any
    problem_: ClusteringProblem
    result_: Result

    @abstractmethod
    def _coordinates(self, X: Any) -> Any:
        """Rows in the coordinates of the kernel features, which the problem uses."""

    @property
    def coef_(self) -> Vector:
        """Coefficients of the scores of rows, of ``kernel_='linear'`` only."""
        return self._linear_function("coef_")[0]

    @property
    def intercept_(self) -> Vector:
        """Offsets of the scores of rows, of ``kernel_='linear'`` only."""
        return self._linear_function("intercept_")[1]

    def _linear_function(self, name: str) -> tuple[Vector, Vector]:
        check_is_fitted(self)
        if not (isinstance(self.kernel_, str) and self.kernel_ == "linear"):
            raise AttributeError(
                f"{name} exists for rows as they are, but the clusters are those of "
                f"kernel_={self.kernel_!r}; set kernel='linear'"
            )
        return self.problem_.linear_function(self.result_.w)

    def decision_function(self, X: Any) -> Vector:
        """The scores of every row.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n, n_features)
            With ``kernel='precomputed'`` the kernel of these rows with the training rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_clusters)
            For :class:`MMC`, and :class:`MultivariateMMC` with two clusters, signed scores with the
            margin at +-1; otherwise a score for each cluster.
        """
        Z = self._coordinates(X)
        return self.problem_.scores(Z, self.result_.w)

    def predict(self, X: Any) -> Indices:
        """The number of the cluster of highest score for every row, shape (n,)."""
        Z = self._coordinates(X)
        return self.problem_.clusters_of(self.problem_.decode(Z, self.result_.w))
