"""Containers of sentences: the arcs of all, and trees as heads or pairs."""

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems.trees.data import ArcLayout, Arcs, Trees

LENGTHS = [3, 1, 17, 4, 1, 18, 40]


def drawn(convert=np.asarray):
    """Arcs whose only feature is their place, beside empty ones."""
    layout = ArcLayout(np.array(LENGTHS))
    rows = np.zeros((layout.n_arcs, 5))
    rows[:, 2] = np.arange(1, layout.n_arcs + 1)
    return Arcs(convert(rows), layout)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "which", [slice(2, 5), slice(None), slice(0, 0), slice(None, None, 2), [3, 0], [True] * 7]
)
def test_parts_hold_the_same_sentences(which, convert):
    arcs = drawn(convert)
    if isinstance(which, list):
        which = np.array(which)
    part = arcs[which]
    kept = np.arange(7)[which]
    assert part.shape == (len(kept),) and len(part) == len(kept)
    for own, i in zip(range(len(kept)), kept, strict=True):
        a, b = part[own], arcs[int(i)]
        assert a.shape == b.shape
        assert abs(a - b).sum() == 0
    assert arcs[-1].shape == arcs[6].shape
    with pytest.raises(IndexError):
        arcs[7]


def test_slices_share_memory():
    dense, csr = drawn(), drawn(sparse.csr_matrix)
    assert np.shares_memory(dense[1:4].rows, dense.rows)
    assert np.shares_memory(csr[1:4].rows.indices, csr.rows.indices)
    assert dense[0].shape == (3, 4, 5) and csr[0].shape == (12, 5)


def test_trees_read_as_heads_or_pairs():
    layout = ArcLayout(np.array([2, 1, 3]))
    heads = np.array([2, 0, 0, 0, 1, 1])
    trees = Trees(heads, layout)
    assert [y.tolist() for y in trees] == [[2, 0], [0], [0, 1, 1]]
    codes, names = np.array([0, 1, 1, 1, 0, 0]), np.array(["det", "root"])
    labelled = Trees(heads, layout, codes, names)[np.array([2, 0])]
    assert labelled[1] == [(2, "det"), (0, "root")]
    assert repr(labelled).startswith("Trees([[(0, 'root'), (1, 'det')")
    assert trees.places(layout).tolist() == [2, 3, 6, 8, 13, 17]
