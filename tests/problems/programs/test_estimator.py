"""IntegerProgramSVM: whole and partly known outputs, its parameters."""

import numpy as np
import pytest
from programs_data import drawn
from scipy import sparse
from scipy.optimize import LinearConstraint

from structsvm import StructuredSVM
from structsvm.problems import IntegerProgram, IntegerProgramSVM, PartialIntegerProgram, Program
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.labels import has_unknown
from structsvm.problems.programs.program import Compiled
from structsvm.problems.programs.search import best


def test_the_problem_is_that_of_the_outputs():
    X, Y = drawn(0)
    known = [np.r_[-1, Y[0][1:]], *Y[1:]]
    for outputs, kind in ((Y, IntegerProgram), (known, PartialIntegerProgram)):
        one = IntegerProgramSVM(C=10.0).fit(X, outputs)
        other = StructuredSVM(kind(), C=10.0).fit(X, outputs)
        assert type(one.problem_) is kind
        np.testing.assert_array_equal(one.w_, other.w_)


def test_its_parameters_reach_the_problem():
    X, Y = drawn(0)

    def first(scores, constraint, start):
        return np.eye(6)[5]

    first.oracle_quality = "undergenerating"
    svm = IntegerProgramSVM(
        mip_time_limit=5.0, mip_rel_gap=0.1, integer_solver=first,
        early_stopping=True, validation_fraction=0.5,
    )  # fmt: skip
    problem = svm.fit(X, Y).problem_
    parameters = (problem.time_limit, problem.mip_rel_gap, problem.relaxation, problem.solver)
    assert parameters[:3] == (5.0, 0.1, False) and parameters[3].__name__ == "first"
    with pytest.raises(TypeError, match="integer_solver must be callable; got 'gurobi'"):
        IntegerProgramSVM(integer_solver="gurobi").fit(X, Y)
    with pytest.raises(ValueError, match="mip_time_limit must be a finite number > 0; got 0"):
        IntegerProgramSVM(mip_time_limit=0).fit(X, Y)


@pytest.mark.parametrize(
    "y, unknown",
    [([0, -1], True), ([0, 1], False), ((np.array([-1.0]), np.ones(1)), True), (None, False),
     ("ab", False), ([0.5, [1]], False)],
)  # fmt: skip
def test_unknown_entries_are_seen(y, unknown):
    assert has_unknown(y) is unknown


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_default_c_goes_with_the_number_of_variables_and_the_scale(convert):
    X, Y = IntegerProgram.example_data()
    plain = IntegerProgramSVM().fit(X, Y)
    squares = np.concatenate([np.square(x.features).sum(axis=1) for x in X])
    assert plain.C_ == plain.result_.C == pytest.approx(5 * len(squares) / squares.mean())
    scaled = [Program(convert(1e3 * x.features), x.constraints) for x in X]
    other = IntegerProgramSVM().fit(scaled, Y)
    np.testing.assert_allclose(1e3 * other.w_, plain.w_, rtol=0.05, atol=0.01)
    with pytest.raises(ValueError, match=r"X\[1\]: a Program is expected; got list"):
        IntegerProgramSVM().fit([X[0], [1]], Y[:2])


@pytest.mark.parametrize("unknown", ["imputed", "ignored"])
def test_outputs_known_in_part_are_scored_after_training_on_whole_ones(unknown):
    X, Y = drawn(0, n=6)
    svm = IntegerProgramSVM(C=10.0, unknown=unknown).fit(X[:4], Y[:4])
    known = [Y[4].copy(), Y[5].copy()]
    known[0][:3] = -1
    predicted = svm.predict(X[4:])
    right = [np.mean(predicted[0][3:] == Y[4][3:]), np.mean(predicted[1] == Y[5])]
    assert svm.score(X[4:], known) == pytest.approx(np.mean(right))


@pytest.mark.parametrize("unknown", ["imputed", "ignored"])
def test_what_is_not_known_at_all_is_not_scored(unknown):
    X, Y = drawn(0, n=6)
    svm = IntegerProgramSVM(C=10.0, unknown=unknown).fit(X[:4], Y[:4])
    nothing = np.full(6, -1), (Y[5], np.zeros(6))
    expected = svm.score(X[:2], Y[:2])
    for y in nothing:
        assert svm.score([*X[:2], X[5]], [*Y[:2], y]) == pytest.approx(expected)
    with pytest.raises(ValueError, match="no variable of any output in y is known"):
        svm.score(X[4:], nothing)
    with pytest.raises(ValueError, match=r"y\[1\]: an output must hold 0 or 1"):
        svm.score(X[4:], [Y[4], "ab"])


def test_one_program_is_no_list_of_programs():
    X, Y = drawn(0)
    with pytest.raises(
        ValueError, match=r"X must be a list of programs; got one Program: give \[X\]"
    ):
        IntegerProgramSVM().fit(X[0], Y[0])
    svm = IntegerProgramSVM().fit(X, Y)
    with pytest.raises(ValueError, match="X must be a list of programs"):
        svm.predict(X[0])


def test_ignored_outputs_are_completed_once():
    searches = []

    def solver(scores, constraint, start):
        searches.append(len(scores))
        program = Compiled(np.zeros((len(scores), 1)), Constraints(constraint, ["a"], [3]))
        return best(program, scores, None, None)

    pairs = LinearConstraint(np.kron(np.eye(3), [[1, 1]]), 1, 1)
    x = Program(np.random.default_rng(0).normal(size=(6, 2)), {"a": pairs})
    y = [0, -1, 1, -1, -1, 0]
    svm = IntegerProgramSVM(unknown="ignored", integer_solver=solver).fit([x], [y])
    assert searches.count(3) == 1  # the other searches are of all six variables
    assert svm.result_.w_prior is not None
