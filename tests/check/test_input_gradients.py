"""The checks of gradients in x on problems of the library."""

import numpy as np
import pytest

from benchmarks.robustness._planted.correct.grid import DifferentiableGrid, grid
from structsvm import check_problem
from structsvm.problems import Assignment, LabelSet, Segments


@pytest.mark.slow
def test_gradients_of_rectangular_scores_pass():
    X, Y = (part[:3] for part in Assignment.example_data())
    sides = [x[:2] for x in X], [y[:2] for y in Y]  # fewer rows than columns
    tall = [x.transpose(1, 0, 2) for x in X], [rows_of(y, len(y) + 1) for y in Y]
    for problem, data in ((Assignment(unmatched=True), sides), (Assignment(), tall)):
        assert "input_gradients_are_slopes" in check_problem(problem, *data).checks


def rows_of(y, n):
    """The partners of the columns, -1 for none."""
    found = np.full(n, -1)
    found[y] = np.arange(len(y))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("cls", [LabelSet, Segments])
def test_gradients_of_large_inputs_in_single_precision_pass(cls):
    X, Y = (part[:2] for part in cls.example_data())
    X = [(1e3 * x).astype(np.float32) for x in X]
    X = X if cls is Segments else np.array(X)
    assert "input_gradients_are_slopes" in check_problem(cls(), X, Y).checks


def test_without_a_soft_oracle_for_one_example_a_note_says_that_nothing_was_compared():
    class Summed(DifferentiableGrid):
        soft_oracle = None

    report = check_problem(Summed(), *grid())
    assert any("soft_input_gradient was compared with nothing" in note for note in report.notes)
