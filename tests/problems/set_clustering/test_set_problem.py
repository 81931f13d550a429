"""Oracles that a user wrote."""

import numpy as np
import pytest
from set_data import Own, drawn

from structsvm.problems import (
    IterativeOracle,
    SupervisedKMeans,
)


def test_an_oracle_of_ones_own():
    class Halves:
        quality = "undergenerating"

        def cluster(self, K, n_clusters, starts=()):
            return np.arange(len(K)) * n_clusters // len(K)

    X, y = drawn(0)
    model = SupervisedKMeans(Halves(), predictor="iterative", scale="common").fit(X, y)
    assert model.result_.oracle_calls > 0
    assert model.missed_slack_ > 1


WRONG = {
    "None": lambda y: None,
    "too few labels": lambda y: y[1:],
    "a list": lambda y: y.tolist(),
    "floats": lambda y: y.astype(float),
    "strings": lambda y: y.astype(str),
    "an empty cluster": lambda y: np.minimum(y, 1),
    "a cluster too many": lambda y: y + 1,
    "negative": lambda y: y - 1,
    "one-hot": lambda y: np.eye(3)[y],
    "NaN": lambda y: np.full((len(y), 3), np.nan),
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_an_oracle_that_returns_no_clustering_is_named(answer):
    X, y = drawn(0)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 24 integer labels"):
        SupervisedKMeans(Own(answer)).fit(X, y)
    model = SupervisedKMeans(predictor=Own(answer)).fit(X, y)
    with pytest.raises(ValueError, match=r"Own\.cluster must return an array of 24 integer labels"):
        model.predict(X)


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


def test_the_documented_signature_is_enough():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels)).fit(X, y)
    assert model.predict(X)[0].tolist() == [0, 1, 2] * 8


@pytest.mark.filterwarnings("ignore:SupervisedKMeansProblem.decode misses outputs")
def test_an_oracle_that_falsely_says_it_is_exact_is_measured():
    oracle = Own(lambda labels: labels)
    oracle.quality = "exact"
    X, y = drawn(0)
    assert SupervisedKMeans(oracle).fit(X, y).missed_slack_ > 1
