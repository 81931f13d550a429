"""The worker's side of a task: blocks are found by key, or reported as missing."""

import pickle

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits
from toy_problems import Multilabel, multilabel_data

from structsvm.oracle import remote
from structsvm.oracle.remote import one_blas_thread, run_task, run_tasks, store_blocks
from structsvm.oracle.tasks import BlockHandle, Key, Task
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
    return BlockHandle(Key(run, number), bound(problem, X, Y, np.arange(len(X))))


def sent(value):
    return pickle.loads(pickle.dumps(value))


def scaled_losses(block, factor, outputs):
    return factor * block.losses(outputs)


def blas_threads(block):
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_a_task_is_the_function_of_its_block_and_arguments():
    opposite = [tuple(1 - bit for bit in y) for y in Y]
    places = np.array([1, 5])
    task = Task(handle("a task").subset(places), None, ([opposite[i] for i in places],))
    answer = run_task(scaled_losses, (10.0,), task)
    np.testing.assert_array_equal(answer.value, [30.0, 30.0])
    own = task._replace(labels=[opposite[i] for i in places])
    np.testing.assert_array_equal(run_task(scaled_losses, (10.0,), own).value, [0.0, 0.0])


def test_an_answer_counts_the_calls_of_its_task_alone():
    task = Task(handle("counted"), None, ())
    for _ in range(2):
        tally = run_task(search, (W,), task).tally
        assert tally.calls == len(X) and tally.seconds["oracle"] > 0
    assert task.handle.block.tally.calls == 0


def test_a_task_takes_one_thread_of_the_blas():
    with threadpool_limits(2, user_api="blas"):
        assert max(blas_threads(None)) == 2
        assert max(run_task(blas_threads, (), Task(handle("blas"), None, ())).value) == 1
        with one_blas_thread():
            assert max(blas_threads(None)) == 1
        assert max(blas_threads(None)) == 2, "the limit ends with the task"


def test_a_block_that_was_not_sent_is_reported_and_the_other_tasks_run():
    known, unknown = handle("sent"), handle("never sent")
    store_blocks([sent(known.carrying())])
    tasks = [Task(one, None, ()) for one in (unknown, known, unknown)]
    missing, answer, again = run_tasks(decode, sent(tasks), W)
    assert missing is None and again is None
    assert answer.value == known.block.decode(W)


def test_a_block_that_is_sent_with_a_task_is_kept_for_later_ones():
    one = handle("carried")
    task = Task(one, None, ())
    assert run_tasks(decode, [sent(task)], W) == [None]
    (first,) = run_tasks(decode, [sent(task.carrying())], W)
    (second,) = run_tasks(decode, [sent(task)], W)
    assert first.value == second.value == one.block.decode(W)


def test_blocks_are_kept_by_run_and_number():
    handles = [handle("numbered", number) for number in range(2)]
    handles[1].stored.index = handles[1].stored.index + 100
    store_blocks(sent([one.carrying() for one in handles]))
    for number, one in enumerate(handles):
        found = remote._cache.resolve(sent(one))
        assert found.block.index[0] == 100 * number
