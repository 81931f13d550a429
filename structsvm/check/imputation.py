"""Checks of imputed labels, and of the losses between annotations and labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from structsvm.check.equality import ROUNDING, TOLERANCE, key, norm
from structsvm.check.evidence import MEASURES, SEARCHES, Evidence, law, results
from structsvm.check.findings import Finding, short
from structsvm.contract.capabilities import defines, oracle_is_exact
from structsvm.contract.latent import LatentProblem


def annotated(evidence: Evidence) -> bool:
    """Whether the data contain annotations, from which labels are imputed."""
    return evidence.self_labelled and evidence.Y is not None


@law(MEASURES, where=annotated)
def evaluation_loss_is_valid(evidence: Evidence) -> Iterator[Finding]:
    """The evaluation loss of an annotation is valid, and is 0 for the label imputed from it."""
    method = "evaluation_loss" if defines(evidence.problem, "evaluation_loss") else "loss"
    for i, annotation in enumerate(evidence.calls.y):
        if annotation is None and method == "loss":
            continue
        wrong, message = next(_wrong_evaluation_losses(evidence, i, method), ("", ""))
        if wrong and method == "evaluation_loss":
            yield evidence.calls.finding(wrong, message, i)
        elif wrong:
            evidence.notes.append(
                "score compares annotations by loss, since evaluation_loss is not offered; "
                f"for example {evidence.calls.name(i)} {message}. Define evaluation_loss for "
                "score and GridSearchCV"
            )
            return


def _wrong_evaluation_losses(evidence: Evidence, i: int, method: str) -> Iterator[tuple[str, str]]:
    """Yield a faulty method and a message for each wrong loss of an annotation and an output."""
    calls, highest = evidence.calls, evidence.problem.max_loss
    labels = _distinct_labels(evidence, i)
    decoded = dict(entry for entry in evidence.found("decode", i) if entry)
    before = len(calls.errors)

    def losses_of(outputs: dict[Any, Any]) -> list[tuple[Any, float]]:
        return [(y, calls.numbers(method, i, (), calls.y[i], y)) for y in outputs.values()]

    imputed, predicted = losses_of(labels), losses_of(decoded)
    if len(calls.errors) > before:
        message = calls.errors[before].message
        calls.errors[before:] = []
        yield method, message
        return
    has_impute = defines(evidence.problem, "impute")
    inherited = (
        "" if has_impute else "; impute is not defined, so it ignores annotations: define it"
    )
    at = f"for the annotation {short(calls.y[i])} and"
    rounding = ROUNDING * max((loss for _, loss in (*imputed, *predicted)), default=0.0)
    agreeing = [y for y, loss in imputed if abs(loss) <= rounding]
    for label, loss in imputed:
        if abs(loss) <= rounding:
            continue
        if agreeing and calls.numbers("loss", i, (), agreeing[0], label):
            yield (
                "impute",
                f"it returned {short(label)}, but {method} is {loss:g} {at} that, and 0 for "
                f"{short(agreeing[0])}, which it returned at another w; it must agree with the "
                f"annotation at every w{inherited}",
            )
        yield (
            method,
            f"it is {loss:g} {at} {short(label)}, which impute returned for it; it must be 0 "
            f"where they agree{inherited}",
        )
    for y, loss in predicted:
        if loss < 0 or (highest is not None and loss > highest * (1 + TOLERANCE)):
            limits = "it must be >= 0 and at most max_loss"
            yield method, f"it is {loss:g} {at} {short(y)}, which decode returned; {limits}"


@law(MEASURES, where=annotated)
def loss_depends_on_known_parts(evidence: Evidence) -> Iterator[Finding]:
    """An output has the same loss for all labels imputed from one annotation.

    If a class derived from LatentProblem defines the loss, the loss may not depend on the imputed
    label (Yu & Joachims, 2009). If a class not derived from LatentProblem defines the loss, the
    check only adds a note.
    """
    if evidence.results.get("evaluation_loss_is_valid"):
        return  # labels that disagree with the annotation were reported
    owner = next(base for base in type(evidence.problem).__mro__ if "loss" in vars(base))
    for i, annotation in enumerate(evidence.calls.y):
        message = "" if annotation is None else _other_losses(evidence, i)
        if message and issubclass(owner, LatentProblem):
            remedy = "it may not depend on parts of the true output that are not known"
            yield evidence.calls.finding("loss", f"{message}; {remedy}", i)
        elif message:
            evidence.notes.append(
                f"loss depends on what is imputed: {message}. So the imputed parts are to be "
                "found with a margin too, as in a transductive SVM; a latent SVM compares known "
                "parts alone"
            )
            return


def _other_losses(evidence: Evidence, i: int) -> str:
    """Return a message if an output's loss differs between labels imputed for example i, or ''."""
    first, label = evidence.pools[0][i], evidence.visits[0].labels[i]
    for pools, visit in zip(evidence.pools, evidence.visits, strict=True):
        pool = pools[i]
        if first is None or pool is None or pool is first:
            continue
        for k in first.rows.keys() & pool.rows.keys():
            losses = [float(each.losses[each.rows[k]]) for each in (first, pool)]
            if abs(losses[0] - losses[1]) > ROUNDING * max(losses):
                return (
                    f"for one annotation, {short(evidence.calls.y[i])}, impute returned "
                    f"{short(label)} and {short(visit.labels[i])} at different w, from which the "
                    f"losses of {short(pool.outputs[pool.rows[k]])} are {losses[0]:g} and "
                    f"{losses[1]:g}"
                )
    return ""


@law(SEARCHES, where=lambda evidence: evidence.self_labelled)
def impute_maximises(evidence: Evidence) -> Iterator[Finding]:
    """The label imputed at w scores at least as high as the labels imputed at any other w.

    If there is no annotation, decoded outputs do not score higher than the imputed label. The check
    assumes that every label imputed from an annotation agrees with the annotation.
    """
    problem: Any = evidence.problem
    if problem.restricts_labels or not oracle_is_exact(problem):
        return
    for found in results(evidence, "decode"):
        # Scores are relative to the label, whose score is 0.
        if evidence.calls.y[found.i] is None and found.scores[found.row] > found.tolerance:
            label = evidence.visits[found.point].labels[found.i]
            message = (
                f"at |w| = {found.norm:.3g} it returned {short(label)}, but "
                f"{short(found.pool.outputs[found.row])}, which decode returned, scores "
                f"{found.scores[found.row]:.6g} more; without an annotation it must decode, unless "
                "restricts_labels is set"
            )
            yield evidence.calls.finding("impute", message, found.i)
    # If no label of an annotation ever changes, other outputs with evaluation loss 0 count too.
    known = [i for i, annotation in enumerate(evidence.calls.y) if annotation is not None]
    constant = all(len(_distinct_labels(evidence, i)) == 1 for i in known)
    for i in range(evidence.calls.n):
        if message := _better_label(evidence, i, constant):
            yield evidence.calls.finding("impute", message, i)


def _better_label(evidence: Evidence, i: int, constant: bool) -> str:
    """Return a message if some label scores higher at a w than the label imputed there, or ''."""
    labels = [visit.labels[i] for visit in evidence.visits]
    distinct, origin = _distinct_labels(evidence, i), "it returned at another w"
    if constant:
        distinct |= _agreeing(evidence, i)
        origin = "has an evaluation loss of 0 too"
    rows = [evidence.joint_feature(i, label) for label in distinct.values()]
    if any(each is None for each in (*labels, *rows)):
        return ""
    columns, scores, size = list(distinct), evidence.points @ np.array(rows).T, max(map(norm, rows))
    for w, label, score in zip(evidence.points, labels, scores, strict=True):
        lead, length = score.max() - score[columns.index(key(label))], np.linalg.norm(w)
        if lead > evidence.tolerance * length * size:
            return (
                f"at |w| = {length:.3g} it returned {short(label)}, but "
                f"{short(distinct[columns[score.argmax()]])}, which {origin}, scores {lead:.6g} "
                "more; it must return the best output that agrees with the annotation, unless "
                "restricts_labels is set"
            )
    return ""


def _distinct_labels(evidence: Evidence, i: int) -> dict[Any, Any]:
    """Return the different labels imputed for an example, as a dictionary with hashes as keys."""
    labels = [visit.labels[i] for visit in evidence.visits]
    return {key(label): label for label in labels if label is not None}


def _agreeing(evidence: Evidence, i: int) -> dict[Any, Any]:
    """Return the recorded outputs whose evaluation loss is 0, as a dictionary with hashes as keys.

    Labels that were imputed from other annotations are not returned. If the annotation is itself a
    label, the function returns an empty dictionary.
    """
    calls, labels, pool = evidence.calls, evidence.visits[0].labels, evidence.pools[0][i]
    own = key(calls.y[i])
    has_own = defines(evidence.problem, "evaluation_loss")
    if pool is None or calls.y[i] is None or own == key(labels[i]) or not has_own:
        return {}
    taken = {key(labels[j]) for j in range(calls.n) if key(calls.y[j]) != own}
    return {
        k: pool.outputs[row]
        for k, row in pool.rows.items()
        if k not in taken and not pool.outside[row]
        and calls.numbers("evaluation_loss", i, (), calls.y[i], pool.outputs[row]) == 0
    }  # fmt: skip
