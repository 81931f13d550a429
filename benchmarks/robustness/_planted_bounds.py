"""Bugs in what bounds w."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted_cases import planted
from benchmarks.robustness._planted_grid import BoundedGrid, grid


@planted(grid, {"constraints"}, "A and b, both finite")
class SparseConstraintsHoldNaN(BoundedGrid):
    def rows(self):
        A, b = super().rows()
        A[0, 2] = np.nan
        return sparse.csr_array(A), b


@planted(grid, {"constraints"}, "b of shape (n_constraints,)", listed=False)
class ConstraintsShareOneNumber(BoundedGrid):
    def rows(self):
        return np.eye(7)[:3], 0.0


@planted(grid, {"constraints"}, "constraints on w as A w <= b")
class ConstraintsContradictTheBounds(BoundedGrid):
    """The inequality is written the other way round."""

    def rows(self):
        return np.eye(7)[4:5], -np.ones(1)


@planted(grid, {"constraints"}, "-inf where a weight has no bound")
class BoundsAreNaNWhereThereIsNone(BoundedGrid):
    def lower(self):
        return np.where(np.isinf(super().lower()), np.nan, 0.0)


@planted(grid, {"constraints"}, "-inf where a weight has no bound", listed=False)
class BoundsAreInfinite(BoundedGrid):
    def lower(self):
        return -super().lower()


@planted(grid, {"constraints"}, "Ensures: shape (size_joint_feature,)")
class BoundsAreIntervals(BoundedGrid):
    def lower(self):
        return [(0.0, None)] * 7
