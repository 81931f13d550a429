"""MultivariateMMC: losses of whole clusterings, their oracles against enumeration."""

import numpy as np
import pytest
from contingency_data import VariationOfInformation
from sklearn.metrics import adjusted_rand_score, rand_score

from structsvm import ProblemError
from structsvm.datasets import digits_pair
from structsvm.problems import CPM3C, MMC, MultivariateMMC


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
        slack = problem.loss(y, z) - w @ problem.joint_feature_difference(X, y, z)
        return 0.5 * w @ w + linear.C_ * slack

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
