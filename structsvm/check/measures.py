"""The checks of what all others rely on: joint feature, loss, constraints, the set of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from structsvm.check.calls import as_numbers, changed
from structsvm.check.equality import ROUNDING, TOLERANCE, close, own, same
from structsvm.check.evidence import Evidence
from structsvm.check.findings import TRUTH, Finding, short
from structsvm.check.imputation import evaluation_loss_is_valid, loss_depends_on_known_parts
from structsvm.check.points import Pool
from structsvm.check.setup import (
    constructor_keeps_parameters,
    declarations_are_valid,
    example_data_is_accepted,
    initialize_is_repeatable,
    no_method_is_misspelt,
    problem_can_be_pickled,
)
from structsvm.contract.capabilities import defines, oracle_is_exact
from structsvm.contract.constraints import constraints_of
from structsvm.data.containers import n_examples
from structsvm.exceptions import ProblemError
from structsvm.planes.constraints import Constraints

#: Outputs of an example that are measured twice, at most.
REMEASURED = 8
#: Examples whose true outputs are measured, at most, evenly spread.
MOST_TRUTHS = 2000
#: Largest number of entries in their joint features together.
MOST_ENTRIES = 2e7

Check = Callable[[Evidence], Iterator[Finding]]


def single_calls_succeed(evidence: Evidence) -> Iterator[Finding]:
    """No single call raises or returns None, NaN, a wrong shape or a negative loss."""
    assert evidence.pools  # makes all the calls
    yield from evidence.calls.errors
    failing = {finding.method for finding in evidence.calls.errors}
    for method in dict.fromkeys(each.failure.method for each in evidence.unreadable):
        if method not in failing:
            yield from _unreadable(evidence, method)


def _unreadable(evidence: Evidence, method: str) -> Iterator[Finding]:
    """Blame the origin of the outputs that a measure cannot handle; the measure if it has several.

    The measure is also blamed if outputs(x) lists the output, unless it holds NaN or infinity.
    """
    found = [each for each in evidence.unreadable if each.failure.method == method]
    origins = {each.origin for each in found}
    if len(origins) > 1 and not any("contains NaN" in each.finding.message for each in found):
        yield from (each.failure for each in found)
    else:
        yield from (each.finding for each in found)


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


def measures_are_deterministic(evidence: Evidence) -> Iterator[Finding]:
    """A second call with the same arguments returns the same, at once and after other calls."""
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
    if evidence.calls.kinds.get("joint_feature") == {True, False}:
        yield Finding(
            "joint_feature",
            None,
            "it returned a sparse row for some outputs and an array for others; it must return "
            "one kind for all",
        )
    for i, pool in evidence.progress.trials(reversed(list(enumerate(evidence.pools[-1])))):
        yield from _other_measures(evidence, i, visit.labels[i], pool)


def _other_measures(evidence: Evidence, i: int, label: Any, pool: Pool | None) -> Iterator[Finding]:
    """Yield a finding for each measure of an output that has changed since the first call."""
    truth = None if label is None else evidence.joint_feature(i, label)
    if pool is None or truth is None:
        return
    method = "joint_feature"
    if defines(evidence.problem, "joint_feature_difference"):
        method = "joint_feature_difference"
    norms = np.linalg.norm(evidence.points, axis=1)
    _search_elsewhere(evidence, i)
    for row in range(min(REMEASURED, len(pool.outputs))):
        measured = evidence.measure(i, label, pool.origins[row], pool.outputs[row], truth)
        if measured is None:
            continue
        loss, difference = measured
        again = "a second call with the same arguments, after other calls, returned another value"
        if abs(loss - pool.losses[row]) > ROUNDING * pool.losses.max():
            message = f"{again}, {loss:.6g} for {pool.losses[row]:.6g}"
            yield Finding("loss", evidence.calls.name(i), message)
        off = np.abs(evidence.points @ difference - pool.products[row])
        if np.any(off > ROUNDING * norms * pool.sizes.max()):
            yield Finding(method, evidence.calls.name(i), f"{again}; it must depend on x and y")


def _search_elsewhere(evidence: Evidence, i: int) -> None:
    """Call the searches for the example after this one, at the largest w.

    What they leave behind may not change the measures.
    """
    calls, other = evidence.calls, (i + 1) % evidence.calls.n
    visit = max(evidence.visits, key=lambda visit: float(np.linalg.norm(visit.w)))
    x, label = calls.x[other], visit.labels[other]
    if label is not None:
        for method in evidence.searches:
            calls.output(
                method, other, *((x, visit.w) if method == "decode" else (x, label, visit.w))
            )


def loss_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """The loss is 0 at the true output, and nowhere above max_loss."""
    highest = evidence.problem.max_loss
    for pools, visit in zip(evidence.pools, evidence.visits, strict=True):
        for i, pool in enumerate(pools):
            if pool is None or not len(pool.losses):
                continue
            if pool.origins[0] == TRUTH and abs(pool.losses[0]) > ROUNDING * pool.losses.max():
                message = f"loss(y, y) must be 0; it is {pool.losses[0]:g}"
                yield Finding("loss", evidence.calls.name(i), message)
            largest = pool.losses[~pool.outside].max(initial=0)
            # A truth that is no output may have any loss: true_outputs_are_listed reports it.
            if highest is None or pool.outside[0] or largest <= highest * (1 + TOLERANCE):
                continue
            row = int(np.where(pool.outside, 0, pool.losses).argmax())
            if pool.origins[row] == "outputs" and _oracle_keeps(evidence, i, pool, highest):
                yield Finding(
                    "outputs",
                    evidence.calls.name(i),
                    f"it lists {short(pool.outputs[row])}, whose loss of {largest:g} is above "
                    f"max_loss, {highest:g}, and above that of what separation_oracle finds at "
                    "w = 0: is it an output?",
                )
            else:
                yield Finding(
                    "max_loss",
                    evidence.calls.name(i),
                    f"it is {highest:g}, but a loss is {largest:g}; set it to the "
                    "largest value that loss can take, or to None",
                )
        if not evidence.self_labelled or visit is evidence.visits[-1]:
            return  # labels, and so losses, are the same at every point


def _oracle_keeps(evidence: Evidence, i: int, pool: Pool, highest: float) -> bool:
    """Whether an exact oracle stays within max_loss at w = 0, where only the loss counts."""
    visit = evidence.visits[0]
    entry = visit.found["separation_oracle"][i]
    if visit.w.any() or not oracle_is_exact(evidence.problem) or entry is None:
        return False
    row = pool.rows.get(entry[0])
    return row is not None and bool(0 < pool.losses[row] <= highest * (1 + TOLERANCE))


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


def constraints_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Constraints and lower bounds have the right shapes, are finite, and some w satisfies them."""
    calls, method = evidence.calls, "constraints"
    try:
        first, second = (own(calls.attempt(method)) for _ in range(2))
        if not same(first, second):
            raise ProblemError("a second call returned other values; it may not change")
        found = constraints_of(evidence.problem)
        Constraints(found.rows, calls.size, found.lower)
    except (ProblemError, TypeError, ValueError) as error:
        yield calls.finding(method, error)


def initial_w_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """A self-labelled problem starts from a finite w that is not zero."""
    method, calls, given = "initial_w", evidence.calls, own(evidence.X)
    w, again = (
        as_numbers(method, calls.attempt(method, given, rng), (calls.size,))
        for rng in (np.random.default_rng(0), np.random.default_rng(0))
    )
    for message in changed(method, (evidence.X,), (given,)):
        yield Finding(method, None, message)
    if not w.any():
        yield Finding(method, None, "it must return numbers that are not all 0")
    elif not np.array_equal(w, again):
        message = "two calls with generators of one seed differ; draw what is random from rng alone"
        yield Finding(method, None, message)


def every_truth_is_measured(evidence: Evidence) -> Iterator[Finding]:
    """The joint feature of every true output has the length of w, and its loss is 0."""
    if evidence.self_labelled:
        return  # imputing labels for all takes too long
    n, size = n_examples(evidence.X), evidence.calls.size
    most = min(n, MOST_TRUTHS, max(1, int(MOST_ENTRIES / size)))
    others = sorted(set(np.linspace(0, n - 1, most).astype(int).tolist()) - {*evidence.index})
    for i in evidence.progress.trials(others):
        x, y = own(evidence.X[i]), own(evidence.Y[i])
        for method, shape, arguments in (
            ("joint_feature", (size,), (x, y)),
            ("loss", (), (y, y)),
        ):
            try:
                value = as_numbers(method, evidence.calls.attempt(method, *arguments), shape)
            except ProblemError as error:
                finding = evidence.calls.finding(method, error)
                yield finding._replace(example=i, case=f"y is {short(y)}")
                continue
            if method == "loss" and abs(value) > ROUNDING * evidence.largest_loss:
                yield Finding(method, i, f"loss(y, y) must be 0; it is {value:g}")


def true_outputs_are_listed(evidence: Evidence) -> Iterator[Finding]:
    """Every true output is one of outputs(x)."""
    if evidence.self_labelled:
        return  # its true outputs are imputed: see results_are_outputs
    for i, pool in enumerate(evidence.pools[0]):
        if pool is not None and pool.origins[:1] == [TRUTH] and pool.outside[0]:
            yield Finding(
                "outputs",
                evidence.calls.name(i),
                f"the true y, {short(pool.outputs[0])}, is none of outputs(x), which must "
                "enumerate all outputs; if they are complete, this y is not an output of x",
            )


def results_are_outputs(evidence: Evidence) -> Iterator[Finding]:
    """Every output that a method returned is one of outputs(x).

    An output is recognised by its loss and its joint feature, since it may have several forms. A
    decoder beside an oracle that is not exact may return relaxed outputs. Where several searches
    return what outputs(x) does not list, the list is incomplete.
    """
    found = list(_outside(evidence))
    searches = {finding.method for finding in found} & set(evidence.searches)
    if len(searches) < 2:
        yield from found
        return
    for finding in found:
        message = (
            f"it leaves out outputs that {' and '.join(sorted(searches))} return; it must "
            "enumerate all outputs"
        )
        yield finding._replace(method="outputs", message=message)


def _outside(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each returned output that is not in outputs(x)."""
    name = evidence.calls.name
    relaxed = ", declare oracle_quality = 'overgenerating' if you search a relaxation"
    for pools, visit in zip(evidence.pools, evidence.visits, strict=True):
        for i, pool in enumerate(pools):
            if pool is None or not pool.outside.any():
                continue
            searches = [
                (method, visit.found[method][i])
                for method in evidence.searches
                if method != "decode" or oracle_is_exact(evidence.problem)
            ]
            rows = [(m, pool.rows.get(entry[0], -1)) for m, entry in searches if entry is not None]
            if evidence.self_labelled:
                rows.append(("impute", 0))
            for method, row in rows:
                if row >= 0 and pool.outside[row]:
                    yield Finding(
                        method,
                        name(i),
                        f"it returned {short(pool.outputs[row])}, which is no output: none of "
                        "outputs(x) has its loss and its joint feature. Return an output"
                        f"{relaxed if 'oracle' in method else ''}, or complete outputs(x)",
                    )


#: If one of these fails, scores cannot be compared: the later checks are meaningless.
MEASURES: tuple[Check, ...] = (
    measures_are_deterministic,
    true_outputs_are_listed,
    loss_is_valid,
    evaluation_loss_is_valid,
    loss_depends_on_known_parts,
    joint_feature_depends_on_y,
    constraints_are_valid,
)
#: These depend on no other check.
BASICS: tuple[Check, ...] = (
    constructor_keeps_parameters,
    declarations_are_valid,
    no_method_is_misspelt,
    initialize_is_repeatable,
    every_truth_is_measured,
    problem_can_be_pickled,
    initial_w_is_valid,
    example_data_is_accepted,
    single_calls_succeed,
    arguments_are_unchanged,
)
