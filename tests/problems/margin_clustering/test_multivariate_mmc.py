"""MultivariateMMC: losses of whole clusterings, their oracles against enumeration."""

import numpy as np
import pytest
from contingency_data import VariationOfInformation
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, rand_score

from structsvm import ProblemError
from structsvm.datasets import digits_pair
from structsvm.problems import (
    CPM3C,
    MMC,
    MultivariateCPM3CProblem,
    MultivariateMMC,
    MultivariateMMCProblem,
)

NAMES = ["nmi", "v_measure", "rand", "adjusted_rand", "f", "error"]
LOSSES = [*NAMES, VariationOfInformation()]


@st.composite
def instances(draw, k):
    """A problem, its rows, weights, labels and loss."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, loss = draw(st.integers(3, 8 if k == 2 else 6)), draw(st.sampled_from(LOSSES))
    x = rng.normal(size=(n, 2))
    problem = MultivariateMMCProblem(loss) if k == 2 else MultivariateCPM3CProblem(k, loss)
    problem.initialize([x])
    w = draw(st.sampled_from([0.01, 1.0, 20.0])) * rng.normal(size=problem.size_joint_feature)
    return problem, x, w, problem.output_of(rng.integers(k, size=n)), loss


def worth(problem, x, y, w, z):
    return problem.loss(y, z) - w @ problem.joint_feature_difference(x, y, z)


@given(instances(2), st.booleans())
@settings(max_examples=80, deadline=None)
def test_oracle_of_two_clusters_against_all_labellings(instance, own_labels):
    problem, x, w, y, _ = instance
    y = problem.decode(x, w) if own_labels else y
    best = max(worth(problem, x, y, w, z) for z in problem.outputs(x))
    found = problem.separation_oracle(x, y, w)
    assert worth(problem, x, y, w, found) == pytest.approx(best, abs=1e-9)


@given(instances(3))
@settings(max_examples=30, deadline=None)
def test_oracle_of_more_clusters_is_between_the_truth_and_the_best(instance):
    problem, x, w, y, loss = instance
    found = worth(problem, x, y, w, problem.separation_oracle(x, y, w))
    best = max(worth(problem, x, y, w, z) for z in problem.outputs(x))
    assert -1e-9 <= found <= best + 1e-9
    if loss == "error":
        assert found == pytest.approx(best, abs=1e-9)


def test_the_same_single_cluster_twice_has_no_loss():
    """Where the paper leaves the NMI open; as in scikit-learn."""
    problem = MultivariateMMCProblem("nmi")
    one, other = np.ones(5, dtype=np.int8), np.array([1, 1, -1, -1, 1], dtype=np.int8)
    problem.initialize([np.random.default_rng(0).normal(size=(5, 2))])
    assert problem.loss(one, one) == 0
    assert problem.loss(one, other) == problem.loss(other, one) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("k", "other"), [(2, MMC()), (3, CPM3C(3))])
def test_the_error_is_the_hinge_loss(k, other):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 4 * np.eye(3)[np.arange(60) % k, :2]
    settings = {"n_init": 2, "rtol": 1e-5, "random_state": 0}
    named = MultivariateMMC(k, loss="error", **settings).fit(X)
    plain = other.set_params(**settings).fit(X)
    assert named.C_ == plain.C_
    assert named.objective_ == pytest.approx(plain.objective_, rel=1e-4)
    np.testing.assert_array_equal(named.labels_, plain.labels_)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss", ["nmi", "rand", "f"])
def test_digits_of_the_paper(loss):
    """Labels that differ from those that predict gives have the lower objective."""
    X, y = digits_pair(3, 8)
    mmc = MultivariateMMC(loss=loss, n_init=4, random_state=0).fit(X)
    assert rand_score(mmc.labels_, y) > 0.9
    assert np.count_nonzero(mmc.predict(X) != mmc.labels_) <= 2
    linear = MultivariateMMC(loss=loss, kernel="linear", n_init=4, random_state=0).fit(X)
    problem, w = linear.problem_, linear.result_.w

    def objective(y):
        z = problem.separation_oracle(X, y, w)
        return 0.5 * w @ w + linear.C_ * worth(problem, X, y, w, z)

    own = objective(problem.output_of(linear.labels_))
    assert own == pytest.approx(linear.objective_)
    assert objective(problem.decode(X, w)) >= own - 1e-9


@pytest.mark.sampled(2)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("loss", ["adjusted_rand", "v_measure", VariationOfInformation()])
def test_losses_of_any_number_of_clusters(loss, k):
    X = np.random.default_rng(0).normal(size=(60, 3)) + 6 * np.eye(3)[np.arange(60) % k]
    mmc = MultivariateMMC(k, loss=loss, n_init=1, random_state=0).fit(X)
    assert adjusted_rand_score(np.arange(60) % k, mmc.labels_) == 1
    assert mmc.verify(X).matches
    assert mmc.problem_.max_loss == {"adjusted_rand": 1.5, "v_measure": 1}.get(str(loss))
    quality = "exact" if k == 2 else "undergenerating"
    assert mmc.problem_.oracle_quality == quality
    assert ("undergenerating" in mmc.result_.guarantee.text) == (k == 3)


# ---------------------------------------------------------------------- bad input


class Changed(VariationOfInformation):
    """The variation of information with other methods."""

    def __init__(self, **methods):
        vars(self).update(methods)


X20 = np.random.default_rng(0).normal(size=(20, 2))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "NMI"}, "loss must be one of nmi, v_measure, .*, or an instance .* got 'NMI'"),
        ({"loss": None}, "loss must be one of .* got None"),
        ({"beta": 0}, "beta must be a finite number > 0; got 0"),
        ({"beta": -1.0}, "beta must be"),
        ({"beta": "big"}, "beta must be"),
        *(
            ({"loss": Changed(**{method: function}), "n_clusters": k}, message)
            for k in (2, 3)
            for method, function, message in (
                ("phi", lambda counts, n: -(counts**2), "phi must be convex.*; got .*-36"),
                ("of_sums", lambda c, r, s: 1 + r + s - 2 * c, "must be 0 where the labellings"),
                ("of_sums", lambda c, r, s: np.minimum(r + s - 2 * c, 0.2), "affine and dec"),
                ("of_sums", lambda c, r, s: (r + s - 2 * c) ** 2, "affine and decreasing"),
                ("of_sums", lambda c, r, s: 2 * c - r - s, ">= 0, affine and decreasing"),
                ("of_sums", lambda c, r, s: 0 * c, "0 for every one"),
            )
        ),
    ],
)
def test_unusable_losses(parameters, message):
    with pytest.raises(ValueError, match=message):
        MultivariateMMC(**parameters).fit(X20)


def test_a_loss_that_fails_for_other_tables_is_named():
    def broken(counts, n):
        if np.max(n) > 6:
            raise ZeroDivisionError("of mine")
        return counts**2 / n**2

    with pytest.raises(ProblemError, match=r"ZeroDivisionError .* of mine"):
        MultivariateMMC(loss=Changed(phi=broken)).fit(X20)
