"""Clusterers of scikit-learn as predictors."""

import numpy as np
import pytest
from set_data import drawn
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering

from structsvm.problems import (
    IterativeOracle,
    SupervisedKMeans,
)


@pytest.mark.parametrize(
    "predictor",
    [
        "iterative",
        "discrete",
        IterativeOracle(2),
        AgglomerativeClustering(metric="precomputed", linkage="average"),
        SpectralClustering(affinity="precomputed", random_state=0),
    ],
)
def test_predictors_give_labels(predictor):
    X, y = drawn(0, n=5)
    model = SupervisedKMeans(predictor=predictor).fit(X[:4], y[:4])
    (labels,) = model.predict(X[4:])
    assert sorted(set(labels.tolist())) == [0, 1, 2]
    assert model.score(X[4:], y[4:]) > 0.95


def test_unusable_predictors():
    X, y = drawn(0)
    with pytest.raises(ValueError, match="affinity='precomputed' or metric='precomputed'"):
        SupervisedKMeans(predictor=KMeans()).fit(X, y)

    with pytest.raises(ValueError, match="and a parameter n_clusters"):
        SupervisedKMeans(predictor=DBSCAN(metric="precomputed")).fit(X, y)

    class TooFew(AgglomerativeClustering):
        def fit_predict(self, X, y=None):
            return np.zeros(len(X), dtype=int)

    model = SupervisedKMeans(predictor=TooFew(metric="precomputed", linkage="average")).fit(X, y)
    with pytest.raises(ValueError, match="24 integer labels 0 to 2, each of which occurs"):
        model.predict(X)
