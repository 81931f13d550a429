"""Restricted duals of the shapes that cutting planes produce, for the tests of structsvm.qp."""

import numpy as np

INF = np.inf

SHAPES = ["1-slack", "n-slack", "duplicates", "zeros", "percent", "balance", "pairwise"]


def make_instance(seed, shape, cap=1.0):
    """A feasible random instance: H, b, groups and caps."""
    rng = np.random.default_rng(seed)
    m, d, n_groups = int(rng.integers(1, 60)), int(rng.integers(1, 12)), 1
    if shape == "n-slack":
        n_groups = int(rng.integers(2, 25))
    A, b = rng.normal(size=(m, d)), rng.random(m)
    groups, caps = rng.integers(n_groups, size=m), np.full(n_groups, cap)
    if shape == "duplicates":
        A[m // 2 :] = A[: m - m // 2] + rng.choice([0, 1e-9]) * rng.normal(size=(m - m // 2, d))
    if shape == "zeros":
        A[rng.random(m) < 0.4] = 0
    if shape == "percent":
        b *= 100
    if shape == "balance":  # two-sided, tight or with room: makes H singular
        v = rng.normal(size=(1, d))
        A, b = np.r_[A, v, -v], np.r_[b, np.full(2, -rng.choice([0.0, 0.1]))]
    if shape == "pairwise":  # 90 rows of rank 9
        V = rng.normal(size=(10, d))
        rows = [V[p] - V[q] for p in range(10) for q in range(10) if p != q]
        A, b = np.r_[A, rows], np.r_[b, np.full(90, -0.05)]
    hard = len(b) - m
    if hard:
        groups, caps = np.r_[groups, np.full(hard, n_groups)], np.r_[caps, INF]
    return A @ A.T, b, groups, caps


def assert_feasible(alpha, groups, caps):
    assert (alpha >= 0).all()
    assert (np.bincount(groups, alpha, len(caps)) <= caps * (1 + 1e-12)).all()
