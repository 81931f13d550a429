"""Rows that are linked become one node."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structsvm.problems.margin_clustering.sdp_mmc.groups import linked


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(0, 12))
@settings(max_examples=80, deadline=None)
def test_groups_allow_exactly_the_labellings_that_keep_labels_and_links(seed, n, n_links):
    rng = np.random.default_rng(seed)
    truth = rng.choice([-1, 1], n)
    pairs = [tuple(rng.integers(n, size=2)) for _ in range(n_links)]
    must = [(i, j) for i, j in pairs if truth[i] == truth[j]]
    cannot = [(i, j) for i, j in pairs if truth[i] != truth[j]]
    known = np.where(rng.random(n) < 0.3, (truth + 1) // 2, -1)
    groups = linked(n, known, must, cannot)

    def keeps(y):
        """Up to the names of the clusters."""
        labelled = y[known >= 0] * (2 * known[known >= 0] - 1)
        return (
            all(y[i] == y[j] for i, j in must)
            and all(y[i] != y[j] for i, j in cannot)
            and abs(labelled.sum()) == len(labelled)
        )

    wanted = {tuple(y) for y in product((-1, 1), repeat=n) if keeps(np.array(y))}
    made = {
        tuple(groups.of_rows(np.array(z)).astype(int))
        for z in product((-1, 1), repeat=groups.n_nodes)
    }
    assert made == wanted
    assert groups.n_nodes == round(np.log2(len(wanted)))
    z = rng.choice([-1.0, 1.0], groups.n_nodes)
    assert groups.sizes @ z == groups.of_rows(z).sum()
    y = groups.of_rows(z)
    np.testing.assert_array_equal(groups.pairs_of_rows(np.outer(z, z)), np.outer(y, y))
    A = rng.normal(size=(n, n))
    A += A.T
    R = np.eye(groups.n_nodes)[groups.nodes]
    np.testing.assert_allclose(groups.summed(A), R.T @ A @ R)


@pytest.mark.parametrize(
    ("known", "must", "cannot", "message"),
    [
        ([-1] * 4, [(0, 1), (1, 2)], [(2, 0)], r"cannot_link has \(2, 0\).*rows 2 and 0 are apart"),
        ([-1] * 4, [(0, 1)], [(1, 0)], r"cannot_link has \(1, 0\)"),
        ([-1] * 4, [(2, 2)], [(3, 3)], "row 3 differs from itself"),
        ([0, 1, -1, -1], [(0, 2), (2, 1)], [], r"must_link has \(2, 1\).*but the labels"),
        ([0, 0, -1, -1], [], [(0, 1)], r"cannot_link has \(0, 1\).*but the labels"),
        ([-1] * 4, [], [(0, 1), (1, 2), (2, 0)], r"cannot_link has \(2, 0\).*other links"),
    ],
)
def test_contradictory_links_are_named(known, must, cannot, message):
    with pytest.raises(ValueError, match=message):
        linked(4, np.array(known), must, cannot)
