"""Arguments that a layer refuses, by messages that say what was expected, and what came."""

import numpy as np
import pytest
from network_layers import OracleMulticlass, Stars, chain_data, initialised, tensors, torch

from structsvm import ProblemError
from structsvm.problems import Chain, Multiclass
from structsvm.torch import StructuredHingeLoss


def hinge(problem, data, **options):
    return StructuredHingeLoss(initialised(problem, *data), **options)


EXAMPLES, SEQUENCES, REVIEWS = Multiclass.example_data(), chain_data(), (np.zeros((1, 3)), [1])


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
        hinge(Multiclass(), EXAMPLES, **arguments)


def test_a_problem_that_is_none_or_not_initialised_or_not_smooth():
    with pytest.raises(TypeError, match=r"must be an instance of structsvm.Problem"):
        StructuredHingeLoss(Multiclass)
    with pytest.raises(ValueError, match=r"not initialised: call problem.initialize\(X, Y\)"):
        StructuredHingeLoss(Multiclass())
    with pytest.raises(ValueError, match="needs a soft oracle, which Stars does not offer"):
        hinge(Stars(), REVIEWS, mu=1.0)


ROWS, LABELS = torch.zeros(4, 2), list("abca")
CLASSES = hinge(Multiclass(), EXAMPLES)
BY_ORACLES = hinge(OracleMulticlass(), EXAMPLES)
OF_CLASSES = hinge(Multiclass(), EXAMPLES, scores=True)
INFINITE = torch.full((3, 3), np.inf)
#: Scores of any problem are inputs and weights.
REVIEW = hinge(Stars(), REVIEWS, scores=True)
W, ONES = torch.zeros(15), [np.ones(3), np.ones(3)]
CHAIN = hinge(Chain(), SEQUENCES).double()
X, Y = tensors(SEQUENCES[0]), SEQUENCES[1]
#: Two sequences of two and three positions in one tensor, and their labels.
SINGLE, PADDED = hinge(Chain(), SEQUENCES), (torch.zeros(2, 3, 2), [["low"] * 2, ["low"] * 3])
OF_TAGS = hinge(Chain(), SEQUENCES, scores=True)
UNARY, LOW = torch.zeros(2, 3, 3), [["low"] * 3] * 2


def mask(*rows):
    return torch.tensor(rows, dtype=torch.bool)


#: A layer, its arguments, and what the message says.
WRONG_VALUES = [
    *(
        (layer, (rows, labels), message)
        for layer in (CLASSES, BY_ORACLES)
        for rows, labels, message in (
            (torch.tensor([[0.0, 1.0], [np.nan, 0.0]]), ["a", "b"], "X contains NaN|row 1"),
            (ROWS[:0], [], "X is empty"),
            (ROWS.half(), LABELS, "float32 or float64; got torch.float16"),
            (torch.zeros(4, 3), LABELS, r"\(n, 2\); got \(4, 3\)|expected 2 columns"),
            (ROWS, [*"abc", "d"], "unknown label 'd'; the classes are"),
            (ROWS, LABELS[:3], "3"),
            (ROWS.to("meta"), LABELS, "X is on meta, but w is on cpu: move one"),
        )
    ),
    (CLASSES, (ROWS.double(), LABELS), r"X is of torch.float64, but w is of torch.float32"),
    (CLASSES, (ROWS, LABELS, ROWS > 0), "expected no mask"),
    (OF_CLASSES, (ROWS, LABELS), r"shape \(n, 3\), one for each class; got \(4, 2\)"),
    (OF_CLASSES, (INFINITE, list("abc")), "contains NaN or infinity, first in row 0"),
    (REVIEW, (torch.zeros(2, 5), [1, 2]), r"must be a pair \(X, w\) of inputs and"),
    (REVIEW, ((ONES, torch.zeros(2, 14)), [1, 2]), r"\(15,\) or \(2, 15\).*got \(2, 14\)"),
    (REVIEW, ((ONES, W / 0), [1, 2]), "w contains NaN"),
    (REVIEW, (([], W), [1, 2]), "X is empty"),
    (REVIEW, ((ONES, W), [1]), "X has 2 examples but Y has 1"),
    (REVIEW, ((ONES, W), [1, 2], mask([1], [1])), "Stars takes no mask"),
    (CHAIN, (X, Y[:-1]), "X has 20 examples but Y has 19"),
    (CHAIN, (X, [*Y[:-1], [*Y[-1], "low"]]), r"Y\[19\] must hold a label for each of the"),
    (CHAIN, ([], []), "X is empty"),
    (CHAIN, ([X[0][:, :1]], Y[:1]), "X must have 2 columns; got 1"),
    (CHAIN, ([X[0], X[1][:, :1]], Y[:2]), "sequence 1 of X has 1 columns but sequence 0 has 2"),
    (CHAIN, ([X[0][:0]], Y[:1]), "sequence 0 of X is empty"),
    (CHAIN, (torch.zeros(2, 0, 2, dtype=torch.float64), Y[:2]), "no positions"),
    (CHAIN, ([X[0] / 0], Y[:1]), "the scores of labels contains NaN"),
    (CHAIN, ([X[0].float()], Y[:1]), "X is of torch.float32, but w is of torch.float64"),
    (SINGLE, (*PADDED, mask([1, 1], [1, 1])), r"of shape \(2, 3\); got \(2, 2\)"),
    (SINGLE, (*PADDED, mask([1, 0, 1], [1, 1, 1])), "true for the first positions"),
    (SINGLE, (*PADDED, mask([0, 0, 0], [1, 1, 1])), "at least one"),
    (SINGLE, ([PADDED[0][0]], LOW[:1], mask([1, 1, 1])), "takes no mask"),
    (OF_TAGS, (UNARY, LOW), "scores must be a pair"),
    (OF_TAGS, ((UNARY, torch.zeros(3, 2)), LOW), r"\(3, 3\) or \(2, 2, 3, 3\); got \(3, 2\)"),
    (OF_TAGS, ((UNARY, torch.zeros(3)), LOW), "must have 2 or 4 dimensions"),
    (OF_TAGS, ((UNARY, UNARY[0].double()), LOW), "is of torch.float64"),
    (OF_TAGS, ((UNARY, INFINITE), LOW), "the scores of transitions contains NaN or infinity"),
]
WRONG_TYPES = [
    (CLASSES, (ROWS.numpy(), LABELS), "X must be a tensor of 2 dimensions; got ndarray"),
    (REVIEW, (([torch.ones(3), np.ones(3)], W), [1, 2]), "X must hold tensors alone, or none; 1"),
    (CHAIN, SEQUENCES, "sequence 0 of X must be a tensor of 2 dimensions"),
    (SINGLE, (*PADDED, torch.ones(2, 3)), "a tensor of bool; got torch.float32"),
]


@pytest.mark.parametrize(
    ("error", "layer", "arguments", "message"),
    [(ValueError, *case) for case in WRONG_VALUES] + [(TypeError, *case) for case in WRONG_TYPES],
)
def test_examples_scores_and_masks_that_do_not_fit(error, layer, arguments, message):
    with pytest.raises(error, match=message):
        layer(*arguments)


@pytest.mark.parametrize("layer", [CLASSES, BY_ORACLES])
def test_generators_are_named(layer):
    with pytest.raises(ValueError, match=r"Y is an iterator .*; pass list\(Y\)"):
        layer(ROWS, (label for label in LABELS))
    message = r"X is an iterator .*; pass list\(X\)"
    for call in (layer.decode, lambda X: layer(X, LABELS)):
        with pytest.raises(ValueError, match=message):
            call(row for row in ROWS)
    with pytest.raises(ValueError, match=message):
        REVIEW(((x for x in ONES), W), [1, 2])


def test_an_oracle_that_changes_x_does_not_change_the_tensor():
    class Writes(Stars):
        def separation_oracle(self, x, y, w):
            x[0] = 9.0
            return super().separation_oracle(x, y, w)

    X, Y = np.eye(5, 3), [1, 2, 3, 4, 5]
    layer, X = hinge(Writes(), (X, Y)), torch.tensor(X)
    before = X.clone()
    with pytest.raises(ProblemError, match="read-only"):
        layer(X, Y)
    assert torch.equal(X, before)
