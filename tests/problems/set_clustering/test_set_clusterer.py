"""What the estimators over sets share: scales, items and labels, oracles of users, bad sets."""

import enum

import numpy as np
import pandas
import pytest
from refusals import refused
from scipy import sparse
from set_data import Own, drawn, near
from sklearn.base import clone

from structsvm import OneSlackCuttingPlane
from structsvm.problems import CorrelationClustering, ItemSet, IterativeOracle, SupervisedKMeans
from structsvm.problems.set_clustering.partitions import codes_of, partitions


def test_the_scale_makes_C_free_of_units():
    X, y = drawn(0)
    units = 10.0 ** np.arange(-3, X[0].shape[1] - 3)
    X = [sparse.csr_matrix(x) for x in X]  # which are not whitened
    scaled = [x.multiply(units) for x in X]
    one = SupervisedKMeans("spectral", C=30.0).fit(X, y)
    other = SupervisedKMeans("spectral", C=30.0).fit(scaled, y)
    np.testing.assert_allclose(other.coef_ * units**2, one.coef_, rtol=1e-3, atol=1e-5)
    raw = SupervisedKMeans("spectral", C=30.0, scale=one.scale_).fit(X, y)
    np.testing.assert_array_equal(raw.coef_, one.coef_)


def test_missed_slack_says_how_undergenerating_the_training_was():
    X, y = drawn(0, n=5, m=60, spread=2.0, noise=10)
    lazy = SupervisedKMeans(Own(lambda labels: labels), C=1000.0).fit(X, y)
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


(FIRST, SECOND), (LABELS, OTHERS) = drawn(0, n=2)


def fourth(label):
    """Labels with another one for the fourth item."""
    return [*OTHERS[:3], label, *OTHERS[4:]]


test_bad_sets = refused(
    lambda x, y: SupervisedKMeans().fit([FIRST, x], [LABELS, y]),
    (SECOND, OTHERS[:-1], r"y\[1\] must hold a label for each of 24 .* \(23,\)"),
    (SECOND, fourth(None), r"y\[1\]: no value in row 3"),
    (SECOND, fourth(pandas.NA), r"y\[1\]: no value in row 3"),
    (SECOND, fourth("a"), r"y\[1\]: types are mixed"),
    (SECOND, dict(enumerate(OTHERS)), r"y\[1\] must hold a label .* got shape \(\)"),
    (SECOND, "ab" * 12, r"y\[1\] is the string 'abab"),
    (SECOND, fourth(-1), r"y\[1\] has the label -1 for item 3"),
    (SECOND, 0 * OTHERS, "number of clusters of set 1 must be an integer from 2 .* got 1"),
    (SECOND[:, 1:], OTHERS, "item set 1 has 6 node and 0 pair .* expecting 7 and 0"),
    (ItemSet(SECOND, np.ones((24, 24, 1))), OTHERS, "item set 1 has 7 node and 1 pair"),
    (SECOND[:1], OTHERS[:1], r"X\[1\]: an ItemSet needs at least 2 items"),
    (np.full((24, 7), np.inf), OTHERS, r"X\[1\]: nodes contains NaN or infinity, .* in row 0"),
    (SECOND[0], OTHERS, r"X\[1\] must be an ItemSet, or a matrix"),
)


def test_one_set_is_put_into_a_list_and_has_fewer_clusters_than_items():
    X, y = drawn(0, n=1)
    with pytest.raises(ValueError, match="every set has as many clusters as items"):
        SupervisedKMeans().fit(X, [np.arange(24)])
    for x in (X[0], pandas.DataFrame(X[0]), sparse.csr_matrix(X[0])):
        with pytest.raises(ValueError, match=f"got a single {type(x).__name__}"):
            SupervisedKMeans().fit(x, y)


def test_names_of_items_alone_and_of_labels_alone_are_matched_by_position():
    X, y = drawn(0)
    names = [f"item {i}" for i in range(24)]
    SupervisedKMeans().fit(X, [pandas.Series(labels, index=names) for labels in y])
    SupervisedKMeans().fit(
        [pandas.DataFrame(x, index=names) for x in X], list(map(pandas.Series, y))
    )


def test_verification_with_a_stronger_oracle():
    X, y = drawn(0)
    model = SupervisedKMeans(Own(lambda labels: labels), predictor="iterative").fit(X, y)
    assert model.verify(X, y).primal == pytest.approx(model.result_.primal)
    assert model.verify(X, y, oracle=IterativeOracle(10)).primal > 1.1 * model.result_.primal
    assert isinstance(model.oracle, Own)


@pytest.mark.parametrize(
    "answer",
    [
        lambda y: None,
        lambda y: y[1:],
        lambda y: y.astype(float),
        lambda y: np.minimum(y, 1),
        lambda y: y + 1,
        lambda y: np.eye(3)[y],
    ],
    ids=["None", "too few", "floats", "an empty cluster", "numbered from 1", "one-hot"],
)
def test_an_oracle_that_returns_no_clustering_is_named(answer):
    X, y = drawn(0, n=2)
    message = r"Own\.cluster must return an array of 24 integer labels"
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans(Own(answer)).fit(X, y)
    with pytest.raises(ValueError, match=message):
        SupervisedKMeans("spectral", predictor=Own(answer)).fit(X, y).predict(X)


def test_an_oracle_may_write_to_its_starts_and_return_one_array_again():
    class Careless:
        quality = "undergenerating"
        answer = np.zeros(24, dtype=np.uint64)

        def cluster(self, K, n_clusters, starts=()):
            self.answer[:] = IterativeOracle().cluster(K, n_clusters, starts)
            for start in starts:
                start[:] = 0
            return self.answer

    X, y = drawn(0)
    kept = [labels.copy() for labels in y]
    careless = SupervisedKMeans(Careless()).fit(X, y)
    np.testing.assert_array_equal(y, kept)
    solver = careless._choice(careless.problem_, X, y).solver
    expected = SupervisedKMeans(solver=solver).fit(X, y)
    assert careless.score(X, y) == expected.score(X, y)
    assert careless.predict(X)[0] is not careless.predict(X)[1]


@pytest.mark.filterwarnings("ignore:SupervisedKMeansProblem.decode misses outputs")
def test_an_oracle_that_falsely_says_it_is_exact_is_measured():
    oracle = Own(lambda labels: labels)
    X, y = drawn(0)
    assert SupervisedKMeans(oracle).fit(X, y).predict(X)[0].tolist() == [0, 1, 2] * 8
    oracle.quality = "exact"
    assert SupervisedKMeans(oracle).fit(X, y).missed_slack_ > 1


REPEATED, HALVES = np.repeat(np.eye(2), 15, axis=0), np.repeat([0, 1], 15)
ALONE, LAST = np.r_[np.zeros((6, 2)), [[5.0, 5.0]]], np.r_[np.zeros(6, dtype=int), 1]


@pytest.mark.parametrize(("items", "y"), [(REPEATED, HALVES), (ALONE, LAST)])
def test_equal_items_and_clusters_of_one_item(items, y):
    model = SupervisedKMeans().fit([items] * 2, [y] * 2)
    assert model.predict([items])[0].tolist() == y.tolist()
    pairs = near(items)
    model = CorrelationClustering().fit([pairs] * 2, [y] * 2)
    assert model.predict([pairs])[0].tolist() == y.tolist()


def test_more_clusters_than_distinct_items():
    model = SupervisedKMeans().fit([REPEATED] * 2, [HALVES] * 2)
    labels = model.predict([REPEATED], n_clusters=5)[0]
    assert np.unique(labels).tolist() == [0, 1, 2, 3, 4]
    assert not np.intersect1d(labels[:15], labels[15:]).size
    with pytest.warns(UserWarning, match="training ended at w = 0"):
        SupervisedKMeans().fit([REPEATED] * 2, [np.arange(30) % 3] * 2)


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_constant_features():
    y = [np.arange(8) % 2] * 2
    with pytest.warns(UserWarning, match="training ended at w = 0"):
        model = SupervisedKMeans().fit([np.ones((8, 3))] * 2, y)
    assert not model.coef_.any()
    assert np.unique(model.predict([np.ones((8, 3))])[0]).tolist() == [0, 1]
    for value in (0.0, 1.0):
        constant = ItemSet(pairs=np.full((8, 8, 1), value))
        with pytest.warns(UserWarning, match="divides the examples into 16 clusters; they have 4"):
            model = CorrelationClustering().fit([constant] * 2, y)
        assert model.predict([constant])[0].tolist() == list(range(8))


STIRLING = {(5, 2): 15, (6, 3): 90, (7, 3): 301, (8, 4): 1701}


def test_partitions_are_all_and_each_once():
    for (m, k), number in STIRLING.items():
        listed = [tuple(y) for y in partitions(m, k)]
        assert len(listed) == len(set(listed)) == number
        assert all(set(y) == set(range(k)) for y in listed)
    assert sum(1 for _ in partitions(6)) == 203


class Kind(enum.Enum):
    A = 1
    B = 2


def test_labels_without_an_order_and_the_number_of_clusters():
    assert codes_of([Kind.B, Kind.A, Kind.B], 3).tolist() == [0, 1, 0]
    assert codes_of(["b", "a", "b"], 3).tolist() == codes_of([True, False, True], 3).tolist()
    with pytest.raises(ValueError, match="y must hold a single value in row 0"):
        codes_of([{"a": 1}, {"b": 2}], 2)
    X, y = drawn(0)
    tuples = [[("doc", int(c), 3 * int(c)) for c in labels] for labels in y]
    assert SupervisedKMeans().fit(X, tuples).n_clusters_ == 3
    assert SupervisedKMeans().fit(X, (labels for labels in y)).n_clusters_ == 3
