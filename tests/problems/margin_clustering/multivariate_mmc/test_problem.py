"""The problems with a loss of whole clusterings against brute force."""

import numpy as np
import pytest
from contingency_data import VariationOfInformation
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from sklearn.metrics.cluster import pair_confusion_matrix

from structsvm.problems import (
    CPM3CProblem,
    MMCProblem,
    MultivariateCPM3CProblem,
    MultivariateMMCProblem,
)

NAMES = ["nmi", "v_measure", "rand", "adjusted_rand", "f", "error"]
LOSSES = [*NAMES, VariationOfInformation()]


def score_of(name, y, y_hat, beta=1.5):
    """1 less the loss, from scikit-learn."""
    if name == "nmi":
        return normalized_mutual_info_score(y, y_hat, average_method="geometric")
    if name == "error":
        return np.mean(y == y_hat)
    if name == "f":
        (_, wrong), (missed, found) = pair_confusion_matrix(y, y_hat).astype(float)
        return (1 + beta**2) * found / ((1 + beta**2) * found + beta**2 * missed + wrong)
    measures = {"rand": rand_score, "adjusted_rand": adjusted_rand_score}
    return {**measures, "v_measure": v_measure_score}[name](y, y_hat)


@st.composite
def instances(draw, k):
    """Rows, weights as a seed and labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(3, 8 if k == 2 else 6))
    x = rng.normal(size=(n, 2))
    return x, rng, rng.integers(k, size=n), draw(st.sampled_from([0.01, 1.0, 20.0]))


@given(instances(2), st.sampled_from(LOSSES), st.booleans())
@settings(max_examples=150, deadline=None)
def test_oracle_of_two_clusters_against_all_labellings(instance, loss, own_labels):
    x, rng, clusters, size = instance
    problem = MultivariateMMCProblem(loss)
    problem.initialize([x])
    w = size * rng.normal(size=problem.size_joint_feature)
    y = problem.decode(x, w) if own_labels else problem.output_of(clusters)

    def value(z):
        return problem.loss(y, z) - w @ problem.joint_feature_difference(x, y, z)

    best = max(map(value, problem.outputs(x)))
    assert value(problem.separation_oracle(x, y, w)) == pytest.approx(best, abs=1e-9)


@given(instances(3), st.sampled_from(NAMES))
@settings(max_examples=60, deadline=None)
def test_losses_are_those_of_scikit_learn(instance, name):
    x, rng, y, _ = instance
    n = len(x)
    k = 3
    problem = MultivariateCPM3CProblem(k, name)
    problem.initialize([x])
    y_hat = rng.integers(k, size=n)
    if name == "f" and max(np.bincount(y)) == max(np.bincount(y_hat)) == 1:
        return  # no pair is joined: scikit-learn has no F of it
    with np.errstate(invalid="ignore"):
        expected = 1 - score_of(name, y, y_hat)
    assert problem.loss(y.astype(np.int8), y_hat.astype(np.int8)) == pytest.approx(
        0.0 if np.isnan(expected) else expected, abs=1e-9
    )


@given(instances(3), st.sampled_from([*NAMES, VariationOfInformation()]))
@settings(max_examples=60, deadline=None)
def test_oracle_of_more_clusters_is_between_the_truth_and_the_best(instance, name):
    x, rng, clusters, size = instance
    problem = MultivariateCPM3CProblem(3, name)
    problem.initialize([x])
    w = size * rng.normal(size=problem.size_joint_feature)
    y = problem.output_of(clusters)

    def value(z):
        return problem.loss(y, z) - w @ problem.joint_feature_difference(x, y, z)

    found = value(problem.separation_oracle(x, y, w))
    best = max(map(value, problem.outputs(x)))
    assert -1e-9 <= found <= best + 1e-9
    if name == "error":
        assert found == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@given(instances(2), st.data())
@settings(max_examples=20, deadline=None)
def test_planes_relabelled_are_those_from_scratch(loss, instance, data):
    x, rng, clusters, _ = instance
    problem = MultivariateMMCProblem(loss)
    problem.initialize([x])
    n, y = len(x), problem.output_of(clusters)
    passes = [[rng.random(n) < 0.5] for _ in range(3)]
    task = problem.task([x], [y])
    rows, offsets = task.relabelled(passes, np.ones((3, 1)))
    other = np.where(rng.random(n) < 0.3, -y, y)
    previous = ([y], rows, offsets)
    rows, offsets = task.with_labels([other]).relabelled(passes, np.ones((3, 1)), previous)
    for (flips,), row, offset in zip(passes, rows, offsets, strict=True):
        expected = problem.joint_feature_difference(x, other, flips)
        np.testing.assert_allclose(row, expected, atol=1e-9)
        assert offset == pytest.approx(problem.loss(other, flips))


def test_the_same_single_cluster_twice_has_no_loss():
    """Where the paper leaves the NMI open; as in scikit-learn."""
    problem = MultivariateMMCProblem("nmi")
    one, other = np.ones(5, dtype=np.int8), np.array([1, 1, -1, -1, 1], dtype=np.int8)
    problem.initialize([np.random.default_rng(0).normal(size=(5, 2))])
    assert problem.loss(one, one) == 0
    assert problem.loss(one, other) == problem.loss(other, one) == 1


def test_error_problems_equal_those_of_the_hinge_loss():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 3))
    for one, two in (
        (MultivariateMMCProblem("error"), MMCProblem()),
        (MultivariateCPM3CProblem(4, "error"), CPM3CProblem(4)),
    ):
        for p in (one, two):
            p.initialize([x])
        w = rng.normal(size=one.size_joint_feature)
        y = one.decode(x, w)
        values = [
            p.loss(y, z) - w @ p.joint_feature_difference(x, y, z)
            for p in (one, two)
            for z in [p.separation_oracle(x, y, w)]
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-12)
