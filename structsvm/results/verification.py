"""The verification of a result.

The verification recomputes the certificate from the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from structsvm.contract.capabilities import oracle_may_miss
from structsvm.contract.declarations import require_suitable
from structsvm.contract.problem import OracleQuality, Problem
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.containers import in_double, in_single, require_examples
from structsvm.data.validation import checked_sample_weight, require_option
from structsvm.objective import example_cap, lagrangian, primal_value
from structsvm.objective.rounding import Rounding, unit_roundoff
from structsvm.oracle.cuts import one_slack_cut, planes_of_passes, soft_cut, term_sizes
from structsvm.oracle.examples import Examples
from structsvm.oracle.setup import copied, initialize
from structsvm.planes.constraints import Constraints
from structsvm.planes.plane import SoftSource, Source, SupportPlane, weight_of
from structsvm.results.html import table
from structsvm.results.referee import refereed

#: Largest relative excess of dual variables over their caps that counts as rounding.
CAP_ROUNDING = 1e-9


class Verification(NamedTuple):
    """A result's certificate, recomputed from the data by :meth:`structsvm.Result.verify`.

    Attributes
    ----------
    primal, dual, gap : float
        The objective at w, the dual value and the gap between them, without rounding errors.
    rounding : float
        The sum of the rounding errors of the primal and the dual value.
    constraint_violation : float
        The largest violation of A w <= b or of a lower bound. For row r, the violation is relative:
        it is divided by abs(b_r) + norm(A_r) norm(w). For a lower bound l, the violation is divided
        by abs(l) + norm(w).
    matches : bool
        Whether all recomputed values agree with the values in the result.
    text : str
        The bounds that hold, and all disagreements with the result, in words. ``print`` prints this
        text.
    qp_primal, qp_dual : float or None
        With ``qp='cvxopt'``, the primal and dual values of cvxopt's solution. The optimum of the
        problem restricted to the support planes lies between ``qp_dual`` and ``qp_primal``.
    """

    primal: float
    dual: float
    gap: float
    rounding: float
    constraint_violation: float
    matches: bool
    text: str = ""
    qp_primal: float | None = None
    qp_dual: float | None = None

    def __str__(self) -> str:
        return self.text or repr(self)

    def _repr_html_(self) -> str:
        return table("Verification", self._asdict())


def require_planes(result: Any) -> None:
    """Raise a ValueError if a result has no planes, as after training on Blocks."""
    if result.support is None:
        raise ValueError(
            "the model has no planes of its dual solution, which are needed: it was trained on "
            "Blocks, or saved without them; give all data at once, and save it with "
            "structsvm.save(model, path, certificate=True)"
        )


def verify(
    result: Any, problem: Problem, X: Any, Y: Any, sample_weight: Any, tol: float, qp: str | None
) -> Verification:
    """Recompute a Result's primal, dual and gap, as :meth:`structsvm.Result.verify` describes."""
    if isinstance(X, Problem) or isinstance(Y, Problem):
        raise TypeError("verify takes the problem first: verify(problem, X, Y)")
    require_suitable(problem, "hinge")
    if qp is not None:
        require_option("qp, if not None,", qp, ("cvxopt",))
    if Y is None and not isinstance(problem, SelfLabelledProblem):
        raise ValueError("verify needs the outputs Y that were trained on; Y is None")
    require_planes(result)
    X = in_single(X)  # the same conversion as in training
    if (n := require_examples(X)) != result.n_examples:
        raise ValueError(f"trained on {result.n_examples} examples, but X has {n}")
    weights = checked_sample_weight(sample_weight, result.n_examples)
    examples = _examples(result, problem, in_double(X), Y, weights)
    labels = examples.Y if result.labels is None else result.labels
    w = examples.task.relative(result.w)
    cut = one_slack_cut(examples, labels, w)
    assert cut.outputs is not None
    primal = primal_value(w, np.array([result.C]), cut.slacks)
    constraints = examples.constraints()
    # A soft oracle's distributions depend on the precision of the scores in training.
    soft = [source for source, _ in result.support if isinstance(source, SoftSource)]
    single = any(source.w.dtype == np.float32 for source in soft)
    trained = _examples(result, problem, X, Y, weights) if single else examples
    dual, v, size, terms, feasible = _dual(result, examples, trained, labels, constraints)
    missed = problem.roundoff or 0.0
    rounding = Rounding(result.C, examples.size, unit_roundoff(X), missed, examples.prior)
    rounding.observe(term_sizes(examples, labels, cut.outputs))
    of_dual = rounding.of_dual(v, weight_of(result.support, rounding), terms)
    errors = rounding.of_primal(w), of_dual
    violation = constraints.largest_violation(w, size)
    found = Verification(primal, dual, primal - dual, sum(errors), violation, False)
    wrong = list(_disagreements(result, found, errors, oracle_may_miss(problem), tol))
    if not feasible:
        wrong.append("the dual solution is not feasible")
    bounds = _bounds(problem.oracle_quality, found, feasible, tol)
    kept = "" if result.labels is None else " for the labels kept"
    said = [bounds + kept]
    if qp is not None:
        again = refereed(result, examples, labels, constraints, v)
        found = found._replace(qp_primal=again.primal, qp_dual=again.dual)
        said.append(
            f"by cvxopt, with these planes: {again.dual:.6g} <= optimum <= {again.primal:.6g}"
        )
        allowed = tol * abs(again.dual) + found.rounding
        if again.dual > found.dual + allowed:
            wrong.append(
                f"the dual {found.dual:.6g} is not the best of these planes, which only solvers by "
                "cutting planes find"
            )
        if found.dual > again.primal + allowed:
            wrong.append(f"the dual {found.dual:.6g} is above the optimum of these planes")
    text = "; ".join([*said, *(wrong or ["matches the result"])])
    return found._replace(matches=not wrong, text=text)


def _disagreements(
    result: Any, found: Verification, errors: tuple[float, float], may_miss: bool, tol: float
) -> Iterator[str]:
    """Yield a message for each disagreement between the result and the recomputed values."""
    feasible = np.isfinite(result.primal)  # if infinite, no feasible point was found
    scale = abs(result.primal if feasible else result.dual)
    of_primal, of_dual = (tol * scale + error for error in errors)
    if not -of_dual <= found.dual - result.dual <= of_dual + 2 * result.rounding:
        yield _off("dual", result.dual, found.dual)
    if not feasible:
        return
    most = np.inf if may_miss else of_primal + 2 * result.rounding
    if not -of_primal <= result.primal - found.primal <= most:
        yield _off("primal", result.primal, found.primal)
    if not found.constraint_violation <= tol:
        yield f"w violates the constraints by {found.constraint_violation:.3g}"


def _off(name: str, reported: float, found: float) -> str:
    side = "low" if reported < found else "high"
    return f"the reported {name} {reported:.6g} was too {side} by {abs(found - reported):.3g}"


def _bounds(quality: OracleQuality, found: Verification, feasible: bool, tol: float) -> str:
    """Return the valid bounds in words.

    ``feasible`` says whether the dual solution is feasible.
    """
    dual, primal = f"{found.dual:.6g}", f"{found.primal:.6g}"
    kept, above = found.constraint_violation <= tol, -found.gap
    certain = above > found.rounding and above > tol * abs(found.primal)
    if feasible and kept and certain and quality == "exact":
        return (
            f"dual {dual} > primal {primal}, which is impossible: these are other data, or this "
            "oracle is not exact"
        )
    lower = [dual] if feasible and quality != "overgenerating" else []
    upper = [primal] if kept and quality != "undergenerating" else []
    bounds = " <= ".join([*lower, "optimum", *upper]) if lower or upper else "no bounds"
    return f"{quality} oracle: {bounds}"


def _examples(result: Any, problem: Problem, X: Any, Y: Any, weights: Vector) -> Examples:
    problem = copied(problem)  # initialize would change the caller's problem
    initialize(problem, X, Y)
    return Examples(problem, X, Y, result.surrogate, weights=weights, prior=result.w_prior)


def _dual(
    result: Any, examples: Examples, trained: Examples, labels: Any, constraints: Constraints
) -> tuple[float, Vector, float, float, bool]:
    """Recompute a dual solution.

    Return the dual value, the weights, the norm of the weighted sum of the oracle's planes, the
    size of the constraints' terms in the dual value, and whether the dual solution is feasible.
    """
    multipliers = result.multipliers * constraints.norms
    linear, v = -float(constraints.b @ multipliers), np.zeros(examples.size)
    mass, feasible = np.zeros(examples.n), bool(np.all(multipliers >= 0))
    # mass: the sum of each example's dual variables, at most C / n.
    for places, outputs, weights in merged(result.support):
        subset, own = examples.labelled_subset(places, labels)
        rows, offsets = planes_of_passes(subset, own, [outputs], weights[None, :])
        linear, v = linear + float(offsets[0]), v + rows[0]
        np.add.at(mass, subset.index, weights)
        feasible = feasible and bool(np.all(weights >= 0))
    for source, alpha in result.support:
        while isinstance(source, SoftSource):
            if examples.problem.soft_oracle is None:
                raise ValueError(
                    "the dual solution was made with a soft oracle, which verify needs too; "
                    f"{type(examples.problem).__name__} does not define soft_oracle"
                )
            own = None if labels is examples.Y else labels
            subset, own = trained.labelled_subset(source.examples, own)
            w = source.w.astype(np.float64, copy=False)
            cuts, _ = soft_cut(subset, own, w, source.mu, examples.n)
            linear, v = linear + alpha * float(cuts.offsets[0]), v + alpha * cuts.rows[0]
            mass[subset.index] += alpha / examples.n
            feasible = feasible and alpha >= 0
            source = source.others
    cap = example_cap(result.C, examples.n)
    feasible = feasible and bool(np.all(mass <= cap * (1 + CAP_ROUNDING)))
    size = float(np.linalg.norm(v))  # before constraints cancel parts of v
    v = v - constraints.A.T @ multipliers
    terms = constraints.terms_of_dual(v, result.multipliers)
    return lagrangian(constraints.bounded(v), v, linear), v, size, terms, feasible


def merged(support: Sequence[SupportPlane]) -> Iterator[tuple[Any, Sequence[Any], Vector]]:
    """Yield the oracle outputs of the dual solution's planes.

    Each tuple contains the indices of some examples (None for all), the outputs of the examples,
    and the weights of the outputs in the dual solution. The last tuple combines all planes that
    belong to a single example each.
    """
    single: list[tuple[int, Any, float]] = []
    for source, alpha in support:
        if not isinstance(source, Source):
            continue
        if source.example is None:
            yield None, source.outputs, alpha * source.weights
        else:
            single.append((source.example, source.outputs[0], alpha))
    if single:
        places, outputs, alphas = zip(*sorted(single, key=lambda plane: plane[0]), strict=True)
        yield np.array(places), outputs, np.array(alphas)
