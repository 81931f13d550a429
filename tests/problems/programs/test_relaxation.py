"""Searches by highspy: against milp and all vectors, with limits, in threads, and what is kept."""

import gc
import pickle
import sys
from itertools import product
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs_data import drawn
from scipy.optimize import LinearConstraint

from structsvm import StructuredSVM
from structsvm.exceptions import InputError, ProblemError
from structsvm.problems import IntegerProgram, IntegerProgramSVM
from structsvm.problems.decisions import MixedIntegerProgram
from structsvm.problems.programs import relaxation, search
from structsvm.problems.programs.constraints import Constraints
from structsvm.problems.programs.search import RELAXED, UNIT, Domain, best, solved


def some_program(rng, v):
    """A program with inequalities and equations, which is infeasible now and then."""
    A = rng.integers(-2, 4, size=(int(rng.integers(1, 5)), v)).astype(float)
    high = np.floor(rng.uniform(0, 0.8) * np.abs(A).sum(axis=1))
    low = np.where(rng.random(len(A)) < 0.3, high - rng.integers(0, 2, size=len(A)), -np.inf)
    return Constraints.checked({"rows": LinearConstraint(A, low, high)}, v)


def some_domain(rng, v):
    """0/1 variables, some of them fixed; a relaxation; integers and real numbers with bounds."""
    lower, whole = rng.integers(-2, 1, size=v), rng.random(v) < 0.6
    fixed, y = rng.random(v) < 0.5, rng.integers(0, 2, size=v)
    return [
        UNIT, RELAXED, Domain(lower, lower + rng.integers(0, 4, size=v), whole),
        Domain(np.where(fixed, y, 0), np.where(fixed, y, 1)),
    ][rng.integers(4)]  # fmt: skip


def value_or_words(program, scores, domain, solver):
    try:
        return solved(program, scores, domain, solver=solver) @ scores
    except InputError as error:
        return str(error)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_searches_one_after_another_are_those_of_milp(seed):
    rng = np.random.default_rng(seed)
    v = int(rng.integers(2, 9))
    program = some_program(rng, v)
    for _ in range(6):
        scores, domain = 10.0 ** rng.integers(-3, 4) * rng.normal(size=v), some_domain(rng, v)
        found, expected = (
            value_or_words(program, scores, domain, solver) for solver in ("highspy", None)
        )
        if isinstance(expected, str):
            assert found == expected
        else:
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(scores).max())


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_vectors_are_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    v = int(rng.integers(2, 8))
    program = some_program(rng, v)
    vectors = np.array(list(product((0, 1), repeat=v)))
    vectors = np.array([y for y in vectors if not len(program.violations(y))])
    for _ in range(5 if len(vectors) else 0):
        scores = rng.normal(size=v)
        y = best(program, scores, "highspy", None)
        assert y @ scores == pytest.approx((vectors @ scores).max(), abs=1e-11)


def odd_cycles(v=9):
    """A cover of an odd cycle, whose relaxation is 1/2 everywhere for equal scores."""
    return Constraints.checked((np.eye(v) + np.roll(np.eye(v), 1, axis=1), np.ones(v)))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_program_of_many_branchings_is_left_to_milp(most, monkeypatch):
    monkeypatch.setattr(relaxation, "MOST", most)
    calls, milp = [], search.milp
    monkeypatch.setattr(search, "milp", lambda *_, **given: calls.append(1) or milp(*_, **given))
    program, rng = odd_cycles(), np.random.default_rng(0)
    for _ in range(20):
        scores = 1 + 0.01 * rng.random(9)
        found, expected = (best(program, scores, solver, None) for solver in ("highspy", None))
        assert found @ scores == pytest.approx(expected @ scores, rel=1e-12)
    assert len(calls) > 20


def test_relaxations_are_kept_while_the_programs_of_a_fit_exist(monkeypatch):
    made, init = [], relaxation.Relaxation.__init__
    monkeypatch.setattr(
        relaxation.Relaxation, "__init__", lambda self, p: made.append(p) or init(self, p)
    )
    gc.collect()
    before = len(relaxation._kept)
    X, Y = drawn(0, n=5)
    svm = StructuredSVM(IntegerProgram(solver="highspy"), C=10.0).fit(X, Y)
    assert svm.result_.oracle_calls > 2 * len(X) and len(made) == len(X)
    made.clear()
    gc.collect()
    assert len(relaxation._kept) == before


def test_no_more_than_a_number_of_relaxations_is_kept(monkeypatch):
    programs = [odd_cycles() for _ in range(5)]
    gc.collect()
    most, size = len(relaxation._kept) + 2, relaxation.EMPTY + 9
    monkeypatch.setattr(relaxation, "KEPT", most * size)
    for _ in range(3):
        for program in programs:
            assert best(program, np.ones(9), "highspy", None).sum() == 4
            assert len(relaxation._kept) <= most
    assert [program in relaxation._kept for program in programs] == [True] * 2 + [False] * 3


def test_threads_may_search_the_same_program():
    rng = np.random.default_rng(0)
    A = (rng.random((20, 40)) < 0.2).astype(float)
    program, scores = Constraints.checked((A, np.ones(20))), rng.normal(size=(200, 40))
    expected = [best(program, s, "highspy", None) @ s for s in scores]
    found = np.zeros(len(scores))

    def work(start):
        for i in range(start, len(scores), 4):
            found[i] = best(program, scores[i], "highspy", None) @ scores[i]

    threads = [Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_programs_are_pickled_without_their_relaxations():
    program = odd_cycles()
    size = len(pickle.dumps(program))
    best(program, np.ones(9), "highspy", None)
    assert len(pickle.dumps(program)) == size


def test_half_of_a_time_limit_is_for_relaxations(monkeypatch):
    given_limits, milp = [], search.milp

    def recorded(*arguments, **options):
        given_limits.append(options["options"])
        return milp(*arguments, **options)

    def too_long(self, costs, domain, seconds):
        given_limits.append(seconds)

    program = odd_cycles()
    monkeypatch.setattr(search, "milp", recorded)
    monkeypatch.setattr(relaxation.Relaxation, "best", too_long)
    best(program, np.ones(9), "highspy", None, time_limit=8.0, mip_rel_gap=0.1)
    assert given_limits == [4.0, {"mip_rel_gap": 0.1, "time_limit": 4.0}]
    assert IntegerProgram(time_limit=8.0, solver="highspy").oracle_quality == "undergenerating"


def test_relaxations_end_at_the_limit_of_their_search():
    rng = np.random.default_rng(0)
    A = rng.random((60, 200))
    program, scores = Constraints.checked((A, A.sum(axis=1) / 3)), rng.random(200)
    kept = relaxation.Relaxation.of(program)
    assert kept.best(-scores, RELAXED, 1e-6) is None
    assert kept.best(-scores, RELAXED, None) is not None
    # The same costs need no step from the last basis; the clock of the model runs on.
    assert kept.best(-scores, RELAXED, kept._model.getRunTime() / 2) is not None


def test_scores_that_are_not_finite_are_refused_as_by_milp():
    program = odd_cycles()
    best(program, np.ones(9), "highspy", None)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"), np.errstate(invalid="ignore"):
            best(program, np.r_[bad, np.ones(8)], "highspy", None)


def test_the_package_and_other_names_are_asked_for(monkeypatch):
    X, Y = drawn(0)
    with pytest.raises(ValueError, match="integer_solver must be one of 'highspy'; got 'gurobi'"):
        IntegerProgramSVM(integer_solver="gurobi").fit(X, Y)
    trained = IntegerProgramSVM(integer_solver="highspy").fit(X, Y)
    monkeypatch.setitem(sys.modules, "highspy", None)
    message = r"integer_solver='highspy' needs highspy: pip install 'structured-svm\[highspy\]'"
    with pytest.raises(ImportError, match=message):
        IntegerProgramSVM(integer_solver="highspy").fit(X, Y)
    with pytest.raises(ImportError, match=r"^solver='highspy' needs highspy"):
        MixedIntegerProgram(X[0].constraints, solver="highspy")
    message = r"example 0: solver='highspy' needs .*, or choose another solver \(integer_solver"
    with pytest.raises(ProblemError, match=message):
        trained.predict(drawn(1)[0])


def test_decisions_with_numbers_of_any_kind():
    rng = np.random.default_rng(0)
    constraints = LinearConstraint([[1, 1, 1], [0, 1, 1]], [3, 0], [3, 2])
    for options in ({"upper": 2}, {"upper": 2, "integrality": [1, 0, 1]}, {"integrality": 0}):
        kept, fresh = (
            MixedIntegerProgram(constraints, solver=solver, **options)
            for solver in ("highspy", None)
        )
        for costs in rng.normal(size=(20, 3)):
            z = kept(costs)
            kept.require_feasible(z)
            assert z @ costs == pytest.approx(fresh(costs) @ costs)
