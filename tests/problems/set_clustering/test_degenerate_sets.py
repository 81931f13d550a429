"""Sets with equal items, constant features or clusters of one item: documented results."""

import numpy as np
import pytest
from set_data import near

from structsvm.problems import CorrelationClustering, ItemSet, SupervisedKMeans

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
    with pytest.raises(ValueError, match="must be an integer from 2 to its 3 items; got 5"):
        model.predict([REPEATED[:3]], n_clusters=5)
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


def test_a_set_of_one_item_or_one_cluster():
    with pytest.raises(ValueError, match=r"X\[1\]: an ItemSet needs at least 2 items"):
        SupervisedKMeans().fit([ALONE, ALONE[:1]], [LAST, LAST[:1]])
    with pytest.raises(ValueError, match="number of clusters of set 0 must be an integer from 2"):
        SupervisedKMeans().fit([ALONE], [np.zeros(7)])
