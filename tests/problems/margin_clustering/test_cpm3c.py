"""CPM3C: Theorem 3, class balance, its objective, MMC for two clusters, figures of the paper."""

import os
from itertools import permutations

import numpy as np
import pytest
from clustering_data import agreement, blobs, hinge
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits

from structsvm.datasets import FOLDER_VARIABLE, load_file
from structsvm.problems import CPM3C, MMC, CPM3CProblem, majority_accuracy
from structsvm.problems.margin_clustering.cpm3c import NONE

#: Enough known rows of two clusters to count for more.
KNOWN = np.array([0, 1, 1, 0, -1, -1])


@st.composite
def instances(draw):
    """A problem, its data, w and labels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k = draw(st.integers(4, 6)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    x = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 5.0]))
    # Rows on a line that are not centred need a balance above 0.
    center = draw(st.booleans()) if d > 1 else True
    problem = CPM3CProblem(k, draw(st.sampled_from([0.0, 0.3])), center=center)
    problem.initialize([x], [KNOWN[:n]] if draw(st.booleans()) else None)
    w = rng.normal(size=problem.size_joint_feature) * draw(st.sampled_from([0.01, 1.0, 20.0]))
    return problem, x, w, rng.integers(k, size=n).astype(np.int8)


@given(instances())
@settings(max_examples=40, deadline=None)
def test_the_oracle_is_that_of_theorem_3(instance):
    """At the labels that w implies: the runner-up where the margin to it is below 1.

    At any labels it attains the hinge losses of all rows.
    """
    problem, x, w, other = instance
    y = problem.decode(x, w)
    ranked = np.argsort(-problem.scores(x, w), axis=1)
    np.testing.assert_array_equal(ranked[:, 0], y)
    scores = np.take_along_axis(problem.scores(x, w), ranked[:, :2], axis=1)
    expected = np.where(scores[:, 0] - scores[:, 1] < 1, ranked[:, 1], NONE)
    np.testing.assert_array_equal(problem.separation_oracle(x, y, w), expected)
    for labels in (y, other):
        moves = problem.separation_oracle(x, labels, w)
        difference = problem.joint_feature_difference(x, labels, moves)
        losses = problem.row_weights_ * hinge(problem.scores(x, w), labels)
        value = problem.loss(labels, moves) - w @ difference
        assert value == pytest.approx(losses.mean(), abs=1e-9)


@given(instances())
@settings(max_examples=30, deadline=None)
def test_class_balance_bounds_every_pair(instance):
    """The rows of the constraints are the mean differences of scores, in both directions."""
    problem, x, w, _ = instance
    constraints = problem.constraints()
    if constraints is None:
        assert problem.balance_ == np.inf or (problem.center and problem.balance == 0)
        return
    A, b = constraints
    means = problem.scores(x, w).mean(axis=0)
    differences = [means[p] - means[q] for p, q in permutations(range(len(means)), 2)]
    np.testing.assert_allclose(np.sort(A @ w), np.sort(differences), atol=1e-8)
    assert np.all(b == problem.balance)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("balance", [0.0, 0.3])
def test_binary_agrees_with_mmc(balance):
    X, _ = blobs(2, apart=3.0)
    settings = {"balance": balance, "random_state": 0, "rtol": 1e-5}
    cpm3c, mmc = CPM3C(2, C=10.0, **settings).fit(X), MMC(C=20.0, **settings).fit(X)
    assert agreement(cpm3c.labels_, mmc.labels_) == 1
    assert 2 * cpm3c.objective_ == pytest.approx(mmc.objective_, rel=1e-4)
    margins = np.diff(cpm3c.decision_function(X))[:, 0]
    np.testing.assert_allclose(np.abs(margins), np.abs(mmc.decision_function(X)), atol=0.05)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("search", "convert"), [("evolutionary", np.asarray), ("cccp", sparse.csr_matrix)]
)
@pytest.mark.parametrize(("center", "balance"), [(True, 0.1), (False, 0.0)])
def test_the_objective_is_the_one_documented(balance, center, search, convert):
    dense = np.insert(blobs(3, each=20, apart=4.0)[0], 2, np.linspace(2, 3, 60), axis=1)
    X = convert(dense)
    settings = {"balance": balance, "center": center, "search": search, "kernel": "linear"}
    cpm3c = CPM3C(3, C=5.0, n_init=2, random_state=0, **settings).fit(X)
    scores, w = cpm3c.decision_function(X), cpm3c.result_.w
    expected = 0.5 * w @ w + 5.0 * hinge(scores, cpm3c.labels_).mean()
    assert cpm3c.objective_ == pytest.approx(expected, rel=1e-9)
    assert np.ptp(scores.mean(axis=0)) <= balance + 1e-6
    np.testing.assert_allclose(scores, X @ cpm3c.coef_.T + cpm3c.intercept_, atol=1e-9)
    np.testing.assert_array_equal(cpm3c.labels_, cpm3c.predict(X))
    assert cpm3c.verify(X).matches
    if not center:
        assert not cpm3c.intercept_.any()
        size = np.sqrt(np.square(dense).sum(axis=1).mean())
        assert cpm3c.problem_.rows_.scale == pytest.approx(size)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("chosen", "kernel", "least"),
    [((1, 7), "linear", 1.0), ((3, 8), "linear", 0.96), ((0, 6, 8, 9), "diffusion", 0.94)],
)
def test_digits_of_the_paper(chosen, kernel, least):
    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, chosen)
    labels = CPM3C(len(chosen), kernel=kernel, random_state=0).fit_predict(X[rows])
    assert majority_accuracy(y[rows], labels) >= least


@pytest.mark.slow
@pytest.mark.skipif(FOLDER_VARIABLE not in os.environ, reason=f"no {FOLDER_VARIABLE}")
@pytest.mark.parametrize(
    ("name", "classes", "scale", "least"),
    [("letter", (0, 1), 15, 0.944), ("satimage", (1, 2), 255, 0.98)],
)
def test_sets_of_the_paper(name, classes, scale, least):
    data = load_file(name)
    rows = np.isin(data["y"], classes)
    labels = CPM3C(2, kernel="linear", random_state=0).fit_predict(data["X"][rows] / scale)
    assert agreement(labels, np.searchsorted(classes, data["y"][rows])) >= least
