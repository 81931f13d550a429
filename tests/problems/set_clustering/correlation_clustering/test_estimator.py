"""CorrelationClustering: training, prediction, bad input."""

import warnings

import numpy as np
import pytest
from set_data import groups, near
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV, LeaveOneOut

from structsvm.problems import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    ItemSet,
    RelaxedOracle,
)


@pytest.mark.parametrize("oracle", ["greedy", "relaxed"])
def test_the_number_of_clusters_is_found(oracle):
    X, y = groups(0, n=8, m=12)
    model = CorrelationClustering(oracle, C=1000.0).fit(X[:5], y[:5])
    assert model.score(X[5:], y[5:]) > 0.97
    assert model.coef_[0] > 0 > model.coef_[1]
    assert (model.missed_slack_ == 0) or oracle == "greedy"
    found = model.predict(X[5:])
    assert [len(set(f.tolist())) for f in found] == [len(set(c.tolist())) for c in y[5:]]


def unequal(seed, m):
    """Half of the items in one cluster; four coordinates tell, four are noise."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 8))
    labels = np.r_[np.arange(k), np.maximum(0, rng.integers(-k, k, size=m - k))]
    informative = 2.5 * rng.normal(size=(k, 4))[labels] + rng.normal(size=(m, 4))
    return near(np.hstack([informative, rng.normal(size=(m, 4))])), labels


@pytest.mark.parametrize("m", [10, 60])
def test_the_default_finds_about_the_right_number_of_clusters(m):
    X, y = zip(*(unequal(seed, m) for seed in range(14)), strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CorrelationClustering().fit(X[:6], y[:6])
    excess = [len(set(f)) - len(set(c)) for f, c in zip(model.predict(X[6:]), y[6:], strict=True)]
    assert abs(np.mean(excess)) < 2.5


def test_a_similarity_that_leaves_items_alone_warns():
    X, y = groups(0, m=60)
    with pytest.warns(UserWarning, match=r"into 300 clusters; they have 19\. C=1 may be too small"):
        CorrelationClustering(C=1.0).fit(X, y)


def test_a_missing_constant_feature_warns():
    nodes = np.random.default_rng(0).random((3, 12, 2))
    with pytest.warns(
        UserWarning, match="into 36 clusters; they have 18.*a feature that is constant over"
    ):
        CorrelationClustering(scale="common").fit(list(nodes), [np.arange(12) % 6] * 3)


@pytest.mark.filterwarnings("ignore:the learned similarity divides")
def test_scikit_learns_manners():
    X, y = groups(0)
    search = GridSearchCV(CorrelationClustering(), {"C": [1.0, 1000.0]}, cv=LeaveOneOut())
    assert search.fit(X, y).best_params_ == {"C": 1000.0}
    model = clone(search.best_estimator_).set_params(predictor=RelaxedOracle()).fit(X, y)
    assert model.predict(X)[0].shape == (15, 15)
    assert model.score(X, y) > 0.95
    assert model.verify(X, y).matches
    assert model.similarity(X[0]).shape == (15, 15)


@pytest.mark.filterwarnings("ignore:the learned similarity divides")
def test_one_cluster_is_a_partition():
    X, _ = groups(0, n=2)
    y = [np.zeros(15, dtype=int), np.arange(15)]
    CorrelationClustering().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"oracle": "iterative"}, "oracle must be one of 'greedy', 'relaxed'"),
        ({"predictor": KMeans()}, "predictor must be one of"),
        ({"oracle": GreedyOracle}, "oracle must be one of"),
        ({"scale": -1.0}, "scale must be"),
        ({"C": 0.0}, "C, if not 'auto' or 'cv', must be"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(**parameters).fit(*groups(0))


def test_bad_sets():
    X, y = groups(0)
    with pytest.raises(ValueError, match=r"y\[0\]: no value in row 0"):
        CorrelationClustering().fit(X, [np.r_[np.nan, y[0][1:]], *y[1:]])
    model = CorrelationClustering().fit(X, y)
    with pytest.raises(ValueError, match="expecting 0 and 2 features"):
        model.predict([np.eye(3)])


@pytest.mark.filterwarnings("ignore:the learned similarity divides")
def test_where_chance_lacks_nothing_but_rounding_the_scale_is_one():
    rng = np.random.default_rng(0)
    X = [ItemSet(rng.normal(size=(15, 11))) for _ in range(3)]
    problem = CorrelationClusteringProblem()
    assert np.any(problem.lack_of_chance(X[0], np.arange(15)) != 0)
    model = CorrelationClustering(scale="common").fit(X, [np.arange(15)] * 3)
    assert model.scale_ == 1.0
    assert model.result_.status.name == "CONVERGED"


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (GreedyOracle(n_init=-1), "n_init must be an integer >= 0; got -1"),
        (GreedyOracle(random_state="x"), "random_state must be an integer >= 0; got 'x'"),
    ],
)
def test_bad_oracles(oracle, message):
    X, y = groups(0, n=2)
    with pytest.raises(ValueError, match=message):
        CorrelationClustering(oracle).fit(X, y)
