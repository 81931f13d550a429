"""The set of weights, as tensors, that satisfy a problem's constraints and lower bounds."""

from __future__ import annotations

import numpy as np
import torch

from structsvm.contract.constraints import constraints_of
from structsvm.contract.problem import Problem
from structsvm.planes.constraints import Constraints
from structsvm.planes.working_set import FEASIBILITY_TOLERANCE, projected
from structsvm.torch.arguments import as_numpy, tensor_like

#: Tolerated violation of A w <= b, relative to the size of its terms, in addition to the precision
#: of w. A projection leaves less, so a second projection changes nothing.
TOLERANCE = 10 * FEASIBILITY_TOLERANCE


class FeasibleWeights:
    """The set of all w that satisfy ``Problem.constraints``, including lower bounds.

    Parameters
    ----------
    problem : Problem
        An initialised problem.

    Attributes
    ----------
    constrained : bool
        Whether the problem has any constraints or bounds.
    """

    def __init__(self, problem: Problem) -> None:
        self._name = type(problem).__name__
        given = constraints_of(problem)
        self.constrained = given.rows is not None or given.lower is not None
        self._constraints = Constraints(given.rows, problem.size_joint_feature, given.lower)

    def nearest(self, w: torch.Tensor) -> torch.Tensor:
        """Return the feasible weights nearest to w, in the dtype of w."""
        point = as_numpy(w).astype(np.float64)
        if self._violation(w) > 0:
            point = projected(point, self._constraints)
        return tensor_like(self._constraints.bounded(point), w)

    def require(self, w: torch.Tensor) -> None:
        """Raise a ValueError unless w, or each row of w, is feasible."""
        if not self.constrained:
            return
        lower = self._constraints.lower
        bounds = tensor_like(-np.inf if lower is None else lower, w)
        for i, row in enumerate(w.detach().reshape(-1, w.shape[-1])):
            if bool((row < bounds).any()) or self._violation(row) > 0:
                name = f"w[{i}]" if w.ndim == 2 else "w"
                raise ValueError(
                    f"{name} violates the constraints or lower bounds of {self._name}: compute w "
                    "by a function whose values satisfy them, such as torch.nn.functional.softplus "
                    "for lower bounds of 0, or let the layer hold w, with scores=False"
                )

    def _violation(self, w: torch.Tensor) -> float:
        """Return the largest violation of A w <= b, or 0 if it is only a rounding error."""
        found = float(self._constraints.violations(as_numpy(w).astype(np.float64)).max(initial=0.0))
        return found if found > TOLERANCE + torch.finfo(w.dtype).eps else 0.0
