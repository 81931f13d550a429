"""The status, the guarantee and the outcome of a run, and what each says."""

import re

import pytest
from toy_problems import (
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, OneSlackCuttingPlane, Status

C = 10.0
MULTILABEL, ASSIGNMENT, TOPICS = multilabel_data(), assignment_data(), (topics_data(), None)


@pytest.mark.parametrize(
    ("problem", "data", "upper", "lower", "text"),
    [
        (Multilabel(), MULTILABEL, True, True, "^exact oracle: dual <= optimum <= primal"),
        (LocalSearchMultilabel(), MULTILABEL, False, True, "^undergenerating .*too low.*do not b"),
        (RelaxedAssignment(), ASSIGNMENT, True, False, "^overgenerating .*may lie above the opt"),
        (LatentTopics(), TOPICS, True, False, "^self-labelled, hence not convex.*exact oracle"),
    ],
)
def test_guarantee_follows_from_the_oracle(problem, data, upper, lower, text):
    solver = CCCP() if isinstance(problem, LatentTopics) else OneSlackCuttingPlane()
    result = solver.solve(problem, *data, C)
    assert result.guarantee[:2] == (upper, lower)
    assert re.search(text, result.guarantee.text)
    assert result.guarantee.text in str(result)


def test_self_labelled_with_a_poor_oracle_promises_neither():
    class Poor(LatentTopics):
        oracle_quality = "undergenerating"

    guarantee = CCCP(max_iter=3).solve(Poor(), *TOPICS, C).guarantee
    assert guarantee[:2] == (False, False)
    assert "undergenerating" in guarantee.text


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
