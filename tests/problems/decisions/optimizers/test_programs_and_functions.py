"""Mixed-integer programs and functions as optimizers."""

import numpy as np
import pytest
from decisions_data import assert_best, assert_lists, drawn_costs
from programs_data import drawn, feasible_vectors
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog

from structsvm.problems.decisions.optimizers import (
    CallableOptimizer,
    GridPaths,
    MixedIntegerProgram,
    Optimizer,
    program,
)


def test_real_numbers_are_those_of_linprog():
    rng = np.random.default_rng(0)
    A, costs = rng.random((3, 5)), drawn_costs(0, 10, 5)
    optimizer = MixedIntegerProgram((A, np.ones(3)), upper=np.inf, integrality=0, sense="max")
    for c, z in zip(costs, optimizer.batch(costs), strict=True):
        optimizer.require_feasible(z)
        expected = -linprog(-c, A, np.ones(3)).fun
        assert c @ z == pytest.approx(expected, rel=1e-6, abs=1e-9 * np.abs(c).max())


def test_integers_and_real_numbers_together():
    """Two machines are on or off; what they make, at most 3 each, is 4 in all."""
    constraints = [([[-3, 0, 1, 0], [0, -3, 0, 1]], 0), LinearConstraint([[0, 0, 1, 1]], 4, 4)]
    optimizer = MixedIntegerProgram(constraints, upper=[1, 1, 3, 3], integrality=[1, 1, 0, 0])
    np.testing.assert_allclose(optimizer([5, 1, 1, 2]), [1, 1, 3, 1])
    optimizer.require_feasible([1, 1, 1.5, 2.5])
    with pytest.raises(NotImplementedError, match="listed only where all variables are integers"):
        optimizer.decisions()


def test_large_coefficients_do_not_turn_fractions_to_violations(monkeypatch):
    """An integer that HiGHS takes for 0 may be 1e-7, which times 1e6 allows for too much."""
    switch = ([[-1e6, 1.0]], [0.0])
    optimizer = MixedIntegerProgram(switch, upper=[1, 0.5], integrality=[1, 0], sense="max")
    for cost in (-0.4, -0.6, -1e-3, -1e3):
        z = optimizer([cost, 1.0])
        optimizer.require_feasible(z)
        assert cost * z[0] + z[1] == pytest.approx(max(0, cost + 0.5), abs=1e-6)
    answers = [np.array([1e-7, 0.1]), np.array([0.0, 0.0])]
    monkeypatch.setattr(program, "solved", lambda *_, **options: answers.pop(0))
    assert optimizer([-1.0, 1.0]).tolist() == [0, 0] and not answers


def test_without_constraints_bounds_decide():
    optimizer = MixedIntegerProgram((), n_costs=3, lower=-1, upper=[1, 2, 3])
    assert optimizer([1.0, -1.0, -1.0]).tolist() == [-1, 2, 3]
    assert len(list(optimizer.decisions())) == 3 * 4 * 5


def enumerated(scores, constraint, start):
    return max(feasible_vectors(drawn(0)[0][0]), key=scores.dot)


def test_a_function_takes_the_place_of_highs():
    x = drawn(0)[0][0]
    optimizer = MixedIntegerProgram(x.constraints, solver=enumerated)
    assert_best(optimizer, drawn_costs(0, 10, 6), feasible_vectors(x))
    assert repr(optimizer).endswith("n_costs=6, solver=enumerated)")
    with pytest.raises(ValueError, match="takes 0/1 variables only: with others leave it None, or"):
        MixedIntegerProgram(x.constraints, upper=2, solver=enumerated)


def test_contradicting_sets_are_named():
    constraints = {"few": ([[1, 1]], 1), "harmless": ([[1, 0]], 1), "many": ([[-1, -1]], -2)}
    message = "no {} satisfies the constraint sets 'few' and 'many' together"
    with pytest.raises(ValueError, match=message.format("0/1 vector")):
        MixedIntegerProgram(constraints)([1.0, 2.0])
    with pytest.raises(ValueError, match=message.format("vector within the bounds")):
        MixedIntegerProgram(constraints, upper=3.0, integrality=0)([1.0, 2.0])
    with pytest.raises(ValueError, match=r"no vector within the bounds .* constraint set 'many'"):
        MixedIntegerProgram(constraints, upper=0.5, integrality=0)([1.0, 2.0])


@pytest.mark.parametrize("integrality", [0, 1])
def test_unlimited_improvement_is_named(integrality):
    optimizer = MixedIntegerProgram(([[1, -1]], 1), upper=np.inf, integrality=integrality)
    assert optimizer([1.0, 1.0]).tolist() == [0, 0]
    with pytest.raises(ValueError, match="there is no best solution, for some improve without"):
        optimizer([-1.0, -1.0])


# ---------------------------------------------------------------------- functions as optimizers


def cheapest(costs):
    return np.eye(len(costs), dtype=int)[costs.argmin()]


def cheapest_of_each(costs):
    return np.eye(costs.shape[1], dtype=bool)[costs.argmin(axis=1)]


def test_a_function_may_change_the_costs_it_gets():
    def greedy(costs):
        costs[:] = -costs
        return costs

    costs = np.ones((2, 3))
    for batch in (False, True):
        assert (CallableOptimizer(greedy, batch).batch(costs) == -1).all()
        np.testing.assert_array_equal(costs, np.ones((2, 3)))


ALONE = r"must return the decision alone, an array of shape \(3,\), .* returned a "
BAD_ANSWERS = {
    ALONE + "tuple": ([0, 1, 0], 1.5),
    ALONE + "csr": sparse.csr_array([[0.0, 1.0, 0.0]]),
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
