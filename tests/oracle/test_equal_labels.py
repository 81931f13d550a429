"""Labels that are the same: equal plain values of one type."""

from collections import namedtuple

import numpy as np
import pytest

from structsvm.oracle.equal_labels import changed, same


class Never:
    """An object that may not be compared."""

    def __eq__(self, other):
        raise AssertionError("the engine compared outputs")

    __hash__ = None

    def __repr__(self):
        return "NEVER"


class Name(str):
    """A class of a user's."""


class Number(np.float64):
    """Another."""


Point = namedtuple("Point", "x y")
NEVER = Never()


def array(*entries, dtype=None):
    return np.array(entries, dtype=dtype)


@pytest.mark.parametrize(
    "a, b",
    [
        (10**30, 10**30),
        ("a" * 50, "".join(["a"] * 50)),
        ([1, ("b", [2.0])], [1, ("b", [2.0])]),
        (np.int64(3), np.int64(3)),
        (array(1.0, 2.0), array(1.0, 2.0)),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.ones((2, 3), order="C"), np.ones((2, 3), order="F")),
    ],
    ids=repr,
)
def test_same(a, b):
    assert same(a, b)


@pytest.mark.parametrize(
    "a, b",
    [
        (True, 1),
        (1, 1.0),
        ((1, 0), (True, 0)),
        ((1, 2), [1, 2]),
        ([1, 2], [1, 2.0]),
        (NEVER, NEVER),
        ((1, NEVER), (1, NEVER)),
        (float("nan"), float("nan")),
        (np.int64(3), 3),
        (array(1, 2), array(1.0, 2.0)),
        (array(1, 2), array(1, 3)),
        (np.ones((1, 2)), np.ones(2)),
        (np.datetime64("2020"), np.datetime64("2020-01")),
        (array(1, 2, dtype=object), array(1, 2, dtype=object)),
        (Never(), Never()),
        (Name("a"), Name("a")),
        (Number(1), Number(1)),
        (Point(1, 2), Point(1, 2)),
        (np.ma.array([1]), np.ma.array([1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_not_the_same(a, b):
    assert not same(a, b)


def test_the_places_that_have_changed():
    labels = ["a", (1, 2), NEVER, Never(), 5]
    assert changed(labels, ["a", (1, 3), NEVER, Never(), 5.0]).tolist() == [1, 2, 3, 4]
    assert changed(labels, labels).tolist() == []


@pytest.mark.parametrize("shape", [(6,), (6, 2), (6, 0), (6, 2, 3)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, "U3", bool])
def test_labels_in_one_array_are_compared_as_one_by_one(shape, dtype):
    before = np.random.default_rng(0).integers(2, size=shape).astype(dtype)
    labels = before.copy()
    labels[[1, 4]] = labels[[4, 1]]
    if dtype == np.float32 and labels.size:
        labels[2] = np.nan
    np.testing.assert_array_equal(changed(before, labels), changed([*before], [*labels]))
