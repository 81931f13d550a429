"""SupervisedKMeans: training, prediction and bad input."""

import numpy as np
import pytest
from refusals import refused
from set_data import drawn
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering

from structsvm.problems import ItemSet, IterativeOracle, SpectralOracle, SupervisedKMeans
from structsvm.problems.set_clustering.supervised_kmeans.loss import trace_loss


def test_nonnegative_weights_keep_products_of_features_kernels():
    X, y = drawn(0, spread=2.0)
    free = SupervisedKMeans(C=1000.0).fit(X, y)
    held = SupervisedKMeans(C=1000.0, nonnegative=True).fit(X, y)
    assert free.coef_.min() < 0 <= held.coef_.min()
    assert np.linalg.eigvalsh(held.similarity(X[0])).min() > -1e-9
    assert held.result_.primal >= free.result_.dual
    assert held.verify(X, y).matches


def test_k_may_differ_from_set_to_set():
    X, y = drawn(0, n=2, k=2, m=20)
    more = drawn(1, n=2, k=3, m=21, noise=3)
    model = SupervisedKMeans().fit(X + more[0], y + more[1])
    assert model.n_clusters_ is None
    found = model.predict([X[0], more[0][0]], n_clusters=[2, 3])
    assert [len(set(labels.tolist())) for labels in found] == [2, 3]
    assert model.score([X[0], more[0][0]], [y[0], more[1][0]]) > 0.9
    with pytest.raises(ValueError, match="different numbers of clusters; say how many"):
        model.predict(X)
    with pytest.raises(ValueError, match="one for each of 2 sets; got 3"):
        model.predict(X, n_clusters=[2, 2, 2])


@pytest.mark.parametrize(
    ("oracle", "predictor"),
    [
        ("iterative", None),
        ("discrete", "iterative"),
        ("spectral", None),
        (SpectralOracle(), "discrete"),
        ("iterative", AgglomerativeClustering(metric="precomputed", linkage="average")),
        ("iterative", SpectralClustering(affinity="precomputed", random_state=0)),
    ],
)
def test_noise_is_learned_away(oracle, predictor):
    X, y = drawn(0, n=6, spread=1.5)
    untrained = [IterativeOracle().cluster(x @ x.T, 3) for x in X]
    assert np.mean([trace_loss(a, b) for a, b in zip(y, untrained, strict=True)]) > 40
    model = SupervisedKMeans(oracle, predictor=predictor).fit(X[:4], y[:4])
    assert model.result_.status.name == "CONVERGED"
    assert model.score(X[4:], y[4:]) > 0.9
    found = model.predict(X[4:])
    assert all(sorted(set(labels.tolist())) == [0, 1, 2] for labels in found)
    assert model.score(X[4:], found) == pytest.approx(1)


def test_a_spectral_predictor_gives_matrices():
    X, y = drawn(0, n=5)
    model = SupervisedKMeans("spectral", predictor="spectral", scale="common").fit(X[:4], y[:4])
    (Y,) = model.predict(X[4:])
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-9)
    assert 0.9 < model.score(X[4:], y[4:]) < 1


def test_a_predictor_that_finds_too_few_clusters():
    class TooFew(AgglomerativeClustering):
        def fit_predict(self, X, y=None):
            return np.zeros(len(X), dtype=int)

    X, y = drawn(0)
    model = SupervisedKMeans(predictor=TooFew(metric="precomputed", linkage="average")).fit(X, y)
    with pytest.raises(ValueError, match="24 integer labels 0 to 2, each of which occurs"):
        model.predict(X)


test_bad_parameters = refused(
    lambda parameters: SupervisedKMeans(**parameters).fit(*drawn(0)),
    ({"oracle": "kmeans"}, "oracle must be one of 'iterative', 'spectral', 'discrete'"),
    ({"oracle": IterativeOracle}, "oracle must be one of"),
    ({"predictor": 3}, "predictor must be one of .* clusterer of scikit-learn; got 3"),
    ({"predictor": KMeans()}, "affinity='precomputed' or metric='precomputed'"),
    ({"predictor": DBSCAN(metric="precomputed")}, "and a parameter n_clusters"),
    ({"nonnegative": "no"}, "nonnegative must be True or False; got 'no'"),
    ({"scale": 0.0}, "scale must be from 1e-150 to 1e\\+150; got 0.0"),
)


def test_bad_predictions():
    X, y = drawn(0)
    model = SupervisedKMeans().fit(X, y)
    for given, n_clusters, message in (
        (X, 25, "from 2 to its 24 items; got 25"),
        (X, 2.5, r"got 2\.5"),
        ([X[0][:, 1:]], None, "item set 0 has 6 node .* expecting 7 and 0"),
        (ItemSet(X[0]), None, "sequence of item sets"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(given, n_clusters=n_clusters)
