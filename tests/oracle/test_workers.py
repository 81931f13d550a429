"""Blocks in threads, in processes and on a cluster: the same result to the last bit."""

import contextlib
import logging
import os
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from toy_problems import (
    LatentTopics,
    LocalSearchMultilabel,
    Multilabel,
    blobs,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, OneSlackCuttingPlane, ProblemError, SmoothedLBFGS
from structsvm.oracle import processes, remote
from structsvm.oracle.examples import Examples
from structsvm.oracle.remote import Job
from structsvm.oracle.workers import Workers
from structsvm.problems import Multiclass

X, Y = multilabel_data(n=40)


class Rows(Multiclass):
    """In blocks of 30 rows."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.block_size = 30


class Slow(Multilabel):
    """Takes some time for every example, so that workers die in the middle of a task."""

    def separation_oracle(self, x, y, w):
        time.sleep(0.01)
        return super().separation_oracle(x, y, w)


def same(one, other):
    """To the last bit, and in how it was reached."""
    assert np.array_equal(one.w, other.w) and one.status is other.status
    for value in ("primal", "dual", "oracle_calls"):
        assert getattr(one, value) == getattr(other, value)
    first, second = ([step._replace(seconds=0) for step in run.history] for run in (one, other))
    assert first == second
    return True


# ---------------------------------------------------------------------- the same result


SOLVERS = [
    (OneSlackCuttingPlane(rescaling="slack", max_iter=5), LocalSearchMultilabel, (X, Y)),
    (SmoothedLBFGS(), Rows, blobs(200, dtype=np.float32)),
    (CCCP(max_iter=8), LatentTopics, (topics_data(), None)),
]
NAMES = [f"{type(solver).__name__}-{problem.__name__}" for solver, problem, _ in SOLVERS]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("solver", "problem", "data"), SOLVERS, ids=NAMES)
def test_processes_give_the_same_result(solver, problem, data):
    """As threads do: tests/laws/test_solvers.py."""
    alone = solver.solve(problem(), *data, 10.0)
    assert same(alone, solver.solve(problem(), *data, 10.0, n_jobs=2))


def test_more_than_32_blocks_give_the_same_result():
    problem, data = Multilabel(), multilabel_data(n=320)
    problem.block_size, problem.parallelism = 1, "threads"
    solver = OneSlackCuttingPlane(max_iter=5)
    with Workers(2, "threads") as pool:
        problem.initialize(*data)
        assert len(Examples(problem, *data, workers=pool)._ends) == 40
    assert same(solver.solve(problem, *data, 10.0), solver.solve(problem, *data, 10.0, n_jobs=2))


def test_times_are_wall_times():
    result = OneSlackCuttingPlane(max_iter=2).solve(Slow(), X[:9], Y[:9], n_jobs=2)
    alone = OneSlackCuttingPlane(max_iter=2).solve(Slow(), X[:9], Y[:9])
    assert sum(v for k, v in result.seconds.items() if k != "total") <= result.seconds["total"]
    assert alone.seconds["oracle"] >= 2 * 9 * 0.01


# ---------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_an_error_in_a_worker_names_the_example(backend):
    class Broken(Multilabel):
        def separation_oracle(self, x, y, w):
            return None if y is self.bad or np.array_equal(x, self.bad) else (0, 1, 1)

    problem = Broken()
    problem.bad = X[17]
    message = "separation_oracle returned None for example 17"
    with parallel_config(backend=backend), pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0, n_jobs=2)


@pytest.mark.slow
def test_a_problem_that_cannot_be_pickled_is_named():
    problem = Multilabel()
    problem.lock = threading.Lock()
    OneSlackCuttingPlane(max_iter=2).solve(problem, X, Y, 10.0, copy=False)
    with pytest.raises(ProblemError, match=r"Multilabel cannot be pickled.*= 'threads'"):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0, n_jobs=2, copy=False)
    problem.parallelism = "threads"
    OneSlackCuttingPlane(max_iter=2).solve(problem, X, Y, 10.0, n_jobs=2, copy=False)


@pytest.mark.slow
def test_inputs_that_cannot_be_pickled_are_named():
    inputs = [np.array(x) for x in X]
    inputs[5] = [threading.Lock()]

    class Constant(Multilabel):
        def initialize(self, X, Y):
            self.size_joint_feature = 9

        def separation_oracle(self, x, y, w):
            return (0, 1, 1)

        def joint_feature(self, x, y):
            return np.ones(9) * y[0]

    with pytest.raises(ProblemError, match=r"inputs of examples \d+ to \d+ cannot be pickled"):
        OneSlackCuttingPlane().solve(Constant(), inputs, Y, 10.0, n_jobs=2)


class Unpicklable(tuple):
    """An output that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("cannot pickle this output")


@pytest.mark.slow
def test_outputs_that_cannot_be_pickled_are_named_at_once(caplog):
    class Returning(Multilabel):
        def separation_oracle(self, x, y, w):
            return Unpicklable(super().separation_oracle(x, y, w))

    with pytest.raises(ProblemError, match=r"methods return cannot be sent .*this output"):
        OneSlackCuttingPlane().solve(Returning(), X, Y, 10.0, n_jobs=2)
    assert "run again" not in caplog.text


class Killer:
    """A callback that kills processes shortly after the second pass."""

    def __init__(self, pids):
        self.pids, self.killed = pids, []

    def __call__(self, iteration, w):
        if iteration.iteration == 2:
            threading.Timer(0.1, self.kill).start()

    def kill(self):
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
            self.killed.append(pid)


class Traced(Slow):
    """Leaves the number of its process in a folder."""

    def separation_oracle(self, x, y, w):
        (self.folder / str(os.getpid())).touch()
        return super().separation_oracle(x, y, w)


@pytest.mark.slow
def test_tasks_of_a_killed_process_run_again(caplog, tmp_path):
    problem, solver = Traced(), OneSlackCuttingPlane(max_iter=4)
    problem.folder = tmp_path
    killer = Killer(lambda: [int(path.name) for path in tmp_path.iterdir()][:1])
    with caplog.at_level(logging.WARNING):
        result = solver.solve(problem, X, Y, 10.0, n_jobs=2, callback=killer)
    alone = solver.solve(Slow(), X, Y, 10.0)
    assert len(killer.killed) == 1 and "their tasks run again" in caplog.text
    assert same(alone, result)


class DyingAtStart:
    """Makes some of the worker processes die before they do anything."""

    def __init__(self, folder, deaths):
        self.folder, self.deaths = folder, deaths

    def __call__(self, parent):
        for death in range(self.deaths):
            with contextlib.suppress(FileExistsError):
                (self.folder / str(death)).touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_workers_that_die_while_they_start_are_started_again(tmp_path, monkeypatch, caplog):
    solver = OneSlackCuttingPlane(max_iter=3)
    alone = solver.solve(Slow(), X, Y, 10.0)
    monkeypatch.setattr(processes, "_tie_to", DyingAtStart(tmp_path, 1))
    assert same(alone, solver.solve(Slow(), X, Y, 10.0, n_jobs=2))
    assert len(os.listdir(tmp_path)) == 1 and "their tasks run again" in caplog.text
    monkeypatch.setattr(processes, "ATTEMPTS", 1)
    monkeypatch.setattr(processes, "_tie_to", DyingAtStart(tmp_path, 100))
    with pytest.raises(RuntimeError, match="worker processes failed 1 times in a row"):
        solver.solve(Slow(), X, Y, 10.0, n_jobs=2)


# ---------------------------------------------------------------------- a cluster


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "problem", "data"), SOLVERS, ids=NAMES)
def test_a_cluster_gives_the_same_result(solver, problem, data, cluster):
    alone = solver.solve(problem(), *data, 10.0)
    with parallel_config(backend="dask"):
        assert same(alone, solver.solve(problem(), *data, 10.0))


@pytest.mark.slow
def test_what_cannot_be_pickled_is_named_on_a_cluster_too(cluster):
    problem = Multilabel()
    problem.lock = threading.Lock()
    message = "Multilabel cannot be pickled"
    with parallel_config(backend="dask"), pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0, copy=False)


@pytest.mark.slow
def test_threads_of_a_cluster_are_warned_of():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=2,
        dashboard_address=":0",
        set_as_default=False,
    ) as client:
        for problem, data, warned in ((Multilabel, (X, Y), True), (Rows, blobs(200), False)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with parallel_config(backend="dask", client=client):
                    OneSlackCuttingPlane(max_iter=2).solve(problem(), *data, 10.0)
            assert any("threads_per_worker=1" in str(w.message) for w in caught) is warned


def kept_here():
    return [number for blocks in remote._runs.values() for number in blocks]


@pytest.mark.slow
def test_each_worker_of_a_cluster_gets_its_share_of_the_data_once(cluster, monkeypatch):
    sent = []
    monkeypatch.setattr(Job, "carrying", lambda job, f=Job.carrying: sent.append(1) or f(job))
    cluster.run(remote._runs.clear)
    with parallel_config(backend="dask"):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    first, second = cluster.run(kept_here).values()
    assert len(sent) == 32 and len(first) == len(second) == 16
    assert sorted(first + second) == [*range(32)]


@pytest.mark.slow
def test_tasks_of_a_killed_cluster_worker_run_again(cluster):
    alone = OneSlackCuttingPlane(max_iter=8).solve(Slow(), X, Y, 10.0)
    killer = Killer(lambda: list(cluster.run(os.getpid).values())[:1])
    with parallel_config(backend="dask"):
        solver = OneSlackCuttingPlane(max_iter=8)
        result = solver.solve(Slow(), X, Y, 10.0, callback=killer)
    assert len(killer.killed) == 1
    assert killer.killed[0] not in cluster.run(os.getpid).values()
    assert same(alone, result)


@pytest.fixture(scope="module")
def on_ray():
    """Ray with two workers; the context in which they are used."""
    ray = pytest.importorskip("ray", reason="Ray is not installed; it takes 240 MB")
    from ray.util.joblib import register_ray

    tests = Path(__file__).parents[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (tests, tests.parent))))
        ray.init(num_cpus=2, include_dashboard=False)
        register_ray()
        yield lambda: parallel_config(backend="ray", n_jobs=2)
        ray.shutdown()


def test_ray_gives_the_same_result(on_ray):
    alone = OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    with on_ray():
        assert same(alone, OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0))


@pytest.mark.slow
def test_there_are_no_more_jobs_than_blocks_and_none_for_a_single_one():
    problem = Multilabel()
    problem.initialize(X[:3], Y[:3])
    with Workers(1000) as pool:
        examples = Examples(problem, X[:3], Y[:3], workers=pool)
        assert len(examples.subset(np.array([0])).decode(np.zeros(9))) == 1
        assert pool._pool is None
        examples.decode(np.zeros(9))
        assert pool._pool.n_jobs == 3
