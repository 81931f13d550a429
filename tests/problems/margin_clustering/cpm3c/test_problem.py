"""CPM3CProblem against brute force over all labellings."""

from itertools import permutations

import numpy as np
import pytest
from clustering_data import hinge
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm.problems import CPM3CProblem, MMCProblem
from structsvm.problems.margin_clustering.cpm3c import NONE

#: Enough known rows of two clusters to count for more.
KNOWN = np.array([0, 1, 1, 0, -1, -1, -1, -1])
never, sometimes = st.just(False), st.booleans()


@st.composite
def instances(draw, known=never):
    """A problem, its data, w and labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k = draw(st.integers(4, 6)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    x = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 5.0]))
    # Rows on a line that are not centred need a balance above 0.
    center = draw(sometimes) if d > 1 else True
    problem = CPM3CProblem(k, draw(st.sampled_from([0.0, 0.3])), center=center)
    problem.initialize([x], [KNOWN[:n]] if draw(known) else None)
    w = rng.normal(size=problem.size_joint_feature) * draw(st.sampled_from([0.01, 1.0, 20.0]))
    return problem, x, w, rng.integers(k, size=n).astype(np.int8)


@pytest.mark.slow
@given(instances(sometimes), st.booleans())
@settings(max_examples=60, deadline=None)
def test_oracle_and_decoder_against_all_labellings(instance, own_labels):
    problem, x, w, y = instance
    decoded = problem.decode(x, w)
    most = max(w @ problem.joint_feature(x, z) for z in problem.outputs(x))
    assert w @ problem.joint_feature(x, decoded) == pytest.approx(most, abs=1e-9)
    y = decoded if own_labels else y

    def value(z):
        return problem.loss(y, z) - w @ problem.joint_feature_difference(x, y, z)

    moves = problem.separation_oracle(x, y, w)
    assert value(moves) == pytest.approx(max(map(value, problem.outputs(x))), abs=1e-9)
    losses = problem.row_weights_ * hinge(problem.scores(x, w), y)
    assert value(moves) == pytest.approx(losses.mean(), abs=1e-9)
    assert max(problem.loss(y, z) for z in problem.outputs(x)) <= problem.max_loss * (1 + 1e-9)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_the_oracle_is_that_of_theorem_3(instance):
    """At the labels that w implies: the runner-up where the margin to it is below 1."""
    problem, x, w, _ = instance
    y = problem.decode(x, w)
    ranked = np.argsort(-problem.scores(x, w), axis=1)
    np.testing.assert_array_equal(ranked[:, 0], y)
    scores = np.take_along_axis(problem.scores(x, w), ranked[:, :2], axis=1)
    expected = np.where(scores[:, 0] - scores[:, 1] < 1, ranked[:, 1], NONE)
    np.testing.assert_array_equal(problem.separation_oracle(x, y, w), expected)


@given(instances(sometimes), st.data())
@settings(max_examples=50, deadline=None)
def test_planes_relabelled_in_steps_equal_those_from_scratch(instance, data):
    problem, x, _, y = instance
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, m, k = len(x), data.draw(st.integers(1, 4)), problem.n_clusters
    passes = [[rng.integers(-1, k, n).astype(np.int8)] for _ in range(m)]
    weights = rng.uniform(0.5, 2, (m, 1))
    previous = None
    for _ in range(4):
        rows, offsets = problem.task([x], [y]).relabelled(passes, weights, previous)
        for (moves,), weight, row, offset in zip(
            passes, weights.ravel(), rows, offsets, strict=True
        ):
            expected = weight * problem.joint_feature_difference(x, y, moves)
            np.testing.assert_allclose(row, expected, atol=1e-9)
            assert offset == pytest.approx(weight * problem.loss(y, moves))
        previous = ([y], rows, offsets)
        moved = rng.random(n) < rng.choice([0.1, 0.5])
        y = np.where(moved, rng.integers(k, size=n), y).astype(np.int8)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_sparse_equals_dense(instance):
    problem, x, w, y = instance
    thin = sparse.csr_matrix(x)
    other = CPM3CProblem(problem.n_clusters, problem.balance, center=problem.center)
    other.initialize([thin])
    np.testing.assert_allclose(other.scores(thin, w), problem.scores(x, w), atol=1e-9)
    np.testing.assert_allclose(other.joint_feature(thin, y), problem.joint_feature(x, y), atol=1e-9)
    moves = problem.separation_oracle(x, y, w)
    one, two = (
        p.joint_feature_difference(data, y, moves) for p, data in ((problem, x), (other, thin))
    )
    np.testing.assert_allclose(one, two, atol=1e-9)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_class_balance_bounds_every_pair(instance):
    """The rows of the constraints are the mean differences of scores, in both directions."""
    problem, x, w, _ = instance
    constraints = problem.constraints()
    if problem.center and problem.balance == 0:
        assert constraints is None
        np.testing.assert_allclose(problem.scores(x, w).mean(axis=0), 0, atol=1e-9)
        return
    A, b = constraints
    means = problem.scores(x, w).mean(axis=0)
    differences = [means[p] - means[q] for p, q in permutations(range(len(means)), 2)]
    np.testing.assert_allclose(np.sort(A @ w), np.sort(differences), atol=1e-8)
    assert np.all(b == problem.balance)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_two_clusters_have_half_the_objective_of_sign_decoding(instance):
    _, x, _, _ = instance
    problem, other = CPM3CProblem(2, 0.3), MMCProblem(0.3)
    for p in (problem, other):
        p.initialize([x])
    v = np.random.default_rng(0).normal(size=other.size_joint_feature)
    w = np.concatenate([-v, v]) / 2
    scores = problem.scores(x, w)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], other.scores(x, v), atol=1e-9)

    def objective(p, w, C):
        y = p.decode(x, w)
        z = p.separation_oracle(x, y, w)
        return 0.5 * w @ w + C * (p.loss(y, z) - w @ p.joint_feature_difference(x, y, z))

    assert objective(problem, w, 5.0) == pytest.approx(objective(other, v, 10.0) / 2)
