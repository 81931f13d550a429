"""RankingProblem: its containers, and inputs that it refuses."""

import numpy as np
from cases.problems import initialized
from refusals import refused

from structsvm import StructuredSVM
from structsvm.problems import Misranking, RankingProblem

GOOD = np.eye(3), np.array([0, 1, 2])


def test_outputs_are_all_rankings():
    # Two relevant documents of four: 4! / (2! 2!) choices of places, and 2 x 2 orders within, of
    # which those that differ in no pair count once.
    x = np.ones((4, 1)), np.array([1, 1, 0, 0])
    problem = initialized(RankingProblem(), [x], [Misranking.none(4)])
    outputs = list(problem.outputs(x))
    distinct = {(y.loss, *y.shifts.tolist()) for y in outputs}
    assert len(distinct) == len(outputs) == 14
    assert min(y.loss for y in outputs) == 0


def test_documents_are_the_parts_of_one_slot():
    other = np.array([[2.0, 0, 1], [1, 1, 1]]), np.array([1, 1])
    problem = initialized(RankingProblem(), [GOOD], [Misranking.none(3)])
    task, w = problem.task([GOOD, other]), np.array([3.0, 1.0, 2.0])
    assert [[*slot] for slot in task.part_names(0)] == [[0, 1, 2]] and task.decode_with is None
    np.testing.assert_array_equal(task.max_marginals(w)[0], [[3, 1, 2]])
    np.testing.assert_array_equal(task.max_marginals(w)[1], [[8, 6]])
    relevant = task.part_places([Misranking.none(3), Misranking.none(2)])
    assert [own.tolist() for own in relevant] == [[1, 2], []]


NONE = Misranking.none(3)

test_bad_data_are_named = refused(
    lambda query, y: StructuredSVM(RankingProblem()).fit([GOOD, query], [NONE, y]),
    ((np.ones((0, 3)), []), NONE, r"X\[1\] has no documents"),
    ((np.eye(3), [0, 1]), NONE, r"of X\[1\] must hold a grade for each .* shape \(2,\)"),
    ((np.eye(3), [0, np.inf, 1]), NONE, r"of X\[1\] must hold finite numbers; got inf in row 1"),
    ((np.full((3, 3), np.nan), [0, 1, 1]), NONE, "X contains NaN"),
    (np.eye(3), NONE, r"X\[1\] must be a pair \(rows, relevance\)"),
    (GOOD, Misranking.none(2), r"must be Misranking\.none\(m\)"),
    (GOOD, Misranking(np.ones(3), 0.0), r"must be Misranking\.none\(m\)"),
    (GOOD, Misranking(np.zeros(3), 0.5), r"must be Misranking\.none\(m\)"),
)
