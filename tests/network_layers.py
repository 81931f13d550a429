"""Problems, data and layers that the tests of structsvm.torch share."""

import copy

import numpy as np
import pytest

from structsvm import Problem
from structsvm.problems import Assignment, Chain, LabelSet, Multiclass, Taxonomy

#: Tests that import this are skipped, with the reason, where torch is not installed.
torch = pytest.importorskip("torch", reason="torch is not installed")
PerturbedFenchelYoungLoss = pytest.importorskip("structsvm.torch").PerturbedFenchelYoungLoss

DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is there")
    ),
]


class OracleChain(Chain):
    """A chain without inference over tensors."""

    tensor_inference = None


class OracleMulticlass(Multiclass):
    """Classes without inference over tensors."""

    tensor_inference = None


class Stars(Problem):
    """The problem of the README: reviews of 1 to 5 stars."""

    def joint_feature(self, x, y):
        return np.outer(np.eye(5)[y - 1], x).ravel()

    def loss(self, y, y_hat):
        return abs(y - y_hat)

    def separation_oracle(self, x, y, w):
        return max(range(1, 6), key=lambda s: self.loss(y, s) + w @ self.joint_feature(x, s))

    def decode(self, x, w):
        return max(range(1, 6), key=lambda s: w @ self.joint_feature(x, s))


#: The costs of predicting one of three classes for another.
COST = [[0, 1, 4], [2, 0, 1], [4, 1, 0]]


def rule(label, following):
    """Forbids some transitions, and some first and last labels."""
    return (label, following) not in {("low", "top"), (None, "mid"), ("low", None)}


def chain_data(allowed=False):
    """Sequences of 1 to 4 points with labels; that keep the rule, where it is to be allowed."""
    X, Y = Chain.example_data()
    if not allowed:
        return X, Y
    kept = [
        i
        for i, y in enumerate(Y)
        if all(rule(a, b) for a, b in zip([None, *y], [*y, None], strict=True))
    ]
    return [X[i] for i in kept], [Y[i] for i in kept]


def initialised(problem, X, Y):
    problem.initialize(X, Y)
    return problem


#: Problems by name, and their data.
CASES = {
    "chain": (Chain(), chain_data()),
    "restricted chain": (Chain(rule, {"low": 3.0}), chain_data(allowed=True)),
    "classes": (Multiclass(COST), Multiclass.example_data()),
    "chain by oracles": (OracleChain(), chain_data()),
    "restricted chain by oracles": (OracleChain(rule, {"low": 3.0}), chain_data(allowed=True)),
    "classes by oracles": (OracleMulticlass(COST), Multiclass.example_data()),
    "taxonomy": (Taxonomy(), Multiclass.example_data()),
    "matching": (Assignment(), Assignment.example_data()),
    "label sets": (LabelSet("pairs"), LabelSet.example_data()),
}


def case(name):
    """A new problem that is initialised, X and Y."""
    problem, (X, Y) = CASES[name]
    return initialised(copy.deepcopy(problem), X, Y), X, Y


def tensors(X, requires_grad=False):
    """Inputs as tensors: a list of them, or one."""
    if isinstance(X, list):
        return [torch.tensor(x, requires_grad=requires_grad) for x in X]
    return torch.tensor(X, requires_grad=requires_grad)


def random_w(problem, seed=0):
    return np.random.default_rng(seed).normal(size=problem.size_joint_feature)


def slacks_and_arguments(layer, X, Y):
    """The slacks as a function of w and the tensors of X, and these, for gradcheck."""
    given = tensors(X, requires_grad=True)
    listed = given if isinstance(given, list) else [given]

    def slacks(w, *listed):
        X = list(listed) if isinstance(given, list) else listed[0]
        return torch.func.functional_call(layer, {"w": w}, (X, Y))

    return slacks, (torch.tensor(random_w(layer.problem), requires_grad=True), *listed)


SEED, SIGMA, SAMPLES = 3, 0.7, 5


def perturbed(problem, **options):
    """A perturbed layer with independent draws, whose losses are not reduced."""
    defaults = {"sigma": SIGMA, "n_samples": SAMPLES, "antithetic": False, "random_state": SEED}
    return PerturbedFenchelYoungLoss(problem, **({**defaults, "reduction": "none"} | options))


def draws(*shapes):
    """The noise that such a layer draws first, one array after the other."""
    generator = torch.Generator().manual_seed(SEED)
    return [
        SIGMA * torch.randn((SAMPLES, *shape), generator=generator, dtype=torch.float64).numpy()
        for shape in shapes
    ]


def by_enumeration(thetas, rows, true):
    """The mean over perturbed scores of the loss and of its gradient, from Psi of all outputs."""
    differences = np.array([rows[np.argmax(rows @ theta)] for theta in thetas]) - true
    return np.mean(np.sum(differences * thetas, axis=1)), differences.mean(axis=0)


def compared(losses, scores, expected):
    """Compare losses, and gradients of their weighted sum in scores, with those of each example.

    Scores are a tensor with a row for each example, or a tensor for each.
    """
    values, slopes = zip(*expected, strict=True)
    np.testing.assert_allclose(losses.detach(), values, atol=1e-12)
    weights = np.arange(1.0, len(values) + 1)
    gradients = torch.autograd.grad(losses @ torch.tensor(weights), scores)
    rows = gradients if isinstance(scores, list) else gradients[0]
    for found, weight, slope in zip(rows, weights, slopes, strict=True):
        np.testing.assert_allclose(found, weight * slope, atol=1e-12)
    assert np.any(np.concatenate(slopes))


def at(layer, w):
    """The layer in float64 at these weights."""
    layer.double()
    with torch.no_grad():
        layer.w.copy_(torch.as_tensor(w))
    return layer
