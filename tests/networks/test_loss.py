"""The layer: values, gradients and predictions, against the problems' own and by enumeration."""

import pickle

import numpy as np
import pytest
from enumeration import enumerated
from network_layers import (
    CASES,
    DEVICES,
    at,
    case,
    random_w,
    slacks_and_arguments,
    tensors,
    torch,
)
from scipy.special import logsumexp

from structsvm.problems import Chain
from structsvm.torch import StructuredHingeLoss

OVER_TENSORS = ["chain", "restricted chain", "classes"]
LAYERS = [name for name in CASES if name not in ("matching", "label sets")]
MUS = (0.0, 0.5)


def slack_by_enumeration(problem, x, y, w, mu):
    """The slack of an example and its gradient in w."""
    _, rows, losses = enumerated(problem, x, y)
    scores = losses - rows @ w
    if mu == 0:
        return scores.max(), -rows[scores.argmax()]
    p = np.exp(scores / mu - logsumexp(scores / mu))
    return mu * logsumexp(scores / mu), -p @ rows


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("mu", MUS)
def test_values_gradients_and_predictions_are_those_of_all_outputs(name, mu):
    problem, X, Y = case(name)
    X, Y = X[:8], Y[:8]
    w = random_w(problem)
    layer = at(StructuredHingeLoss(problem, mu=mu, reduction="none"), w)
    expected, gradients = zip(
        *(slack_by_enumeration(problem, x, y, w, mu) for x, y in zip(X, Y, strict=True)),
        strict=True,
    )
    slacks = layer(tensors(X), Y)
    np.testing.assert_allclose(slacks.detach().numpy(), expected, atol=1e-10)
    weights = np.linspace(1, 2, len(Y))
    (slacks * torch.tensor(weights)).sum().backward()
    np.testing.assert_allclose(layer.w.grad.numpy(), weights @ np.array(gradients), atol=1e-9)
    for reduction, value in (("sum", slacks.sum()), ("mean", slacks.mean())):
        reduced = at(StructuredHingeLoss(problem, mu=mu, reduction=reduction), w)
        torch.testing.assert_close(reduced(tensors(X), Y), value)
    for x, found in zip(X, layer.decode(tensors(X)), strict=True):
        np.testing.assert_array_equal(found, problem.decode(x, w))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OVER_TENSORS)
@pytest.mark.parametrize("mu", MUS)
def test_gradcheck_in_features_and_weights(name, mu):
    problem, X, Y = case(name)
    layer = StructuredHingeLoss(problem, mu=mu, reduction="none").double()
    slacks, arguments = slacks_and_arguments(layer, X[:2], Y[:2])
    assert torch.autograd.gradcheck(slacks, arguments)
    assert torch.autograd.gradgradcheck(slacks, arguments)


@pytest.mark.parametrize("mu", MUS)
def test_gradcheck_in_scores_of_classes(mu):
    layer = StructuredHingeLoss(case("classes")[0], mu=mu, scores=True)
    scores = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda scores: layer(scores, list("abcab")), scores)
    assert not list(layer.parameters())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("mu", MUS)
def test_devices_and_dtypes_are_kept_and_change_nothing(name, device, mu):
    problem, X, Y = case(name)
    layer = at(StructuredHingeLoss(problem, mu=mu), random_w(problem))
    given = tensors(X)
    expected, decoded = layer(given, Y), layer.decode(given)
    layer.to(device)
    moved = [x.to(device) for x in given] if isinstance(given, list) else given.to(device)
    loss = layer(moved, Y)
    loss.backward()
    assert loss.device.type == layer.w.grad.device.type == device
    assert loss.dtype == layer.w.grad.dtype == torch.float64
    torch.testing.assert_close(loss.cpu(), expected)
    single = [x.float() for x in moved]
    loss = layer.float()(single if isinstance(given, list) else torch.stack(single), Y)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss.cpu(), expected.float(), atol=1e-3, rtol=1e-3)
    layer.double()
    for a, b in zip(layer.decode(moved), decoded, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_state_is_w_and_the_layer_can_be_saved():
    problem, X, Y = case("chain")
    layer = at(StructuredHingeLoss(problem, mu=0.5), random_w(problem))
    assert list(layer.state_dict()) == ["w"]
    again = pickle.loads(pickle.dumps(layer))
    torch.testing.assert_close(again(tensors(X), Y), layer(tensors(X), Y))
    assert "Chain()" in repr(layer) and "mu=0.5" in repr(layer)
    classes = layer.problem.classes_.tolist()
    problem.initialize([np.zeros((2, 5))], [[0, 1]])  # the problem of a layer is its own
    assert layer.problem.classes_.tolist() == classes


def test_labels_may_be_packed():
    Y = [torch.tensor([0, 1, 1]), torch.tensor([1]), torch.tensor([1, 0])]
    chain = Chain()
    chain.initialize([np.zeros((len(y), 2)) for y in Y], Y)
    layer = StructuredHingeLoss(chain, reduction="none")
    X = [torch.ones(len(y), 2) for y in Y]
    packed = [torch.nn.utils.rnn.pack_sequence(given, enforce_sorted=False) for given in (X, Y)]
    assert layer(*packed).tolist() == layer(X, Y).tolist() == [3.0, 1.0, 2.0]
