"""The status, the guarantee and the outcome of a run, and what each says."""

import re
from dataclasses import replace

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
from structsvm.results.status import Outcome, guarantee_of

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
    for status, advice in {
        Status.MAX_ITER: "raise max_iter, or the tolerance",
        Status.TIME_LIMIT: "raise it, or the tolerance",
        Status.NUMERICAL: "scale the features",
        Status.STALLED: "raise the tolerance, or accept this gap",
        Status.QP_FAILED: "scale the joint features",
        Status.INTERRUPTED: "best found",
        Status.STOPPED: "callback",
        Status.EARLY_STOPPED: "optimal up to the gap only",
        Status.CONVERGED: "within the tolerance",
    }.items():
        assert advice in status.message


def test_an_outcome_prints_its_numbers_and_what_they_mean():
    outcome = Outcome(
        primal=2.5,
        dual=2.0,
        gap=0.5,
        tolerance=0.0025,
        status=Status.MAX_ITER,
        guarantee=guarantee_of(Multilabel(), imputes=False),
        iterations=7,
        oracle_calls=42,
        seconds={"oracle": 1.0, "total": 1.5},
        history=(),
    )
    assert repr(outcome) == "Outcome(MAX_ITER, primal=2.5, dual=2, gap=0.5, iterations=7)"
    assert str(outcome).splitlines() == [
        f"MAX_ITER: {Status.MAX_ITER.message}",
        "primal 2.5, dual 2, gap 0.5 (tolerance 0.0025) after 7 iterations, 42 oracle calls, 1.5 s",
        "exact oracle: dual <= optimum <= primal, w is within the gap",
    ]
    assert "STALLED" in repr(replace(outcome, status=Status.STALLED))
