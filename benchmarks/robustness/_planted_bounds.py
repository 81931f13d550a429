"""Bugs in what bounds w."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import BoundedGrid, grid


@planted(grid, {"constraints"}, "A and b, both finite")
class SparseConstraintsHoldNaN(BoundedGrid):
    def constraints(self):
        A, b = super().constraints()
        A[0, 2] = np.nan
        return sparse.csr_array(A), b


@planted(grid, {"constraints"}, "b of shape (n_constraints,)", listed=False)
class ConstraintsShareOneNumber(BoundedGrid):
    def constraints(self):
        return np.eye(7)[:3], 0.0


@planted(grid, {"constraints", "lower_bounds"}, "constraints on w as A w <= b")
class ConstraintsContradictTheBounds(BoundedGrid):
    """The inequality is written the other way round."""

    def constraints(self):
        return np.eye(7)[4:5], -np.ones(1)


@planted(grid, {"lower_bounds"}, "-inf where a weight has no bound")
class BoundsAreNaNWhereThereIsNone(BoundedGrid):
    def lower_bounds(self):
        return np.where(np.isinf(super().lower_bounds()), np.nan, 0.0)


@planted(grid, {"lower_bounds"}, "-inf where a weight has no bound", listed=False)
class BoundsAreInfinite(BoundedGrid):
    def lower_bounds(self):
        return -super().lower_bounds()


@planted(grid, {"lower_bounds"}, "Ensures: shape (size_joint_feature,)")
class BoundsAreIntervals(BoundedGrid):
    def lower_bounds(self):
        return [(0.0, None)] * 7
