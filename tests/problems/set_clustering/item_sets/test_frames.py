"""Item sets from pandas."""

import numpy as np
import pandas
import pytest

from structsvm.problems import ItemSet


def test_from_frames_aligns_by_name():
    nodes = pandas.DataFrame({"a": [1.0, 2.0, 3.0]}, index=["x", "y", "z"])
    pairs = pandas.DataFrame(
        {"weight": [5.0, 7.0]}, index=pandas.MultiIndex.from_tuples([("z", "x"), ("y", "y")])
    )
    items = ItemSet.from_frames(nodes, pairs)
    assert list(items.items) == ["x", "y", "z"]
    np.testing.assert_array_equal(items.similarity([0.0, 1.0]), [[0, 0, 5], [0, 7, 0], [5, 0, 0]])
    alone = ItemSet.from_frames(pairs=pairs)
    assert list(alone.items) == ["z", "x", "y"]
    assert alone.n_features == 1
    assert list(ItemSet(nodes).items) == ["x", "y", "z"]


def test_bad_frames():
    nodes = pandas.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
    stranger = pandas.MultiIndex.from_tuples([("x", "q")])
    with pytest.raises(ValueError, match="no row of features: 'q'"):
        ItemSet.from_frames(nodes, pandas.DataFrame({"w": [1.0]}, index=stranger))
    with pytest.raises(ValueError, match="'x' is there more than once"):
        ItemSet.from_frames(nodes.set_axis(["x", "x"]))
    with pytest.raises(ValueError, match="two levels"):
        ItemSet.from_frames(nodes, nodes)
    with pytest.raises(ValueError, match=r"must be a DataFrame of pandas; got .*ndarray"):
        ItemSet.from_frames(nodes.to_numpy())
    with pytest.raises(ValueError, match="neither"):
        ItemSet.from_frames()
