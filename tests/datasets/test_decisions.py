"""Costs of decisions: their formulas, and the difficulty that papers report."""

import numpy as np
import pytest

from benchmarks.decisions.costs import knapsack_values, tour_distances
from structsvm.datasets import shortest_path_costs
from structsvm.problems.decisions.optimizers import GridPaths

MAKERS = [shortest_path_costs, knapsack_values, tour_distances]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_data(make):
    first, again = make(n=20, random_state=3), make(n=20, random_state=3)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == np.float64
    assert not np.array_equal(first[1], make(n=20, random_state=4)[1])
    drawn = make(n=20, random_state=np.random.default_rng(3))
    np.testing.assert_array_equal(drawn[1], first[1])


def test_costs_of_degree_one_are_linear_with_entries_0_and_1():
    X, costs = shortest_path_costs(200, 4, 3, 6)
    assert X.shape == (200, 4) and costs.shape == (200, 3 * 5 + 2 * 6)
    W, residual, *_ = np.linalg.lstsq(np.c_[X, np.ones(200)], costs, rcond=None)
    assert np.abs(residual).max() < 1e-20
    np.testing.assert_allclose(W[4], 4 / 3.5)
    B = W[:4] * 3.5 * 2  # the root of 4 features
    np.testing.assert_allclose(B, B.round(), atol=1e-9)
    assert set(B.round().ravel()) == {0, 1}


@pytest.mark.parametrize("degree", [2, 5])
def test_costs_are_powers(degree):
    X, costs = shortest_path_costs(50, degree=degree)
    X1, linear = shortest_path_costs(50)
    np.testing.assert_array_equal(X, X1)
    s = 3.5 * linear - 4
    np.testing.assert_allclose(costs, ((s + 3) ** degree + 1) / 3.5**degree)


def test_the_noise_is_uniform_around_one():
    plain, noisy = (shortest_path_costs(2000, noise=noise)[1] for noise in (0.0, 0.5))
    e = noisy / plain
    assert 0.5 <= e.min() < 0.501 and 1.499 < e.max() <= 1.5
    assert e.mean() == pytest.approx(1, abs=0.01) and e.var() == pytest.approx(1 / 12, rel=0.02)


def test_values_are_rounded_up_and_weights_are_hundredths():
    X, values, weights = knapsack_values(50, 3, 40, 3, degree=2, random_state=1)
    assert X.shape == (50, 3) and values.shape == (50, 40) and weights.shape == (3, 40)
    assert (values == values.round()).all() and values.min() >= 1
    np.testing.assert_allclose(100 * weights, (100 * weights).round())
    assert 3 <= weights.min() < 3.3 and 7.7 < weights.max() < 8
    ones = knapsack_values(50, 3, 40, 3, degree=1, random_state=1)[1]
    # The power is between those of the linear values before they were rounded up.
    low, high = ((3.5 * (ones - d) / 5 - 1) ** 2 for d in (1, 0))
    assert (5 * (np.minimum(low, high) + 1) / 3.5**2 <= values + 1e-9).all()
    assert (np.ceil(5 * (np.maximum(low, high) + 1) / 3.5**2) >= values).all()


def test_distances_are_those_of_points_and_a_power():
    n_cities, m = 7, 21
    X, linear = tour_distances(300, 4, n_cities, degree=1)
    assert X.shape == (300, 4) and linear.shape == (300, m)
    W = np.linalg.lstsq(np.c_[X, np.ones(300)], linear, rcond=None)[0]
    B, planar = 2 * W[:4], W[4] - 3
    assert (np.abs(B) < 1e-3).sum() > m and np.abs(B).max() <= 2 + 1e-3
    # Distances in the plane satisfy the triangle inequality.
    table = np.zeros((n_cities, n_cities))
    table[np.triu_indices(n_cities, 1)] = planar
    table += table.T
    assert (table <= (table[:, :, None] + table[None]).min(axis=1) + 1e-3).all()
    cubic = tour_distances(300, 4, n_cities, degree=3)[1]
    expected = planar + (X @ W[:4] + 3) ** 3 / 9
    np.testing.assert_allclose(cubic, expected, atol=2e-3)
    np.testing.assert_array_equal(cubic, cubic.round(4))


def test_least_squares_has_the_regret_of_the_papers():
    """About 13 % for 5 x 5 nodes, 1000 examples, degree 6 and noise 0.5."""
    regrets, grid = [], GridPaths(5, 5)
    for seed in range(5):
        X, costs = shortest_path_costs(2000, degree=6, noise=0.5, random_state=seed)
        rows = np.c_[X, np.ones(2000)]
        predicted = rows[1000:] @ np.linalg.lstsq(rows[:1000], costs[:1000], rcond=None)[0]
        true = costs[1000:]
        best = (true * grid.batch(true)).sum()
        regrets.append(((true * grid.batch(predicted)).sum() - best) / best)
    assert 0.11 < np.mean(regrets) < 0.16


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n": 0}, "n must be an integer >= 1; got 0"),
        ({"n_features": 1.5}, "n_features must be an integer >= 1; got 1.5"),
        ({"degree": 0}, "degree must be an integer >= 1; got 0"),
        ({"degree": 101}, "degree must be at most 100; got 101"),
        ({"noise": -0.1}, "noise must be a finite number >= 0; got -0.1"),
        ({"noise": 1.5}, "noise must be a number from 0 to 1; got 1.5"),
        ({"random_state": "x"}, "random_state must be .* got 'x'"),
        ({"rows": 0}, "rows must be an integer >= 1; got 0"),
        ({"columns": "a"}, "columns must be an integer >= 1; got 'a'"),
        ({"rows": 1, "columns": 1}, "a grid has at least two nodes"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        shortest_path_costs(**parameters)
