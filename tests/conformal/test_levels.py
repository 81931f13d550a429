"""The level of a score among those of the calibration is the quantile of conformal prediction."""

import math

import numpy as np
import pytest
from refusals import refused

from structsvm.conformal.levels import Levels, checked_miss, least_weight


@pytest.mark.parametrize("seed", range(30))
def test_the_threshold_is_the_quantile_of_split_conformal_prediction(seed):
    rng = np.random.default_rng(seed)
    n, miss = rng.integers(20, 60), rng.choice([0.05, 0.1, 0.2, 1 / 3])
    scores = rng.integers(12, size=n) / 4.0 if seed % 2 else rng.normal(size=n)
    levels, least = Levels(scores, np.ones(n)), least_weight(miss, n)
    expected = np.sort(scores)[math.ceil(round((1 - miss) * (n + 1), 9)) - 1]
    assert levels.threshold(least) == expected
    values = np.append(scores, rng.normal(size=20))
    np.testing.assert_array_equal(levels.above(values) > least, values <= expected)


@pytest.mark.parametrize("seed", range(30))
def test_the_threshold_of_a_risk_is_the_least_that_controls_it(seed):
    rng = np.random.default_rng(seed)
    n, risk = 40, rng.choice([0.05, 0.1, 0.25])
    parts = [rng.integers(9, size=rng.integers(1, 6)) / 2.0 for _ in range(n)]
    shares = np.concatenate([np.full(len(own), 1 / len(own)) for own in parts])
    found = Levels(np.concatenate(parts), shares).threshold(least_weight(risk, n))

    def bound(threshold):
        return (sum(np.mean(own > threshold) for own in parts) + 1) / (n + 1)

    assert bound(found) <= risk + 1e-9 < bound(found - 0.5)


test_too_few = refused(
    least_weight, (0.1, 8, "at least 9 are needed"), (0.05, 18, "at least 19"), (0.5, 0, "least 1")
)
test_bad_levels = refused(
    checked_miss,
    (1.0, None, "coverage must be below 1; got 1.0: only sets of all outputs hold the truth"),
    (0.0, None, "coverage must be .* > 0"),
    (np.nan, None, "coverage must be"),
    ("0.9", None, "coverage must be a"),
    (0.9, 1, "risk must be below 1"),
    (0.9, -0.1, "risk must be"),
)


def test_as_many_as_are_needed_are_enough():
    for n, miss in ((9, 1 - 0.9), (19, 1 - 0.95), (99, 0.01)):
        assert Levels(np.arange(n), np.ones(n)).threshold(least_weight(miss, n)) == n - 1
