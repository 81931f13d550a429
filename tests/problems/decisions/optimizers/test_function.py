"""Functions as optimizers."""

import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs
from scipy import sparse

from structsvm.problems.decisions.optimizers import CallableOptimizer, GridPaths, Optimizer


def cheapest(costs):
    return np.eye(len(costs), dtype=int)[costs.argmin()]


def cheapest_of_each(costs):
    return np.eye(costs.shape[1], dtype=bool)[costs.argmin(axis=1)]


def dearest(costs):
    return cheapest(-costs)


@pytest.mark.parametrize(
    "optimizer",
    [
        CallableOptimizer(cheapest),
        CallableOptimizer(cheapest_of_each, batch=True),
        CallableOptimizer(dearest, sense="max"),
    ],
)
def test_decisions_are_those_of_the_function(optimizer):
    assert_best(optimizer, drawn_costs(0, 20, 7), np.eye(7))


def test_a_function_may_change_the_costs_it_gets():
    def greedy(costs):
        costs[:] = -costs
        return costs

    costs = np.ones((2, 3))
    for batch in (False, True):
        assert (CallableOptimizer(greedy, batch).batch(costs) == -1).all()
        np.testing.assert_array_equal(costs, np.ones((2, 3)))


BAD_ANSWERS = {
    r"must return a decision of shape \(3,\), as the costs are; it returned shape \(2,\)": [0, 1],
    r"must return a decision of shape \(3,\).*it returned shape \(1, 3\)": [[0, 1, 0]],
    "bad must return finite numbers; it returned NaN or infinity": [0, np.nan, 1],
    "the decision of bad must hold real numbers": ["a", "b", "c"],
    r"bad must return a decision of shape \(3,\), as the costs are; it returned None": None,
}


@pytest.mark.parametrize("message", BAD_ANSWERS)
def test_bad_answers_are_refused(message):
    def bad(costs):
        return BAD_ANSWERS[message]

    with pytest.raises(ValueError, match=message):
        CallableOptimizer(bad)(np.zeros(3))


@pytest.mark.parametrize("returned", [lambda z: (z, 1.5), lambda z: sparse.csr_array(z[None])])
def test_a_decision_with_its_value_and_a_sparse_one_are_refused(returned):
    message = r"must return the decision alone, an array of shape \(3,\), .* returned a (tuple|csr)"
    with pytest.raises(ValueError, match=message):
        CallableOptimizer(lambda costs: returned(cheapest(costs)))(np.ones(3))


@pytest.mark.parametrize(
    ("function", "batch", "hint"),
    [
        (GridPaths(2, 3).batch, False, r"of shape \(1, 7\), .*with shape \(7,\).*batch=True\) \("),
        (cheapest_of_each, False, r"pass CallableOptimizer\(cheapest_of_each, batch=True\) \("),
        (GridPaths(2, 3), True, r"of shape \(7,\), .*with shape \(4, 7\): pass .*batch=False\)"),
        (cheapest, True, r"cheapest takes costs of shape \(7,\).*cheapest, batch=False\)"),
    ],
)
def test_a_wrong_batch_is_named(function, batch, hint):
    with pytest.raises(ValueError, match=hint):
        CallableOptimizer(function, batch=batch).batch(drawn_costs(0, 4, 7))


@pytest.mark.parametrize("batch", [False, True])
def test_errors_for_any_form_of_the_costs_stay_as_they_are(batch):
    def failing(costs):
        raise KeyError("failed")

    with pytest.raises(KeyError, match=r"^'failed'$"):
        CallableOptimizer(failing, batch=batch).batch(np.ones((2, 3)))


def test_what_is_optional_has_defaults():
    class Zero(Optimizer):
        def __call__(self, costs):
            return np.zeros(len(costs))

    optimizer = Zero()
    assert (optimizer.sense, optimizer.oracle_quality) == ("min", "exact")
    assert (optimizer.oracle_cost, optimizer.n_costs) == ("expensive", None)
    assert optimizer.batch(np.ones((2, 3))).tolist() == [[0, 0, 0]] * 2
    assert optimizer.batch(np.ones((0, 3))).shape == (0, 3)
    optimizer.require_feasible(None)
    with pytest.raises(NotImplementedError, match="Zero does not list its decisions"):
        assert_lists(optimizer, [])
    assert repr(optimizer) == "Zero()"
