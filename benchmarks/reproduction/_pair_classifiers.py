"""Classifiers of pairs of items as in one cluster or not, whose scores are clustered."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.pairs import pair_scores
from structsvm.problems import SupervisedKMeans
from structsvm.problems.set_clustering.encoding import SetEncoding


class PairClassifier(SupervisedKMeans):
    """A linear classifier of pairs as in one cluster or not, whose scores are clustered."""

    def fit(self, X: Any, y: Any) -> PairClassifier:
        self.coef_ = self.w_ = pair_scores(self._classifier(), X, y).w
        self._encoding = SetEncoding(None, counted=True)
        self._encoding.learn(X, y, None)
        self.n_clusters_ = None
        return self

    @abstractmethod
    def _classifier(self) -> Any:
        """The classifier of scikit-learn."""


class PairSVM(PairClassifier):
    """Pair: a linear support vector machine."""

    def _classifier(self) -> Any:
        return LinearSVC(C=self.C, dual=False, tol=1e-3, max_iter=300)


class PairLogistic(PairClassifier):
    """Logistic: a logistic regression."""

    def _classifier(self) -> Any:
        return LogisticRegression(C=self.C)
