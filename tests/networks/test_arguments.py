"""Arguments that a layer refuses, by messages that say what was expected, and what came."""

import numpy as np
import pytest
from network_layers import OracleMulticlass, Stars, chain_data, initialised, tensors, torch

from structsvm import ProblemError
from structsvm.problems import Chain, Multiclass
from structsvm.torch import StructuredHingeLoss

ROWS, LABELS = torch.zeros(4, 2), list("abca")


def multiclass(cls=Multiclass):
    return initialised(cls(), *Multiclass.example_data())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mu": -1}, "mu must be a finite number >= 0; got -1"),
        ({"scores": 1}, "scores must be True or False"),
        ({"reduction": "average"}, "one of 'mean', 'sum', 'none'; got 'average'"),
    ],
)
def test_parameters_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        StructuredHingeLoss(multiclass(), **arguments)


def test_a_problem_that_is_none_or_not_initialised_or_not_smooth():
    with pytest.raises(TypeError, match=r"must be an instance of structsvm.Problem"):
        StructuredHingeLoss(Multiclass)
    with pytest.raises(ValueError, match=r"not initialised: call problem.initialize\(X, Y\)"):
        StructuredHingeLoss(Multiclass())
    with pytest.raises(ValueError, match="needs a soft oracle, which Stars does not offer"):
        StructuredHingeLoss(initialised(Stars(), np.zeros((1, 3)), [1]), mu=1.0)


@pytest.mark.parametrize("cls", [Multiclass, OracleMulticlass])
@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        (torch.tensor([[0.0, 1.0], [np.nan, 0.0]]), ["a", "b"], "X contains NaN|row 1"),
        (ROWS[:0], [], "X is empty"),
        (ROWS.half(), LABELS, "float32 or float64; got torch.float16"),
        (torch.zeros(4, 3), LABELS, r"\(n, 2\); got \(4, 3\)|expected 2 columns"),
        (ROWS, [*"abc", "d"], "unknown label 'd'; the classes are"),
        (ROWS, LABELS[:3], "3"),
        (ROWS.to("meta"), LABELS, "X is on meta, but w is on cpu: move one"),
    ],
)
def test_examples_that_do_not_fit(cls, X, Y, message):
    with pytest.raises(ValueError, match=message):
        StructuredHingeLoss(multiclass(cls))(X, Y)


def test_features_and_scores_of_classes_that_are_no_such_tensor():
    layer, scoring = (StructuredHingeLoss(multiclass(), scores=scores) for scores in (False, True))
    with pytest.raises(TypeError, match="X must be a tensor of 2 dimensions; got ndarray"):
        layer(ROWS.numpy(), LABELS)
    mask, infinite = torch.ones(4, 2, dtype=torch.bool), torch.zeros(4, 3)
    infinite[2] = np.inf
    for called, arguments, message in (
        (layer, (ROWS.double(), LABELS), r"X is of torch.float64, but w is of torch.float32"),
        (layer, (ROWS, LABELS, mask), "expected no mask"),
        (scoring, (ROWS, LABELS), r"shape \(n, 3\), one for each class; got \(4, 2\)"),
        (scoring, (infinite, LABELS), "contains NaN or infinity, first in row 2"),
    ):
        with pytest.raises(ValueError, match=message):
            called(*arguments)


def test_scores_of_any_problem_are_inputs_and_weights():
    layer = StructuredHingeLoss(initialised(Stars(), np.zeros((1, 3)), [1]), scores=True)
    X = [np.ones(3), np.ones(3)]
    for scores, message in (
        (torch.zeros(2, 5), r"must be a pair \(X, w\) of inputs and"),
        ((X, torch.zeros(2, 14)), r"\(15,\) or \(2, 15\).*got \(2, 14\)"),
        ((X, torch.full((15,), np.nan)), "w contains NaN"),
        (([], torch.zeros(15)), "X is empty"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(scores, [1, 2])
    with pytest.raises(TypeError, match="X must hold tensors alone, or none; 1 of 2"):
        layer(([torch.ones(3), np.ones(3)], torch.zeros(15)), [1, 2])
    with pytest.raises(ValueError, match="X has 2 examples but Y has 1"):
        layer((X, torch.zeros(15)), [1])
    with pytest.raises(ValueError, match="Stars takes no mask"):
        layer((X, torch.zeros(15)), [1, 2], torch.ones(2, 1, dtype=torch.bool))


def test_sequences_that_do_not_fit():
    X, Y = chain_data()
    layer = StructuredHingeLoss(initialised(Chain(), X, Y)).double()
    given = tensors(X)
    for wrong, labels, message in (
        (given, Y[:-1], "X has 20 examples but Y has 19"),
        (given, [*Y[:-1], [*Y[-1], "low"]], r"Y\[19\] must hold a label for each of the"),
        ([], [], "X is empty"),
        ([given[0][:, :1]], Y[:1], "X must have 2 columns; got 1"),
        ([given[0], given[1][:, :1]], Y[:2], "sequence 1 of X has 1 columns but sequence 0 has 2"),
        ([given[0][:0]], Y[:1], "sequence 0 of X is empty"),
        (torch.zeros(2, 0, 2, dtype=torch.float64), Y[:2], "no positions"),
        ([given[0] / 0], Y[:1], "the scores of labels contains NaN"),
        ([given[0].float()], Y[:1], "X is of torch.float32, but w is of torch.float64"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(wrong, labels)
    with pytest.raises(TypeError, match="sequence 0 of X must be a tensor of 2 dimensions"):
        layer(X, Y)


def test_masks_that_do_not_fit():
    X, Y = chain_data()
    layer = StructuredHingeLoss(initialised(Chain(), X, Y))
    padded, labels = torch.zeros(2, 3, 2), [["low"] * 2, ["low"] * 3]
    for mask, message in (
        (torch.ones(2, 2, dtype=torch.bool), r"of shape \(2, 3\); got \(2, 2\)"),
        (torch.tensor([[True, False, True], [True] * 3]), "true for the first positions"),
        (torch.tensor([[False] * 3, [True] * 3]), "at least one"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(padded, labels, mask)
    with pytest.raises(TypeError, match=r"a tensor of bool; got torch.float32"):
        layer(padded, labels, torch.ones(2, 3))
    with pytest.raises(ValueError, match="takes no mask"):
        layer([padded[0]], labels[:1], torch.ones(1, 3, dtype=torch.bool))


def test_scores_of_chains_that_do_not_fit():
    X, Y = chain_data()
    layer = StructuredHingeLoss(initialised(Chain(), X, Y), scores=True)
    unary, labels = torch.zeros(2, 3, 3), [["low"] * 3] * 2
    for scores, message in (
        (unary, "scores must be a pair"),
        ((unary, torch.zeros(3, 2)), r"\(3, 3\) or \(2, 2, 3, 3\); got \(3, 2\)"),
        ((unary, torch.zeros(3)), "must have 2 or 4 dimensions"),
        ((unary, torch.zeros(3, 3, dtype=torch.float64)), "is of torch.float64"),
        ((unary, torch.full((3, 3), np.inf)), "the scores of transitions contains NaN or infinity"),
    ):
        with pytest.raises(ValueError, match=message):
            layer(scores, labels)


@pytest.mark.parametrize("cls", [Multiclass, OracleMulticlass])
def test_generators_are_named(cls):
    layer = StructuredHingeLoss(multiclass(cls))
    with pytest.raises(ValueError, match=r"Y is an iterator .*; pass list\(Y\)"):
        layer(ROWS, (label for label in LABELS))
    for call in (layer.decode, lambda X: layer(X, LABELS)):
        with pytest.raises(ValueError, match=r"X is an iterator .*; pass list\(X\)"):
            call(row for row in ROWS)
    if cls is OracleMulticlass:  # beside weights too
        layer = StructuredHingeLoss(multiclass(cls), scores=True)
        w = torch.zeros(layer.problem.size_joint_feature)
        with pytest.raises(ValueError, match=r"X is an iterator .*; pass list\(X\)"):
            layer(((row for row in ROWS), w), LABELS)


def test_an_oracle_that_changes_x_does_not_change_the_tensor():
    class Writes(Stars):
        def separation_oracle(self, x, y, w):
            x[0] = 9.0
            return super().separation_oracle(x, y, w)

    X, Y = np.eye(5, 3), [1, 2, 3, 4, 5]
    layer, X = StructuredHingeLoss(initialised(Writes(), X, Y)), torch.tensor(X)
    before = X.clone()
    with pytest.raises(ProblemError, match="read-only"):
        layer(X, Y)
    assert torch.equal(X, before)
