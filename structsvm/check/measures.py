"""Checks of joint feature, loss, constraints and outputs, on which all other checks rely."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.calls import as_numbers, changed
from structsvm.check.equality import ROUNDING, TOLERANCE, close, own, same
from structsvm.check.evidence import BASIC, MEASURES, SEARCHES, Evidence, Pool, law
from structsvm.check.findings import TRUTH, Finding, attempted, short
from structsvm.check.points import constraints
from structsvm.contract.capabilities import defines, oracle_is_exact
from structsvm.data.containers import n_examples
from structsvm.exceptions import ProblemError

#: Largest number of outputs of an example to measure twice, and to compare the differences of.
REMEASURED, COMPARED = 8, 20
#: Largest number of examples, evenly spread, whose true outputs are measured.
MOST_TRUTHS = 2000
#: Largest total number of entries in the joint features of these examples.
MOST_ENTRIES = 2e7


@law(BASIC)
def every_truth_is_measured(evidence: Evidence) -> Iterator[Finding]:
    """Every true output has loss 0, and a joint feature with as many entries as w."""
    if evidence.self_labelled:
        return  # imputing the labels of all examples takes too long
    n, size = n_examples(evidence.X), evidence.calls.size
    most = min(n, MOST_TRUTHS, max(1, int(MOST_ENTRIES / size)))
    others = sorted(set(np.linspace(0, n - 1, most).astype(int).tolist()) - {*evidence.index})
    for i in evidence.progress.trials(others):
        x, y = own(evidence.X[i]), own(evidence.Y[i])
        for method, shape, given in (("joint_feature", (size,), (x, y)), ("loss", (), (y, y))):
            try:
                value = as_numbers(method, evidence.calls.attempt(method, *given), shape)
            except ProblemError as error:
                finding = evidence.calls.finding(method, error)
                yield finding._replace(example=i, case=f"y is {short(y)}")
                continue
            if method == "loss" and abs(value) > ROUNDING * evidence.largest_loss:
                yield Finding(method, i, f"loss(y, y) must be 0; it is {value:g}")


@law(BASIC, where=lambda evidence: evidence.self_labelled)
def initial_w_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """A self-labelled problem starts from a finite w that is not zero."""
    method, calls, given = "initial_w", evidence.calls, own(evidence.X)
    w, again = (
        as_numbers(method, calls.attempt(method, given, np.random.default_rng(0)), (calls.size,))
        for _ in range(2)
    )
    for message in changed(method, (evidence.X,), (given,)):
        yield Finding(method, None, message)
    if not w.any():
        yield Finding(method, None, "it must return numbers that are not all 0")
    elif not np.array_equal(w, again):
        message = "two calls with generators of one seed differ; draw what is random from rng alone"
        yield Finding(method, None, message)


@law(BASIC)
def single_calls_succeed(evidence: Evidence) -> Iterator[Finding]:
    """No single call raises an exception or returns None, NaN, a wrong shape or a negative loss.

    If the loss or the joint feature fails for some output, the method that returned the output is
    to blame. If several methods returned an output for which the loss fails, the loss is to blame,
    unless the output contains NaN or infinity. If the joint feature fails for an output that
    several methods returned, the joint feature is to blame.
    """
    assert evidence.pools  # makes all the calls
    yield from evidence.calls.errors
    failing = {finding.method for finding in evidence.calls.errors}
    for method in {failure.method: None for _, failure in evidence.unreadable}:
        found = [pair for pair in evidence.unreadable if pair[1].method == method]
        is_broken = any("contains NaN" in finding.message for finding, _ in found)
        several = len({finding.method for finding, _ in found}) > 1 and not is_broken
        if method not in failing:
            yield from (pair[several] for pair in found)


@law(BASIC)
def arguments_are_unchanged(evidence: Evidence) -> Iterator[Finding]:
    """No method changes x, y, w or an earlier output in place.

    Training uses x, y, w and earlier outputs again.
    """
    assert evidence.pools  # makes all the calls
    yield from evidence.calls.changes


@law(MEASURES)
def measures_are_deterministic(evidence: Evidence) -> Iterator[Finding]:
    """A repeated call returns the same value, even after calls with different arguments."""
    calls, labels = evidence.calls, evidence.visits[-1].labels
    if calls.kinds.get("joint_feature") == {True, False}:
        message = "it returned a sparse row for some outputs and an array for others; it must "
        yield Finding("joint_feature", None, f"{message}return one kind for all")
    has_own = defines(evidence.problem, "joint_feature_difference")
    measure = "joint_feature_difference" if has_own else "joint_feature"
    norms = np.linalg.norm(evidence.points, axis=1)
    for i, pool in evidence.progress.trials(reversed(list(enumerate(evidence.pools[-1])))):
        truth = None if pool is None else evidence.joint_feature(i, labels[i])
        if pool is None or truth is None:
            continue
        # State that searches leave behind may not change the measures.
        other = (i + 1) % calls.n
        for method in evidence.searches if labels[other] is not None else ():
            calls.search(method, other, labels[other], evidence.points[norms.argmax()])
        for row in range(min(REMEASURED, len(pool.outputs))):
            origin, output = pool.origins[row], pool.outputs[row]
            if (measured := evidence.measure(i, labels[i], origin, output, truth)) is None:
                continue
            loss, difference = measured
            again = "a second call with the same arguments returned another value"
            if abs(loss - pool.losses[row]) > ROUNDING * pool.losses.max():
                yield calls.finding("loss", f"{again}, {loss:.6g} for {pool.losses[row]:.6g}", i)
            off = np.abs(evidence.points @ difference - pool.products[row])
            if np.any(off > ROUNDING * norms * pool.sizes.max()):
                yield calls.finding(measure, f"{again}; it must depend on x and y alone", i)


@law(MEASURES, "outputs")
def true_outputs_are_listed(evidence: Evidence) -> Iterator[Finding]:
    """Every true output is one of outputs(x)."""
    if evidence.self_labelled:
        return  # true outputs are imputed, and results_are_outputs checks them
    for i, pool in enumerate(evidence.pools[0]):
        if pool is not None and pool.origins[:1] == [TRUTH] and pool.outside[0]:
            message = (
                f"the true y, {short(pool.outputs[0])}, is none of outputs(x), which must "
                "enumerate all outputs; if they are complete, this y is not an output of x"
            )
            yield evidence.calls.finding("outputs", message, i)


@law(MEASURES)
def loss_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """The loss is 0 at the true output, and never exceeds max_loss."""
    highest, finding = evidence.problem.max_loss, evidence.calls.finding
    for point, _, i, pool in evidence.known():
        if point and not evidence.self_labelled:
            return  # with known labels, losses are the same at every point
        if pool.origins[0] == TRUTH and abs(pool.losses[0]) > ROUNDING * pool.losses.max():
            yield finding("loss", f"loss(y, y) must be 0; it is {pool.losses[0]:g}", i)
        row = int(np.where(pool.outside, 0, pool.losses).argmax())
        largest = pool.losses[row]
        # A true y that is no output may have any loss, and true_outputs_are_listed reports it.
        if highest is None or pool.outside[0] or largest <= highest * (1 + TOLERANCE):
            continue
        if pool.origins[row] == "outputs" and _oracle_keeps(evidence, i, pool, highest):
            message = (
                f"it lists {short(pool.outputs[row])}, whose loss of {largest:g} is above "
                f"max_loss, {highest:g}, and above that of what separation_oracle finds at "
                "w = 0: is it an output?"
            )
            yield finding("outputs", message, i)
        else:
            remedy = "set it to the largest value that loss can take, or to None"
            yield finding("max_loss", f"it is {highest:g}, but a loss is {largest:g}; {remedy}", i)


def _oracle_keeps(evidence: Evidence, i: int, pool: Pool, highest: float) -> bool:
    """Whether the exact oracle respects max_loss at w = 0, where only the loss counts."""
    visit = evidence.visits[0]
    entry = visit.found["separation_oracle"][i]
    if visit.w.any() or not oracle_is_exact(evidence.problem) or entry is None:
        return False
    row = pool.rows.get(entry[0])
    return row is not None and bool(0 < pool.losses[row] <= highest * (1 + TOLERANCE))


@law(MEASURES)
def joint_feature_depends_on_y(evidence: Evidence) -> Iterator[Finding]:
    """Unless all losses are 0, some example has outputs with different joint features."""
    pools = [pool for pools in evidence.pools for pool in pools if pool is not None]
    # There may have been time only for w = 0, where all products are 0.
    varied = evidence.points.any() and any(pool.losses.any() for pool in pools)
    if varied and not any(pool.products.any() for pool in pools):
        message = "it is the same for all outputs of an example, so no w can distinguish them; it "
        yield Finding("joint_feature", None, f"{message}must depend on y")


@law(MEASURES, "constraints")
def constraints_are_valid(evidence: Evidence) -> Iterator[Finding]:
    """Constraints and lower bounds are finite, of the right shapes, and satisfied by some w."""
    first, second = (own(evidence.calls.attempt("constraints")) for _ in range(2))
    if not same(first, second):
        raise ProblemError("a second call returned other values; it may not change")
    _, error = attempted(constraints, evidence)
    if error:
        yield evidence.calls.finding("constraints", error)


@law(MEASURES, "joint_feature_difference")
def difference_agrees_with_joint_feature(evidence: Evidence) -> Iterator[Finding]:
    """joint_feature_difference, if defined, equals Psi(x, y) - Psi(x, y_hat)."""
    for i in range(evidence.calls.n):
        yield from _differences(evidence, i)


def _differences(evidence: Evidence, i: int) -> Iterator[Finding]:
    """Yield a finding for each output whose joint_feature_difference contradicts joint_feature."""
    pool, label = evidence.pools[-1][i], evidence.visits[-1].labels[i]
    truth = None if pool is None else evidence.joint_feature(i, label)
    if pool is None or truth is None:
        return
    # The oracle's outputs are left out, since joint_feature need not accept them.
    decoded = (entry and pool.rows.get(entry[0]) for entry in evidence.found("decode", i))
    rows = {*range(len(pool.outputs))[:1], *decoded, *pool.listed} - {None}
    for row in sorted(rows)[:COMPARED]:
        output = pool.outputs[row]
        measured = evidence.measure(i, label, pool.origins[row], output, truth)
        psi = evidence.joint_feature(i, output)
        if measured is None or psi is None:
            continue
        difference, size = measured[1], float(np.abs(truth).max(initial=0))
        if close(difference, truth - psi, TOLERANCE, size):
            continue
        message = f"; it is off by up to {np.abs(difference - truth + psi).max():.3g}"
        if close(difference, psi - truth, TOLERANCE, size):
            message = ", but minus that: swap the terms"
        message = f"it is not Psi(x, y) - Psi(x, y_hat){message}"
        if row == 0 and pool.origins[0] == TRUTH:
            message += ", where y_hat is y"
        yield evidence.calls.finding("joint_feature_difference", message, i)


@law(SEARCHES, "outputs")
def results_are_outputs(evidence: Evidence) -> Iterator[Finding]:
    """Every output that a method returned is one of outputs(x).

    Outputs are compared by loss and joint feature, since an output may have several forms. If the
    oracle is not exact, the decoder may return relaxed outputs. If several searches return outputs
    that outputs(x) does not list, the list is assumed to be incomplete.
    """
    found = list(_outside(evidence))
    searches = sorted({finding.method for finding in found} & set(evidence.searches))
    if len(searches) > 1:
        message = f"it must enumerate all outputs, also those that {' and '.join(searches)} return"
        found = [finding._replace(method="outputs", message=message) for finding in found]
    yield from found


def _outside(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each returned output that is not in outputs(x)."""
    is_exact = oracle_is_exact(evidence.problem)
    searches = [method for method in evidence.searches if method != "decode" or is_exact]
    for _, visit, i, pool in evidence.known():
        entries = [(method, visit.found[method][i]) for method in searches]
        rows = [(method, pool.rows.get(entry[0], -1)) for method, entry in entries if entry]
        for method, row in [*rows, *[("impute", 0)] * evidence.self_labelled]:
            if row < 0 or not pool.outside[row]:
                continue
            remedy = ", declare oracle_quality = 'overgenerating' if you search a relaxation"
            message = (
                f"it returned {short(pool.outputs[row])}, which is no output: none of "
                "outputs(x) has its loss and its joint feature. Return an output"
                f"{remedy if 'oracle' in method else ''}, or complete outputs(x)"
            )
            yield evidence.calls.finding(method, message, i)
