"""The perturbed loss, by enumeration with the same draws, and against its expectation."""

import copy
import pickle

import numpy as np
import pytest
from network_layers import (
    COST,
    DEVICES,
    OracleChain,
    OracleMulticlass,
    Stars,
    at,
    chain_data,
    initialised,
    random_w,
    rule,
    slacks_and_arguments,
    tensors,
    torch,
)
from scipy.stats import norm

from structsvm import ProblemError, Task, WeightConstraints
from structsvm.networks import TensorInference
from structsvm.problems import (
    Assignment,
    AttractiveLabelSet,
    Chain,
    LabelSet,
    Multiclass,
    SupervisedKMeansProblem,
)
from structsvm.problems.classification.multiclass.task import MulticlassTask
from structsvm.torch import PerturbedFenchelYoungLoss, StructuredHingeLoss

SEED, SIGMA, SAMPLES = 3, 0.7, 5


def perturbed(problem, **options):
    """A layer with independent draws, whose losses are not reduced."""
    defaults = {
        "sigma": SIGMA,
        "n_samples": SAMPLES,
        "antithetic": False,
        "random_state": SEED,
        "reduction": "none",
    }
    return PerturbedFenchelYoungLoss(problem, **(defaults | options))


def draws(*shapes):
    """The noise that such a layer draws first, one array after the other."""
    generator = torch.Generator().manual_seed(SEED)
    return [
        SIGMA * torch.randn((SAMPLES, *shape), generator=generator, dtype=torch.float64).numpy()
        for shape in shapes
    ]


def by_enumeration(thetas, rows, true):
    """The mean over perturbed scores of the loss and of its gradient, from Psi of all outputs."""
    best = np.array([rows[np.argmax(rows @ theta)] for theta in thetas])
    differences = best - true
    return np.mean(np.sum(differences * thetas, axis=1)), differences.mean(axis=0)


def compared(losses, gradients, expected, weights):
    """Compare losses, and gradients of their weighted sum, with those of each example."""
    values, slopes = zip(*expected, strict=True)
    np.testing.assert_allclose(losses.detach(), values, atol=1e-12)
    scaled = [weight * slope for weight, slope in zip(weights, slopes, strict=True)]
    np.testing.assert_allclose(gradients, scaled, atol=1e-12)
    assert np.any(scaled)


def test_classes_are_those_by_enumeration():
    problem = initialised(Multiclass(COST), *Multiclass.example_data())
    theta = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    codes, weights = [0, 1, 2, 0, 1, 2], np.arange(1.0, 7.0)
    losses = perturbed(problem, scores=True)(theta, list("abcabc"))
    (losses * torch.tensor(weights)).sum().backward()
    (noise,) = draws(theta.shape)
    expected = [
        by_enumeration(theta[i].detach().numpy() + noise[:, i], np.eye(3), np.eye(3)[code])
        for i, code in enumerate(codes)
    ]
    compared(losses, theta.grad, expected, weights)


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
            for s in range(SAMPLES)
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
    longer = torch.randn(2, 4, 3, dtype=torch.float64)
    tables = torch.randn(2, 3, 3, 3, dtype=torch.float64, requires_grad=True)
    layer = fixed(perturbed(problem, scores=True))
    assert torch.autograd.gradcheck(
        lambda tables: layer((longer, tables), [["low"] * 4, ["mid"] * 4]), tables
    )


GENERAL = {
    "classes by oracles": (OracleMulticlass(COST), Multiclass.example_data()),
    "chain by oracles": (OracleChain(), chain_data()),
    "matching": (Assignment(), Assignment.example_data()),
    "label sets": (LabelSet("pairs"), LabelSet.example_data()),
}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", GENERAL)
def test_any_problem_is_that_by_enumeration(name, several):
    problem, (X, Y) = GENERAL[name]
    problem = initialised(copy.deepcopy(problem), X, Y)
    X, Y, size = X[:5], Y[:5], problem.size_joint_feature
    w = torch.randn((5, size) if several else (size,), dtype=torch.float64, requires_grad=True)
    weights = np.arange(1.0, 6.0)
    losses = perturbed(problem, scores=True)((X, w), Y)
    (losses * torch.tensor(weights)).sum().backward()
    (noise,) = draws(w.shape)
    expected = []
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        thetas = w.detach().numpy() + noise
        rows = np.array([problem.joint_feature(x, z) for z in problem.outputs(x)])
        own = problem.joint_feature(x, y)
        expected.append(by_enumeration(thetas[:, i] if several else thetas, rows, own))
    if several:
        compared(losses, w.grad, expected, weights)
    else:
        values, slopes = zip(*expected, strict=True)
        np.testing.assert_allclose(losses.detach(), values, atol=1e-10)
        np.testing.assert_allclose(w.grad, weights @ np.array(slopes), atol=1e-10)


def fixed(layer):
    """The losses with the same draws at every call."""
    state = layer.get_extra_state()

    def losses(*arguments):
        layer.set_extra_state(state)
        return layer(*arguments)

    return losses


class DerivedAssignment(Assignment):
    """A matching that does not offer its gradients."""

    input_gradient = None


CASES = {
    "chain": (Chain(), chain_data()),
    "restricted chain": (Chain(rule, {"low": 3.0}), chain_data(allowed=True)),
    "classes": (Multiclass(COST), Multiclass.example_data()),
    "matching": (Assignment(), Assignment.example_data()),
    "chain by oracles": (OracleChain(), chain_data()),
}


@pytest.mark.parametrize("name", CASES)
def test_gradcheck_in_features_and_weights(name):
    problem, (X, Y) = CASES[name]
    layer = perturbed(initialised(copy.deepcopy(problem), X, Y), n_samples=3).double()
    losses, arguments = slacks_and_arguments(layer, X[:4], Y[:4])
    state = layer.get_extra_state()

    def with_the_same_draws(*arguments):
        layer.set_extra_state(state)
        return losses(*arguments)

    assert (with_the_same_draws(*arguments) > 0).any()
    assert torch.autograd.gradcheck(with_the_same_draws, arguments)


def test_gradients_in_inputs_are_derived_where_the_problem_does_not_tell_them():
    X, Y = Assignment.example_data()
    offered, derived = (
        torch.autograd.grad(at(perturbed(problem), random_w(problem))(given, Y).sum(), given)
        for problem in (initialised(cls(), X, Y) for cls in (Assignment, DerivedAssignment))
        for given in (tensors(X, requires_grad=True),)
    )
    assert any(gradient.any() for gradient in offered)
    for a, b in zip(offered, derived, strict=True):
        torch.testing.assert_close(a, b)


def test_gradcheck_in_inputs_with_weights_of_their_own():
    X, Y = Assignment.example_data()
    losses = fixed(perturbed(initialised(Assignment(), X, Y), n_samples=3, scores=True))
    w = torch.randn(4, X[0].shape[-1], dtype=torch.float64, requires_grad=True)
    given = [torch.tensor(x, requires_grad=True) for x in X[:4]]
    assert torch.autograd.gradcheck(lambda w, *X: losses((list(X), w), Y[:4]), (w, *given))


@pytest.mark.parametrize("antithetic", [False, True])
@pytest.mark.parametrize(
    ("cls", "sigma", "n"),
    [(Multiclass, 0.4, 40_000), (Multiclass, 2.0, 40_000), (OracleMulticlass, 0.4, 10_000)],
)
def test_the_expectation_of_two_classes(cls, sigma, n, antithetic):
    """With scores 0 and t the loss of the first class is E max(0, N), N normal about t."""
    problem = initialised(cls(), np.ones((2, 1)), ["a", "b"])
    t = 0.6
    layer = perturbed(problem, sigma=sigma, n_samples=n, antithetic=antithetic, scores=True)
    theta = torch.tensor([[0.0, t]], dtype=torch.float64, requires_grad=True)
    loss = layer(theta if cls is Multiclass else (np.ones((1, 1)), theta), ["a"])
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


@pytest.mark.parametrize("name", CASES)
def test_no_sample_is_negative(name):
    problem, (X, Y) = CASES[name]
    problem = initialised(copy.deepcopy(problem), X, Y)
    layer = at(perturbed(problem, n_samples=1), 2 * random_w(problem))
    assert all((layer(tensors(X), Y) >= 0).all() for _ in range(5))


def test_a_certain_truth_has_no_loss_and_no_gradient():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta = torch.tensor([[50.0, 0.0, 0.0]], requires_grad=True)
    loss = perturbed(problem, scores=True)(theta, ["a"])
    loss.sum().backward()
    assert loss.item() == 0 and not theta.grad.any()


def test_the_loss_is_convex_and_above_that_without_noise():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    losses = fixed(perturbed(problem, n_samples=400, antithetic=True, scores=True))
    one, other = torch.randn(2, 50, 3, dtype=torch.float64)
    Y = np.random.default_rng(0).choice(list("abc"), 50)
    between = losses((one + other) / 2, Y)
    assert (between <= (losses(one, Y) + losses(other, Y)) / 2 + 1e-12).all()
    unperturbed = one.max(dim=1).values - one.gather(1, torch.tensor(ord_of(Y))).squeeze(1)
    # With pairs Z and -Z the mean of the perturbed scores is theta, so that Jensen's bound holds.
    assert (losses(one, Y) >= unperturbed - 1e-12).all()


def ord_of(Y):
    return [[ord(y) - ord("a")] for y in Y]


def test_antithetic_draws_cancel_where_the_prediction_does_not_change():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta = torch.tensor([[50.0, 0.0, 0.0]], dtype=torch.float64)
    paired = perturbed(problem, n_samples=2, antithetic=True, scores=True)
    independent = perturbed(problem, n_samples=2, scores=True)
    values = [[layer(theta, ["b"]).item() for _ in range(5)] for layer in (paired, independent)]
    np.testing.assert_allclose(values[0], 50.0, atol=1e-12)
    assert np.std(values[1]) > 0.1


@pytest.mark.parametrize("name", ["classes", "chain", "matching"])
def test_antithetic_draws_have_gradients_of_less_variance(name):
    problem, (X, Y) = CASES[name]
    w = random_w(problem := initialised(copy.deepcopy(problem), X, Y))
    spreads = []
    for antithetic in (True, False):
        layer = at(perturbed(problem, n_samples=2, antithetic=antithetic, reduction="mean"), w)
        found = [torch.autograd.grad(layer(tensors(X[:8]), Y[:8]), layer.w)[0] for _ in range(100)]
        spreads.append(torch.stack(found).var(dim=0).sum().item())
    assert spreads[0] < spreads[1]


def test_a_seed_makes_steps_reproducible_and_different():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta, Y = torch.zeros(4, 3), list("abca")
    one, same, other = (
        perturbed(problem, random_state=seed, scores=True) for seed in (SEED, SEED, SEED + 1)
    )
    first = one(theta, Y)
    assert torch.equal(first, same(theta, Y)) and not torch.equal(first, other(theta, Y))
    assert not torch.equal(first, one(theta, Y))


def test_the_global_generator_seeds_a_layer_without_a_seed():
    problem = initialised(Multiclass(), *Multiclass.example_data())
    theta, Y, found = torch.zeros(4, 3), list("abca"), []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        found.append(perturbed(problem, random_state=None, scores=True)(theta, Y))
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


@pytest.mark.parametrize("name", ["classes", "chain", "matching"])
def test_a_layer_that_is_loaded_goes_on_with_the_same_draws(name, tmp_path):
    problem, (X, Y) = CASES[name]
    problem = initialised(copy.deepcopy(problem), X, Y)
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


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_the_device_changes_nothing(name, device):
    problem, (X, Y) = CASES[name]
    problem = initialised(copy.deepcopy(problem), X, Y)
    layer, given = at(perturbed(problem), random_w(problem)), tensors(X)
    expected = fixed(layer)(given, Y)
    layer.set_extra_state(perturbed(problem).get_extra_state())
    layer.to(device)
    moved = [x.to(device) for x in given] if isinstance(given, list) else given.to(device)
    losses = layer(moved, Y)
    losses.sum().backward()
    assert losses.device.type == layer.w.grad.device.type == device
    torch.testing.assert_close(losses.cpu(), expected)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_dtype_is_kept(name, dtype):
    problem, (X, Y) = CASES[name]
    layer = perturbed(initialised(copy.deepcopy(problem), X, Y), reduction="mean").to(dtype)
    given = tensors(X)
    given = [x.to(dtype) for x in given] if isinstance(given, list) else given.to(dtype)
    loss = layer(given, Y)
    loss.backward()
    assert loss.dtype == layer.w.grad.dtype == dtype


def test_one_task_is_decoded_for_each_sample(monkeypatch):
    calls, decode = [], MulticlassTask.decode
    counted = lambda task, w: calls.append(task.n) or decode(task, w)  # noqa: E731
    monkeypatch.setattr(MulticlassTask, "decode", counted)
    X, Y = Multiclass.example_data()
    layer = perturbed(initialised(OracleMulticlass(), X, Y))
    layer(torch.tensor(X, dtype=torch.float32), Y)
    assert calls == [len(X)] * SAMPLES


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


@pytest.mark.parametrize("name", ["classes", "matching"])
def test_a_network_learns(name):
    problem, (X, Y) = CASES[name]
    problem = initialised(copy.deepcopy(problem), X, Y)
    torch.manual_seed(0)
    d = np.shape(X[0])[-1]
    network = torch.nn.Sequential(
        torch.nn.Linear(d, 16), torch.nn.Tanh(), torch.nn.Linear(16, d)
    ).double()
    layer = PerturbedFenchelYoungLoss(problem, sigma=0.3, random_state=0).double()
    optimizer = torch.optim.Adam([*network.parameters(), *layer.parameters()], lr=0.05)
    given = tensors(X)

    def features():
        return [network(x) for x in given] if isinstance(given, list) else network(given)

    def errors():
        predicted = layer.decode(features())
        return np.mean([np.mean(np.not_equal(a, b)) for a, b in zip(predicted, Y, strict=True)])

    before = errors()
    for _ in range(60):
        optimizer.zero_grad()
        layer(features(), Y).backward()
        optimizer.step()
    assert errors() < before / 3


def test_classes_learn_as_a_convex_problem_does():
    """At the minimum the expected joint features are those of the data."""
    X, Y = Multiclass.example_data()
    layer = PerturbedFenchelYoungLoss(
        initialised(Multiclass(), X, Y), n_samples=200, random_state=0
    ).double()
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        loss = layer(torch.tensor(X), Y) + 0.05 * layer.w.square().sum()
        loss.backward()
        optimizer.step()
    (gradient,) = torch.autograd.grad(layer(torch.tensor(X), Y), layer.w)
    torch.testing.assert_close(gradient, -0.1 * layer.w.detach(), atol=0.05, rtol=0)
    assert layer.w.abs().max() > 0.5


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sigma": 0}, "sigma must be a finite number > 0; got 0"),
        ({"sigma": -1.0}, "sigma must be a finite number > 0; got -1"),
        ({"sigma": np.nan}, "sigma must be a finite number > 0"),
        ({"n_samples": 0}, "n_samples must be an integer >= 1; got 0"),
        ({"n_samples": 2.0}, "n_samples must be an integer >= 1"),
        ({"antithetic": 1}, "antithetic must be True or False; got 1"),
        ({"antithetic": True, "n_samples": 3}, r"must be even .*got 3: take one more, or antith"),
        ({"random_state": -1}, "random_state, if not None, must be an integer >= 0; got -1"),
        ({"random_state": "seed"}, "random_state, if not None, must be"),
        ({"scores": 1}, "scores must be True or False"),
        ({"reduction": "average"}, "reduction must be one of"),
    ],
)
def test_parameters_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        perturbed(initialised(Multiclass(), *Multiclass.example_data()), **arguments)


def test_problems_that_cannot_be_perturbed():
    with pytest.raises(TypeError, match=r"must be an instance of structsvm.Problem"):
        perturbed(Multiclass)
    with pytest.raises(ValueError, match=r"not initialised: call problem.initialize\(X, Y\)"):
        perturbed(Multiclass())
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


def test_constraints_of_a_problem_whose_scores_are_free_are_kept():
    class Bounded(Multiclass):
        def constraints(self):
            return WeightConstraints(lower=np.full(self.size_joint_feature, 0.5))

    X, Y = Multiclass.example_data()
    layer = perturbed(initialised(Bounded(), X, Y), reduction="mean")
    layer(torch.tensor(X, dtype=torch.float32), Y).backward()
    assert (layer.w == 0.5).all()


@pytest.mark.parametrize("cls", [Multiclass, OracleMulticlass])
@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        (torch.tensor([[0.0, 1.0], [np.nan, 0.0]]), ["a", "b"], "contains NaN|row 1"),
        (torch.zeros(0, 2), [], "X is empty"),
        (torch.zeros(4, 3), list("abca"), r"\(n, 2\); got \(4, 3\)|expected 2 columns"),
        (torch.zeros(4, 2), list("abcd"), "unknown label 'd'; the classes are"),
        (torch.zeros(4, 2), list("abc"), "3"),
        (torch.zeros(4, 2), None, "Y must hold the true outputs; it is None"),
    ],
)
def test_examples_that_do_not_fit(cls, X, Y, message):
    with pytest.raises(ValueError, match=message):
        perturbed(initialised(cls(), *Multiclass.example_data()))(X, Y)


def test_scores_that_do_not_fit():
    for problem, scores, message in (
        (Multiclass(), torch.full((2, 3), np.nan), "contains NaN"),
        (Multiclass(), torch.zeros(2, 4), r"shape \(n, 3\)"),
        (OracleMulticlass(), (np.ones((2, 2)), torch.zeros(3, 6)), r"\(6,\) or \(2, 6\)"),
        (OracleMulticlass(), (np.ones((2, 2)), torch.full((2, 6), np.inf)), "w contains NaN or"),
    ):
        layer = perturbed(initialised(problem, *Multiclass.example_data()), scores=True)
        with pytest.raises(ValueError, match=message):
            layer(scores, ["a", "b"])


def test_a_self_labelled_problem_needs_outputs():
    X, Y = SupervisedKMeansProblem.example_data()
    problem = initialised(SupervisedKMeansProblem(), X, Y)
    with pytest.raises(ValueError, match="Y must hold the true outputs; it is None"):
        perturbed(problem, scores=True)((X, torch.zeros(problem.size_joint_feature)), None)


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


def test_second_derivatives_of_any_problem_are_refused():
    problem = initialised(Stars(), np.ones((2, 1)), [1, 2])
    layer = at(perturbed(problem, reduction="mean"), random_w(problem))
    with pytest.raises(RuntimeError, match="has no second derivatives"):
        torch.autograd.grad(layer(np.ones((2, 1)), [1, 2]), layer.w, create_graph=True)


def test_a_hinge_and_a_perturbed_layer_predict_the_same():
    X, Y = Assignment.example_data()
    problem = initialised(Assignment(), X, Y)
    layers = [at(cls(problem), random_w(problem)) for cls in (StructuredHingeLoss, perturbed)]
    for a, b in zip(*(layer.decode(tensors(X)) for layer in layers), strict=True):
        np.testing.assert_array_equal(a, b)
