"""MultivariateMMC as a clusterer."""

import numpy as np
import pytest
from contingency_data import VariationOfInformation
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score, rand_score

from structsvm import ProblemError
from structsvm.problems import (
    CPM3C,
    MMC,
    MultivariateMMC,
)


def test_guarantees():
    X = np.random.default_rng(0).normal(size=(40, 3))
    exact = MultivariateMMC(n_init=1, random_state=0).fit(X)
    assert exact.problem_.oracle_quality == "exact"
    searched = MultivariateMMC(3, n_init=1, random_state=0).fit(X)
    assert searched.problem_.oracle_quality == "undergenerating"
    assert "undergenerating" in searched.result_.guarantee.text


# ---------------------------------------------------------------------- the clusterer


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, (3, 8))
    return X[rows], (y[rows] == 8).astype(int)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("loss", ["nmi", "rand", "f"])
def test_digits(digits, loss):
    X, y = digits
    mmc = MultivariateMMC(loss=loss, n_init=4, random_state=0).fit(X)
    assert rand_score(mmc.labels_, y) > 0.9
    assert mmc.verify(X).matches
    assert np.count_nonzero(mmc.predict(X) != mmc.labels_) <= 2


def test_labels_that_differ_from_predict_have_the_lower_objective(digits):
    X, _ = digits
    mmc = MultivariateMMC(loss="f", kernel="linear", n_init=4, random_state=0).fit(X)
    problem, w = mmc.problem_, mmc.result_.w

    def objective(y):
        z = problem.separation_oracle(X, y, w)
        slack = problem.loss(y, z) - w @ problem.joint_feature_difference(X, y, z)
        return 0.5 * w @ w + mmc.C_ * slack

    assert objective(problem.output_of(mmc.labels_)) == pytest.approx(mmc.objective_)
    assert objective(problem.decode(X, w)) >= mmc.objective_ - 1e-9


@pytest.mark.parametrize(("k", "other"), [(2, MMC), (3, CPM3C)])
def test_the_error_is_the_hinge_loss(k, other):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 4 * np.eye(3)[np.arange(60) % k, :2]
    settings = {"n_init": 2, "rtol": 1e-5, "random_state": 0}
    named = MultivariateMMC(k, loss="error", **settings).fit(X)
    plain = other(**settings) if k == 2 else other(k, **settings)
    assert named.C_ == plain.fit(X).C_
    assert named.objective_ == pytest.approx(plain.objective_, rel=1e-4)
    np.testing.assert_array_equal(named.labels_, plain.labels_)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("loss", ["adjusted_rand", "v_measure", VariationOfInformation()])
def test_losses_of_any_number_of_clusters(loss, k):
    X = np.random.default_rng(0).normal(size=(60, 3)) + 6 * np.eye(3)[np.arange(60) % k]
    mmc = MultivariateMMC(k, loss=loss, n_init=1, random_state=0).fit(X)
    assert adjusted_rand_score(np.arange(60) % k, mmc.labels_) == 1
    assert mmc.labels_[:k].tolist() == list(range(k))
    assert mmc.verify(X).matches
    assert mmc.problem_.max_loss == {"adjusted_rand": 1.5, "v_measure": 1}.get(str(loss))


def test_beta_matters_to_f_alone():
    X = np.random.default_rng(0).normal(size=(50, 2))
    objectives = {
        (loss, beta): MultivariateMMC(loss=loss, beta=beta, n_init=1, random_state=0)
        .fit(X)
        .objective_
        for loss in ("f", "nmi")
        for beta in (0.5, 3.0)
    }
    assert objectives["nmi", 0.5] == objectives["nmi", 3.0]
    assert objectives["f", 0.5] != objectives["f", 3.0]


# ---------------------------------------------------------------------- bad input


class Changed(VariationOfInformation):
    """The variation of information with other methods."""

    def __init__(self, **methods):
        vars(self).update(methods)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "NMI"}, "loss must be one of nmi, v_measure, .*, or an instance .* got 'NMI'"),
        ({"loss": None}, "loss must be one of .* got None"),
        ({"beta": 0}, "beta must be a finite number > 0; got 0"),
        ({"beta": -1.0}, "beta must be"),
        ({"beta": "big"}, "beta must be"),
        *(
            ({"loss": loss, "n_clusters": k}, message)
            for k in (2, 3)
            for loss, message in (
                (Changed(phi=lambda counts, n: -(counts**2)), "phi must be convex.*; got .*-36"),
                (
                    Changed(of_sums=lambda c, r, s: 1 + r + s - 2 * c),
                    "must be 0 where the labellings are",
                ),
                (Changed(of_sums=lambda c, r, s: np.minimum(r + s - 2 * c, 0.2)), "affine and dec"),
                (Changed(of_sums=lambda c, r, s: (r + s - 2 * c) ** 2), "affine and decreasing"),
                (Changed(of_sums=lambda c, r, s: 2 * c - r - s), ">= 0, affine and decreasing"),
                (Changed(of_sums=lambda c, r, s: 0 * c), "0 for every one"),
            )
        ),
    ],
)
def test_unusable_losses(parameters, message):
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match=message):
        MultivariateMMC(**parameters).fit(X)


def test_a_loss_that_fails_for_other_tables_is_named():
    def broken(counts, n):
        if np.max(n) > 6:
            raise ZeroDivisionError("of mine")
        return counts**2 / n**2

    with pytest.raises(ProblemError, match=r"ZeroDivisionError .* of mine"):
        MultivariateMMC(loss=Changed(phi=broken)).fit(np.random.default_rng(0).normal(size=(20, 2)))
