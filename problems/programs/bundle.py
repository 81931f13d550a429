"""The bundle method for any convex risk with a quadratic regulariser."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from structsvm.data.arrays import Vector
from structsvm.data.validation import require_integer, require_number
from structsvm.docstrings import documented
from structsvm.objective import regulariser
from structsvm.objective.rounding import AGREEMENT, DOUBLE, MULTIPLE, NEGLIGIBLE
from structsvm.planes.constraints import Constraints
from structsvm.planes.plane import Source
from structsvm.planes.working_set import WorkingSet
from structsvm.results.status import Guarantee, Iteration, Outcome, Status
from structsvm.solvers.shared.loop import Limits, Pass

logger = logging.getLogger(__name__)

#: Factor below which a smaller shift replaces the current one.
SMALLER = 0.1
#: Number of idle passes after which a plane is dropped.
PRUNE_AFTER = 10


@documented
@dataclass(frozen=True, repr=False)
class BundleResult(Outcome):
    """The result of a bundle method.

    ``help`` also shows the inherited parameters and attributes.

    Attributes
    ----------
    w : ndarray of shape (dims,)
        The best point.
    primal : float
        The objective at w.
    dual : float
        The largest lower bound on the objective. For a lower bound, the method replaces the risk by
        the maximum of its tangents, and minimises the objective.
    oracle_calls : int
        Number of evaluations of the risk.
    """

    w: Vector


class BundleMethod:
    r"""A minimiser of :math:`\tfrac\lambda2 \|w\|^2 + L(w)` for convex L, with a certified gap.

    Each evaluation of the risk L yields a tangent, which lies below L everywhere. If the maximum of
    the tangents replaces the risk L, the problem becomes a quadratic program. The minimum of the
    quadratic program is a lower bound of the objective. There are two differences from the bundle
    method of Teo et al. First, to save evaluations, the method evaluates the risk L halfway between
    the minimum of the quadratic program and the best w so far. Second, the method returns the best
    w instead of the last w.

    Another package, which PyPI lists as ``structsvm``, has a class of the same name and arguments.
    The tracking library motile was written for the ``structsvm`` on PyPI, but also works with this
    :class:`BundleMethod`. To train a structural SVM with m examples, let L be the sum of the
    slacks, and set lambda to m / C (see :mod:`structsvm.objective`). The page :doc:`/programs` has
    an example.

    Parameters
    ----------
    value_gradient_callback : callable
        ``value_gradient_callback(w)`` returns L(w), a number, and a subgradient of L at w, of shape
        (dims,). The risk L must be finite and convex, and may be negative.
    dims : int
        The length of w, >= 1.
    regularizer_weight : float
        The factor lambda of the regulariser, > 0.
    eps : float
        Tolerance, >= 0, in units of the objective. The method stops when the gap is at most
        ``eps``.

    Attributes
    ----------
    result : BundleResult or None
        The result of the last call of :meth:`optimize`, with its gap and status.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of range, if the risk or its subgradient has a wrong type or is not
        finite, or if values of the risk contradict convexity. A risk that is not convex does not
        always cause an error.

    References
    ----------
    Teo, Vishwanathan, Smola & Le, Bundle Methods for Regularized Risk Minimization, JMLR 11, 2010.

    Examples
    --------
    Fit a quantile regression, for which no problem of this package exists:

    >>> import numpy as np
    >>> from structsvm import BundleMethod
    >>> X = np.column_stack([np.ones(101), np.linspace(-1, 1, 101)])
    >>> y = 2 * X[:, 1] + np.sin(np.arange(101))
    >>> def pinball(w, quantile=0.9):
    ...     residual = y - X @ w
    ...     slope = np.where(residual > 0, quantile, quantile - 1)
    ...     return float(slope @ residual) / 101, -slope @ X / 101
    >>> bundle = BundleMethod(pinball, dims=2, regularizer_weight=1e-3, eps=1e-4)
    >>> w = bundle.optimize()
    >>> round(float(np.mean(y < X @ w)), 1)
    0.9
    >>> bundle.result.status.name, bool(bundle.result.gap <= 1e-4)
    ('CONVERGED', True)
    """

    result: BundleResult | None = None

    def __init__(
        self,
        value_gradient_callback: Callable[[Vector], tuple[float, Vector]],
        dims: int,
        regularizer_weight: float,
        eps: float,
    ) -> None:
        if not callable(value_gradient_callback):
            raise TypeError(
                "value_gradient_callback must be a function of w that returns the risk and a "
                f"subgradient; got {value_gradient_callback!r:.60}"
            )
        require_integer("dims", dims, least=1)
        require_number("regularizer_weight", regularizer_weight, "> 0")
        require_number("eps", eps, ">= 0")
        self._risk, self._dims, self._eps = value_gradient_callback, dims, float(eps)
        self._lambda = float(regularizer_weight)

    def optimize(self, max_iterations: int | None = None) -> Vector:
        """Minimise the objective; return the best w, and set ``result``.

        Parameters
        ----------
        max_iterations : int, optional
            Largest number of evaluations of the risk, >= 1. Default: no limit.

        Returns
        -------
        ndarray of shape (dims,)
            The best w. After Ctrl-C, the best w so far is returned if the risk was evaluated at
            least once.
        """
        if max_iterations is not None:
            require_integer("max_iterations", max_iterations, least=1)
        bundle = _Bundle(self._checked, self._dims, self._lambda, self._eps)
        status = Limits(max_iterations or sys.maxsize).run(bundle)
        self.result = bundle.result(status)
        level = logging.INFO if status is Status.CONVERGED else logging.WARNING
        logger.log(level, "%s", self.result)
        return self.result.w

    def _checked(self, w: Vector) -> tuple[float, Vector]:
        """Return the risk and its subgradient at w; raise an error if they are invalid."""
        found = self._risk(w.copy())
        try:
            value, gradient = found
            value, gradient = float(value), np.array(gradient, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "value_gradient_callback must return a pair of a number and an array of shape "
                f"({self._dims},); it returned {found!r:.80}"
            ) from error
        if gradient.shape != (self._dims,):
            raise ValueError(
                f"the subgradient must have the shape (dims,), here ({self._dims},); it has "
                f"{gradient.shape}"
            )
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            wrong = f"subgradient has {gradient}" if math.isfinite(value) else f"risk is {value}"
            raise ValueError(
                f"the risk and its subgradient must be finite: the {wrong:.80} where the norm of w "
                f"is {np.linalg.norm(w):.6g}"
            )
        return value, gradient


class _Bundle:
    """A run of the bundle method: the tangents of the risk, and the best w so far.

    The solver of the quadratic program requires slacks >= 0, but tangents of the risk may be
    negative. While the quadratic program is solved, a small constant is added to all tangents. The
    lower bound on the objective is computed from the original tangents, and a bound on the rounding
    errors is subtracted.
    """

    name = "BundleMethod"

    def __init__(self, risk: Any, dims: int, weight: float, eps: float) -> None:
        self._risk, self._lambda, self._eps = risk, weight, eps
        self._planes = WorkingSet(np.array([1 / weight]), Constraints(None, dims))
        self.w, self.primal, self.dual = np.zeros(dims), math.inf, -math.inf
        self._risk_at_best, self._minimum = math.inf, np.zeros(dims)
        self._query: Vector | None = self._minimum
        self._history: list[Iteration] = []
        self._started = time.perf_counter()

    def step(self) -> Pass | Status:
        query = self._query
        if query is None:
            return Status.STALLED
        value, gradient = self._risk(query)
        offset = _offset(value, gradient, query)
        self._require_below(self._tangent(query), value)
        self._require_below(offset + float(gradient @ self.w), self._risk_at_best)
        primal = self._lambda * regulariser(query) + value
        if primal < self.primal:
            self.w, self.primal, self._risk_at_best = query, primal, value
        self._require_below(self.dual, self.primal)
        above = offset + float(gradient @ self._minimum) - self._tangent(self._minimum)
        if above > MULTIPLE * DOUBLE * self._planes.magnitude(self._minimum):
            self._add(gradient, offset)
            self._query = 0.5 * (self._minimum + self.w)
        else:
            # A tangent at the halfway point may not cut off the minimum: call the risk at the
            # minimum next.
            self._query = None if query is self._minimum else self._minimum
        gap, number, n_planes = self.primal - self.dual, len(self._history) + 1, len(self._planes)
        seconds = time.perf_counter() - self._started
        made = Iteration(number, primal, self.primal, self.dual, gap, n_planes, number, seconds)
        self._history.append(made)
        return Pass(made, query, gap <= self._eps)

    def result(self, status: Status) -> BundleResult:
        calls, seconds = len(self._history), time.perf_counter() - self._started
        return BundleResult(
            primal=self.primal,
            dual=self.dual,
            gap=self.primal - self.dual,
            tolerance=self._eps,
            status=status,
            guarantee=Guarantee(
                True, True, "convex risk: dual <= optimum <= primal, w is within the gap"
            ),
            iterations=calls,
            oracle_calls=calls,
            seconds={"total": seconds},
            history=tuple(self._history),
            w=self.w,
        )

    def _tangent(self, w: Vector) -> float:
        """Return the largest value of the tangents at w, or -infinity without tangents."""
        planes = self._planes
        return float((planes.offsets - planes.rows @ w).max()) if len(planes) else -math.inf

    def _require_below(self, tangent: float, value: float) -> None:
        """Raise a ValueError if a tangent lies above the risk."""
        if tangent - value > AGREEMENT * (abs(value) + self._planes.magnitude(self.w)):
            raise ValueError(
                f"the risk is not convex, or its subgradients are wrong: it is {value:.9g} where "
                f"its values and subgradients elsewhere imply at least {tangent:.9g}"
            )

    def _add(self, gradient: Vector, offset: float) -> None:
        """Add a tangent, and minimise the quadratic program again."""
        planes = self._planes
        planes.add(
            -gradient[None, :], np.array([offset]), np.zeros(1, int), [Source(None, (), np.ones(1))]
        )
        planes.prune(PRUNE_AFTER)
        shift = self._needed_shift(gradient, offset)
        while True:
            self._minimise(shift)
            # With a better bound a smaller constant suffices, and its program is solved more
            # accurately.
            smaller = self._needed_shift(gradient, offset)
            if not abs(smaller) < SMALLER * abs(shift):
                return
            shift = smaller

    def _minimise(self, shift: float) -> None:
        planes = self._planes
        weights = self._weights(shift)
        minimum = weights @ planes.rows / self._lambda
        square = self._lambda * regulariser(minimum)
        terms = square + float(weights @ (np.abs(planes.rows) @ np.abs(minimum)))
        if np.count_nonzero(weights) > 1:
            terms += float(weights @ np.abs(planes.offsets))
        dual = float(weights @ planes.offsets) - square - MULTIPLE * DOUBLE * terms
        self._minimum, self.dual = minimum, max(dual, self.dual)

    def _weights(self, shift: float) -> Vector:
        """Return the tangents' weights, with sum 1, at the minimum of the risk plus ``shift``."""
        planes = self._planes
        offsets = planes.offsets
        planes.offsets = offsets + shift
        planes.solve()
        planes.offsets = offsets
        weights = planes.alpha
        if not weights.any():  # the largest tangent is 0 up to rounding: take the new one
            weights = np.append(np.zeros(len(planes) - 1), 1.0)
        return np.asarray(weights / weights.sum())

    def _needed_shift(self, gradient: Vector, offset: float) -> float:
        """Return a constant whose addition makes the largest tangent > 0 at the next minimum.

        The objective is strongly convex, so a new tangent moves the minimum of the quadratic
        program by at most sqrt(2 gap / lambda).
        """
        if not math.isfinite(self.dual):
            return (float(gradient @ gradient) / self._lambda or 1.0) - offset
        move = math.sqrt(2 * max(self.primal - self.dual, 0.0) / self._lambda)
        length = float(np.linalg.norm(self._minimum)) + move
        least = self.dual - self._lambda * regulariser(np.array([length]))
        return NEGLIGIBLE * abs(self.dual) - least


def _offset(value: float, gradient: Vector, query: Vector) -> float:
    """Return the tangent's value at 0, minus a bound on the rounding errors of this value."""
    terms = float(np.abs(gradient) @ np.abs(query))
    if not terms:
        return value
    return value - float(gradient @ query) - MULTIPLE * DOUBLE * (abs(value) + terms)
