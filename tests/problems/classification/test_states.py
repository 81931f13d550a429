"""States: products with the weights of some pairs of a feature and a label, beside dense ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from structsvm.problems.classification.states import AllStates, SeenStates, choice, chosen_states


def drawn(seed, n=40, d=25, k=12, density=0.1, dtype=np.float64):
    """Rows of few features, label codes, and the pairs that occur."""
    rng = np.random.default_rng(seed)
    X = sparse.random(n, d, density, "csr", dtype, rng)
    codes = rng.integers(k, size=n)
    seen = (X != 0).T.astype(float) @ np.eye(k)[codes] > 0
    return X, codes, seen


def of_pattern(seen):
    return SeenStates(sparse.csr_matrix(seen.astype(float)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 0.6), st.integers(1, 15), st.booleans())
def test_products_are_those_of_a_dense_matrix_with_zeros(seed, density, k, votes):
    X, _, _ = drawn(seed, density=density)
    rng = np.random.default_rng(seed)
    seen = rng.random((25, k)) < rng.random((25, 1))
    some = of_pattern(seen)
    w, p = rng.normal(size=some.size), rng.normal(size=(k, 40))
    p = p * (rng.random(p.shape) < 0.2) if votes else p
    W = np.zeros((25, k))
    W[seen] = w
    rows = some.rows(X)
    np.testing.assert_allclose(rows.scores(w), (X @ W).T, atol=1e-12)
    given_p = sparse.csr_matrix(p) if votes else p
    np.testing.assert_allclose(rows.sums(given_p), (X.T @ p.T)[seen], atol=1e-12)
    squares = X.multiply(X).T @ p.T
    np.testing.assert_allclose(rows.squared().sums(given_p), squares[seen], atol=1e-12)
    np.testing.assert_array_equal(some.by_label(w).toarray(), W.T)
    np.testing.assert_array_equal(some.of_matrix(np.stack([W, 2 * W]))[1], 2 * w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_have_the_precision_of_the_rows(dtype):
    X, codes, _ = drawn(0, dtype=dtype)
    some = SeenStates.of_data(X, codes, 12)
    rows = some.rows(X)
    assert rows.scores(np.ones(some.size, dtype)).dtype == dtype
    assert rows.sums(np.ones((12, 40), dtype)).dtype == dtype


def test_states_of_data_are_the_pairs_that_occur():
    X, codes, seen = drawn(0)
    found = SeenStates.of_data(X, codes, 12)
    np.testing.assert_array_equal(found.by_label(np.ones(found.size)).toarray() > 0, seen.T)


def test_the_most_frequent_features_have_all_states_as_long_as_they_are_few():
    X, codes, seen = drawn(0)
    order = np.argsort(-np.bincount(X.indices, minlength=25), kind="stable")
    for number in (0, 1, 7, 25):
        wanted = seen.copy()
        wanted[order[:number]] = True
        for more in (0, 12 - 1):  # the next feature does not fit in
            most = int(wanted.sum()) + (
                min(more, 12 - seen[order[number]].sum() - 1) if more and number < 25 else 0
            )
            found = SeenStates.of_data(X, codes, 12, most)
            np.testing.assert_array_equal(
                found.by_label(np.ones(found.size)).toarray() > 0, wanted.T
            )


def test_columns_of_joint_features():
    X, codes, seen = drawn(0)
    joint = sparse.random(6, 25 * 12, 0.3, "csr", random_state=0)
    np.testing.assert_array_equal(
        SeenStates.of_data(X, codes, 12).of_joint(joint).toarray(),
        joint.toarray()[:, seen.ravel()],
    )
    assert AllStates(25, 12).of_joint(joint) is joint


def test_the_choice(monkeypatch):
    X, codes, seen = drawn(0)
    assert isinstance(chosen_states(True, X, codes, range(12)), AllStates)
    assert isinstance(chosen_states("auto", X, codes, range(12)), AllStates)
    assert chosen_states(False, X, codes, range(12)).size == seen.sum()
    monkeypatch.setattr(choice, "MANY", 200)
    assert seen.sum() < chosen_states("auto", X, codes, range(12)).size <= 200
    assert isinstance(chosen_states(False, X.toarray(), codes, range(12)), AllStates)
    for wrong in ("all", None, 2, np.ones(2)):
        with pytest.raises(ValueError, match="all_possible_states must be True, False or 'auto'"):
            chosen_states(wrong, X, codes, range(12))
