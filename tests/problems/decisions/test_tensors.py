"""Decisions behind networks: SPO+ and the perturbed loss, by enumeration of all decisions."""

import os

import numpy as np
import pytest
from network_layers import DEVICES, Stars, at, initialised, random_w, torch
from scipy.optimize import LinearConstraint, approx_fprime

from structsvm.problems import Multiclass
from structsvm.problems.decisions import (
    CallableOptimizer,
    DecisionProblem,
    GridPaths,
    Instance,
    MixedIntegerProgram,
    Optimum,
    best_decisions,
)
from structsvm.torch import PerturbedFenchelYoungLoss, StructuredHingeLoss

GRID = GridPaths(3, 3)
PATHS = np.array(list(GRID.decisions()))
N, M = 7, GRID.n_costs
SENSES = {"min": 1, "max": -1}
SEED, SIGMA, SAMPLES = 3, 0.7, 4


def longest_path(values):
    return PATHS[np.argmax(PATHS @ values)]


OPTIMIZERS = {"min": GRID, "max": CallableOptimizer(longest_path, sense="max")}


def case(sense="min", shape=(N, 1)):
    """A problem, initialised; its inputs of a shape, outputs, and predicted costs."""
    rng = np.random.default_rng(0)
    X, costs = rng.normal(size=shape), rng.uniform(0.5, 2, (shape[0], M))
    Y = best_decisions(OPTIMIZERS[sense], costs, sense)
    problem = initialised(DecisionProblem(OPTIMIZERS[sense], sense), X, Y)
    predicted = torch.tensor(costs + rng.normal(size=costs.shape), requires_grad=True)
    return problem, X, Y, predicted


def own_sets():
    """A problem whose inputs have feasible sets of two sizes; outputs, and predicted costs."""
    X, Y = DecisionProblem.example_data()
    problem, rng = initialised(DecisionProblem(), X, Y), np.random.default_rng(1)
    costs = [torch.tensor(rng.normal(size=len(y.costs)), requires_grad=True) for y in Y]
    return problem, X, Y, [Instance(c, x.optimize) for c, x in zip(costs, X, strict=True)]


def hinge(problem, **options):
    return StructuredHingeLoss(problem, **({"scores": True, "reduction": "none"} | options))


def perturbed(problem, **options):
    """A layer with independent draws, whose losses are not reduced."""
    defaults = {"scores": True, "sigma": SIGMA, "n_samples": SAMPLES, "antithetic": False}
    defaults |= {"random_state": SEED, "reduction": "none"}
    return PerturbedFenchelYoungLoss(problem, **(defaults | options))


def draws(*shape):
    """The noise that such a layer draws first."""
    generator = torch.Generator().manual_seed(SEED)
    return SIGMA * torch.randn((SAMPLES, *shape), generator=generator, dtype=torch.float64).numpy()


def spo_plus(predicted, y, sign=1, decisions=PATHS):
    """The SPO+ loss over all decisions, and its gradient."""
    surplus = sign * (decisions @ (y.costs - 2 * predicted))
    known = sign * (2 * predicted - y.costs) @ y.decision
    return surplus.max() + known, 2 * sign * (y.decision - decisions[surplus.argmax()])


def fenchel_young(samples, y, sign=1, decisions=PATHS):
    """The perturbed loss of an example over all decisions, and its gradient."""
    changes = np.array(
        [sign * (y.decision - decisions[np.argmin(sign * decisions @ c)]) for c in samples]
    )
    return np.mean(np.sum(changes * samples, axis=1)), changes.mean(axis=0)


def compared(losses, costs, expected):
    """Compare losses, and gradients of their weighted sum, with those of each example."""
    values, slopes = zip(*expected, strict=True)
    np.testing.assert_allclose(losses.detach(), values, atol=1e-12)
    weights = np.arange(1.0, len(values) + 1)
    gradients = torch.autograd.grad(losses @ torch.tensor(weights), costs)
    found = gradients if len(gradients) > 1 else gradients[0]
    for row, weight, slope in zip(found, weights, slopes, strict=True):
        np.testing.assert_allclose(row, weight * slope, atol=1e-12)
    assert np.any(np.concatenate(slopes))


@pytest.mark.parametrize("sense", SENSES)
def test_slacks_are_spo_plus_by_enumeration(sense):
    problem, _, Y, costs = case(sense)
    rows = costs.detach().numpy()
    expected = [spo_plus(c, y, SENSES[sense]) for c, y in zip(rows, Y, strict=True)]
    compared(hinge(problem)(costs, Y), [costs], expected)
    assert min(value for value, _ in expected) >= 0
    # Where no two decisions tie, the gradient is the slope of the values.
    for c, y, (_, slope) in zip(rows, Y, expected, strict=True):
        found = approx_fprime(c, lambda c, y=y: spo_plus(c, y, SENSES[sense])[0], 1e-6)
        np.testing.assert_allclose(found, slope, atol=1e-6)


@pytest.mark.parametrize("sense", SENSES)
def test_perturbed_losses_are_those_by_enumeration(sense):
    problem, _, Y, costs = case(sense)
    samples = costs.detach().numpy() + draws(N, M)
    expected = [fenchel_young(samples[:, i], Y[i], SENSES[sense]) for i in range(N)]
    compared(perturbed(problem)(costs, Y), [costs], expected)


def test_inputs_may_have_feasible_sets_of_their_own():
    problem, X, Y, scores = own_sets()
    sets = [np.array(list(x.optimize.decisions())) for x in X]
    costs = [score.features for score in scores]
    numbers = [c.detach().numpy() for c in costs]
    expected = [spo_plus(c, y, decisions=z) for c, y, z in zip(numbers, Y, sets, strict=True)]
    compared(hinge(problem)(scores, Y), costs, expected)
    parts = np.split(draws(sum(map(len, costs))), np.cumsum([*map(len, costs)])[:-1], axis=1)
    expected = [
        fenchel_young(c + noise, y, decisions=z)
        for c, noise, y, z in zip(numbers, parts, Y, sets, strict=True)
    ]
    compared(perturbed(problem)(scores, Y), costs, expected)
    for c, z, x in zip(numbers, hinge(problem).decode(scores), X, strict=True):
        np.testing.assert_array_equal(z, x.optimize(c))


@pytest.mark.parametrize("sense, shape", [("min", (N, 2)), ("max", (N, M, 2))])
def test_features_are_those_of_the_problem(sense, shape):
    problem, X, Y, _ = case(sense, shape)
    w = random_w(problem)
    layer = at(hinge(problem, scores=False), w)
    given = torch.tensor(X, requires_grad=True)
    task = problem.task(X, Y)
    found = task.search(w)
    rows = task.differences(found, range(task.n))
    losses = layer(given, Y)
    np.testing.assert_allclose(losses.detach(), task.losses(found) - rows @ w)
    losses.sum().backward()
    np.testing.assert_allclose(layer.w.grad, -np.asarray(rows.sum(axis=0)).reshape(-1), atol=1e-12)
    np.testing.assert_array_equal(layer.decode(given), task.decode(w))

    def slacks(w, X):
        return torch.func.functional_call(layer, {"w": w}, (X, Y))

    assert torch.autograd.gradcheck(slacks, (torch.tensor(w, requires_grad=True), given))
    listed = layer(list(given), Y)
    torch.testing.assert_close(listed, losses)


def test_features_of_inputs_with_feasible_sets_of_their_own():
    problem, X, Y, _ = own_sets()
    w = random_w(problem)
    layer = at(hinge(problem, scores=False), w)
    given = [Instance(torch.tensor(x.features), x.optimize) for x in X]
    expected = [spo_plus(x.features @ w, y, 1, np.array(list(x.optimize.decisions())))[0]
                for x, y in zip(X, Y, strict=True)]  # fmt: skip
    np.testing.assert_allclose(layer(given, Y).detach(), expected)


def test_a_data_loader_stacks_outputs():
    problem, _, Y, costs = case()
    loader = torch.utils.data.DataLoader(list(zip(costs.detach(), Y, strict=True)), batch_size=3)
    found = torch.cat([hinge(problem)(*batch) for batch in loader])
    assert torch.equal(found, hinge(problem)(costs, Y))


def test_jobs_are_other_processes():
    here = os.getpid()

    def elsewhere(costs):
        return GRID(costs) * (np.nan if os.getpid() == here else 1)

    _, X, Y, costs = case()
    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=elsewhere)
    found = hinge(problem, n_jobs=2)(costs, Y)
    assert torch.equal(found, hinge(case()[0])(costs, Y))
    with pytest.raises(ValueError, match="optimize"):
        hinge(problem)(costs, Y)


@pytest.mark.parametrize("layer", [hinge, perturbed])
def test_problems_without_a_solver_refuse_jobs(layer):
    for problem, X, Y in (
        (Multiclass(), *Multiclass.example_data()),
        (Stars(), np.ones((2, 1)), [1, 2]),
    ):
        initialised(problem, X, Y)
        assert layer(problem, n_jobs=1).problem
        with pytest.raises(ValueError, match=f"n_jobs=2 .*{type(problem).__name__} computes a ba"):
            layer(problem, n_jobs=2)
    with pytest.raises(ValueError, match="n_jobs must be None, the number of jobs"):
        layer(case()[0], n_jobs=0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("layer", [hinge, perturbed])
def test_device_and_dtype_are_kept(layer, device, dtype):
    problem, _, Y, costs = case()
    given = costs.detach().to(device=device, dtype=dtype).requires_grad_()
    losses = layer(problem)(given, Y)
    losses.sum().backward()
    assert losses.device.type == given.grad.device.type == device
    assert losses.dtype == given.grad.dtype == dtype
    if layer is hinge:  # noise of other dtypes is drawn otherwise
        torch.testing.assert_close(losses.cpu().double(), layer(problem)(costs, Y))


def test_an_optimizer_that_misses_the_best_decision_gives_no_negative_loss():
    def first_path(costs):
        return PATHS[0]

    first = CallableOptimizer(first_path, oracle_quality="undergenerating")
    _, X, Y, costs = case()
    problem = initialised(DecisionProblem(first), X, Y)
    rows = costs.detach().numpy()
    expected = [max(spo_plus(c, y, 1, PATHS[:1])[0], 0) for c, y in zip(rows, Y, strict=True)]
    regrets = np.array([y.costs @ (PATHS[0] - y.decision) for y in Y])
    assert (regrets >= 0).all() and min(expected) == 0 < max(expected)
    np.testing.assert_allclose(hinge(problem)(costs, Y).detach(), expected)
    assert (perturbed(problem)(costs, Y) >= 0).all()


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda costs: costs[:, 1:], rf"scores must be of shape \(n, {M}\), .*got \(7, {M - 1}\)"),
        (lambda costs: list(costs[:, 1:]), rf"\(n, {M}\).*sequence of shapes \({M - 1},\)"),
        (lambda costs: costs[0], "scores must have 2 dimensions"),
        (lambda costs: costs[:5], "X has 5 examples but Y has 7"),
        (lambda costs: costs[:0], "scores is empty"),
        (lambda costs: costs.int(), "must be of float32 or float64"),
        (lambda costs: [*costs[1:], costs[0].float()], r"scores\[6\] is of torch.float32"),
        (lambda costs: torch.where(costs == costs[3, 2], np.nan, costs), "example 3 contain NaN"),
        (lambda costs: [*costs[1:], Instance(costs[0], GRID)], r"scores\[0\] has no feasible set"),
    ],
)
def test_scores_that_do_not_fit(change, message):
    problem, _, Y, costs = case()
    for layer in (hinge, perturbed):
        with pytest.raises(ValueError, match=message):
            layer(problem)(change(costs.detach()), Y)


def test_scores_that_are_no_tensors():
    problem, _, Y, costs = case()
    with pytest.raises(TypeError, match="scores must be a tensor of 2 dimensions"):
        hinge(problem)(costs.detach().numpy(), Y)
    with pytest.raises(ValueError, match="costs have no positions: expected no mask"):
        hinge(problem)(costs, Y, torch.ones(N, M, dtype=torch.bool))


@pytest.mark.parametrize(
    ("shape", "change", "message"),
    [
        ((N, 2), lambda X: X[:, :1], r"X must be of shape \(n, 2\); got \(7, 1\)"),
        ((N, 2), lambda X: [*X[1:], X[0, :1]], r"\(n, 2\); got a sequence of shapes \(1,\), \(2,"),
        ((N, 2), lambda X: X[None], "X must have 2 dimensions"),
        ((N, M, 2), lambda X: X[..., :1], r"X must be of shape \(n, m, 2\); got \(7, 12, 1\)"),
        ((N, M, 2), lambda X: [*X[1:], X[0, :, :1]], r"X\[6\] has 1 features, and X\[0\] has 2"),
        ((N, M, 2), lambda X: X[:, 1:], rf"Y\[0\] has {M} costs, but {M - 1} are predicted"),
        ((N, 2), lambda X: X.float(), "X is of torch.float32, but w is of torch.float64"),
        ((N, 2), lambda X: X / 0, "predicted costs of example 0 contain NaN"),
    ],
)
def test_features_that_do_not_fit(shape, change, message):
    problem, X, Y, _ = case(shape=shape)
    with pytest.raises(ValueError, match=message):
        at(hinge(problem, scores=False), random_w(problem))(change(torch.tensor(X)), Y)


def test_a_problem_without_an_optimizer_needs_instances():
    problem, _, Y, scores = own_sets()
    with pytest.raises(ValueError, match="optimize is None, so scores must be a sequence of Inst"):
        hinge(problem)([score.features for score in scores], Y)
    with pytest.raises(ValueError, match=r"Y\[0\] has 7 costs, but 12 are predicted"):
        hinge(problem)(scores[1:] + scores[:1], Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda Y: [y.costs for y in Y], r"Y\[0\] is ndarray: best_decisions\(optimize, costs\)"),
        (lambda Y: Y[0], r"of shape \(n, m\); got shapes \(12,\) and \(12,\)"),
        (lambda Y: Optimum(np.ones((N, M)), np.ones((N, 1))), r"\(7, 12\) and \(7, 1\)"),
        (lambda Y: Y[:3], "X has 7 examples but Y has 3"),
        (lambda Y: None, "Y must hold the true outputs; it is None"),
    ],
)
def test_outputs_that_do_not_fit(change, message):
    problem, _, Y, costs = case()
    with pytest.raises(ValueError, match=message):
        hinge(problem)(costs, change(Y))


def test_a_temperature_is_refused():
    problem, _, Y, costs = case()
    with pytest.raises(ValueError, match=r"needs a soft oracle.*take mu=0, or PerturbedFenchelYou"):
        hinge(problem, mu=0.1)(costs, Y)


@pytest.mark.parametrize(
    ("layer", "n_jobs"), [(perturbed, None), pytest.param(hinge, 2, marks=pytest.mark.slow)]
)
def test_errors_of_an_optimizer_name_the_example(layer, n_jobs):
    empty = MixedIntegerProgram(LinearConstraint(np.ones((1, M)), -2, -1), n_costs=M)
    _, X, Y, costs = case()
    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=empty)
    with pytest.raises(
        ValueError, match=r"optimize failed for .*example [45].*: there is no solution"
    ):
        layer(problem, n_jobs=n_jobs)(costs[4:6], Y[4:6])
    with pytest.raises(
        ValueError, match=r"failed for the predicted costs of example [01]: there is no solution"
    ):
        layer(problem, n_jobs=n_jobs).decode(costs[4:6])


def test_an_optimizer_that_contradicts_itself():
    def dearest(costs):
        return PATHS[np.argmax(PATHS @ costs)]

    _, X, Y, costs = case()
    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=dearest)
    with pytest.raises(ValueError, match=r"for costs of example .*, 2 predicted - true costs"):
        hinge(problem)(costs, Y)
    worst = [Optimum(y.costs, dearest(y.costs)) for y in Y]
    with pytest.raises(ValueError, match="or sense is the wrong one"):
        hinge(case()[0])(costs, worst)
