"""Data sets without files: shapes, scales and moments."""

import numpy as np
import pytest

from structsvm.datasets import (
    digits,
    digits_pair,
    ringnorm,
    synth,
)


def test_digits_are_scaled():
    X, y = digits()
    assert X.shape == (1797, 64)
    assert (X.min(), X.max()) == (0, 1)
    assert set(y) == set(range(10))


@pytest.mark.parametrize(
    ("pair", "n"), [((3, 8), 357), ((1, 7), 361), ((2, 7), 356), ((8, 9), 354)]
)
def test_pairs_of_digits(pair, n):
    X, y = digits_pair(*pair)
    assert X.shape == (n, 64)
    assert set(y) == set(pair)


def test_ringnorm_has_the_moments_of_its_definition():
    X, y = ringnorm(100_000, random_state=1)
    wide, narrow = X[y == 0], X[y == 1]
    assert len(narrow) == pytest.approx(50_000, rel=0.02)
    np.testing.assert_allclose(wide.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(narrow.mean(axis=0), 1 / np.sqrt(20), atol=0.02)
    np.testing.assert_allclose(np.cov(wide.T), 4 * np.eye(20), atol=0.1)
    np.testing.assert_allclose(np.cov(narrow.T), np.eye(20), atol=0.03)


def test_ringnorm_is_the_same_for_the_same_seed():
    np.testing.assert_array_equal(ringnorm(50)[0], ringnorm(50)[0])
    assert not np.array_equal(ringnorm(50)[0], ringnorm(50, random_state=1)[0])


def test_synth_without_noise_tells_the_clusters():
    X, y = synth(noise=0.0, n_sets=2, n_clusters=3, cluster_size=4, region_size=6, n_active=2)
    assert len(X) == len(y) == 2
    for (rows, cols, features), labels in zip(X, y, strict=True):
        assert features.shape == (66, 36)
        assert np.bincount(labels).tolist() == [4, 4, 4]
        assert np.all(np.diff(features.indptr) == 2)
        assert features.has_canonical_format
        regions = features.indices.reshape(-1, 2) // 6
        assert np.all(regions[:, 0] == regions[:, 1])
        ends = np.sort(np.column_stack([labels[rows], labels[cols]]), axis=1)
        known = {tuple(end): region for end, region in zip(ends, regions[:, 0], strict=True)}
        assert len(set(known.values())) == len(known) == 6
        assert [known[tuple(end)] for end in ends] == regions[:, 0].tolist()


def test_noise_of_synth_is_as_the_paper_counts_it():
    """At 20 % about 70.5 % of the pairs have the right region (section 6.1.3)."""
    clean, y = synth(noise=0.0, n_sets=1, random_state=4)
    rows, cols, features = synth(noise=0.2, n_sets=1, random_state=4)[0][0]
    right = features.indices.reshape(-1, 5)[:, 0] // 50 == clean[0][2].indices[::5] // 50
    assert np.mean(right) == pytest.approx(0.705 + 0.01, abs=0.03)
    assert len(rows) == len(cols) == 4950
    assert np.array_equal(y[0], synth(noise=0.2, n_sets=1, random_state=4)[1][0])
