"""The pool of outputs, and solvers that search it before they call the oracle."""

import numpy as np
import pytest
from changed_tasks import with_answer, with_task
from engine_parts import examples_of

from benchmarks.robustness._planted.correct.pools import Choices, ChoicesTask, choices
from structsvm import (
    Checkpoint,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Problem,
    ProblemError,
    SmoothedCuttingPlane,
    choose_solver,
)
from structsvm.objective.surrogate import Surrogate
from structsvm.oracle.cheap_search import Pool

X, Y = choices()
SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane, SmoothedCuttingPlane]


class Choice(Choices):
    """A pool whose search is worth it."""

    oracle_cost = "expensive"


class WithoutPool(Choice):
    """The same without a pool."""

    task = Problem.task


def pool_of(problem, **options):
    return Pool(examples_of(problem, X, Y, **options), Y)


def test_it_starts_with_the_true_outputs_and_learns_others():
    pool, w = pool_of(Choice()), np.random.default_rng(1).normal(size=12)
    assert pool.known == sorted(set(Y))
    pool.add([(0, 1, 2)])
    known = sorted({*Y, (0, 1, 2)})
    assert pool.known == known
    best = [Choice().best(x, y, w, known) for x, y in zip(X, Y, strict=True)]
    assert pool.search(Y, w) == best
    assert pool.known == known


PoolsNothing = with_task(Choice, pool_outputs=lambda task, outputs, pool=None: None)
#: It pools up to three outputs, and nothing where there are more.
GivesUp = with_answer(Choice, "pool_outputs", lambda pool: pool if len(pool) <= 3 else None)


@pytest.mark.parametrize("problem", [WithoutPool(), PoolsNothing(), GivesUp()])
def test_it_is_empty_where_nothing_is_pooled(problem):
    pool = pool_of(problem)
    assert not pool
    pool.add(Y[:1])  # fewer outputs do not begin another pool
    assert not pool


def test_slack_rescaling_has_none():
    class WithSlackOracle(Choice):
        def slack_oracle(self, x, y, w):
            raise AssertionError

    assert not pool_of(WithSlackOracle(), surrogate=Surrogate("slack"))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("problem", [Choice(), PoolsNothing(), GivesUp()])
def test_the_optimum_is_the_same_with_a_pool_and_without_in_fewer_calls(solver, problem):
    given, plain = (solver(rtol=1e-6).solve(p, X, Y, 100.0) for p in (problem, WithoutPool()))
    assert given.status.name == plain.status.name == "CONVERGED"
    assert given.dual <= plain.primal and plain.dual <= given.primal
    assert given.verify(problem, X, Y).matches
    if type(problem) is Choice:
        assert given.oracle_calls < plain.oracle_calls


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_examples_are_searched_where_the_solver_trains(solver):
    searched = []

    def search_pool(self, w, pool):
        searched.append(self.n)
        return ChoicesTask.search_pool(self, w, pool)

    problem = with_task(Choice, search_pool=search_pool)()
    problem.block_size, problem.parallelism = 1, "threads"
    solver().solve(problem, X, Y, n_jobs=2)
    assert set(searched) == {len(Y)}


def test_the_examples_of_this_process_follow_a_change_to_double_precision():
    examples = examples_of(Choice(), X.astype(np.float32), Y)
    assert examples.here.X.dtype == np.float32
    examples.use_double()
    assert examples.here.X.dtype == np.float64 and examples.here.tally is examples.tally


class Misses(Choice):
    """An oracle that finds only two outputs."""

    def separation_oracle(self, x, y, w):
        return self.best(x, y, w, [(0, 1), (1, 2)])


def pooled(answer, kind=Choice):
    return with_task(kind, search_pool=lambda task, w, pool: [answer] * task.n)


def refined(change, kind):
    return with_task(kind, refine=lambda task, w, outputs: change(outputs))


TASK = r"(Changed)+ChoicesTask\."
UNREADABLE = "an output that cannot be read.*(y_hat is|y is the true output, or) what"
INFEASIBLE = "returned earlier scores .*An output of"
#: Wrong answers of the cheap searches, and what the error says.
WRONG = [
    (with_answer(Choice, "search_pool", lambda outputs: outputs[1:]),
     "search_pool must return 12 outputs; it returned 11"),
    (pooled(0), f"^{TASK}search_pool returned {UNREADABLE} {TASK}search_pool"),
    (refined(list, pooled(0)),
     f"^{TASK}search_pool or {TASK}refine returned {UNREADABLE} {TASK}search_pool or {TASK}refine"),
    (pooled((4, 5, 6, 7)), f"that it, or search_pool, {INFEASIBLE} search_pool must be one"),
    (refined(lambda outputs: [(4, 5, 6, 7)] * len(outputs), WithoutPool),
     f"that it, or refine, {INFEASIBLE} refine must be one"),
    (Misses, "an output that it, or search_pool, returned earlier scores higher"),
]  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kind", "message"), WRONG)
def test_wrong_answers_are_charged_to_the_cheap_search(solver, kind, message):
    with pytest.raises(ProblemError, match=message):
        solver().solve(kind(), X, Y, 10.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_that_is_resumed_ends_as_one_that_is_not(solver, tmp_path):
    whole = solver(rtol=1e-6).solve(Choice(), X, Y, 10.0)
    checkpoint = Checkpoint(tmp_path / "run.npz", seconds=0)
    solver(rtol=1e-6, max_iter=2).solve(Choice(), X, Y, 10.0, checkpoint=checkpoint)
    resumed = solver(rtol=1e-6).solve(Choice(), X, Y, 10.0, checkpoint=checkpoint)
    np.testing.assert_array_equal(resumed.w, whole.w)
    assert (resumed.primal, resumed.dual) == (whole.primal, whole.dual)


def test_auto_keeps_outputs_by_example_where_they_are_pooled():
    solver, reason = choose_solver(Choice(), *choices())
    assert str(solver) == "SmoothedCuttingPlane -> OneSlackCuttingPlane"
    assert reason == "its task has search_pool"
