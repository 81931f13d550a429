"""The perturbed loss, by enumeration with the same draws, and against its expectation."""

import copy
import pickle

import numpy as np
import pytest
from network_layers import (
    COST,
    DEVICES,
    Stars,
    at,
    by_enumeration,
    case,
    chain_data,
    compared,
    draws,
    initialised,
    perturbed,
    random_w,
    rule,
    slacks_and_arguments,
    tensors,
    torch,
)
from scipy.stats import norm

from structsvm import ProblemError, Task
from structsvm.networks import TensorInference
from structsvm.problems import (
    AttractiveLabelSet,
    Chain,
    Multiclass,
)


def test_classes_are_those_by_enumeration():
    problem = initialised(Multiclass(COST), *Multiclass.example_data())
    theta = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    losses = perturbed(problem, scores=True)(theta, list("abcabc"))
    (noise,) = draws(theta.shape)
    expected = [
        by_enumeration(theta[i].detach().numpy() + noise[:, i], np.eye(3), np.eye(3)[i % 3])
        for i in range(6)
    ]
    compared(losses, theta, expected)


def chain_features(labels, k):
    """Psi of a labelling over its own scores of labels, and a table of transitions."""
    counts = np.zeros((k, k))
    np.add.at(counts, (labels[:-1], labels[1:]), 1.0)
    return np.concatenate([np.eye(k)[labels].ravel(), counts.ravel()])


@pytest.mark.parametrize("allowed", [False, True])
def test_chains_are_those_by_enumeration(allowed):
    X, Y = chain_data(allowed)
    problem = initialised(Chain(rule) if allowed else Chain(), X, Y)
    X, Y, k = X[:6], Y[:6], 3
    lengths, codes = [len(y) for y in Y], [np.searchsorted(problem.classes_, y) for y in Y]
    assert len(set(lengths)) > 1
    unary = [torch.randn(m, k, dtype=torch.float64, requires_grad=True) for m in lengths]
    table = torch.randn(k, k, dtype=torch.float64, requires_grad=True)
    weights = np.arange(1.0, 7.0)
    losses = perturbed(problem, scores=True)((unary, table), Y)
    (losses * torch.tensor(weights)).sum().backward()
    of_positions, of_tables = draws((sum(lengths), k), (6, k, k))
    # The layer draws for all first positions, by falling length, then for all second ones, ...
    ranked = sorted(range(6), key=lambda i: -lengths[i])
    places = [(i, t) for t in range(max(lengths)) for i in ranked if t < lengths[i]]
    values, slopes = [], np.zeros((k, k))
    for i, x in enumerate(X):
        own = [places.index((i, t)) for t in range(lengths[i])]
        thetas = [
            np.concatenate([
                (unary[i].detach().numpy() + of_positions[s, own]).ravel(),
                (table.detach().numpy() + of_tables[s, i]).ravel(),
            ])
            for s in range(len(of_tables))
        ]  # fmt: skip
        outputs = [np.searchsorted(problem.classes_, z) for z in problem.outputs(x)]
        rows = np.array([chain_features(z, k) for z in outputs])
        value, slope = by_enumeration(np.array(thetas), rows, chain_features(codes[i], k))
        values.append(value)
        expected = weights[i] * slope[: lengths[i] * k].reshape(-1, k)
        np.testing.assert_allclose(unary[i].grad, expected, atol=1e-12)
        slopes += weights[i] * slope[lengths[i] * k :].reshape(k, k)
    np.testing.assert_allclose(losses.detach(), values, atol=1e-12)
    np.testing.assert_allclose(table.grad, slopes, atol=1e-12)
    assert slopes.any()


def test_tables_of_each_transition_have_noise_of_their_own():
    """A sequence of two positions has one transition, so both forms say the same."""
    problem = initialised(Chain(), *chain_data())
    unary = torch.randn(4, 2, 3, dtype=torch.float64)
    table = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    Y = [["low", "mid"], ["mid", "mid"], ["top", "low"], ["low", "top"]]
    shared = perturbed(problem, scores=True)((unary, table), Y)
    every = perturbed(problem, scores=True)((unary, table.expand(4, 1, 3, 3)), Y)
    torch.testing.assert_close(shared, every)


GENERAL = ["classes by oracles", "chain by oracles", "matching", "label sets"]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", GENERAL)
def test_any_problem_is_that_by_enumeration(name, several):
    problem, X, Y = case(name)
    X, Y, size = X[:5], Y[:5], problem.size_joint_feature
    w = torch.randn((5, size) if several else (size,), dtype=torch.float64, requires_grad=True)
    losses = perturbed(problem, scores=True)((X, w), Y)
    (noise,) = draws(w.shape)
    expected = []
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        thetas = w.detach().numpy() + noise
        rows = np.array([problem.joint_feature(x, z) for z in problem.outputs(x)])
        own = problem.joint_feature(x, y)
        expected.append(by_enumeration(thetas[:, i] if several else thetas, rows, own))
    if several:
        compared(losses, w, expected)
    else:
        values, slopes = zip(*expected, strict=True)
        np.testing.assert_allclose(losses.detach(), values, atol=1e-10)
        weights = np.arange(1.0, 6.0)
        (losses @ torch.tensor(weights)).backward()
        np.testing.assert_allclose(w.grad, weights @ np.array(slopes), atol=1e-10)


@pytest.mark.parametrize("name", ["chain", "classes", "matching"])
def test_gradcheck_in_features_and_weights(name):
    problem, X, Y = case(name)
    layer = perturbed(problem, n_samples=3).double()
    losses, arguments = slacks_and_arguments(layer, X[:2], Y[:2])
    state = layer.get_extra_state()

    def with_the_same_draws(*arguments):
        layer.set_extra_state(state)
        return losses(*arguments)

    assert (with_the_same_draws(*arguments) > 0).any()
    assert torch.autograd.gradcheck(with_the_same_draws, arguments)


@pytest.mark.parametrize(("sigma", "antithetic"), [(0.4, False), (2.0, True)])
def test_the_expectation_of_two_classes(sigma, antithetic):
    """With scores 0 and t the loss of the first class is E max(0, N), N normal about t."""
    problem = initialised(Multiclass(), np.ones((2, 1)), ["a", "b"])
    t, n = 0.6, 40_000
    layer = perturbed(problem, sigma=sigma, n_samples=n, antithetic=antithetic, scores=True)
    theta = torch.tensor([[0.0, t]], dtype=torch.float64, requires_grad=True)
    loss = layer(theta, ["a"])
    loss.sum().backward()
    spread = np.sqrt(2) * sigma
    p = norm.cdf(t / spread)
    expected = t * p + spread * norm.pdf(t / spread)
    deviation = np.sqrt((t**2 + spread**2) * p + t * spread * norm.pdf(t / spread) - expected**2)
    # Of five standard errors, those of independent draws; antithetic ones have smaller errors.
    assert loss.item() == pytest.approx(expected, abs=5 * deviation / np.sqrt(n))
    error = 5 * np.sqrt(p * (1 - p) / n)
    np.testing.assert_allclose(theta.grad, [[-p, p]], atol=error)
    assert error < 0.02 and abs(p - norm.cdf(t / sigma)) > 2 * error, "the factor of Z would show"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["restricted chain", "classes", "chain by oracles"])
def test_no_sample_is_negative_and_dtypes_and_devices_are_kept(name, device):
    problem, X, Y = case(name)
    layer, given = at(perturbed(problem), random_w(problem)), tensors(X)
    expected = layer(given, Y)
    assert (expected >= 0).all() and expected.any()
    for dtype in (torch.float64, torch.float32):
        layer.set_extra_state(perturbed(problem).get_extra_state())
        layer.to(device, dtype).zero_grad()
        listed = [x.to(device, dtype) for x in given]
        losses = layer(listed if isinstance(given, list) else torch.stack(listed), Y)
        losses.sum().backward()
        assert losses.device.type == layer.w.grad.device.type == device
        assert losses.dtype == layer.w.grad.dtype == dtype
        if dtype == torch.float64:  # draws of single precision are others
            torch.testing.assert_close(losses.cpu(), expected)


def test_antithetic_draws_cancel_where_the_prediction_does_not_change():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta = torch.tensor([[50.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    paired = perturbed(problem, n_samples=2, antithetic=True, scores=True)
    independent = perturbed(problem, n_samples=2, scores=True)
    values = [[layer(theta, ["b"]).item() for _ in range(5)] for layer in (paired, independent)]
    np.testing.assert_allclose(values[0], 50.0, atol=1e-12)
    assert np.std(values[1]) > 0.1
    certain = independent(theta, ["a"])
    certain.sum().backward()
    assert certain.item() == 0 and not theta.grad.any()


def test_seeds_make_steps_reproducible_and_different():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta, Y = torch.zeros(4, 3), list("abca")

    def layer(seed, of_torch=0):
        torch.manual_seed(of_torch)
        return perturbed(problem, random_state=seed, scores=True)

    one = layer(3)
    first = one(theta, Y)
    assert torch.equal(first, layer(3)(theta, Y)) and not torch.equal(first, one(theta, Y))
    assert not torch.equal(first, layer(4)(theta, Y))
    # The global generator seeds a layer without a seed.
    found = [layer(None, of_torch)(theta, Y) for of_torch in (0, 0, 1)]
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


@pytest.mark.parametrize("name", ["classes", "chain", "matching"])
def test_a_layer_that_is_loaded_goes_on_with_the_same_draws(name, tmp_path):
    problem, X, Y = case(name)
    layer, given = at(perturbed(problem), random_w(problem)), tensors(X)
    layer(given, Y)
    torch.save(layer.state_dict(), tmp_path / "state.pt")
    copies = [copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))]
    loaded = perturbed(problem, random_state=99).double()
    loaded.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    expected = layer(given, Y)
    for other in (*copies, loaded):
        assert torch.equal(other(given, Y), expected)
    assert "sigma=0.7, n_samples=5, antithetic=False" in repr(layer)


def test_a_decoder_that_misses_the_truth_gives_no_negative_loss():
    class Stubborn(Stars):
        def decode(self, x, w):
            return 1

    x, Y = np.ones((5, 1)), [1, 2, 3, 4, 5]
    layer = perturbed(initialised(Stubborn(), x, Y), scores=True)
    w = torch.randn(5, dtype=torch.float64, requires_grad=True)
    losses = layer((x, w), Y)
    (noise,) = draws(w.shape)
    points = w.detach().numpy() + noise
    expected = np.maximum(points[:, :1] - points, 0).mean(axis=0)
    np.testing.assert_allclose(losses.detach(), expected)
    losses.sum().backward()
    counts = (points[:, :1] > points).mean(axis=0)
    np.testing.assert_allclose(w.grad, [counts.sum(), *-counts[1:]], atol=1e-12)


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sigma": 0}, "sigma must be a finite number > 0; got 0"),
        ({"sigma": np.nan}, "sigma must be a finite number > 0"),
        ({"n_samples": 0}, "n_samples must be an integer >= 1; got 0"),
        ({"antithetic": 1}, "antithetic must be True or False; got 1"),
        ({"antithetic": True, "n_samples": 3}, r"must be even .*got 3: take one more, or antith"),
        ({"random_state": -1}, "random_state, if not None, must be an integer >= 0; got -1"),
    ],
)
def test_parameters_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        perturbed(initialised(Multiclass(), *Multiclass.example_data()), **arguments)


def test_problems_that_cannot_be_perturbed():
    sets = initialised(AttractiveLabelSet(), *AttractiveLabelSet.example_data())
    for scores in (False, True):
        with pytest.raises(ValueError, match=r"AttractiveLabelSet has constraints .* perturbed w"):
            perturbed(sets, scores=scores)

    class Bare(TensorInference):
        of_features = of_scores = slacks = decode = None

    class Own(Multiclass):
        def tensor_inference(self):
            return Bare()

    with pytest.raises(ValueError, match=r"of Own has no .*: define Bare.perturbed_losses"):
        perturbed(initialised(Own(), *Multiclass.example_data()))
    with pytest.raises(NotImplementedError, match="Bare does not define perturbed_losses"):
        Bare().perturbed_losses(None, None, None)


def test_errors_name_the_decoder():
    class Failing(Stars):
        def decode(self, x, w):
            raise KeyError("lost")

    class LostTask(Task):
        def decode(self, w):
            return ["lost"] * self.n

    class Lost(Stars):
        def task(self, X, Y=None):
            return LostTask(self, X, Y)

    x, w = np.ones((2, 1)), torch.zeros(5)
    with pytest.raises(ProblemError, match=r"Failing.decode raised KeyError for example 0"):
        perturbed(initialised(Failing(), x, [1, 2]), scores=True)((x, w), [1, 2])
    for weights in (w, w.expand(2, 5)):
        with pytest.raises(ProblemError, match=r"^LostTask.decode returned .* that cannot be read"):
            perturbed(initialised(Lost(), x, [1, 2]), scores=True)((x, weights), [1, 2])
