"""Blocks by key: what is pickled, what a worker keeps, and what unpickling leaves alone."""

import pickle

import numpy as np
from toy_problems import Multilabel, multilabel_data

from structsvm.oracle import remote, tasks
from structsvm.oracle.tasks import BlockCache, BlockHandle, Key
from structsvm.task.bound import bound

X, Y = multilabel_data(n=40)


def handle(run, number=0):
    problem = Multilabel()
    problem.initialize(X, Y)
    return BlockHandle(Key(run, number), bound(problem, X, Y, np.arange(len(X))))


def sent(handle):
    return pickle.loads(pickle.dumps(handle))


def test_a_handle_pickles_as_its_key():
    one = handle("run")
    assert len(pickle.dumps(one)) < 300 < len(pickle.dumps(one.carrying()))
    assert sent(one).stored is None and sent(one).key == one.key


def test_a_block_is_found_by_its_key_where_it_was_sent():
    cache, one = BlockCache(), handle("run")
    assert cache.resolve(sent(one)) is None
    block = cache.resolve(sent(one.carrying())).block
    assert cache.resolve(sent(one)).block is block and block is not one.block
    some = cache.resolve(sent(one.subset(np.array([3, 5])).subset(np.array([1]))))
    np.testing.assert_array_equal(some.block.index, [5])


def test_blocks_of_a_run_share_one_problem():
    cache = BlockCache()
    one = cache.resolve(sent(handle("run").carrying())).block
    assert cache.resolve(sent(handle("run", 1).carrying())).block.problem is one.problem
    assert cache.resolve(sent(handle("other").carrying())).block.problem is not one.problem


def test_only_the_last_runs_are_kept():
    cache = BlockCache()
    runs = [f"run {i}" for i in range(tasks.RUNS_KEPT + 1)]
    for run in runs:
        cache.put(sent(handle(run).carrying()))
    assert cache.resolve(sent(handle(runs[0]))) is None
    assert cache.resolve(sent(handle(runs[-1]))) is not None


def test_unpickling_changes_no_state():
    one = handle("unpickled")
    before = {run: dict(blocks) for run, blocks in remote._cache._runs.items()}
    for other in (one, one.carrying()):
        sent(other)
    assert {run: dict(blocks) for run, blocks in remote._cache._runs.items()} == before


def test_keeping_a_block_of_the_same_process_leaves_it_as_it_is():
    """As on a cluster whose workers are threads of the process that trains: nothing is pickled."""
    cache, first, second = BlockCache(), handle("run"), handle("run", 1)
    problem = second.stored.problem
    for one in (first, second):
        cache.put(one.carrying())
    assert second.stored.problem is problem is not first.stored.problem
    assert cache.resolve(second) is second
