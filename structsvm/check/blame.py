"""Decide which method is to blame when methods contradict each other.

A finding names the method whose result is wrong. Checks compare methods with each other. For
example, checks compare the scores of outputs, and ``joint_feature`` and ``loss`` define the scores.
The methods of a task are compared with the problem's methods for single examples. If an error in
one method explains all contradictions, two rules may select this method:

- If a class overrides methods of another problem, blame an overriding method.
- If several methods contradict ``joint_feature`` or ``loss``, blame the contradicted method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from structsvm.check.equality import TOLERANCE
from structsvm.check.evidence import Evidence, SearchResult, results
from structsvm.check.findings import TRUTH, Finding
from structsvm.check.points import SCORES, projection
from structsvm.contract.capabilities import defines, oracle_is_exact
from structsvm.contract.latent import LatentProblem
from structsvm.task.faults import overridden

MEASURES = ("joint_feature", "joint_feature_difference", "loss", "initialize")
SEARCHED = (*MEASURES, "outputs", "constraints")
#: The methods that make the examples of a task. Names of a task's methods begin with a point.
HELD = ("task", ".part", ".with_labels")
#: For a method of the problem, the method of the task that must give the same answers.
ANSWERS = {
    "separation_oracle": ".search", "slack_oracle": ".search_rescaled", "decode": ".decode",
    "impute": ".impute", "soft_oracle": ".soft",
}  # fmt: skip
#: For each method, the methods that it is compared with or may rely on. A mistake in one of them
#: may show in this method.
CAUSES: dict[str, tuple[str, ...]] = {
    "joint_feature": ("initialize",),
    "joint_feature_difference": ("joint_feature", "initialize"),
    "loss": ("initialize",),
    "max_loss": ("loss", "initialize", "evaluation_loss"),
    "initialize": ("joint_feature", "loss", "decode", "separation_oracle"),
    "outputs": ("joint_feature", "loss", "initialize", "decode", "separation_oracle"),
    "evaluation_loss": ("loss", "impute", "initialize"),
    "example_data": ("initialize", "joint_feature"),
    "input_gradient": ("joint_feature",),
    "soft_input_gradient": ("soft_oracle", *MEASURES[:3]),
    "task": ("joint_feature", "loss", "initialize", *HELD),
    **dict.fromkeys((".part", ".with_labels"), ("task",)),
    **{one: (*SEARCHED, "impute", answers, *HELD) for one, answers in ANSWERS.items()},
    **{answers: (*SEARCHED, one, *HELD) for one, answers in ANSWERS.items()},
    "impute": (*SEARCHED, ".impute", "decode", "evaluation_loss", *HELD),
    ".losses": ("loss", "initialize", *HELD),
    ".evaluation_losses": (".losses", "loss", "initialize", *HELD),
    ".joint_features": ("joint_feature", "initialize", *HELD),
    **dict.fromkeys((".refine", ".pool_outputs", ".score_outputs", ".expected_difference"),
                    (*SEARCHED, *HELD)),
    **dict.fromkeys((".differences", ".plane", ".products", ".term_sizes", ".relabelled"),
                    (*MEASURES, *HELD)),
    "chosen_parts": ("possible_parts", "outputs", "initialize"),
    "decode_with": (*SEARCHED, "decode", "possible_parts", "chosen_parts"),
    ".search_pool": (*SEARCHED, ".pool_outputs", *HELD),
    ".curvature": (".soft", "soft_oracle", *HELD),
    ".axes": ("initialize", *HELD),
}  # fmt: skip
#: For a measure, methods that all contradict it if it is wrong.
WITNESSES = {
    "joint_feature": {"separation_oracle", "decode"},
    "loss": {"separation_oracle", ".losses"},
}
#: Methods that may be overridden only to serve other overridden methods.
SERVING = ("initialize", "task")
#: Methods of LatentProblem, with the methods that users write in their place.
USERS = {"impute": "complete"}
#: A wrong measure spoils more than this fraction of the calls for an example, a poor search less.
SYSTEMATIC = 0.5


def blamed(findings: Sequence[Finding], evidence: Evidence) -> list[Finding]:
    """Keep only the findings about one method, if an error in that method explains all findings.

    If no single method explains all findings, return all findings.

    If the data are unusable, all findings are returned. Methods are named as in the user's code.
    """
    found = list(findings) if evidence.unusable else _explained(findings, evidence)
    kind: Any = type(evidence.problem)
    if getattr(kind, "impute", None) is LatentProblem.impute:
        found = [each._replace(method=USERS.get(each.method, each.method)) for each in found]
    return found


def _explained(findings: Sequence[Finding], evidence: Evidence) -> list[Finding]:
    full = {_brief(finding.method): finding.method for finding in findings}
    names = list(full)
    culprit = _overridden_culprit(evidence, names) or _contradicted(evidence, names)
    if not culprit or culprit in names:
        return [each for each in findings if culprit in ("", _brief(each.method))]
    first, verb = findings[0], "contradict" if len(names) > 1 else "contradicts"
    seen, _, _ = first.message.partition(" Its output is not the best")  # hints for the search
    message = f"{' and '.join(full.values())} {verb} it. {first.method}: {seen}"
    kinds: Any = type(evidence.problem), evidence.calls.task_kind
    if ignored := overridden(*kinds):
        message = f"{message} {ignored}"
    if culprit[0] == ".":
        culprit = f"{evidence.calls.task_kind.__name__}{culprit}"
    return [first._replace(method=culprit, message=message)]


def _brief(name: str) -> str:
    """Return the name of a method, without the name of the task's class."""
    return f".{name.partition('.')[2]}" if "." in name else name


def _overridden_culprit(evidence: Evidence, names: Sequence[str]) -> str:
    """Return the only overridden method that explains all findings, or '' if there is none."""
    causes = [cause for cause in _causes(names) if _defines(evidence, cause)]
    depths = {name: depth(evidence, name) for name in (*causes, *names)}
    least = min((depths[cause] for cause in causes), default=0)
    derived = [cause for cause in causes if depths[cause] == least]
    named = [cause for cause in derived if cause in names]
    if named or any(depths[name] <= least for name in names):
        return named[0] if len(named) == 1 else ""
    # An override of initialize may serve another override.
    rest = [cause for cause in derived if cause not in SERVING] or derived
    return rest[0] if len(rest) == 1 else ""


def _defines(evidence: Evidence, name: str) -> bool:
    """Whether the problem defines a method.

    If the name begins with a dot, the method belongs to the problem's task.
    """
    if name[0] == ".":
        return evidence.calls.name_of(name[1:]) != "task"
    return defines(evidence.problem, name)


def _causes(names: Sequence[str]) -> list[str]:
    explained = [{name, *CAUSES.get(name, ())} for name in names]
    return sorted(set.intersection(*explained)) if explained else []


def depth(evidence: Evidence, name: str) -> int:
    """Return the number of classes that come before the definition of a method in the lookup order.

    For a method of a task, the result also counts the classes before the definition of the
    problem's method ``task``. If ``name`` is 'task', the method is the task's constructor.
    """
    kinds = [(type(evidence.problem), {name, USERS.get(name, name)})]
    if name[0] == "." or name == "task":
        method = "__init__" if name == "task" else name[1:]
        kinds = [(type(evidence.problem), {"task"}), (evidence.calls.task_kind, {method})]
    return sum(
        next(
            (k for k, base in enumerate(kind.__mro__) if names & vars(base).keys()),
            len(kind.__mro__),
        )
        for kind, names in kinds
    )


def _contradicted(evidence: Evidence, names: Sequence[str]) -> str:
    """Return 'joint_feature' or 'loss' if findings in other methods prove it wrong, or ''."""
    if not oracle_is_exact(evidence.problem):
        return ""
    for measure, witnesses in WITNESSES.items():
        if witnesses <= set(names) and measure in _causes(names):
            searches = witnesses & set(evidence.searches)
            if all(_is_systematic(evidence, search) for search in searches):
                return measure
    return ""


def _is_systematic(evidence: Evidence, method: str) -> bool:
    """Whether most calls of a search fail for those examples that have a failed call."""
    found = [result for result in results(evidence, method) if result.norm > 0]
    failing = {result.i for result in found if result.beaten}
    beaten = [result.beaten for result in found if result.i in failing]
    return sum(beaten) > SYSTEMATIC * len(beaten) if beaten else False


#: Largest number of steps to learn a true output.
STEPS = 50


def suspects(evidence: Evidence, method: str, beaten: list[SearchResult]) -> list[str]:
    """Return the searches whose outputs score higher than those of ``method`` but may be invalid.

    An output is certainly valid if it is a true output, or if ``method`` itself returned it for a
    different w. If ``method`` misses a true output, or always returns the same output, ``method``
    itself is wrong.
    """
    if evidence.self_labelled or any(evidence.enumerated[result.i] for result in beaten):
        return []
    places = range(evidence.calls.n)
    found = {
        other: {(i, entry[0]) for i in places for entry in evidence.found(other, i) if entry}
        for other in evidence.searches
    }
    own, better = found.pop(method), set()
    for result in beaten:
        keys = list(result.pool.rows)
        for row in np.flatnonzero(result.scores > result.scores[result.row] + result.tolerance):
            if result.pool.origins[row] == TRUTH:
                return []
            better.add((result.i, keys[row]))
    varied = all(sum(i == result.i for i, _ in own) > 1 for result in beaten)
    if better & own or not varied or _misses_a_truth(evidence, method):
        return []
    # If a class overrides one of the searches, the overriding one is wrong, as above.
    return [
        other
        for other, returned in found.items()
        if better & returned and depth(evidence, other) <= depth(evidence, method)
    ]


def _misses_a_truth(evidence: Evidence, method: str) -> bool:
    """Whether a true output scores higher than the search's output at a w fitted to the example."""
    calls, project = evidence.calls, projection(evidence)
    for i, y in enumerate(calls.y):
        w, truth = project(np.zeros(calls.size)), evidence.joint_feature(i, y)
        for _ in range(STEPS):
            measured = evidence.measure(i, y, method, calls.search(method, i, y, w), truth)
            if measured is None:
                break
            loss, difference = measured
            square, product = float(difference @ difference), float(difference @ w)
            # The true output scores 0.
            if SCORES[method](loss, product) < -TOLERANCE * (loss + abs(product)):
                return True
            if square == 0:
                break
            w = project(w + 1.5 * max(loss - product, 0.1 * loss) / square * difference)
    return False
