"""A result and its status and guarantee: what each says, and that numbers fit together."""

import re

import pytest
from toy_problems import (
    Assignment,
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane, Status

C = 10.0
MULTILABEL, ASSIGNMENT, TOPICS = multilabel_data(), assignment_data(), (topics_data(), None)


class PoorTopics(LatentTopics):
    oracle_quality = "undergenerating"


@pytest.mark.parametrize(
    ("problem", "data", "upper", "lower", "text"),
    [
        (Multilabel(), MULTILABEL, True, True, "^exact oracle: dual <= optimum <= primal"),
        (LocalSearchMultilabel(), MULTILABEL, False, True, "^undergenerating .*too low.*do not b"),
        (RelaxedAssignment(), ASSIGNMENT, True, False, "^overgenerating .*may lie above the opt"),
        (LatentTopics(), TOPICS, True, False, "^self-labelled, hence not convex.*exact oracle"),
        (PoorTopics(), TOPICS, False, False, "^self-labelled, .*undergenerating"),
    ],
)
def test_guarantee_follows_from_the_oracle(problem, data, upper, lower, text):
    solver = CCCP() if isinstance(problem, LatentTopics) else OneSlackCuttingPlane()
    result = solver.solve(problem, *data, C)
    assert result.guarantee[:2] == (upper, lower)
    assert re.search(text, result.guarantee.text)
    assert result.guarantee.text in str(result)


def test_a_self_labelled_problem_trained_on_given_outputs_is_convex():
    X, _ = TOPICS
    labels = CCCP(max_iter=3).solve(LatentTopics(), *TOPICS, C).labels
    result = OneSlackCuttingPlane().solve(LatentTopics(), X, labels, C)
    assert result.guarantee[:2] == (True, True)


def test_every_status_says_what_to_do():
    messages = {status.message for status in Status}
    assert len(messages) == len(Status) == 9
    assert "raise max_iter, or the tolerance" in Status.MAX_ITER.message
    assert "scale the features" in Status.NUMERICAL.message


# ---------------------------------------------------------------------- the result


def test_numbers_of_the_result_fit_together():
    X, Y = ASSIGNMENT
    result = NSlackCuttingPlane().solve(Assignment(), X, Y, C)
    assert result.oracle_calls == len(X) * result.iterations
    parts = {name: result.seconds[name] for name in ("oracle", "joint_feature", "qp")}
    assert all(seconds > 0 for seconds in parts.values())
    assert sum(parts.values()) <= result.seconds["total"]
    text = str(result)
    assert text.startswith("CONVERGED: the duality gap is within the tolerance")
    assert f"{result.oracle_calls} oracle calls" in text
    assert "support" not in repr(result), "a result prints in a few lines"


def test_what_was_given_and_imputed_labels_are_kept():
    X, Y = MULTILABEL
    result = OneSlackCuttingPlane(rescaling="slack").solve(Multilabel(), X, Y, C)
    assert (result.n_examples, result.C, result.rescaling) == (6, C, "slack")
    assert result.solver == f"OneSlackCuttingPlane, {result.iterations} passes, converged"
    assert result.multipliers.shape == (0,)
    X, _ = TOPICS
    result = CCCP().solve(LatentTopics(), X, C=C)
    assert [len(labels) for labels in result.labels] == [len(x) for x in X]
    assert str(result).endswith(f"\nCCCP, {result.iterations} passes, converged")
