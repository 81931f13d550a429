"""Parts asked in threads, in processes and on a cluster: the same result to the last bit."""

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
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
    StructuredSVM,
    shards,
    workers,
)
from structsvm.part import Part
from structsvm.problems import Chain, Multiclass
from structsvm.shards import Shard
from structsvm.workers import Workers

pytestmark = pytest.mark.slow

X, Y = multilabel_data(n=40)


class Rows(Multiclass):
    """In parts of 30 rows."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.block_size = 30


class Sequences(Chain):
    """In parts of 10 sequences."""

    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.block_size = 10


class Slow(Multilabel):
    """Takes some time for every example, so that workers die while they are at it."""

    def separation_oracle(self, x, y, w):
        time.sleep(0.01)
        return super().separation_oracle(x, y, w)


def blobs(n=200, d=6, k=4):
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    return (np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d))).astype(np.float32), y


def chains(n=60):
    rng = np.random.default_rng(0)
    Y = [rng.integers(3, size=length) for length in rng.integers(1, 6, size=n)]
    return [np.eye(3, 4)[y] + 0.5 * rng.normal(size=(len(y), 4)) for y in Y], Y


def same(one, other):
    """To the last bit, and in how it was reached."""
    assert np.array_equal(one.w, other.w) and one.status is other.status
    assert (one.primal, one.dual, one.oracle_calls) == (
        other.primal,
        other.dual,
        other.oracle_calls,
    )
    assert [step[:-1] for step in one.history] == [step[:-1] for step in other.history]
    return True


# ---------------------------------------------------------------------- the same result


SOLVERS = [
    (OneSlackCuttingPlane(), Multilabel, (X, Y)),
    (OneSlackCuttingPlane(rescaling="slack"), Multilabel, (X, Y)),
    (OneSlackCuttingPlane(), LocalSearchMultilabel, (X, Y)),
    (NSlackCuttingPlane(), Multilabel, (X, Y)),
    (BlockCoordinateFrankWolfe(batch_size=15, max_iter=6), Multilabel, (X, Y)),
    (SmoothedCuttingPlane(), Multilabel, (X, Y)),
    (SmoothedLBFGS(), Rows, blobs()),
    (SmoothedLBFGS(), Sequences, chains()),
    (SmoothedCuttingPlane(), Sequences, chains()),
    (CCCP(max_iter=30), LatentTopics, (topics_data(), None)),
]
NAMES = [f"{type(solver).__name__}-{problem.__name__}" for solver, problem, _ in SOLVERS]


@pytest.mark.parametrize(("solver", "problem", "data"), SOLVERS, ids=NAMES)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_number_of_jobs_gives_the_same_result(solver, problem, data, backend):
    alone = solver.solve(problem(), *data, 10.0)
    with parallel_config(backend=backend):
        assert same(alone, solver.solve(problem(), *data, 10.0, n_jobs=2))
    assert alone.verify(problem(), *data).matches


def test_blas_threads_change_nothing():
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    y = rng.integers(5, size=2000)
    x = (rng.normal(size=(2000, 300)) + np.eye(5, 300)[y]).astype(np.float32)
    results = []
    for n in (1, 2):
        with threadpool_limits(n):
            results.append(SmoothedLBFGS(max_iter=20).solve(Rows(), x, y, 10.0))
    assert same(*results)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_an_estimator_predicts_and_scores_the_same(n_jobs):
    svm = StructuredSVM(Sequences(), C=10.0, n_jobs=n_jobs).fit(*chains())
    alone = StructuredSVM(Sequences(), C=10.0).fit(*chains())
    for one, other in zip(svm.predict(chains()[0]), alone.predict(chains()[0]), strict=True):
        np.testing.assert_array_equal(one, other)
    assert svm.score(*chains()) == alone.score(*chains())


def test_times_are_those_on_the_wall():
    result = OneSlackCuttingPlane(max_iter=3).solve(Slow(), X, Y, 10.0, n_jobs=2)
    alone = OneSlackCuttingPlane(max_iter=3).solve(Slow(), X, Y, 10.0)
    assert sum(v for k, v in result.seconds.items() if k != "total") <= result.seconds["total"]
    assert alone.seconds["oracle"] >= 3 * len(X) * 0.01


def test_ctrl_c_keeps_what_was_found():
    def press(iteration, w):
        if iteration.iteration == 2:
            raise KeyboardInterrupt

    result = OneSlackCuttingPlane().solve(Slow(), X, Y, 10.0, n_jobs=2, callback=press)
    assert result.status is Status.INTERRUPTED and len(result.history) == 2


# ---------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_fault_is_named_from_afar(backend):
    class Broken(Multilabel):
        def separation_oracle(self, x, y, w):
            return None if y is self.bad or np.array_equal(x, self.bad) else (0, 1, 1)

    problem = Broken()
    problem.bad = X[17]
    fault = "separation_oracle returned None for example 17"
    with parallel_config(backend=backend), pytest.raises(ProblemError, match=fault):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0, n_jobs=2)


def test_a_problem_that_cannot_travel_is_named():
    problem = Multilabel()
    problem.lock = threading.Lock()
    OneSlackCuttingPlane(max_iter=2).solve(problem, X, Y, 10.0)
    with pytest.raises(ProblemError, match=r"Multilabel cannot be sent .*parallelism = 'threads'"):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0, n_jobs=2)
    problem.parallelism = "threads"
    OneSlackCuttingPlane(max_iter=2).solve(problem, X, Y, 10.0, n_jobs=2)


def test_inputs_that_cannot_travel_are_named():
    inputs = [np.array(x) for x in X]
    inputs[5] = [threading.Lock()]

    class Deaf(Multilabel):
        def initialize(self, X, Y):
            self.size_joint_feature = 9

        def separation_oracle(self, x, y, w):
            return (0, 1, 1)

        def joint_feature(self, x, y):
            return np.ones(9) * y[0]

    with pytest.raises(ProblemError, match=r"inputs of examples \d+ to \d+ cannot be sent"):
        OneSlackCuttingPlane().solve(Deaf(), inputs, Y, 10.0, n_jobs=2)


class Sealed(tuple):
    """An output that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("cannot pickle this output")


def test_outputs_that_cannot_travel_are_named_at_once(caplog):
    class Sealing(Multilabel):
        def separation_oracle(self, x, y, w):
            return Sealed(super().separation_oracle(x, y, w))

    with pytest.raises(ProblemError, match=r"methods return cannot be sent .*this output"):
        OneSlackCuttingPlane().solve(Sealing(), X, Y, 10.0, n_jobs=2)
    assert "asked again" not in caplog.text


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_a_number_of_jobs_that_is_none(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an integer"):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y, n_jobs=n_jobs)


def test_a_parallelism_that_is_none():
    problem = Multilabel()
    problem.parallelism = "fibres"
    with pytest.raises(ProblemError, match="'processes' or 'threads'; got 'fibres'"):
        OneSlackCuttingPlane().solve(problem, X, Y)


class Killer:
    """A callback that has processes killed a little into the pass after the second."""

    def __init__(self, pids):
        self.pids, self.killed = pids, []

    def __call__(self, iteration, w):
        if iteration.iteration == 2:
            threading.Timer(0.1, self.kill).start()

    def kill(self):
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
            self.killed.append(pid)


class Named(Slow):
    """Leaves the number of its process in a folder."""

    def separation_oracle(self, x, y, w):
        (self.folder / str(os.getpid())).touch()
        return super().separation_oracle(x, y, w)


def test_a_process_that_is_killed_takes_nothing_with_it(caplog, tmp_path):
    problem, solver = Named(), OneSlackCuttingPlane(max_iter=6)
    problem.folder = tmp_path
    killer = Killer(lambda: [int(path.name) for path in tmp_path.iterdir()][:1])
    with caplog.at_level(logging.WARNING):
        result = solver.solve(problem, X, Y, 10.0, n_jobs=2, callback=killer)
    alone = solver.solve(Slow(), X, Y, 10.0)
    assert len(killer.killed) == 1 and "workers failed and are asked again" in caplog.text
    assert same(alone, result)


def test_processes_that_die_every_time_end_the_training(caplog, monkeypatch):
    class Deadly(Multilabel):
        def separation_oracle(self, x, y, w):
            os._exit(3)

    monkeypatch.setattr(workers, "ATTEMPTS", 2)
    with caplog.at_level(logging.WARNING), pytest.raises(RuntimeError, match="failed 2 times"):
        OneSlackCuttingPlane().solve(Deadly(), X, Y, 10.0, n_jobs=2)
    assert caplog.text.count("workers failed and are asked again") == 1


# ---------------------------------------------------------------------- a cluster


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize(("solver", "problem", "data"), SOLVERS[::2], ids=NAMES[::2])
def test_a_cluster_gives_the_same_result(solver, problem, data, cluster):
    alone = solver.solve(problem(), *data, 10.0)
    with parallel_config(backend="dask"):
        assert same(alone, solver.solve(problem(), *data, 10.0))


def test_on_a_cluster_too_what_cannot_travel_is_named(cluster):
    problem = Multilabel()
    problem.lock = threading.Lock()
    fault = "Multilabel cannot be sent to other processes"
    with parallel_config(backend="dask"), pytest.raises(ProblemError, match=fault):
        OneSlackCuttingPlane().solve(problem, X, Y, 10.0)


def test_threads_of_a_cluster_are_warned_of():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=2,
        dashboard_address=None,
        set_as_default=False,
    ) as client:
        for problem, data, warned in ((Multilabel, (X, Y), True), (Rows, blobs(), False)):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                with parallel_config(backend="dask", client=client):
                    OneSlackCuttingPlane(max_iter=2).solve(problem(), *data, 10.0)
            assert any("threads_per_worker=1" in str(w.message) for w in told) is warned


def kept_here():
    return sum(len(parts) for parts in shards._store._trainings.values())


def test_the_data_go_to_each_worker_once(cluster, monkeypatch):
    sent = []
    monkeypatch.setattr(
        Shard, "with_part", lambda shard, f=Shard.with_part: sent.append(1) or f(shard)
    )
    with parallel_config(backend="dask"):
        OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    assert len(sent) == 32
    assert all(parts >= 32 for parts in cluster.run(kept_here).values())


def test_a_worker_that_is_killed_takes_nothing_with_it(cluster):
    alone = OneSlackCuttingPlane(max_iter=8).solve(Slow(), X, Y, 10.0)
    killer = Killer(lambda: list(cluster.run(os.getpid).values())[:1])
    with parallel_config(backend="dask"):
        solver = OneSlackCuttingPlane(max_iter=8)
        result = solver.solve(Slow(), X, Y, 10.0, callback=killer)
    assert len(killer.killed) == 1
    assert killer.killed[0] not in cluster.run(os.getpid).values()
    assert same(alone, result)


def test_ray_gives_the_same_result(monkeypatch):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    alone = OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0)
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        register_ray()
        with parallel_config(backend="ray", n_jobs=2):
            assert same(alone, OneSlackCuttingPlane().solve(Multilabel(), X, Y, 10.0))
    finally:
        ray.shutdown()


# ---------------------------------------------------------------------- how parts travel


def shard(training, number=0):
    problem = Multilabel()
    problem.initialize(X, Y)
    return Shard(training, number, Part(problem, X, Y, np.arange(len(X))))


def travelled(shard):
    import pickle

    return pickle.loads(pickle.dumps(shard))


def test_a_part_is_found_by_name_where_it_was_sent():
    one = shard("t1")
    assert travelled(one).part is None
    home = travelled(one.with_part()).part
    assert travelled(one).part is home and home is not one.part
    some = travelled(one.some(np.array([3, 5])).some(np.array([1])))
    np.testing.assert_array_equal(some.part.index, [5])
    other = travelled(shard("t1", 1).with_part())
    assert other.part.problem is home.problem  # one for all parts


def test_only_the_last_trainings_are_kept():
    names = [f"kept {i}" for i in range(shards.KEPT + 1)]
    for name in names:
        travelled(shard(name).with_part())
    assert travelled(shard(names[0])).part is None
    assert travelled(shard(names[-1])).part is not None


def test_no_pool_is_opened_for_a_single_part():
    with Workers(2) as pool:
        one = shard("single")
        pool.ask(Part.decode, (None, np.zeros(9)), [one], [()])
        assert not pool.parallel
