"""A layer for problems that know nothing of tensors."""

import numpy as np
import pytest
from network_layers import (
    OracleChain,
    Stars,
    at,
    chain_data,
    initialised,
    random_w,
    slacks_and_arguments,
    torch,
)
from scipy.special import logsumexp
from toy_problems import LocalSearchMultilabel, Multilabel, multilabel_data

from structsvm import ProblemError, SoftOutput
from structsvm.problems import TreeLabelling
from structsvm.torch import StructuredHingeLoss


class SmoothStars(Stars):
    """Reviews with the smoothed loss, and its gradients."""

    def soft_oracle(self, x, y, w, mu):
        losses, rows = np.abs(np.arange(1, 6) - y), np.kron(np.eye(5), x)
        differences = rows[y - 1] - rows
        value, p = self._soft(losses - differences @ w, mu)
        return SoftOutput(value, p @ differences, p @ losses)

    def soft_input_gradient(self, x, y, w, mu):
        weights = w.reshape(5, -1)
        _, p = self._soft(np.abs(np.arange(1, 6) - y) + weights @ x, mu)
        return p @ weights - weights[y - 1]

    def _soft(self, scores, mu):
        value = mu * logsumexp(scores / mu)
        return value, np.exp((scores - value) / mu)


def stars(kind=Stars):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(6, 2)), np.ones(6)])
    Y = [int(np.clip(3 + 2 * x[0], 1, 5)) for x in X]
    return initialised(kind(), X, Y), X, Y


@pytest.mark.parametrize(("kind", "mu"), [(Stars, 0.0), (SmoothStars, 0.5)])
def test_gradcheck_of_a_problem_of_a_user(kind, mu):
    """Of the problems of the library ``check_problem`` compares these gradients."""
    problem, X, Y = stars(kind)
    layer = StructuredHingeLoss(problem, mu=mu, reduction="none").double()
    slacks, arguments = slacks_and_arguments(layer, X, Y)
    assert (slacks(*arguments) > 0).sum() > 3
    assert torch.autograd.gradcheck(slacks, arguments)


def test_a_network_may_compute_the_scores_of_any_problem():
    problem, _, Y = stars()
    problem.initialize(np.ones((1, 1)), [1])  # with x = 1, w holds a score for each output
    layer = StructuredHingeLoss(problem, scores=True, reduction="none")
    scores = torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    ones = np.ones((6, 1))
    assert torch.autograd.gradcheck(lambda w: layer((ones, w), Y), scores)
    expected = scores + torch.tensor([[abs(y - s) for s in range(1, 6)] for y in Y])
    own = scores.gather(1, torch.tensor(Y)[:, None] - 1).squeeze(1)
    torch.testing.assert_close(layer((ones, scores), Y), expected.max(dim=1).values - own)
    assert layer.decode((ones, scores)) == (scores.argmax(dim=1) + 1).tolist()


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_weights_of_each_example_are_one_by_one(mu):
    X, Y = chain_data()
    problem = initialised(OracleChain(), X, Y)
    layer = StructuredHingeLoss(problem, mu=mu, scores=True, reduction="none")
    w = torch.randn(len(X), problem.size_joint_feature, dtype=torch.float64, requires_grad=True)
    slacks = layer((X, w), Y)
    each = [layer((X[i : i + 1], w[i]), Y[i : i + 1])[0] for i in range(len(X))]
    torch.testing.assert_close(slacks, torch.stack(each))
    gradients = (torch.autograd.grad(sum(losses), w)[0] for losses in (slacks, each))
    torch.testing.assert_close(*gradients)
    for i, labels in enumerate(layer.decode((X, w))):
        np.testing.assert_array_equal(labels, layer.decode((X[i : i + 1], w[i]))[0])


def test_gradcheck_of_inputs_with_weights_of_their_own():
    X, Y = chain_data()
    layer = StructuredHingeLoss(initialised(OracleChain(), X, Y), scores=True, reduction="none")
    w = torch.randn(1, layer.problem.size_joint_feature, dtype=torch.float64, requires_grad=True)
    given = [torch.tensor(x, requires_grad=True) for x in X[:1]]
    # Transitions do not depend on x, which is no hindrance.
    assert torch.autograd.gradcheck(lambda w, *X: layer((list(X), w), Y[:1]), (w, *given))


def test_joint_features_that_are_not_linear_need_a_gradient_of_their_own():
    power = 0.5

    class Power(Stars):
        def joint_feature(self, x, y):
            return super().joint_feature(np.abs(x) ** power, y)

    class Offering(Power):
        def input_gradient(self, x, y, w):
            return power * np.abs(x) ** (power - 1) * np.sign(x) * w.reshape(5, -1)[y - 1]

    problem, X, Y = stars(Power)
    given, w = torch.tensor(X, requires_grad=True), random_w(problem)
    layer = at(StructuredHingeLoss(problem), w)
    layer(given.detach(), Y).backward()
    with pytest.raises(ProblemError, match=r"not linear in x.*define Power.input_gradient, detach"):
        layer(given, Y)
    offered = at(StructuredHingeLoss(stars(Offering)[0]), w)
    assert torch.autograd.gradcheck(lambda X: offered(X, Y), given)


def test_the_smoothed_loss_has_gradients_in_w_alone_unless_the_problem_tells_those_in_x():
    X, Y = multilabel_data()
    problem = initialised(Multilabel(), X, Y)
    layer = StructuredHingeLoss(problem, mu=0.5, scores=True, reduction="none")
    w = torch.randn(4, problem.size_joint_feature, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda w: layer((X[:4], w), Y[:4]), w)
    given = torch.tensor(np.asarray(X[:4]), requires_grad=True)
    message = r"no gradient in X: define Multilabel.soft_input_gradient, take mu=0, .* X.detach\(\)"
    with pytest.raises(ValueError, match=message):
        layer((given, w), Y[:4])
    with torch.no_grad():
        torch.testing.assert_close(layer((given, w), Y[:4]), layer((X[:4], w), Y[:4]))


@pytest.mark.parametrize("gradient", [np.zeros(2), np.full(3, np.nan)])
def test_a_gradient_of_the_smoothed_loss_that_does_not_fit_x_is_refused(gradient):
    class Wrong(SmoothStars):
        def soft_input_gradient(self, x, y, w, mu):
            return gradient

    problem, X, Y = stars(Wrong)
    layer = StructuredHingeLoss(problem, mu=1.0)
    with pytest.raises(ProblemError, match=r"soft_input_gradient .* for example 0"):
        layer(torch.tensor(X, dtype=torch.float32, requires_grad=True), Y)


def test_second_derivatives_are_refused():
    problem, X, Y = stars()
    layer = at(StructuredHingeLoss(problem), random_w(problem))
    with pytest.raises(RuntimeError, match="has no second derivatives"):
        torch.autograd.grad(layer(torch.tensor(X), Y), layer.w, create_graph=True)


class Failing(Stars):
    """Its oracle raises an error."""

    def separation_oracle(self, x, y, w):
        raise KeyError("lost")


class Directions(Stars):
    """Its joint feature has no value at the origin."""

    def joint_feature(self, x, y):
        return super().joint_feature(x / np.linalg.norm(x), y)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Failing, r"Failing.separation_oracle raised .* for example 0"),
        (Directions, "is not linear in x"),
    ],
)
def test_errors_of_a_problem_are_named(kind, message):
    problem, X, Y = stars(kind)
    with np.errstate(invalid="ignore"), pytest.raises(ProblemError, match=message):
        StructuredHingeLoss(problem)(torch.tensor(X, requires_grad=True), Y)


def test_an_oracle_that_misses_the_truth_gives_no_negative_loss():
    class Stubborn(LocalSearchMultilabel):
        def separation_oracle(self, x, y, w):
            return (1, 1, 1)

    X, Y = multilabel_data()
    problem = initialised(Stubborn(), X, Y)
    rows = [problem.joint_feature_difference(x, y, (1, 1, 1)) for x, y in zip(X, Y, strict=True)]
    w = random_w(problem, seed=4)
    unclipped = [problem.loss(y, (1, 1, 1)) for y in Y] - np.array(rows) @ w
    violated = unclipped > 0
    assert violated.any() and (unclipped < 0).any()
    layer = at(StructuredHingeLoss(problem, reduction="none"), w)
    slacks = layer(X, Y)
    slacks.sum().backward()
    np.testing.assert_allclose(slacks.detach(), np.maximum(unclipped, 0))
    np.testing.assert_allclose(layer.w.grad, -np.array(rows)[violated].sum(axis=0))


def test_inputs_may_be_any_objects():
    X, Y = TreeLabelling.example_data()
    for mu in (0.0, 0.5):
        layer = StructuredHingeLoss(initialised(TreeLabelling(), X, Y), mu=mu)
        layer(X, Y).backward()
        assert torch.isfinite(layer.w.grad).all() and layer.w.grad.any()
        assert len(layer.decode(X)) == len(X)
