"""Decisions behind networks: SPO+ and the perturbed loss, by enumeration of all decisions."""

import os

import network_layers
import numpy as np
import pytest
from decisions_data import spo_plus
from network_layers import (
    DEVICES,
    Stars,
    at,
    by_enumeration,
    compared,
    draws,
    initialised,
    random_w,
    torch,
)
from scipy.optimize import LinearConstraint

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
from structsvm.torch import StructuredHingeLoss

GRID = GridPaths(3, 3)
PATHS = np.array(list(GRID.decisions()))
N, M = 7, GRID.n_costs


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
    return network_layers.perturbed(problem, scores=True, **options)


def fenchel_young(samples, y, sign=1, decisions=PATHS):
    """The perturbed loss of an example over all decisions, and its gradient."""
    value, slope = by_enumeration(-sign * samples, decisions, y.decision)
    return value, -sign * slope


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
def test_losses_are_those_by_enumeration(sense, sign):
    problem, _, Y, costs = case(sense)
    rows = costs.detach().numpy()
    expected = [spo_plus(y, c, PATHS, sign) for c, y in zip(rows, Y, strict=True)]
    compared(hinge(problem)(costs, Y), costs, expected)
    assert min(value for value, _ in expected) >= 0
    (noise,) = draws((N, M))
    expected = [fenchel_young(rows[i] + noise[:, i], Y[i], sign) for i in range(N)]
    compared(perturbed(problem)(costs, Y), costs, expected)


def test_inputs_may_have_feasible_sets_of_their_own():
    problem, X, Y, scores = own_sets()
    sets = [np.array(list(x.optimize.decisions())) for x in X]
    costs = [score.features for score in scores]
    numbers = [c.detach().numpy() for c in costs]
    expected = [spo_plus(y, c, z) for c, y, z in zip(numbers, Y, sets, strict=True)]
    compared(hinge(problem)(scores, Y), costs, expected)
    (noise,) = draws((sum(map(len, costs)),))
    parts = np.split(noise, np.cumsum([*map(len, costs)])[:-1], axis=1)
    expected = [
        fenchel_young(c + noise, y, decisions=z)
        for c, noise, y, z in zip(numbers, parts, Y, sets, strict=True)
    ]
    compared(perturbed(problem)(scores, Y), costs, expected)
    for c, z, x in zip(numbers, hinge(problem).decode(scores), X, strict=True):
        np.testing.assert_array_equal(z, x.optimize(c))
    w = random_w(problem)
    given = [x._replace(features=torch.tensor(x.features)) for x in X]
    costs = [x.features @ w for x in X]
    expected = [spo_plus(y, c, z)[0] for c, y, z in zip(costs, Y, sets, strict=True)]
    losses = at(hinge(problem, scores=False), w)(given, Y)
    np.testing.assert_allclose(losses.detach(), expected)


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


PROBLEM, X, Y, COSTS = case()
GIVEN = COSTS.detach()


def test_a_data_loader_stacks_outputs():
    loader = torch.utils.data.DataLoader(list(zip(GIVEN, Y, strict=True)), batch_size=3)
    found = torch.cat([hinge(PROBLEM)(*batch) for batch in loader])
    assert torch.equal(found, hinge(PROBLEM)(GIVEN, Y))


def test_jobs_are_other_processes():
    here = os.getpid()

    def elsewhere(costs):
        return GRID(costs) * (np.nan if os.getpid() == here else 1)

    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=elsewhere)
    found = hinge(problem, n_jobs=2)(GIVEN, Y)
    assert torch.equal(found, hinge(PROBLEM)(GIVEN, Y))
    with pytest.raises(ValueError, match="optimize"):
        hinge(problem)(GIVEN, Y)


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
        layer(PROBLEM, n_jobs=0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("layer", [hinge, perturbed])
def test_device_and_dtype_are_kept(layer, device, dtype):
    given = GIVEN.to(device, dtype, copy=True).requires_grad_()
    losses = layer(PROBLEM)(given, Y)
    losses.sum().backward()
    assert losses.device.type == given.grad.device.type == device
    assert losses.dtype == given.grad.dtype == dtype
    if layer is hinge:  # noise of other dtypes is drawn otherwise
        torch.testing.assert_close(losses.cpu().double(), layer(PROBLEM)(GIVEN, Y))


def test_an_optimizer_that_misses_the_best_decision_gives_no_negative_loss():
    def first_path(costs):
        return PATHS[0]

    first = CallableOptimizer(first_path, oracle_quality="undergenerating")
    problem = initialised(DecisionProblem(first), X, Y)
    rows = GIVEN.numpy()
    expected = [max(spo_plus(y, c, PATHS[:1])[0], 0) for c, y in zip(rows, Y, strict=True)]
    regrets = np.array([y.costs @ (PATHS[0] - y.decision) for y in Y])
    assert (regrets >= 0).all() and min(expected) == 0 < max(expected)
    np.testing.assert_allclose(hinge(problem)(GIVEN, Y), expected)
    assert (perturbed(problem)(GIVEN, Y) >= 0).all()


# ---------------------------------------------------------------------- bad input


def of_features(*shape):
    """A layer of features, these, and outputs."""
    problem, X, Y, _ = case(shape=shape)
    return at(hinge(problem, scores=False), random_w(problem)), torch.tensor(X), Y


#: Features of each example, of each cost, and predicted costs of feasible sets of their own.
FLAT, F, OF_F = of_features(N, 2)
SHARED, S, OF_S = of_features(N, M, 2)
OWN, _, OF_OWN, INSTANCES = own_sets()
#: A layer, what it is given, and what the message says.
REFUSED = [
    *(
        (layer(PROBLEM), scores, Y, message)
        for layer in (hinge, perturbed)
        for scores, message in (
            (GIVEN[:, 1:], rf"scores must be of shape \(n, {M}\), .*got \(7, {M - 1}\)"),
            (list(GIVEN[:, 1:]), rf"\(n, {M}\).*sequence of shapes \({M - 1},\)"),
            (GIVEN[0], "scores must have 2 dimensions"),
            (GIVEN[:5], "X has 5 examples but Y has 7"),
            ([*GIVEN[1:], GIVEN[0].float()], r"scores\[6\] is of torch.float32"),
            (torch.where(GIVEN == GIVEN[3, 2], np.nan, GIVEN), "example 3 contain NaN"),
            ([*GIVEN[1:], Instance(GIVEN[0], GRID)], r"scores\[0\] has no feasible set"),
        )
    ),
    (FLAT, F[:, :1], OF_F, r"X must be of shape \(n, 2\); got \(7, 1\)"),
    (FLAT, [*F[1:], F[0, :1]], OF_F, r"\(n, 2\); got a sequence of shapes \(1,\), \(2,"),
    (FLAT, F[None], OF_F, "X must have 2 dimensions"),
    (SHARED, S[..., :1], OF_S, r"X must be of shape \(n, m, 2\); got \(7, 12, 1\)"),
    (SHARED, [*S[1:], S[0, :, :1]], OF_S, r"X\[6\] has 1 features, and X\[0\] has 2"),
    (SHARED, S[:, 1:], OF_S, rf"Y\[0\] has {M} costs, but {M - 1} are predicted"),
    (FLAT, F.float(), OF_F, "X is of torch.float32, but w is of torch.float64"),
    (FLAT, F / 0, OF_F, "predicted costs of example 0 contain NaN"),
    (hinge(OWN), [x.features for x in INSTANCES], OF_OWN, "optimize is None, so scores must be a"),
    (hinge(OWN), INSTANCES[::-1], OF_OWN, r"Y\[0\] has 7 costs, but 12 are predicted"),
    (hinge(PROBLEM), GIVEN, [y.costs for y in Y], r"Y\[0\] is ndarray: best_decisions\(optimize, "),
    (hinge(PROBLEM), GIVEN, Y[0], r"of shape \(n, m\); got shapes \(12,\) and \(12,\)"),
    (hinge(PROBLEM), GIVEN, Optimum(F, F[:, :1]), r"\(7, 2\) and \(7, 1\)"),
    (hinge(PROBLEM), GIVEN, Y[:3], "X has 7 examples but Y has 3"),
    (hinge(PROBLEM), GIVEN, None, "Y must hold the true outputs; it is None"),
]


@pytest.mark.parametrize(("layer", "scores", "outputs", "message"), REFUSED)
def test_scores_features_and_outputs_that_do_not_fit(layer, scores, outputs, message):
    with pytest.raises(ValueError, match=message):
        layer(scores, outputs)


def test_arrays_masks_and_temperatures_are_refused():
    with pytest.raises(TypeError, match="scores must be a tensor of 2 dimensions"):
        hinge(PROBLEM)(GIVEN.numpy(), Y)
    with pytest.raises(ValueError, match="costs have no positions: expected no mask"):
        hinge(PROBLEM)(GIVEN, Y, torch.ones(N, M, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"needs a soft oracle.*take mu=0, or PerturbedFenchelYou"):
        hinge(PROBLEM, mu=0.1)(GIVEN, Y)


@pytest.mark.parametrize(
    ("layer", "n_jobs"), [(perturbed, None), pytest.param(hinge, 2, marks=pytest.mark.slow)]
)
def test_errors_of_an_optimizer_name_the_example(layer, n_jobs):
    empty = MixedIntegerProgram(LinearConstraint(np.ones((1, M)), -2, -1), n_costs=M)
    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=empty)
    made = layer(problem, n_jobs=n_jobs)
    with pytest.raises(ValueError, match=r"optimize failed for .*example [45].*: there is no sol"):
        made(GIVEN[4:6], Y[4:6])
    with pytest.raises(ValueError, match=r"failed for the predicted costs of example [01]: there"):
        made.decode(GIVEN[4:6])


def test_an_optimizer_that_contradicts_itself():
    def dearest(costs):
        return PATHS[np.argmax(PATHS @ costs)]

    problem = initialised(DecisionProblem(GRID), X, Y).set_params(optimize=dearest)
    with pytest.raises(ValueError, match=r"for costs of example .*, 2 predicted - true costs"):
        hinge(problem)(GIVEN, Y)
    worst = [Optimum(y.costs, dearest(y.costs)) for y in Y]
    with pytest.raises(ValueError, match="or sense is the wrong one"):
        hinge(PROBLEM)(GIVEN, worst)
