"""IntegerProgram: its searches against all 0/1 vectors, solvers of users, bad data."""

from itertools import product

import numpy as np
import pytest
from enumeration import enumerated
from programs_data import drawn, feasible_vectors
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, milp

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, StructuredSVM
from structsvm.objective.rounding import MULTIPLE
from structsvm.problems import IntegerProgram, Program
from structsvm.problems.decisions import MixedIntegerProgram
from structsvm.problems.programs import search


def initialized(problem, X, Y):
    problem.initialize(X, Y)
    return problem, np.random.default_rng(0).normal(size=problem.size_joint_feature)


def dense(features):
    return features.toarray() if sparse.issparse(features) else features


# ---------------------------------------------------------------------- the searches


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_outputs_are_all_feasible_vectors_and_losses_and_features_means(convert):
    X, Y = drawn(0, convert=convert, weights=True)
    problem, w = initialized(IntegerProgram(), X, Y)
    for x, (values, costs) in zip(X, Y, strict=True):
        outputs = feasible_vectors(x)
        assert {tuple(z) for z in problem.outputs(x)} == {tuple(z) for z in outputs}
        for z in outputs[::5]:
            score = z @ (dense(x.features) @ w) / len(z)
            assert dense(problem.joint_feature(x, z)) @ w == pytest.approx(score)
            loss = np.abs(z - values) @ costs / len(z)
            assert problem.loss((values, costs), z) == pytest.approx(loss)
            assert problem.loss(values, z) == pytest.approx(np.mean(z != values))


def near_ties(rng, v):
    return 1 + 10.0 ** rng.integers(-14, -3) * rng.normal(size=(v, 2))


def of_any_size(rng, v):
    return 10.0 ** rng.integers(-9, 10, size=(v, 1)) * rng.normal(size=(v, 2))


def one_large(rng, v):
    return np.where(np.arange(v)[:, None] == 0, 1e9, 1) * rng.normal(size=(v, 2))


@pytest.mark.parametrize("solver", [None, "highspy"])
@pytest.mark.parametrize("features", [near_ties, of_any_size, one_large])
def test_a_search_misses_no_more_than_the_roundoff_declared(features, solver):
    rng = np.random.default_rng(26)
    for _ in range(25):
        v = int(rng.integers(5, 11))
        A = rng.integers(0, 4, size=(3, v))
        x, w = Program(features(rng, v), {"packed": (A, 0.4 * A.sum(axis=1))}), rng.normal(size=2)
        outputs = feasible_vectors(x)
        y = outputs[rng.integers(len(outputs))]
        problem = IntegerProgram(solver=solver)
        problem.initialize([x], [y])
        found = problem.separation_oracle(x, y, w)
        # What outputs have in common is left out, for it may be much larger than what differs.
        missed = ((outputs - found) * (x.features @ w + 1 - 2 * y)).sum(axis=1).max() / v
        size = abs(problem.joint_feature(x, y)) + abs(problem.joint_feature_difference(x, y, found))
        assert missed <= MULTIPLE * problem.roundoff * (problem.loss(y, found) + np.abs(w) @ size)


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
@pytest.mark.parametrize("solver", [NSlackCuttingPlane, OneSlackCuttingPlane])
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_the_primal_value_is_not_below_the_objective(solver, C):
    X, Y = drawn(1)
    problem = IntegerProgram()
    result = solver(rtol=1e-8).solve(problem, X, Y, C)
    problem.initialize(X, Y)
    every = (enumerated(problem, x, y) for x, y in zip(X, Y, strict=True))
    slacks = [(losses - rows @ result.w).max() for _, rows, losses in every]
    assert C * np.mean(slacks) + 0.5 * result.w @ result.w <= result.primal


@pytest.mark.parametrize("solver", [None, "highspy"])
@pytest.mark.parametrize("seed", range(2))
def test_the_relaxation_is_that_of_linprog(seed, solver):
    X, Y = drawn(seed)
    problem, w = initialized(IntegerProgram(relaxation=True, solver=solver), X, Y)
    for x, y in zip(X, Y, strict=True):
        y_hat = problem.separation_oracle(x, y, w)
        found = problem.joint_feature(x, y_hat) @ w + problem.loss(y, y_hat)
        A, b = zip(*x.constraints.values(), strict=True)
        gains = x.features @ w + 1 - 2 * y
        relaxed = linprog(-gains, np.vstack(list(map(dense, A))), np.concatenate(b), bounds=(0, 1))
        assert found == pytest.approx((y.sum() - relaxed.fun) / len(y))
        assert problem.decode(x, w).tolist() in feasible_vectors(x).tolist()


def test_constraints_of_all_forms_are_the_same():
    A, b = np.array([[1.0, 1, 0], [0, 1, 1]]), np.array([1.0, 1.0])
    features = np.array([[1.0], [1.5], [1.0]])
    forms = [
        (A, b),
        (sparse.csr_matrix(A), b),
        (sparse.csc_array((np.full(8, 0.5), np.repeat([0, 0, 1, 1], 2), [0, 2, 6, 8])), b),
        (A.tolist(), 1),
        [(A[:1], [1]), LinearConstraint(A[1], ub=1)],
        {"first": (A[0], 1), "second": LinearConstraint(sparse.coo_matrix(A[1:]), -np.inf, [1])},
        LinearConstraint(A, ub=b),
    ]
    for form in forms:
        x = Program(features, form)
        assert IntegerProgram().decode(x, np.ones(1)).tolist() == [1, 0, 1]
        assert len(list(IntegerProgram().outputs(x))) == 5
    assert IntegerProgram().decode(Program(features), np.ones(1)).tolist() == [1, 1, 1]


def test_a_subclass_needs_one_method():
    class Choice(IntegerProgram):
        def program(self, x):
            return Program(x, (np.ones((1, len(x))), 1))

    rng = np.random.default_rng(0)
    X = [rng.normal(size=(4, 3)) for _ in range(10)]
    Y = [np.eye(4, dtype=int)[np.argmax(x @ [1.0, -1.0, 0.0])] for x in X]
    svm = StructuredSVM(Choice(), C=1e4).fit(X, Y)
    assert svm.score(X, Y) == 1.0
    assert svm.verify(X, Y).matches


# ---------------------------------------------------------------------- limits and solvers


def test_the_quality_follows_from_the_limits():
    def quality(**parameters):
        return IntegerProgram(**parameters).oracle_quality

    def hasty(scores, constraint, start):
        return start

    hasty.oracle_quality = "undergenerating"
    assert quality() == quality(solver=milp) == "exact"
    assert quality(time_limit=1.0) == quality(mip_rel_gap=0.1) == "undergenerating"
    assert quality(relaxation=True) == quality(relaxation=True, time_limit=1) == "overgenerating"
    assert quality(solver=hasty) == "undergenerating"
    hasty.oracle_quality = "good"
    with pytest.raises(ValueError, match=r"oracle_quality must be one of .*; got 'good'"):
        MixedIntegerProgram(([[1, 1]], 1), solver=hasty)


@pytest.mark.parametrize("limits", [{}, {"mip_rel_gap": 0.2, "time_limit": 3.0}])
def test_the_limits_reach_highs(limits, monkeypatch):
    given = []

    def recorded(costs, **arguments):
        given.append(dict(arguments["options"]))
        return milp(costs, **arguments)

    monkeypatch.setattr(search, "milp", recorded)
    X, Y = drawn(0)
    problem, w = initialized(IntegerProgram(**limits), X, Y)
    problem.decode(X[0], w)
    problem.separation_oracle(X[0], Y[0], w)
    MixedIntegerProgram(X[0].constraints, **limits)(np.ones(6))
    MixedIntegerProgram(X[0].constraints, upper=2, **limits)(np.ones(6))
    assert given == [{"mip_rel_gap": 0.0, **limits}] * 4  # the gap of HiGHS would be 1e-4


def enumerating(scores, constraint, start):
    """A solver of a user: all vectors, one after the other."""
    best, found = -np.inf, None
    for y in map(np.array, product((0, 1), repeat=len(scores))):
        values = constraint.A @ y
        good = np.all((values >= constraint.lb - 1e-9) & (values <= constraint.ub + 1e-9))
        if good and scores @ y > best:
            best, found = scores @ y, y
    enumerating.starts.append(start)
    return found


def test_a_solver_of_the_user_takes_the_place_of_highs():
    X, Y = drawn(0)
    enumerating.starts = []
    ours, theirs = (
        StructuredSVM(IntegerProgram(solver=solver), C=10.0).fit(X, Y)
        for solver in (None, enumerating)
    )
    np.testing.assert_allclose(ours.w_, theirs.w_, atol=1e-9)
    given = [start for start in enumerating.starts if start is not None]
    assert given and all(any(np.array_equal(start, y) for y in Y) for start in given)
    enumerating.starts = []
    theirs.predict(X)
    assert enumerating.starts == [None] * len(X)


BAD_SOLVERS = {
    "returned 0.5 for variable 1, not 0 or 1": lambda c, *_: np.r_[0, 0.5, np.zeros(len(c) - 2)],
    "returned nan for variable 0, not 0 or 1": lambda c, *_: np.full(len(c), np.nan),
    "returned 2.0 for variable 0, not 0 or 1": lambda c, *_: np.full(len(c), 2),
    "must return 6 numbers, 0 or 1 for each variable; it returned None": lambda *_: None,
    r"must return 6 numbers, .* it returned \[1\]": lambda *_: [1],
    "violates constraint set 'cover' in row 0: A y is 2, which must be at most 1, and": (
        lambda c, *_: np.ones(len(c))
    ),
}


@pytest.mark.parametrize("message", BAD_SOLVERS)
def test_bad_answers_of_a_solver_are_named(message):
    X, Y = drawn(0)
    with pytest.raises(ProblemError, match=rf"for example 0: .*the solver <lambda> {message}"):
        StructuredSVM(IntegerProgram(solver=BAD_SOLVERS[message])).fit(X, Y)


def test_at_the_time_limit_the_solution_found_so_far_is_returned():
    rng = np.random.default_rng(0)
    A, features = rng.random((40, 300)), rng.random((300, 2))
    x, y = Program(features, (A, A.sum(axis=1) / 3)), np.zeros(300, dtype=int)
    problem = IntegerProgram(time_limit=0.6)
    problem.initialize([x], [y])
    y_hat = problem.separation_oracle(x, y, np.ones(2))
    assert (A @ y_hat <= A.sum(axis=1) / 3).all() and y_hat.sum() > 50
    (refined,) = problem.task([x], [y]).refine(np.ones(2), [y])
    assert (A @ refined <= A.sum(axis=1) / 3).all() and refined.sum() > 50


def test_a_time_out_without_a_solution_says_what_to_do():
    """The only solution of many sums takes long to find."""
    rng = np.random.default_rng(0)
    A, y = rng.integers(0, 10**4, size=(4, 60)), rng.integers(2, size=60)
    x = Program(rng.normal(size=(60, 2)), {"sums": LinearConstraint(A, A @ y, A @ y)})
    message = (
        r"IntegerProgram.separation_oracle raised InputError for example 0: HiGHS found no "
        r"solution within time_limit=0.05 \(mip_time_limit of IntegerProgramSVM\); raise it, or "
        r"give a solver that finds one sooner$"
    )
    with pytest.raises(ProblemError, match=message):
        StructuredSVM(IntegerProgram(time_limit=0.05)).fit([x], [y])


# ---------------------------------------------------------------------- programs without solution


def test_an_infeasible_program_names_the_sets_and_the_example():
    X, Y = drawn(0)
    svm = StructuredSVM(IntegerProgram(), C=1.0).fit(X, Y)
    x = X[1]
    v = len(x.features)
    for more, names in (
        ({"many": (-np.ones((1, v)), [-5])}, "'weight' and 'many'"),
        ({"first": (np.eye(1, v), 0), "not first": (-np.eye(1, v), -1)}, "'first' and 'not first'"),
    ):
        bad = x._replace(constraints={**x.constraints, **more})
        message = (
            rf"decode raised InputError for example 1: there is no solution: no 0/1 vector "
            rf"satisfies the constraint sets {names} together"
        )
        with pytest.raises(ProblemError, match=message):
            svm.predict([X[0], bad])
    both = Program(np.ones((2, 1)), {"a": ([[1, 0]], 0), "b": ([[-1, 0]], -1)})
    with pytest.raises(ValueError, match="'a' and 'b'"):
        IntegerProgram(relaxation=True).separation_oracle(both, np.zeros(2), np.ones(1))
    alone = x._replace(constraints={**x.constraints, "odd": LinearConstraint(np.ones(v), 1.5, 1.5)})
    with pytest.raises(ProblemError, match="no 0/1 vector satisfies the constraint set 'odd'"):
        svm.predict([alone])


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"one": LinearConstraint(np.ones(3), 0, 1)}, "set 'one' in row 0: A y is 3, .* at most 1"),
        ([(np.eye(3), 1), LinearConstraint(np.ones(3), 1, 1)], r"'constraints\[1\]' .* must be 1"),
        (LinearConstraint(np.ones(3), 1, 2), "must be at least 1 and at most 2"),
    ],
)
def test_an_output_that_violates_a_constraint_is_named(constraints, message):
    X = [Program(np.ones((3, 1))), Program(np.ones((3, 1)), constraints)]
    with pytest.raises(ValueError, match=rf"y\[1\]: the output violates .*{message}"):
        StructuredSVM(IntegerProgram()).fit(X, [[0, 1, 0], [1, 1, 1]])


# ---------------------------------------------------------------------- bad data


ROW = np.ones((1, 6))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": np.full((6, 3), np.nan)}, "its features, called X here: X contains NaN"),
        ({"features": np.ones((0, 3))}, "a program has at least one variable"),
        ({"features": np.ones((6, 1))}, "a variable has 1 features here, but 3 in the first"),
        ({"constraints": np.eye(6)}, r"no array: write Program\(features, constraints\)$"),
        ({"constraints": {"odd": ROW}}, r"set 'odd' must be a pair \(A, b\), .*; got ndarray"),
        ({"constraints": (ROW, 0, 1)}, "set 'constraints' must be a pair .*; got a tuple of 3"),
        ({"constraints": ([1, 1], 1)}, r"a column for each of 6 .*; got shape \(1, 2\)"),
        ({"constraints": [(np.nan * ROW, 1)]}, r"A of .* 'constraints\[0\]' contains NaN"),
        ({"constraints": {"a": (["x"] * 6, 1)}}, "A of constraint set 'a' must hold real numbers"),
        ({"constraints": (ROW, [1, 2])}, r"has 1 rows; its bounds must .*; got shape \(2,\)"),
        ({"constraints": (ROW, np.nan)}, "a bound of constraint set 'constraints' is NaN"),
    ],
)
def test_bad_programs_are_named(change, message):
    X, Y = drawn(0)
    with pytest.raises(ValueError, match=rf"X\[1\]: .*{message}"):
        StructuredSVM(IntegerProgram()).fit([X[0], X[1]._replace(**change), X[2]], Y)
    with pytest.raises(ValueError, match=r"X\[1\]: a Program is expected; got ndarray"):
        StructuredSVM(IntegerProgram()).fit([X[0], X[1].features, X[2]], Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[1:], r"must hold 0 or 1 for each of 6 variables, or -1 .*; got shape \(5,\)"),
        (lambda y: y.astype(str), r"must hold 0 or 1 .*; got shape \(6,\) of <U"),
        (lambda y: np.r_[0.5, y[1:]], "unknown .* -1; got 0.5 for variable 0"),
        (lambda y: np.r_[-1, y[1:]], r"has unknown entries \(-1\): PartialIntegerProgram"),
        (lambda y: np.ma.masked_array(y, y > 0), "y must not be masked"),
        (lambda y: (y, y, y), "an output must be a vector, or a pair"),
        (lambda y: (y, -np.ones(6)), "the weights must be finite and >= 0, one for each of 6"),
    ],
)
def test_bad_outputs_are_named(change, message):
    X, Y = drawn(0)
    with pytest.raises(ValueError, match=rf".\[0\]: .*{message}"):
        StructuredSVM(IntegerProgram()).fit(X, [change(Y[0]), *Y[1:]])


def test_other_features_in_prediction_and_missing_outputs_are_named():
    X, Y = drawn(0)
    svm = StructuredSVM(IntegerProgram()).fit(X, Y)
    with pytest.raises(ValueError, match="0: a variable has 2 features here, but 3 in the first"):
        svm.predict([X[0]._replace(features=X[0].features[:, :2])])
    with pytest.raises(ProblemError, match=r"decode raised InputError for example 1: .* NaN"):
        svm.predict([X[0], X[1]._replace(features=X[1].features * np.nan)])
    with pytest.raises(ProblemError, match="loss raised ValueError for example 1: the output has"):
        svm.score(X, [Y[0], np.r_[-1, Y[1][1:]], Y[2]])
    with pytest.raises(ValueError, match="IntegerProgram needs the outputs Y"):
        IntegerProgram().initialize(X, None)
    for bad in ({"time_limit": 0}, {"mip_rel_gap": None}, {"relaxation": 1}, {"solver": "highs"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            StructuredSVM(IntegerProgram(**bad)).fit(X, Y)
