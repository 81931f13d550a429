"""IntegerProgramSVM: whole and partly known outputs, completions, its parameters."""

import numpy as np
import pytest
from programs_data import drawn, feasible_vectors
from scipy import sparse

from structsvm import CCCP, ProblemError, StructuredSVM
from structsvm.problems import IntegerProgram, IntegerProgramSVM, PartialIntegerProgram, Program


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
    held_out = {"early_stopping": True, "validation_fraction": 0.5}
    assert IntegerProgramSVM(integer_solver=first, **held_out).fit(X, Y).problem_.solver is first
    limits = {"mip_time_limit": 5.0, "mip_rel_gap": 0.1}
    problem = IntegerProgramSVM(**limits, **held_out).fit(X, Y).problem_
    assert (problem.time_limit, problem.mip_rel_gap, problem.relaxation) == (5.0, 0.1, False)
    for limit in limits:
        with pytest.raises(ValueError, match="mip_time_limit and mip_rel_gap are limits of HiGHS"):
            IntegerProgramSVM(**{limit: limits[limit]}, integer_solver=first).fit(X, Y)
    with pytest.raises(ValueError, match="mip_rel_gap must be a finite number >= 0; got -1"):
        IntegerProgramSVM(mip_rel_gap=-1).fit(X, Y)
    with pytest.raises(TypeError, match="integer_solver must be callable; got 3"):
        IntegerProgramSVM(integer_solver=3).fit(X, Y)
    with pytest.raises(ValueError, match="mip_time_limit must be a finite number > 0; got 0"):
        IntegerProgramSVM(mip_time_limit=0).fit(X, Y)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_default_c_goes_with_the_number_of_variables_and_the_scale(convert):
    X, Y = IntegerProgram.example_data()
    plain = IntegerProgramSVM().fit(X, Y)
    squares = np.concatenate([np.square(x.features).sum(axis=1) for x in X])
    assert plain.C_ == plain.result_.C == pytest.approx(5 * len(squares) / squares.mean())
    scaled = [Program(convert(1e3 * x.features), x.constraints) for x in X]
    other = IntegerProgramSVM().fit(scaled, Y)
    np.testing.assert_allclose(1e3 * other.w_, plain.w_, rtol=0.05, atol=0.01)


@pytest.mark.parametrize("unknown", ["imputed", "ignored"])
def test_outputs_known_in_part_are_scored_after_training_on_whole_ones(unknown):
    X, Y = drawn(0, n=6)
    svm = IntegerProgramSVM(C=10.0, unknown=unknown).fit(X[:4], Y[:4])
    known = [Y[4].copy(), Y[5].copy()]
    known[0][:3] = -1
    predicted = svm.predict(X[4:])
    right = [np.mean(predicted[0][3:] == Y[4][3:]), np.mean(predicted[1] == Y[5])]
    assert svm.score(X[4:], known) == pytest.approx(np.mean(right))
    # What is not known at all is not scored.
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
    message, svm = r"X must be a list of programs; got one Program: give \[X\]", IntegerProgramSVM()
    with pytest.raises(ValueError, match=message):
        svm.fit(X[0], Y[0])
    with pytest.raises(ValueError, match=message):
        svm.fit(X, Y).predict(X[0])


def partly(Y, seed):
    rng = np.random.default_rng(seed)
    return [np.where(rng.random(len(y)) < 0.5, -1, y) for y in Y]


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("seed", range(2))
def test_imputed_outputs_are_the_best_completions(seed, convert):
    X, Y = drawn(seed, convert=convert)
    known = partly(Y, seed)
    known[0] = np.full(6, -1)
    problem = PartialIntegerProgram()
    problem.initialize(X, known)
    w = np.random.default_rng(seed).normal(size=3)
    for x, y in zip(X, known, strict=True):
        values, weights = problem.impute(x, y, w)
        vectors = feasible_vectors(x)
        vectors = vectors[((vectors == y) | (y == -1)).all(axis=1)]
        scores = vectors @ (x.features @ w)
        (place,) = np.flatnonzero((vectors == values).all(axis=1))
        assert scores[place] == pytest.approx(scores.max())
        assert weights.tolist() == (y != -1).tolist()


def test_the_loss_is_that_of_the_known_variables():
    X, Y = drawn(0)
    problem = PartialIntegerProgram()
    problem.initialize(X, partly(Y, 0))
    y, y_hat = np.array([0, -1, 0, -1, 1, 0]), np.array([1, 1, 0, 0, 1, 0])
    assert problem.evaluation_loss(y, y_hat) == pytest.approx(1 / 4)
    assert problem.evaluation_loss((y, np.array([3.0, 9, 1, 9, 1, 1])), y_hat) == 0.5
    imputed = problem.impute(X[0], y, np.zeros(3))
    assert problem.loss(imputed, y_hat) == pytest.approx(1 / 6)
    assert problem.evaluation_loss(np.full(6, -1), y_hat) == 0


def choices():
    """Groups of which at most one variable may be 1, by features of which one is noise."""
    rng = np.random.default_rng(0)
    groups = {"groups": (np.repeat(np.eye(4), 3, axis=1), np.ones(4))}
    X = [Program(np.insert(rng.normal(size=(12, 2)), 2, 1, axis=1), groups) for _ in range(20)]
    return X, [IntegerProgram().decode(x, np.array([1.0, 0.0, -0.3])) for x in X]


def test_with_half_of_the_variables_it_learns_what_all_teach():
    X, Y = choices()
    known = partly(Y, 0)
    svm = StructuredSVM(PartialIntegerProgram(), rtol=0.05).fit(X[:10], known[:10])
    assert svm.score(X[10:], Y[10:]) > 0.9
    assert svm.score(X[10:], known[10:]) > 0.9
    imputed = np.array([values for values, _ in svm.result_.labels])
    assert np.mean(imputed == Y[:10]) > 0.9
    assert svm.verify(X[:10], known[:10]).matches


def test_training_starts_from_the_contrast_of_known_variables():
    X = [Program(np.array([[2.0, 1.0], [0.0, 1.0], [5.0, 5.0]]))]
    problem = PartialIntegerProgram()
    problem.initialize(X, [np.array([1, 0, -1])])
    assert problem.initial_w(X, np.random.default_rng(0)).tolist() == [2.0, 0.0]
    X = [Program(np.ones((3, 2)))]
    problem.initialize(X, [np.array([1, 0, -1])])
    assert problem.initial_w(X, np.random.default_rng(0)).any()


def test_known_variables_without_a_completion_name_sets_and_example():
    X, Y = drawn(0)
    bad = np.array([1, 1, -1, -1, -1, -1])
    message = r"Y\[1\]: the output violates constraint set 'cover' in row 0: A y is 2"
    with pytest.raises(ValueError, match=message):
        CCCP().solve(PartialIntegerProgram(), X, [Y[0], bad, Y[2]], 1.0)
    # Each constraint can be satisfied, but not both.
    x = Program(np.eye(3), {"one": ([[0, 1, 1]], [1]), "some": ([[-1, -1, 0]], [-1])})
    message = (
        "impute raised InputError for example 0: with the known variables as they are, there is "
        "no solution: no 0/1 vector satisfies the constraint sets 'one' and 'some' together"
    )
    with pytest.raises(ProblemError, match=message):
        CCCP().solve(PartialIntegerProgram(), [x], [np.array([0, -1, 1])], 1.0)
    message = "y.0.: with the known variables as they are, there is no solution"
    with pytest.raises(ValueError, match=message):
        IntegerProgramSVM(C=1.0, unknown="ignored").fit([x], [[0, -1, 1]])


@pytest.mark.parametrize("unknown", ["imputed", "ignored"])
def test_known_variables_that_no_completion_satisfies_are_named_with_the_range(unknown):
    x = Program(np.eye(3), {"sum": ([[2, 1, -1]], [1.5])})
    IntegerProgramSVM(unknown=unknown).fit([x], [np.array([0, -1, -1])])
    message = "violates constraint set 'sum' in row 0: A y is 2 to 3, whatever the unknown .* are"
    with pytest.raises(ValueError, match=message):
        IntegerProgramSVM(unknown=unknown).fit([x], [np.array([1, -1, 0])])
    with pytest.raises(ValueError, match=message):
        pair = np.array([1, 0, 0]), np.array([1, 0, 1])
        IntegerProgramSVM().fit([x], [pair])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: np.r_[-2, y[1:]], r"y\[0\]: .* must hold 0 or 1 .*; got -2 for variable 0"),
        (lambda y: np.r_[np.nan, y[1:]], r"y\[0\]: .* 0 or 1 .*, -1 for unknown; got nan"),
        (np.ones_like, r"y\[0\]: .* violates constraint set 'cover' in row 0"),
    ],
)
def test_bad_annotations_are_named(change, message):
    X, Y = drawn(0)
    with pytest.raises(ValueError, match=message):
        StructuredSVM(PartialIntegerProgram()).fit(X, [change(Y[0]), *Y[1:]])
    for unknown in ("imputed", "ignored"):
        for nothing in ([np.full(6, -1)] * 3, [(y, np.zeros(6)) for y in Y]):
            with pytest.raises(ValueError, match="no variable of any output in y is known"):
                IntegerProgramSVM(unknown=unknown).fit(X, nothing)


def test_unknown_variables_are_imputed_or_ignored_by_name():
    x = Program(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), {"two": ([[1, 1, 1]], [2])})
    y = np.array([1, -1, 0])
    ignored = IntegerProgramSVM(unknown="ignored", C=10.0, rtol=1e-6).fit([x], [y])
    pair = np.array([1, 0, 0]), np.array([1, 0, 1])
    by_weights = IntegerProgramSVM(C=10.0, rtol=1e-6).fit([x], [pair])
    assert np.array_equal(ignored.w_, by_weights.w_)
    assert ignored.verify([x], [y]).matches
    wrong = [np.array([0, -1, 0])]
    assert ignored.score([x], wrong) == IntegerProgramSVM().fit([x], [y]).score([x], wrong) == 0.5
    with pytest.raises(ValueError, match="unknown must be one of 'imputed', 'ignored'; got 'none'"):
        IntegerProgramSVM(unknown="none").fit([x], [y])
