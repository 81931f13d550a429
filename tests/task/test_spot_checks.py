"""Sketches of inputs: equal for equal data, different after a change, bounded in size and time."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from structsvm.task.spot_checks import READ, sketch


def set_first(x):
    x[0] = 7


LARGE = np.arange(100.0 * READ).reshape(100, READ)

INPUTS = {
    "numbers": (lambda: np.arange(5.0), set_first),
    "float32": (lambda: np.ones((3, 2), np.float32), set_first),
    "text": (lambda: np.array(["a", "b"]), set_first),
    "objects": (lambda: np.array([[1], "b"], object), set_first),
    "empty": (lambda: np.empty((0, 3)), None),
    "scalar": (lambda: np.array(3.0), None),
    "large": (LARGE.copy, set_first),
    "reversed": (lambda: LARGE.copy()[::-1, ::2], set_first),
    "csr": (lambda: sparse.eye(4, format="csr"), lambda x: set_first(x.data)),
    "coo": (lambda: sparse.eye(4, format="coo"), lambda x: set_first(x.data)),
    "lil": (lambda: sparse.eye(4, format="lil"), lambda x: x.data[0].append(3.0)),
    "list": (lambda: [1, "b", None, np.nan], set_first),
    "long list": (lambda: list(range(3 * READ)), set_first),
    "nested": (lambda: [[np.zeros(2)], {"a": [np.nan]}], lambda x: x[1]["a"].append(1)),
    "tuple": (lambda: ([1], 2), lambda x: x[0].append(2)),
    "string": (lambda: "a" * 3 * READ, None),
    "bytes": (lambda: b"abc", None),
    "object": (object, None),
    "None": (lambda: None, None),
}


@pytest.mark.parametrize(("make", "change"), INPUTS.values(), ids=INPUTS)
def test_sketches_are_equal_until_the_data_change(make, change):
    x = make()
    before = sketch(x)
    assert sketch(x) == pickle.loads(pickle.dumps(before)) == before
    assert len(pickle.dumps(before)) < 20 * READ
    if change is not None:
        change(x)
        assert sketch(x) != before


def test_a_list_in_itself_has_a_sketch():
    x = [1]
    x.append(x)
    assert sketch(x) == sketch(x)
