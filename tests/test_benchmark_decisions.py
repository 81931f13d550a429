"""What the benchmark of decisions measures: draws, regrets, the Hamming loss, PyEPO's models."""

from functools import partial

import numpy as np
import pytest

from benchmarks.decisions import _draws, _ours, pool
from benchmarks.decisions._learned import Learned, chosen
from structsvm import SmoothedCuttingPlane
from structsvm.problems.decisions import DecisionFocusedRegressor

DRAWN = [
    partial(_draws.paths, tested=30),
    partial(_draws.knapsacks, tested=30),
    partial(_draws.tours, tested=30),
]


@pytest.fixture(params=DRAWN, ids=["paths", "knapsacks", "tours"])
def draw(request):
    return request.param(20, 4, seed=0)


def test_parts_of_a_draw(draw):
    parts = draw.train, draw.validation, draw.test
    assert [len(part.X) for part in parts] == [20, 5, 30]
    assert len({tuple(row) for part in parts for row in part.X}) == 55


def test_regret_is_that_of_the_decisions_for_the_prediction(draw):
    test = draw.test
    assert test.regret(lambda X: test.costs) == 0
    constant = np.ones_like(test.costs)
    decision = draw.optimizer(constant[0])
    lost = np.abs(test.costs @ decision - test.values).sum()
    expected = 100 * lost / np.abs(test.values).sum()
    assert test.regret(lambda X: constant) == pytest.approx(expected) and expected > 0


def test_regret_at_the_costs_of_the_hamming_svm_is_the_distance_from_the_best(draw):
    best, others = draw.test.best, draw.test.best[::-1]
    costs = _ours.hamming_costs(draw.test.best, draw.optimizer.sense)
    sign = -1 if draw.optimizer.sense == "max" else 1
    regret = sign * (costs * (others - best)).sum(axis=1)
    np.testing.assert_array_equal(regret, (others != best).sum(axis=1))


def test_a_choice_has_the_least_regret_and_the_cost_of_all():
    draw = DRAWN[0](20, 4, seed=0)
    costs = draw.validation.costs
    good = Learned(lambda X: costs, 1.0, 2.0, gap=0.5, converged=True)
    bad = Learned(lambda X: -costs, 3.0, 4.0, gap=0.9, converged=False)
    found = chosen(draw, [bad, good])
    assert found.predict is good.predict and (found.seconds, found.calls) == (1, 2)
    assert (found.search_seconds, found.search_calls) == (4, 6)
    assert found.gap == 0.9 and not found.converged


def test_fits_are_certified(draw):
    found = _ours.ours(draw)
    assert all(one.converged and one.gap <= 1 and one.calls > 0 for one in found.values())
    assert found["ours, chosen"].search_calls > found["ours, chosen"].calls


def test_pyepo_learns_the_same_from_batches_as_one_by_one(draw):
    pytest.importorskip("torch")
    pytest.importorskip("pyepo")
    from benchmarks.decisions import _pyepo

    weights = []
    for model in (_pyepo.Batched, _pyepo.Single):
        steps = _pyepo.epochs(draw, _pyepo.spo_plus(model(draw.optimizer)), 0.1, seed=0)
        for _ in range(3):
            linear, _ = next(steps)
        weights.append(linear.weight.detach().numpy())
    np.testing.assert_allclose(*weights, atol=1e-5)


def test_calls_are_counted_with_the_pool_and_without(draw):
    kinds = DecisionFocusedRegressor, pool.WithoutPool
    rows = [pool.fitted(kind, draw, 10.0, SmoothedCuttingPlane(rtol=1e-2)) for kind in kinds]
    assert all(row["status"] == "CONVERGED" and row["gap"] <= 1 for row in rows)
    assert rows[0]["calls"] < rows[1]["calls"]
