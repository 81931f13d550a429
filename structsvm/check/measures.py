"""The checks of the measures that all others rely on: sizes, joint feature, loss, constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches

import cloudpickle
import numpy as np
from sklearn.base import clone

from structsvm.capabilities import offers
from structsvm.check.checked_calls import Finding, describe, short
from structsvm.check.copies import own, same
from structsvm.check.evidence import Evidence, Visit
from structsvm.check.pools import TOLERANCE
from structsvm.planes.constraints import Constraints
from structsvm.problem import Vector
from structsvm.self_labelled import SelfLabelledProblem
from structsvm.validation import DECLARATIONS

#: Difference of equal values that is accepted: the rounding of a sum in another order.
ROUNDING = 1e-9
#: Points at which annotations are compared with what is imputed from them.
ANNOTATED_POINTS = 5
#: Similarity, from 0 to 1, at which a name counts as a misspelling of another (difflib's ratio).
MISSPELT = 0.85

Check = Callable[[Evidence], Iterator[Finding]]


def constructor_keeps_parameters(evidence: Evidence) -> Iterator[Finding]:
    """The constructor stores parameters unchanged under their names, for clone and GridSearchCV."""
    try:
        clone(evidence.problem)
    except Exception as error:
        yield Finding(
            "__init__",
            None,
            "every parameter must be stored unchanged under its own name, as scikit-learn asks "
            f"(self.name = name, and nothing else): {error}",
        )


def declarations_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Declared attributes have one of the values that the contract allows."""
    for name, allowed in DECLARATIONS.items():
        declared = getattr(evidence.problem, name)
        if declared not in allowed:
            yield Finding(name, None, f"it must be one of {allowed}; it is {declared!r}")


def problem_can_be_pickled(evidence: Evidence) -> Iterator[Finding]:
    """A problem that is to run in other processes can be sent there; else a note, no error."""
    assert evidence.calls  # initialized: what initialize stores is pickled too
    if evidence.problem.parallelism == "processes":
        try:
            cloudpickle.dumps(evidence.problem)
        except Exception as error:
            evidence.notes.append(
                f"n_jobs needs a problem that can be pickled, or parallelism = 'threads', and so "
                f"does saving a fitted estimator: {type(error).__name__}: {error}"
            )
    yield from ()


def no_method_is_misspelt(evidence: Evidence) -> Iterator[Finding]:
    """No name of the class is nearly that of an optional method; else a note, no error."""
    contract = {name for name in dir(SelfLabelledProblem) if not name.startswith("_")}
    for name in sorted(set(dir(type(evidence.problem))) - contract):
        near = [] if name.startswith("_") else get_close_matches(name, contract, 1, MISSPELT)
        if near and not offers(evidence.problem, near[0]):
            evidence.notes.append(f"{name} is not in the contract: is {near[0]} meant?")
    yield from ()


def initialize_is_repeatable(evidence: Evidence) -> Iterator[Finding]:
    """The same data give the same size again, and the parameters are unchanged."""
    size, problem = evidence.calls.size, evidence.problem
    again = own(problem)
    again.initialize(evidence.X, evidence.Y)
    if again.size_joint_feature != size:
        yield Finding(
            "initialize",
            None,
            f"size_joint_feature was {size} and after a second call with the same data is "
            f"{again.size_joint_feature}; a call must overwrite what earlier calls learned",
        )
    for name in type(problem)._get_param_names():
        before, after = (getattr(at, name, None) for at in (evidence.untouched, problem))
        if not same(before, after):
            yield Finding(
                "initialize",
                None,
                f"it changed the parameter {name} from {short(before)} to {short(after)}; store "
                f"what is learned under another name, such as {name}_",
            )


def single_calls_succeed(evidence: Evidence) -> Iterator[Finding]:
    """No single call raises or returns None, NaN, a wrong shape or a negative loss."""
    assert evidence.pools  # makes all the calls
    yield from evidence.calls.errors


def arguments_are_unchanged(evidence: Evidence) -> Iterator[Finding]:
    """No method changes x, y, w or an earlier output in place: the engine keeps them all."""
    assert evidence.pools  # makes all the calls
    yield from evidence.calls.changes
    for method, i, returned, kept in evidence.returned:
        if not same(kept, returned):
            yield Finding(
                method,
                evidence.calls.name(i),
                "an output that it returned earlier has changed since; return a fresh object, "
                "not one that is reused",
            )


def joint_feature_is_deterministic(evidence: Evidence) -> Iterator[Finding]:
    """A second call with the same input and output returns the same vector."""
    visit = evidence.visits[-1]
    for i, label in enumerate(visit.labels):
        for entry in ((None, label), visit.found["decode"][i]):
            if entry is None or entry[1] is None:
                continue
            first, second = (evidence.joint_feature(i, entry[1]) for _ in range(2))
            if first is not None and second is not None and not close(first, second, ROUNDING):
                yield Finding(
                    "joint_feature",
                    evidence.calls.name(i),
                    "a second call with the same x and y returned other values, by up to "
                    f"{np.abs(first - second).max():.3g}; it must depend on x and y alone",
                )


def loss_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """The loss is 0 at the true output, and nowhere above max_loss."""
    highest = evidence.problem.max_loss
    for pools, visit in zip(evidence.pools, evidence.visits, strict=True):
        for i, pool in enumerate(pools):
            if pool is None or not len(pool.losses):
                continue
            if pool.origins[0] == "the truth" and abs(pool.losses[0]) > ROUNDING:
                message = f"loss(y, y) must be 0; it is {pool.losses[0]:g}"
                yield Finding("loss", evidence.calls.name(i), message)
            largest = pool.losses[~pool.outside].max(initial=0)
            if highest is not None and largest > highest * (1 + TOLERANCE):
                yield Finding(
                    "max_loss",
                    evidence.calls.name(i),
                    f"it is {highest:g}, but a loss is {largest:g}; set it to the "
                    "largest value that loss can take, or to None",
                )
        if not evidence.self_labelled or visit is evidence.visits[-1]:
            return  # labels, and so losses, are the same at every point


def evaluation_loss_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """It is a loss of annotations, 0 for the label imputed from one; a note on the default."""
    if not evidence.self_labelled or evidence.Y is None:
        return
    method = "evaluation_loss" if offers(evidence.problem, "evaluation_loss") else "loss"
    for visit in evidence.visits[:ANNOTATED_POINTS]:
        for i in range(evidence.calls.n):
            message = _wrong_evaluation_loss(evidence, visit, i, method)
            if message and method == "evaluation_loss":
                yield Finding(method, evidence.calls.name(i), message)
            elif message:
                evidence.notes.append(
                    "score compares annotations by loss, since evaluation_loss is not offered; "
                    f"for example {evidence.calls.name(i)} {message}. Define evaluation_loss for "
                    "score and GridSearchCV"
                )
                return


def _wrong_evaluation_loss(evidence: Evidence, visit: Visit, i: int, method: str) -> str:
    """Return what is wrong with the loss of an imputed label, and of a prediction, or ''."""
    calls, label, decoded = evidence.calls, visit.labels[i], visit.found["decode"][i]
    annotation, highest = calls.y[i], evidence.problem.max_loss
    if annotation is None or label is None or decoded is None:
        return ""
    before = len(calls.errors)
    losses = [calls.numbers(method, i, (), annotation, y) for y in (label, decoded[1])]
    if len(calls.errors) > before:
        message = calls.errors[before].message
        calls.errors[before:] = []
        return message
    at = f"for the annotation {short(annotation)} and"
    if abs(losses[0]) > ROUNDING:
        inherited = "; impute is not defined, so it ignores annotations: define it"
        return (
            f"it is {losses[0]:g} {at} {short(label)}, which impute returned for it; it must be 0 "
            f"where they agree{'' if offers(evidence.problem, 'impute') else inherited}"
        )
    if losses[1] < 0 or (highest is not None and losses[1] > highest * (1 + TOLERANCE)):
        return (
            f"it is {losses[1]:g} {at} {short(decoded[1])}, which decode returned; it must be >= 0 "
            "and at most max_loss"
        )
    return ""


def joint_feature_depends_on_y(evidence: Evidence) -> Iterator[Finding]:
    """If losses differ, then the joint features of some example do."""
    pools = [pool for pools in evidence.pools for pool in pools if pool is not None]
    if not any(visit.w.any() for visit in evidence.visits):
        return  # there was time for w = 0 alone, where all products are 0
    if any(pool.losses.any() for pool in pools) and not any(p.products.any() for p in pools):
        yield Finding(
            "joint_feature",
            None,
            "it is the same for all outputs of an example, so no w can distinguish them; it must "
            "depend on y",
        )


def difference_agrees_with_joint_feature(evidence: Evidence) -> Iterator[Finding]:
    """An overridden joint_feature_difference equals Psi(x, y) - Psi(x, y_hat)."""
    if not offers(evidence.problem, "joint_feature_difference"):
        return
    # Outputs of another point, since at one point the decoder may return the label itself.
    for visit, other in zip(
        evidence.visits, evidence.visits[1:] + evidence.visits[:1], strict=True
    ):
        for i, label in enumerate(visit.labels):
            entry = other.found["decode"][i]
            truth = None if label is None else evidence.joint_feature(i, label)
            if entry is None or truth is None:
                continue
            measured = evidence.measure(i, label, "decode", entry[1], truth)
            psi = evidence.joint_feature(i, entry[1])
            if measured is None or psi is None or close(measured[1], truth - psi, TOLERANCE):
                continue
            message = "it is not Psi(x, y) - Psi(x, y_hat)"
            if close(measured[1], psi - truth, TOLERANCE):
                message += ", but minus that: swap the terms"
            else:
                message += f"; it is off by up to {np.abs(measured[1] - truth + psi).max():.3g}"
            yield Finding("joint_feature_difference", evidence.calls.name(i), message)


def constraints_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Constraints and lower bounds have the right shapes, are finite, and some w satisfies them."""
    problem, size = evidence.problem, evidence.calls.size
    try:  # the bounds alone first, so that their errors are not reported as the constraints'
        Constraints(None, size, problem.lower_bounds())
    except Exception as error:
        yield Finding("lower_bounds", None, describe(error))
        return
    try:
        Constraints(problem.constraints(), size, problem.lower_bounds())
    except ValueError as error:
        yield Finding("constraints", None, str(error))
    except Exception as error:
        yield Finding(
            "constraints",
            None,
            f"it must return a pair A, b of arrays, or None: {type(error).__name__}: {error}",
        )


def initial_w_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """A self-labelled problem starts from a finite w that is not zero."""
    problem, size = evidence.problem, evidence.calls.size
    if not isinstance(problem, SelfLabelledProblem):
        return
    try:
        w = np.asarray(problem.initial_w(evidence.X, np.random.default_rng(0)), dtype=np.float64)
    except Exception as error:
        yield Finding("initial_w", None, f"it raised {type(error).__name__}: {error}")
        return
    if w.shape != (size,) or not np.isfinite(w).all() or not w.any():
        yield Finding(
            "initial_w",
            None,
            f"it must return finite numbers, not all 0, of shape ({size},); got {w!r:.80}",
        )


def close(a: Vector, b: Vector, tolerance: float) -> bool:
    """Whether all entries are equal up to a tolerance relative to 1 plus the largest."""
    scale = 1 + max(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= tolerance * scale)


#: If one of these fails, scores cannot be compared: the later checks are meaningless.
MEASURES: tuple[Check, ...] = (
    joint_feature_is_deterministic,
    loss_is_valid,
    evaluation_loss_is_valid,
    joint_feature_depends_on_y,
    difference_agrees_with_joint_feature,
    constraints_are_valid,
)
#: These depend on no other check.
BASICS: tuple[Check, ...] = (
    constructor_keeps_parameters,
    declarations_are_valid,
    no_method_is_misspelt,
    initialize_is_repeatable,
    problem_can_be_pickled,
    initial_w_is_valid,
    single_calls_succeed,
    arguments_are_unchanged,
)
