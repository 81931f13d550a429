"""Which method is to blame where methods contradict each other.

A finding names the method in which a mistake showed. The method was compared with others: an oracle
with joint feature and loss, a batch form with its single form. If another method explains all
findings, and is the likelier culprit, it is blamed alone:

- A class that overrides methods of another problem is wrong in what it overrides.
- If several methods contradict a joint feature or a loss, the measure is wrong, not all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.results import results
from structsvm.contract.capabilities import offers, oracle_is_exact
from structsvm.contract.problem import Problem

MEASURES = ("joint_feature", "joint_feature_difference", "loss")
SEARCHED = (*MEASURES, "outputs", "constraints", "lower_bounds", "initialize")
FEATURES = ("joint_feature", "joint_feature_difference", "initialize", "prepare")
#: What each method is compared with or may rely on: a mistake there may show here.
CAUSES: dict[str, tuple[str, ...]] = {
    "joint_feature": ("initialize",),
    "joint_feature_difference": ("joint_feature", "initialize"),
    "loss": ("initialize",),
    "max_loss": ("loss", "initialize", "evaluation_loss"),
    "initialize": ("joint_feature", "loss", "decode", "separation_oracle"),
    "outputs": ("joint_feature", "loss", "initialize", "decode", "separation_oracle"),
    "separation_oracle": (*SEARCHED, "batch_separation_oracle", "impute"),
    "slack_oracle": (*SEARCHED, "batch_slack_oracle", "impute"),
    "decode": (*SEARCHED, "batch_decode"),
    "refine": (*MEASURES, "outputs", "initialize"),
    "pool_outputs": (*MEASURES, "outputs", "prepare", "initialize"),
    "search_pool": (*MEASURES, "pool_outputs", "prepare", "initialize"),
    "impute": (*MEASURES, "batch_impute", "decode", "outputs", "initialize", "evaluation_loss"),
    "evaluation_loss": ("loss", "impute", "initialize"),
    "soft_oracle": (*MEASURES, "outputs", "sum_soft_oracle", "initialize"),
    "sum_soft_oracle": (*MEASURES, "outputs", "soft_oracle", "separation_oracle", "prepare"),
    "example_data": ("initialize", "joint_feature"),
    "input_gradient": ("joint_feature",),
    "soft_input_gradient": ("soft_oracle", *MEASURES),
    "prepare": ("joint_feature", "loss", "initialize"),
    "batch_separation_oracle": ("separation_oracle", *SEARCHED, "prepare"),
    "batch_slack_oracle": ("slack_oracle", *SEARCHED, "prepare"),
    "batch_decode": ("decode", *SEARCHED, "prepare"),
    "batch_impute": ("impute", *MEASURES, "prepare", "initialize"),
    "batch_loss": ("loss", "prepare", "initialize"),
    "batch_joint_feature_difference": FEATURES,
    "sum_joint_feature_difference": FEATURES,
    "relabelled_planes": ("loss", *FEATURES),
    "sum_soft_curvature": ("sum_soft_oracle", "soft_oracle", "prepare"),
    "curvature_axes": ("prepare", "initialize"),
    "minibatches": ("sum_soft_oracle", "prepare"),
    "score_outputs": (*MEASURES, "outputs", "prepare"),
    "sum_expected_difference": (*FEATURES, "outputs"),
    "example_products": (*FEATURES, "outputs"),
}
#: What contradicts a wrong measure, at least.
WITNESSES = {
    "joint_feature": {"separation_oracle", "decode"},
    "loss": {"separation_oracle", "batch_loss"},
}
#: Methods of LatentProblem, with those that users write for them.
USERS = {"impute": "complete"}
#: Fraction of the calls for an example that a wrong measure spoils; a poor search fails in fewer.
SYSTEMATIC = 0.5


def blamed(findings: Sequence[Finding], evidence: Evidence) -> list[Finding]:
    """Return the findings of the method that explains all others; all if no method does."""
    names = list(dict.fromkeys(finding.method for finding in findings))
    culprit = _overridden_culprit(evidence.problem, names) or _contradicted(evidence, names)
    if not culprit:
        return list(findings)
    if culprit in names:
        return [finding for finding in findings if finding.method == culprit]
    first, verb = findings[0], "contradict" if len(names) > 1 else "contradicts"
    seen, _, _ = first.message.partition(" Its output is not the best")  # hints for the search
    message = f"{' and '.join(names)} {verb} it. {first.method}: {seen}"
    return [first._replace(method=culprit, message=message)]


def _overridden_culprit(problem: Problem, names: Sequence[str]) -> str:
    """The method that explains all, where the class overrides it and not the others; or ''."""
    kind = type(problem)
    causes = [cause for cause in _causes(names) if offers(problem, cause)]
    least = min((depth(kind, cause) for cause in causes), default=0)
    derived = [cause for cause in causes if depth(kind, cause) == least]
    named = [cause for cause in derived if cause in names]
    if named or any(depth(kind, name) <= least for name in names):
        return named[0] if len(named) == 1 else ""
    # An override of initialize may serve another.
    rest = [cause for cause in derived if cause != "initialize"] or derived
    return rest[0] if len(rest) == 1 else ""


def _causes(names: Sequence[str]) -> list[str]:
    """The methods that explain the findings of all that are named."""
    explained = [{name, *CAUSES.get(name, ())} for name in names]
    return sorted(set.intersection(*explained)) if explained else []


def depth(kind: type, name: str) -> int:
    """The number of classes below the base class that defines a method, or what it calls."""
    bases, names = kind.__mro__, {name, USERS.get(name)}
    return next(
        (depth for depth, base in enumerate(bases) if names & vars(base).keys()), len(bases)
    )


def _contradicted(evidence: Evidence, names: Sequence[str]) -> str:
    """The joint feature or the loss, if all methods that use it contradict it; or ''."""
    if not oracle_is_exact(evidence.problem):
        return ""
    for measure, witnesses in WITNESSES.items():
        if witnesses <= set(names) and measure in _causes(names):
            searches = witnesses & set(evidence.searches)
            if all(_is_systematic(evidence, search) for search in searches):
                return measure
    return ""


def _is_systematic(evidence: Evidence, method: str) -> bool:
    """Whether a search fails in most calls for the examples for which it fails at all."""
    found = [result for result in results(evidence, method) if result.norm > 0]
    failing = {result.i for result in found if result.beaten}
    beaten = [result.beaten for result in found if result.i in failing]
    return sum(beaten) > SYSTEMATIC * len(beaten) if beaten else False
