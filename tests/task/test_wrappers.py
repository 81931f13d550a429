"""Weights, a prior, slack rescaling and a kept temperature: a wrapper of a task each."""

import numpy as np
import pytest
from changed_tasks import with_task
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm.objective.surrogate import HINGE, Surrogate
from structsvm.oracle.setup import initialize
from structsvm.problems import Multiclass
from structsvm.task.bound import bound
from structsvm.task.rescaled import Rescaled
from structsvm.task.shifted import Shifted
from structsvm.task.smoothed import Smoothed
from structsvm.task.watched import Watched, watched
from structsvm.task.weighted import Weighted

X, Y = multilabel_data(n=20)
RNG = np.random.default_rng(0)
W, FACTORS, PRIOR = RNG.normal(size=9), RNG.random(20) + 0.5, RNG.normal(size=9)
COUNTED = RNG.random(20)
PLACES = range(3, 8)


def larger(task, outputs, places):
    return np.full((len(places), 9), 7.0), np.full(len(places), 3.0)


PROBLEM = with_task(Multilabel, term_sizes=larger)()
initialize(PROBLEM, X, Y)
PLAIN = bound(PROBLEM, X, Y, np.arange(20))
OUTPUTS = PLAIN.search(W)


def tree(task):
    """The wrappers, from the outside."""
    while not isinstance(task, Watched):
        yield type(task)
        task = task.task


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, []),
        ({"surrogate": HINGE, "weights": FACTORS}, [Weighted]),
        ({"surrogate": Surrogate("slack"), "prior": PRIOR}, [Shifted, Rescaled]),
        (
            {"surrogate": Surrogate(loss="log_loss"), "weights": FACTORS, "prior": PRIOR},
            [Shifted, Weighted, Smoothed],
        ),
    ],
)
def test_what_is_not_asked_for_is_not_entered(options, expected):
    task = bound(PROBLEM, X, Y, np.arange(20), **options)
    assert [*tree(task)] == expected
    assert [*tree(task.part(PLACES))] == [*tree(task.with_labels(OUTPUTS))] == expected
    assert type(watched(task)) is Watched
    assert task.n == 20 and task.problem is PROBLEM and task.refine is None


def equal(found, expected):
    if sparse.issparse(found):
        found = found.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("places", [PLACES, np.array([2, 9, 11])])
def test_weights_multiply_losses_and_differences(places):
    plain, factors = PLAIN.part(places), FACTORS[places]
    task = bound(PROBLEM, X, Y, np.arange(20), weights=FACTORS).part(places)
    outputs, counted, every = [OUTPUTS[i] for i in places], COUNTED[places], range(len(places))
    assert task.search(W) == outputs
    equal(task.losses(outputs), factors * plain.losses(outputs))
    equal(task.evaluation_losses(outputs), factors * plain.losses(outputs))
    equal(task.differences(outputs, every), factors[:, None] * plain.differences(outputs, every))
    equal(
        task.joint_features(outputs, every), factors[:, None] * plain.joint_features(outputs, every)
    )
    equal(task.plane(outputs, counted), plain.plane(outputs, counted * factors))
    rows, losses = task.term_sizes(outputs, every)
    equal(rows, np.outer(factors, np.full(9, 7.0)))
    equal(losses, 3 * factors)
    soft, single = task.soft(W, 0.3, counted), plain.soft(W, 0.3, np.ones(len(places)))
    equal(soft.values, factors * single.values)
    whole = plain.soft(W, 0.3, counted * factors)
    equal(soft.joint_feature_difference, whole.joint_feature_difference)
    assert soft.loss == pytest.approx(whole.loss)


def test_the_loss_multiplies_the_difference_in_slack_rescaling():
    task = bound(PROBLEM, X, Y, np.arange(20), Surrogate("slack"))
    outputs = task.search(W)
    assert outputs == [PROBLEM.slack_oracle(x, y, W) for x, y in zip(X, Y, strict=True)]
    losses, rows = PLAIN.losses(outputs), PLAIN.differences(outputs, range(20))
    equal(task.losses(outputs), losses)
    equal(task.differences(outputs, PLACES), (losses[:, None] * rows)[PLACES])
    equal(task.plane(outputs, COUNTED), (COUNTED * losses) @ rows)
    sizes, own = task.term_sizes(outputs, PLACES)
    equal(sizes, np.outer(losses[PLACES], np.full(9, 7.0)))
    equal(own, np.full(5, 3.0))


def test_scores_and_features_are_wrapped_too():
    problem, factors = Multiclass(), np.array([0.5, 1.0, 1.5, 1.0])
    data, labels = sparse.csr_matrix(np.eye(4, 2)), [0, 1, 2, 0]
    initialize(problem, data, labels)
    w, prior, ones = RNG.normal(size=6), RNG.normal(size=6), np.ones(4)
    plain = bound(problem, data, labels, np.arange(4))
    task = bound(problem, data, labels, np.arange(4), weights=factors, prior=prior)
    equal(task.curvature(w, 0.3, ones), plain.curvature(w + prior, 0.3, factors))
    p = RNG.random((4, 3))
    equal(task.score_outputs(w), factors[:, None] * plain.score_outputs(w + prior))
    equal(task.expected_difference(p), plain.expected_difference(factors[:, None] * p))
    features, own = (found.products().features.toarray() for found in (plain, task))
    equal(own, factors[:, None] * features)
