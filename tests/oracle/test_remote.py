"""The worker's side of a task: blocks are found by key, or reported as missing."""

import pickle

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
from toy_problems import Multilabel, multilabel_data

from structsvm.oracle import remote
from structsvm.oracle.remote import (
    RUNS_KEPT,
    BlockHandle,
    Job,
    known_here,
    one_blas_thread,
    run_job,
    run_jobs,
)
from structsvm.task.bound import bound


def search(task, w):
    return task.search(w)


def decode(task, w):
    return task.decode(w)


X, Y = multilabel_data(n=8)
W = np.random.default_rng(0).normal(size=9)


def handle(run, number=0):
    problem = Multilabel()
    problem.initialize(X, Y)
    return BlockHandle((run, number), bound(problem, X, Y, np.arange(len(X))))


def sent(value):
    return pickle.loads(pickle.dumps(value))


def scaled_losses(block, factor, outputs):
    return factor * block.losses(outputs)


def blas_threads(block):
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_a_task_is_the_function_of_its_block_and_arguments():
    opposite = [tuple(1 - bit for bit in y) for y in Y]
    places = np.array([1, 5])
    task = Job(handle("a task").part(places), None, ([opposite[i] for i in places],))
    answer = run_job(scaled_losses, (10.0,), task)
    np.testing.assert_array_equal(answer.value, [30.0, 30.0])
    own = task._replace(labels=[opposite[i] for i in places])
    np.testing.assert_array_equal(run_job(scaled_losses, (10.0,), own).value, [0.0, 0.0])


def test_an_answer_counts_the_calls_of_its_task_alone():
    task = Job(handle("counted"), None, ())
    for _ in range(2):
        tally = run_job(search, (W,), task).tally
        assert tally.calls == len(X) and tally.seconds["oracle"] > 0
    assert task.handle.block.tally.calls == 0


def test_a_task_takes_one_thread_of_the_blas():
    with threadpool_limits(2, user_api="blas"):
        assert max(blas_threads(None)) == 2
        assert max(run_job(blas_threads, (), Job(handle("blas"), None, ())).value) == 1
        with one_blas_thread():
            assert max(blas_threads(None)) == 1
        assert max(blas_threads(None)) == 2, "the limit ends with the task"


def test_a_block_that_was_not_sent_is_reported_and_the_other_tasks_run():
    known, unknown = handle("sent"), handle("never sent")
    run_jobs(decode, (W,), [sent(Job(known, None, ()).carrying())])
    tasks = [Job(one, None, ()) for one in (unknown, known, unknown)]
    missing, answer, again = run_jobs(decode, (W,), sent(tasks))
    assert missing is None and again is None
    assert answer.value == known.block.decode(W)
    (first,) = run_jobs(decode, (W,), [sent(tasks[0].carrying())])
    (second,) = run_jobs(decode, (W,), [sent(tasks[0])])
    assert first.value == second.value == unknown.block.decode(W), "kept for later tasks"


def found(one, carried=False):
    """The handle as a worker finds it, which gets the block too where it is carried."""
    job = Job(one, None, ())
    job = sent(job.carrying() if carried else job)
    return known_here(job.handle, job.sent)


def test_a_handle_pickles_as_its_key():
    one = handle("run")
    assert len(pickle.dumps(one)) < 300 < len(pickle.dumps(Job(one, None, ()).carrying()))
    before = {run: dict(blocks) for run, blocks in remote._runs.items()}
    assert sent(one).stored is None and sent(one).key == one.key
    sent(Job(one, None, ()).carrying())
    assert {run: dict(blocks) for run, blocks in remote._runs.items()} == before


def test_blocks_of_a_run_share_one_problem():
    one = found(handle("sharing"), carried=True).block
    assert found(handle("sharing", 1), carried=True).block.problem is one.problem
    assert found(handle("other"), carried=True).block.problem is not one.problem


def test_only_the_last_runs_are_kept():
    runs = [f"run {i}" for i in range(RUNS_KEPT + 1)]
    for run in runs:
        found(handle(run), carried=True)
    assert found(handle(runs[0])) is None
    assert found(handle(runs[-1])) is not None


def test_keeping_a_block_of_the_same_process_leaves_it_as_it_is():
    """As on a cluster whose workers are threads of the process that trains: nothing is pickled."""
    first, second = handle("run"), handle("run", 1)
    problem = second.stored.problem
    run_jobs(decode, (W,), [Job(one, None, ()).carrying() for one in (first, second)])
    assert second.stored.problem is problem is not first.stored.problem
    assert known_here(second) is second
