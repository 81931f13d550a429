"""CorrelationClustering: training, prediction, bad input."""

import warnings

import numpy as np
import pytest
from refusals import refused
from set_data import groups, near
from sklearn.cluster import KMeans

from structsvm.problems import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    GreedyOracle,
    ItemSet,
)


@pytest.mark.parametrize("oracle", ["greedy", "relaxed"])
def test_the_number_of_clusters_is_found(oracle):
    X, y = groups(0, n=7, m=8)
    model = CorrelationClustering(oracle, C=1000.0).fit(X[:5], y[:5])
    assert model.score(X[5:], y[5:]) > 0.97
    assert model.coef_[0] > 0 > model.coef_[1]
    assert (model.missed_slack_ == 0) or oracle == "greedy"
    found = model.predict(X[5:])
    assert model.verify(X[:5], y[:5]).matches
    assert [len(set(f.tolist())) for f in found] == [len(set(c.tolist())) for c in y[5:]]


def unequal(seed, m=30):
    """Half of the items in one cluster; four coordinates tell, four are noise."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 8))
    labels = np.r_[np.arange(k), np.maximum(0, rng.integers(-k, k, size=m - k))]
    informative = 2.5 * rng.normal(size=(k, 4))[labels] + rng.normal(size=(m, 4))
    return near(np.hstack([informative, rng.normal(size=(m, 4))])), labels


def test_the_default_finds_about_the_right_number_of_clusters():
    X, y = zip(*(unequal(seed) for seed in range(14)), strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CorrelationClustering().fit(X[:6], y[:6])
    excess = [len(set(f)) - len(set(c)) for f, c in zip(model.predict(X[6:]), y[6:], strict=True)]
    assert abs(np.mean(excess)) < 2.5


def test_a_similarity_that_leaves_items_alone_warns():
    X, y = groups(0, m=30)
    with pytest.warns(UserWarning, match=r"into 150 clusters; they have 17\. C=1 may be too small"):
        CorrelationClustering(C=1.0).fit(X, y)


def test_a_missing_constant_feature_warns():
    nodes = np.random.default_rng(0).random((3, 12, 2))
    with pytest.warns(
        UserWarning, match="into 36 clusters; they have 18.*a feature that is constant over"
    ):
        CorrelationClustering(scale="common").fit(list(nodes), [np.arange(12) % 6] * 3)


@pytest.mark.filterwarnings("ignore:the learned similarity divides")
def test_where_chance_lacks_nothing_but_rounding_the_scale_is_one():
    rng = np.random.default_rng(0)
    X = [ItemSet(rng.normal(size=(15, 11))) for _ in range(3)]
    problem = CorrelationClusteringProblem()
    assert np.any(problem.lack_of_chance(X[0], np.arange(15)) != 0)
    model = CorrelationClustering(scale="common").fit(X, [np.arange(15)] * 3)
    assert model.scale_ == 1.0
    assert model.result_.status.name == "CONVERGED"


test_bad_parameters = refused(
    lambda parameters: CorrelationClustering(**parameters).fit(*groups(0, n=2)),
    ({"oracle": "iterative"}, "oracle must be one of 'greedy', 'relaxed'"),
    ({"predictor": KMeans()}, "predictor must be one of"),
    ({"oracle": GreedyOracle(n_init=-1)}, "n_init must be an integer >= 0; got -1"),
    ({"oracle": GreedyOracle(random_state="x")}, "random_state must be .* >= 0; got 'x'"),
)
