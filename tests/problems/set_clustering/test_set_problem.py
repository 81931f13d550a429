"""Oracles that a user wrote."""

import numpy as np
import pytest
from set_data import Own, drawn

from structsvm.problems import IterativeOracle, SupervisedKMeans


@pytest.mark.parametrize(
    "answer",
    [
        lambda y: None,
        lambda y: y[1:],
        lambda y: y.astype(float),
        lambda y: np.minimum(y, 1),
        lambda y: y + 1,
        lambda y: np.eye(3)[y],
    ],
    ids=["None", "too few", "floats", "an empty cluster", "numbered from 1", "one-hot"],
)
def test_an_oracle_that_returns_no_clustering_is_named(answer):
    X, y = drawn(0, n=2)
    message = r"Own\.cluster must return an array of 24 integer labels"
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans(Own(answer)).fit(X, y)
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans("spectral", predictor=Own(answer)).fit(X, y).predict(X)


def test_an_oracle_may_write_to_its_starts_and_return_one_array_again():
    class Careless:
        quality = "undergenerating"
        answer = np.zeros(24, dtype=np.uint64)

        def cluster(self, K, n_clusters, starts=()):
            self.answer[:] = IterativeOracle().cluster(K, n_clusters, starts)
            for start in starts:
                start[:] = 0
            return self.answer

    X, y = drawn(0)
    kept = [labels.copy() for labels in y]
    careless = SupervisedKMeans(Careless()).fit(X, y)
    np.testing.assert_array_equal(y, kept)
    solver = careless._choice(careless.problem_, X, y).solver
    expected = SupervisedKMeans(solver=solver).fit(X, y)
    assert careless.score(X, y) == expected.score(X, y)
    assert careless.predict(X)[0] is not careless.predict(X)[1]


@pytest.mark.filterwarnings("ignore:SupervisedKMeansProblem.decode misses outputs")
def test_an_oracle_that_falsely_says_it_is_exact_is_measured():
    oracle = Own(lambda labels: labels)
    X, y = drawn(0)
    assert SupervisedKMeans(oracle).fit(X, y).predict(X)[0].tolist() == [0, 1, 2] * 8
    oracle.quality = "exact"
    assert SupervisedKMeans(oracle).fit(X, y).missed_slack_ > 1
