"""What the estimators over sets share: the scale, kinds of items and labels, bad sets."""

import numpy as np
import pandas
import pytest
from scipy import sparse
from set_data import Own, drawn
from sklearn.base import clone

from structsvm import OneSlackCuttingPlane
from structsvm.problems import ItemSet, IterativeOracle, SupervisedKMeans


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


def test_neither_names_of_clusters_nor_the_order_of_items_matter():
    X, y = drawn(0, spread=0.5)
    solver = OneSlackCuttingPlane(rtol=1e-6)  # with a small gap w is the same on any processor
    expected = SupervisedKMeans("spectral", solver=solver).fit(X, y)
    rng = np.random.default_rng(3)
    orders = [rng.permutation(24) for _ in y]
    shuffled = [x[order] for x, order in zip(X, orders, strict=True)]
    labels = [c[order] for c, order in zip(y, orders, strict=True)]
    for named in (
        [pandas.Series(codes).astype("category") for codes in labels],
        [[("page", int(code)) for code in codes] for codes in labels],
        [np.array([0.5, 2.5, 1.5])[codes] for codes in labels],
    ):
        found = clone(expected).fit(shuffled[::-1], named[::-1])
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-2, atol=1e-3)
        assert found.score(shuffled, named) == pytest.approx(expected.score(X, y), abs=0.01)


def fourth(label):
    """Labels with another one for the fourth item."""
    return lambda y: [*y[:3], label, *y[4:]]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (None, lambda y: y[:-1], r"y\[1\] must hold a label for each of 24 .* \(23,\)"),
        (None, fourth(None), r"y\[1\]: no value in row 3"),
        (None, fourth(pandas.NA), r"y\[1\]: no value in row 3"),
        (None, fourth("a"), r"y\[1\]: types are mixed"),
        (None, lambda y: dict(enumerate(y)), r"y\[1\] must hold a label .* got shape \(\)"),
        (None, lambda y: "ab" * 12, r"y\[1\] is the string 'abab"),
        (None, fourth(-1), r"y\[1\] has the label -1 for item 3"),
        (None, lambda y: 0 * y, "number of clusters of set 1 must be an integer from 2 .* got 1"),
        (lambda x: x[:, 1:], None, "item set 1 has 6 node and 0 pair .* expecting 7 and 0"),
        (lambda x: ItemSet(x, np.ones((24, 24, 1))), None, "item set 1 has 7 node and 1 pair"),
        (lambda x: x[:1], lambda y: y[:1], r"X\[1\]: an ItemSet needs at least 2 items"),
        (lambda x: x * np.inf, None, r"X\[1\]: nodes contains NaN or infinity, first in row 0"),
        (lambda x: x[0], None, r"X\[1\] must be an ItemSet, or a matrix"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_bad_sets(x, y, message):
    (first, X), (labels, Y) = drawn(0, n=2)
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans().fit([first, x(X) if x else X], [labels, y(Y) if y else Y])


def test_one_set_is_put_into_a_list_and_has_fewer_clusters_than_items():
    X, y = drawn(0, n=1)
    with pytest.raises(ValueError, match="every set has as many clusters as items"):
        SupervisedKMeans().fit(X, [np.arange(24)])
    for x in (X[0], pandas.DataFrame(X[0]), sparse.csr_matrix(X[0])):
        with pytest.raises(ValueError, match=f"got a single {type(x).__name__}"):
            SupervisedKMeans().fit(x, y)


def test_labels_have_the_index_of_the_items():
    X, y = drawn(0)
    names = [f"item {i}" for i in range(24)]
    frames = [pandas.DataFrame(x, index=names) for x in X]
    series = [pandas.Series(labels, index=names) for labels in y]
    for given, labels in ((frames, series), (X, series), (frames, list(map(pandas.Series, y)))):
        SupervisedKMeans().fit(given, labels)
    renamed = series[2].rename({"item 3": "somebody"})
    for other, message in ((renamed, "'somebody'"), (series[2][::-1], "in the place of")):
        with pytest.raises(ValueError, match=rf"y\[2\] must have the index .*{message}"):
            SupervisedKMeans().fit(frames, [*series[:2], other, *series[3:]])


def test_verification_with_a_stronger_oracle():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels), predictor="iterative").fit(X, y)
    assert model.verify(X, y).primal == pytest.approx(model.result_.primal)
    assert model.verify(X, y, oracle=IterativeOracle(10)).primal > 1.1 * model.result_.primal
    assert isinstance(model.oracle, Own)
