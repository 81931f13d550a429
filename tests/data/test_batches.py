"""Groups of examples of nearly equal length, and batches that are made on demand."""

from itertools import pairwise

import numpy as np
import pytest

from structsvm.data.batches import LazySequence, alike


@pytest.mark.parametrize("most", [1, 7, 30, 1000])
def test_groups_hold_each_example_once(most):
    lengths = np.random.default_rng(0).integers(1, 12, size=50)
    groups = alike(lengths, lengths**2, most)
    assert sorted(np.concatenate(groups).tolist()) == list(range(50))
    assert all(np.all(np.diff(some) > 0) for some in groups)
    ends = [(lengths[some].min(), lengths[some].max()) for some in groups]
    assert all(low >= high for (_, high), (low, _) in pairwise(ends))
    assert all((lengths[some] ** 2).sum() < most + 2 * 11**2 for some in groups)


def test_elements_are_made_whenever_they_are_asked_for():
    asked = []
    made = LazySequence(lambda x: asked.append(x) or 2 * x, [3, 4])
    assert len(made) == 2 and list(made) == [6, 8] and made[1] == 8
    assert asked == [3, 4, 4]
    assert made[1:] == [8] and made[:0] == []
