"""The working set keeps its Gram matrix, groups, constraints and weights consistent."""

import copy
from itertools import pairwise

import numpy as np
import pytest
from pressed import broken_off
from scipy import sparse

from structsvm.data.containers import dense
from structsvm.planes import Source
from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import WorkingSet

D = 5


def working_set(n_groups=3, constraints=None):
    return WorkingSet(np.full(n_groups, 2.0), Constraints(constraints, D))


def add_random(planes, rng, m):
    rows, groups = rng.normal(size=(m, D)), rng.integers(planes.n_groups, size=m)
    planes.add(rows, rng.random(m), groups, [Source(int(g), [object()], 1.0) for g in groups])


def require_consistent(planes):
    np.testing.assert_allclose(planes.gram, planes.rows @ planes.rows.T, atol=1e-12)
    lengths = {len(planes.rows), len(planes.offsets), len(planes.groups), len(planes.alpha)}
    assert lengths == {len(planes)} == {len(planes.sources)}


def test_gram_matrix_stays_right_while_planes_are_added_and_dropped():
    rng = np.random.default_rng(0)
    planes = working_set()
    for round_ in range(20):
        add_random(planes, rng, int(rng.integers(1, 9)))
        require_consistent(planes)
        planes.solve()
        changed = rng.permutation(len(planes))[:3]
        others = rng.normal(size=(len(changed), D))
        planes.replace(changed, others, np.ones(len(changed)), None)
        require_consistent(planes)
        planes.prune(round_ % 3)
        require_consistent(planes)


@pytest.mark.parametrize(
    ("limits", "lower"), [(None, None), ((np.eye(D), np.full(D, 0.5)), np.full(D, -0.1))]
)
def test_sparse_rows_have_the_solutions_of_dense_ones(limits, lower):
    rng = np.random.default_rng(0)
    constraints = Constraints(limits, D, lower)
    thick, thin = (WorkingSet(np.full(3, 2.0), constraints) for _ in range(2))
    for _ in range(6):
        rows, groups = rng.normal(size=(4, D)) * (rng.random((4, D)) < 0.3), rng.integers(3, size=4)
        rest = rng.random(4), groups, [Source(int(g), [object()], 1.0) for g in groups]
        thick.add(rows, *rest)
        thin.add(sparse.csr_matrix(rows), *rest)
        w = thick.solve().w
        np.testing.assert_allclose(thin.solve().w, w, atol=1e-9)
        np.testing.assert_allclose(thin.gram, thick.gram, atol=1e-12)
        np.testing.assert_allclose(thin.slacks(w), thick.slacks(w), atol=1e-9)
        assert thin.magnitude(w) == pytest.approx(thick.magnitude(w))
        np.testing.assert_allclose(thin.multipliers(), thick.multipliers(), atol=1e-9)
        for planes in (thick, thin):
            planes.prune(1)
    assert len(thin) == len(thick) and sparse.issparse(thin.rows)


def test_pruning_drops_idle_planes_only_and_keeps_w():
    rng = np.random.default_rng(1)
    planes = working_set()
    add_random(planes, rng, 30)
    for _ in range(3):
        planes.solve()
    w, used = (
        planes.solution.w,
        [s for s, a in zip(planes.sources, planes.alpha, strict=True) if a > 0],
    )
    planes.prune(after=3)
    assert len(planes) == 30, "no plane was idle for more than 3 solutions"
    planes.prune(after=2)
    assert 0 < len(planes) < 30
    np.testing.assert_allclose(planes.alpha @ planes.rows, w, atol=1e-12)
    assert planes.sources == used
    assert planes.solve().dual == pytest.approx(planes.solve().primal, rel=1e-9)


def test_slacks_are_the_largest_violation_of_each_group():
    planes = working_set()
    w = np.eye(D)[0]
    rows = np.array([[0.5], [2.0], [0.1]]) * w
    planes.add(rows, np.ones(3), np.array([0, 0, 2]), [Source(0, [0], 1.0)] * 3)
    np.testing.assert_allclose(planes.slacks(w), [0.5, 0.0, 0.9])
    np.testing.assert_allclose(planes.slacks(3 * w), [0.0, 0.0, 0.7])


def test_constraints_become_planes_only_when_violated():
    A, b = np.vstack([np.eye(D), -np.eye(D)]), np.full(2 * D, 0.5)
    planes = working_set(1, (A, b))
    planes.solve()
    assert len(planes) == 0
    planes.add(np.eye(D)[:1], np.array([1.0]), np.array([0]), [Source(None, [], 1.0)])
    restricted = planes.solve()
    assert len(planes) == 2
    np.testing.assert_allclose(restricted.w, 0.5 * np.eye(D)[0], atol=1e-9)
    # max(0, 1 - w_0) has slope 1 at the bound, its weight C is 2: mu = 2 - 0.5.
    np.testing.assert_allclose(planes.multipliers(), 1.5 * np.eye(2 * D)[0], atol=1e-8)


def test_multipliers_name_their_rows_after_pruning():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(8, D)), np.full(8, 0.1)
    planes = working_set(3, (A, b))
    active = []
    for _ in range(15):
        add_random(planes, rng, 2)
        w = planes.solve().w
        multipliers = planes.multipliers()
        rows, alpha = planes.rows[planes.sourced], planes.alpha[planes.sourced]
        np.testing.assert_allclose(w, alpha @ rows - A.T @ multipliers, atol=1e-10)
        np.testing.assert_allclose((A @ w)[multipliers > 0], 0.1, atol=1e-6)
        assert np.all(A @ w <= 0.1 + 1e-6)
        active.append(set(np.flatnonzero(multipliers)))
        planes.prune(0)
    assert any(earlier - later for earlier, later in pairwise(active))


def some_planes():
    """A working set with constraints and planes, solved."""
    limits = (np.vstack([np.eye(D), -np.eye(D)]), np.full(2 * D, 0.1))
    planes = WorkingSet(np.full(3, 2.0), Constraints(limits, D))
    for seed in range(3):
        add_random(planes, np.random.default_rng(seed), 4)
        planes.solve()
    return planes


def same(planes, others):
    return all(map(np.array_equal, state(planes), state(others)))


def state(planes):
    return [np.array(dense(planes.rows)), planes.offsets, planes.groups, planes.alpha, planes.idle,
            planes.multipliers(), planes.solution.w, len(planes.sources)]  # fmt: skip


CHANGES = {
    "add": lambda planes: add_random(planes, np.random.default_rng(9), 4),
    "replace": lambda planes: planes.replace(
        planes.sourced[:2], np.ones((2, D)), np.ones(2), ["others"]
    ),
    "prune": lambda planes: planes.prune(0),
    "solve": lambda planes: planes.solve(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_ctrl_c_leaves_it_as_it_was_or_as_it_is_then(change):
    """At every line of a change; afterwards it can be solved."""
    parts = ("structsvm/planes/", "structsvm/qp/")
    before = some_planes()
    if change == "solve":
        add_random(before, np.random.default_rng(9), 4)
    planes = copy.deepcopy(before)
    CHANGES[change](planes)
    for place, interrupted in broken_off(CHANGES[change], before, parts):
        assert same(interrupted, before) or same(interrupted, planes), place
        interrupted.solve()
        require_consistent(interrupted)
