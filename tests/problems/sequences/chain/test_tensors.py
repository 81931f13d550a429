"""Chains over tensors: forms of sequences and of scores."""

import numpy as np
import pytest
from network_layers import at, chain_data, initialised, random_w, rule, tensors, torch
from scipy.sparse import csr_matrix

from structsvm.problems import Chain
from structsvm.torch import StructuredHingeLoss

rnn = torch.nn.utils.rnn
MUS = (0.0, 0.5)


def integers():
    """Sequences of different lengths with labels 0, 1, 2."""
    X, Y = chain_data()
    return X, [np.searchsorted(["low", "mid", "top"], y) for y in Y]


@pytest.mark.parametrize("mu", MUS)
def test_lists_padded_and_packed_sequences_are_the_same(mu):
    X, Y = integers()
    problem = initialised(Chain(), X, Y)
    layer = at(StructuredHingeLoss(problem, mu=mu, reduction="none"), random_w(problem))
    given = tensors(X)
    expected, decoded = layer(given, Y), layer.decode(given)
    padded = rnn.pad_sequence(given, batch_first=True, padding_value=np.nan)
    labels = rnn.pad_sequence([torch.tensor(y) for y in Y], batch_first=True, padding_value=-100)
    mask = labels >= 0
    pack = rnn.pack_sequence(given, enforce_sorted=False)
    for inputs, outputs, masks in (
        (padded, Y, (mask,)),
        (padded, labels, (mask,)),
        (padded, list(map(torch.tensor, Y)), (mask,)),
        (pack, Y, ()),
    ):
        assert torch.equal(layer(inputs, outputs, *masks), expected)
        found = layer.decode(inputs, *masks)
        assert all(np.array_equal(a, b) for a, b in zip(found, decoded, strict=True))


@pytest.mark.parametrize("mu", MUS)
def test_states_that_do_not_occur_have_no_weight(mu):
    X, Y = chain_data()
    rows = [np.eye(4)[np.abs(x).argmax(axis=1) + 2 * (x[:, 0] > 0)] for x in X]
    problem = initialised(Chain(all_possible_states=False), [csr_matrix(x) for x in rows], Y)
    assert problem.size_joint_feature < 4 * 3 + 9
    layer = at(StructuredHingeLoss(problem, mu=mu, reduction="none"), random_w(problem))
    w, every = layer.w.detach(), np.zeros((4, 3))
    every[problem.states_.places] = w[:-9]
    whole = initialised(Chain(), rows, Y)
    other = StructuredHingeLoss(whole, mu=mu, reduction="none")
    other = at(other, torch.cat([torch.as_tensor(every).ravel(), w[-9:]]))
    given = tensors(rows)
    torch.testing.assert_close(layer(given, Y), other(given, Y))
    assert all(map(np.array_equal, layer.decode(given), other.decode(given)))
    layer(given, Y).sum().backward()
    assert layer.w.grad.shape == (problem.size_joint_feature,)


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("restricted", [False, True])
def test_scores_from_a_network_are_those_of_features(mu, restricted):
    X, Y = chain_data(restricted)
    problem = initialised(Chain(rule if restricted else None), X, Y)
    layer = at(StructuredHingeLoss(problem, mu=mu, reduction="none"), random_w(problem))
    of_scores = StructuredHingeLoss(problem, mu=mu, scores=True, reduction="none")
    weights = layer.w.detach().view(5, 3)
    unary, transition = [x @ weights[:2] for x in tensors(X)], weights[2:]
    expected = layer(tensors(X), Y)
    torch.testing.assert_close(of_scores((unary, transition), Y), expected)
    padded = rnn.pad_sequence(unary, batch_first=True)
    mask = rnn.pad_sequence([torch.ones(len(x), dtype=torch.bool) for x in X], batch_first=True)
    everywhere = transition.expand(len(X), mask.shape[1] - 1, 3, 3)
    for transitions in (transition, everywhere):
        torch.testing.assert_close(of_scores((padded, transitions), Y, mask), expected)
        found = of_scores.decode((padded, transitions), mask)
        assert all(map(np.array_equal, found, layer.decode(tensors(X))))


@pytest.mark.parametrize("mu", MUS)
def test_transitions_that_depend_on_the_position(mu):
    X, Y = chain_data()
    layer = StructuredHingeLoss(initialised(Chain(), X, Y), mu=mu, scores=True, reduction="none")
    unary = torch.randn(3, 4, 3, dtype=torch.float64, requires_grad=True)
    transition = torch.randn(3, 3, 3, 3, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True] * 2 + [False] * 2, [True] * 4, [True] + [False] * 3])
    names, lengths = layer.problem.classes_, [2, 4, 1]
    labels = [names[np.arange(length) % 3] for length in lengths]

    def slacks(unary, transition):
        return layer((unary, transition), labels, mask)

    assert torch.autograd.gradcheck(slacks, (unary, transition))
    found, decoded = slacks(unary, transition), layer.decode((unary, transition), mask)
    for i, length in enumerate(lengths):
        outputs = np.array(list(np.ndindex(*[3] * length)))
        own = unary[i, range(length), outputs].sum(dim=1)
        steps = range(length - 1)
        scores = own + transition[i, steps, outputs[:, :-1], outputs[:, 1:]].sum(dim=1)
        losses = torch.tensor((names[outputs] != labels[i]).sum(axis=1))
        truth = scores[losses == 0]
        augmented = scores + losses
        top = augmented.max() if mu == 0 else mu * torch.logsumexp(augmented / mu, dim=0)
        torch.testing.assert_close(found[i], (top - truth).squeeze())
        np.testing.assert_array_equal(decoded[i], names[outputs[int(scores.argmax())]])


def test_labels_that_the_rule_forbids_are_refused():
    X, Y = chain_data(allowed=True)
    layer = StructuredHingeLoss(initialised(Chain(rule), X, Y)).double()
    with pytest.raises(ValueError, match=r"Y\[0\] begins with 'mid', which allowed_transitions"):
        layer([torch.zeros(2, 2).double()], [["mid", "low"]])


@pytest.mark.parametrize("scale", [1e4, 1e-4])
def test_single_precision_holds_at_any_scale_of_the_scores(scale):
    X, Y = chain_data(allowed=True)
    problem = initialised(Chain(rule), X, Y)
    w, given = scale * random_w(problem), tensors(X)
    for mu in (0.0, scale / 100, 1.0):
        double = at(StructuredHingeLoss(problem, mu=mu), w)
        single = at(StructuredHingeLoss(problem, mu=mu), w).float()
        expected, found = double(given, Y), single([x.float() for x in given], Y)
        expected.backward()
        found.backward()
        torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-5)
        assert torch.isfinite(single.w.grad).all()
