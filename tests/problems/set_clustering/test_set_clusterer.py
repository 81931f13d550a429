"""What the estimators over sets share: the scale, kinds of items and labels, bad sets."""

import warnings

import numpy as np
import pandas
import pytest
from scipy import sparse
from set_data import Own, drawn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.problems import (
    ItemSet,
    IterativeOracle,
    SupervisedKMeans,
)


def sparse_sets(X):
    """The sets as matrices that are not whitened."""
    return [sparse.csr_matrix(x) for x in X]


def test_the_scale_makes_C_free_of_units():
    X, y = drawn(0)
    units = 10.0 ** np.arange(-3, X[0].shape[1] - 3)
    scaled = sparse_sets(units * x for x in X)
    X = sparse_sets(X)
    one = SupervisedKMeans("spectral", C=30.0).fit(X, y)
    other = SupervisedKMeans("spectral", C=30.0).fit(scaled, y)
    np.testing.assert_allclose(other.coef_ * units**2, one.coef_, rtol=1e-3, atol=1e-5)
    raw = SupervisedKMeans("spectral", C=30.0, scale=one.scale_).fit(X, y)
    np.testing.assert_array_equal(raw.coef_, one.coef_)


def test_one_scale_for_all_features():
    X, y = drawn(0)
    one = SupervisedKMeans("spectral", C=30.0, scale="common").fit(X, y)
    other = clone(one).fit([100 * x for x in X], y)
    np.testing.assert_allclose(other.coef_ * 1e4, one.coef_, rtol=1e-4, atol=1e-6)
    raw = SupervisedKMeans("spectral", C=30.0 / one.scale_**2, scale=1.0).fit(X, y)
    np.testing.assert_allclose(raw.coef_, one.coef_, rtol=0.05, atol=0.02 * np.abs(one.coef_).max())
    assert SupervisedKMeans(scale=2.0).fit(X, y).scale_ == 2.0


def test_what_the_scale_makes_of_the_numbers_of_items_and_clusters():
    """The objective at a small C, relative to that of w = 0 with loss 100."""
    found = {}
    for k, m in ((3, 24), (3, 240), (12, 240)):
        X, y = drawn(0, n=3, m=m, k=k)
        model = SupervisedKMeans("spectral", C=3.0).fit(sparse_sets(X), y)
        found[k, m] = model.result_.primal / 3.0
    assert found[3, 24] == pytest.approx(found[3, 240], rel=0.02)
    assert found[12, 240] > found[3, 240]


def test_missed_slack_says_how_undergenerating_the_training_was():
    class Lazy:
        """Knows of one wrong partition for every set."""

        quality = "undergenerating"

        def cluster(self, K, n_clusters, starts=()):
            return np.roll(starts[0], 1)

    X, y = drawn(0, n=5, m=60, spread=2.0, noise=10)
    lazy = SupervisedKMeans(Lazy(), C=1000.0).fit(X, y)
    thorough = SupervisedKMeans(IterativeOracle(20), C=1000.0).fit(X, y)
    assert lazy.missed_slack_ > 1 > 10 * thorough.missed_slack_
    assert SupervisedKMeans("spectral").fit(X, y).missed_slack_ == 0


def test_warm_start_and_limits():
    X, y = drawn(0, spread=2.0)
    model = SupervisedKMeans("spectral", warm_start=True).fit(X, y)
    passes = model.n_iter_
    assert model.fit(X, y).n_iter_ < passes
    assert model.fit([10 * x for x in X], y).n_iter_ > 0
    with pytest.warns(ConvergenceWarning, match="MAX_ITER"):
        SupervisedKMeans(solver=NSlackCuttingPlane(max_iter=2)).fit(X, y)


@pytest.mark.parametrize(
    "convert", [np.asarray, sparse.csr_matrix, sparse.csc_array, pandas.DataFrame, ItemSet]
)
def test_kinds_of_items(convert):
    X, y = drawn(0)
    model = SupervisedKMeans("spectral", predictor="iterative", C=100.0, scale="common")
    expected = model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = clone(expected).fit([convert(x) for x in X], y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict([convert(X[0])])[0], expected.predict(X)[0])


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], [10, 20, 30], [0.5, 1.5, 2.5], [None.__class__, str, int]]
)
def test_kinds_of_labels(names):
    X, y = drawn(0)
    named = [[names[c] for c in labels] for labels in y]
    if isinstance(names[0], type):
        named = [[kind.__name__ for kind in labels] for labels in named]
    solver = NSlackCuttingPlane(rtol=1e-7)  # with a small gap w is the same on any processor
    expected = SupervisedKMeans(solver=solver).fit(X, y)
    found = SupervisedKMeans(solver=solver).fit(X, named)
    np.testing.assert_allclose(np.sort(found.coef_), np.sort(expected.coef_), rtol=1e-3, atol=1e-4)
    assert found.score(X, named) == expected.score(X, y)


def test_the_order_of_items_and_sets_does_not_matter():
    X, y = drawn(0, spread=0.5)
    rng = np.random.default_rng(3)
    orders = [rng.permutation(len(labels)) for labels in y]
    shuffled = [x[o] for x, o in zip(X, orders, strict=True)]
    labels = [c[o] for c, o in zip(y, orders, strict=True)]
    one = SupervisedKMeans("spectral", solver=OneSlackCuttingPlane(rtol=1e-6)).fit(X, y)
    other = clone(one).fit(shuffled[::-1], labels[::-1])
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-2, atol=1e-3)


def spoiled(change):
    X, y = drawn(0, n=2)
    y = [labels.astype(object) for labels in y]
    change(X, y)
    return X, y


def cut(X, y):
    y[1] = y[1][:-1]


def miss(X, y):
    y[1][3] = None


def nan(X, y):
    y[1] = y[1].astype(float)
    y[1][3] = np.nan


def not_available(X, y):
    y[1][3] = pandas.NA


def mixed(X, y):
    y[1][3] = "a"


def names(X, y):
    y[1] = dict(enumerate(y[1]))


def text(X, y):
    y[1] = "ab" * 12


def number(X, y):
    y[1] = 0


def unknown(X, y):
    y[1] = y[1].astype(int)
    y[1][3] = -1


def one_cluster(X, y):
    y[0][:] = 1


def narrower(X, y):
    X[1] = X[1][:, 1:]


def pairs(X, y):
    X[1] = ItemSet(X[1][:, 1:], np.ones((24, 24, 1)))


def single(X, y):
    X[1], y[1] = X[1][:1], y[1][:1]


def infinite(X, y):
    X[1][2, 2] = np.inf


def flat(X, y):
    X[1] = X[1][0]


def alone(X, y):
    y[:] = [np.arange(24), np.arange(24)]


def fewer(X, y):
    del y[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, r"y\[1\] must hold a label for each of 24 items; got shape \(23,\)"),
        (miss, r"y\[1\]: no value in row 3"),
        (nan, r"y\[1\]: no value in row 3"),
        (not_available, r"y\[1\]: no value in row 3"),
        (mixed, r"y\[1\]: types are mixed"),
        (names, r"y\[1\] must hold a label for each of 24 items; got shape \(\)"),
        (text, r"y\[1\] is the string 'abab"),
        (number, r"y\[1\] must hold a label for each of 24 items; got shape \(\)"),
        (unknown, r"y\[1\] has the label -1 for item 3"),
        (one_cluster, "number of clusters of set 0 must be an integer from 2 .* got 1"),
        (narrower, "item set 1 has 6 node and 0 pair features; expecting 7 and 0"),
        (pairs, "item set 1 has 6 node and 1 pair features; expecting 7 and 0"),
        (single, r"X\[1\]: an ItemSet needs at least 2 items"),
        (infinite, r"X\[1\]: nodes contains NaN or infinity, first in row 2"),
        (flat, r"X\[1\] must be an ItemSet, or a matrix"),
        (alone, "every set has as many clusters as items"),
        (fewer, "a partition for each of 2 item sets; got 1"),
    ],
)
def test_bad_sets(change, message):
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans().fit(*spoiled(change))


def test_series_of_other_items_are_refused():
    X, y = drawn(0)
    names = [f"item {i}" for i in range(24)]
    frames = [pandas.DataFrame(x, index=names) for x in X]
    series = [pandas.Series(labels, index=names) for labels in y]
    SupervisedKMeans().fit(frames, series)
    SupervisedKMeans().fit(X, series)
    SupervisedKMeans().fit(frames, [pandas.Series(labels) for labels in y])
    series[2] = series[2].rename({"item 3": "somebody"})
    with pytest.raises(ValueError, match=r"y\[2\] must have the index of the items .*'somebody'"):
        SupervisedKMeans().fit(frames, series)


def test_verification_with_a_stronger_oracle():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels), predictor="iterative").fit(X, y)
    assert model.verify(X, y).primal == pytest.approx(model.result_.primal)
    assert model.verify(X, y, oracle=IterativeOracle(10)).primal > 1.1 * model.result_.primal
    assert isinstance(model.oracle, Own)


def test_columns_in_another_order():
    X, y = drawn(0)
    frames = [pandas.DataFrame(x, columns=list("abcdefg")) for x in X]
    model = SupervisedKMeans().fit(frames, y)
    assert model.score(frames, y) == model.score(X, y) > 0.9
    with pytest.raises(
        ValueError, match="item set 0 has other node features than in training: it has 'g'"
    ):
        model.predict([frame[list("gfedcba")] for frame in frames])
    frames[2] = frames[2][list("abcdegf")]
    with pytest.raises(ValueError, match="item set 2 has other node features"):
        SupervisedKMeans().fit(frames, y)


def test_labels_in_another_order_than_the_items():
    X, y = drawn(0)
    frames = [pandas.DataFrame(x) for x in X]
    series = [pandas.Series(labels) for labels in y]
    assert SupervisedKMeans().fit(frames, series).score(frames, y) > 0.9
    series[1] = series[1].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=r"y\[1\] must have the index .* in the place of"):
        SupervisedKMeans().fit(frames, series)


def test_a_failed_fit_leaves_everything_as_it_was():
    X, y = drawn(0)
    model = SupervisedKMeans(C=0.0)
    with pytest.raises(ValueError, match="C, if not 'cv', must be"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.set_params(C=100.0).fit(X, y)
    scale, coef = model.scale_, model.coef_
    with pytest.raises(ValueError, match="C, if not 'cv', must be"):
        model.set_params(C=-1.0).fit([10 * x for x in X], y)
    assert model.scale_ is scale
    assert model.coef_ is coef


def test_labels_of_odd_kinds():
    X, y = drawn(0)
    expected = SupervisedKMeans("spectral").fit(X, y).coef_
    tuples = [[("page", int(c)) for c in labels] for labels in y]
    np.testing.assert_allclose(SupervisedKMeans("spectral").fit(X, tuples).coef_, expected)
    categories = [pandas.Series(labels).astype("category") for labels in y]
    np.testing.assert_allclose(SupervisedKMeans("spectral").fit(X, categories).coef_, expected)
    mixed = [["1" if c == 0 else int(c) for c in labels] for labels in y]
    with pytest.raises(ValueError, match=r"y\[0\]: types are mixed"):
        SupervisedKMeans().fit(X, mixed)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.eye(4), r"such as \[items\]; got a single ndarray"),
        (pandas.DataFrame(np.eye(4)), "got a single DataFrame"),
        (sparse.csr_matrix(np.eye(4)), "got a single csr_matrix"),
        ("items", "got a single str"),
        (7, "got a single int"),
    ],
)
def test_one_set_that_is_not_in_a_list(X, message):
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans().fit(X, [[0, 0, 1, 1]])


def test_sets_may_be_nested_lists_and_generators():
    X, y = drawn(0)
    model = SupervisedKMeans().fit((x.tolist() for x in X), (labels.tolist() for labels in y))
    np.testing.assert_allclose(model.coef_, SupervisedKMeans().fit(X, y).coef_)
