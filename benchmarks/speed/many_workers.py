"""Passes on up to 1,000 workers, simulated from the times of messages of a Dask cluster.

The messages pass between processes of one machine: w goes to a worker, and vectors as long as w
come back. A pass is simulated in four designs:

- one sender: the client sends w to every worker, and gathers the sums of all blocks;
- now: workers hand w on to each other, and the client gathers the sums of all blocks;
- sums at workers: each worker adds up the sums of its blocks before;
- tree: pairs of workers add up their sums too.

Times of messages are CPU times of all processes that they pass through, beyond those of idle ones,
so that other programs hardly change them. From worker to worker w takes as long as from the client,
through the scheduler, to a worker. The simulation of the present design is compared with the wall
times of real passes on few workers, from wall times of messages just before on the same cluster, so
that other programs slow down both. The search of these passes waits as long as it would compute, so
that workers need no processors of their own.

    python -m benchmarks speed/many_workers
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config

from benchmarks.experiment import Experiment
from benchmarks.store import Row, stored
from structsvm import Problem, Task
from structsvm.data.arrays import Vector
from structsvm.oracle.cuts import one_slack_cut
from structsvm.oracle.examples import Examples, _block_ends
from structsvm.oracle.remote import Answer, BlockHandle, Job
from structsvm.oracle.workers import Workers
from structsvm.task.call import Tally

NAME, MESSAGES = "speed/many_workers", "Milliseconds of messages"
DESIGNS = ("one sender", "now", "sums at workers", "tree")
#: Lengths of w, milliseconds that an example takes, and numbers of workers.
SIZES = (10**5, 10**6)
MILLISECONDS = (0.1, 1.0, 10.0)
FEW, MANY = (1, 2, 4), (8, 32, 128, 1000)
#: Examples of real passes and of simulated ones.
EXAMPLES, MANY_EXAMPLES = 4000, 100_000
#: Repetitions of messages, and of passes, whose shortest counts.
REPEATS, PASSES = 10, 3
#: Seconds for which idle processes are watched.
IDLE = 3.0


class WaitingTask(Task):
    """A task whose search waits, and whose planes take no time."""

    def search(self, w: Vector) -> Any:
        time.sleep(self.problem.seconds * self.n)
        return self.Y

    def losses(self, outputs: Any) -> Vector:
        return np.zeros(self.n)

    def plane(self, outputs: Any, weights: Vector) -> Vector:
        return np.full(self.problem.size_joint_feature, 1e-3)


class Waiting(Problem):
    """Examples that take some seconds each, in blocks of 96 or more."""

    block_size = 12

    def __init__(self, size: int, seconds: float) -> None:
        self.size_joint_feature, self.seconds = size, seconds

    def initialize(self, X: Any, Y: Any) -> None:
        pass

    def task(self, X: Any, Y: Any = None) -> Task:
        return WaitingTask(self, X, Y)

    def blocks(self, n: int) -> int:
        return len(_block_ends(self, n, self.block_size))


class Messages(NamedTuple):
    """Seconds of messages, with a w and sums of some length.

    Attributes
    ----------
    send : float
        w goes from the client to a worker.
    receive : float
        A sum comes to the client.
    add : float
        Two sums are added up.
    task : float
        The client sends a task without work, and gets its answer.
    block : float
        The job of a block and its answer are pickled and unpickled, without vectors.
    """

    send: float
    receive: float
    add: float
    task: float
    block: float


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(n_workers=workers, **options) as local, Client(local) as client:
        yield client


def cpu_of(run: Callable[[], Any], client: Any = None, repeats: int = REPEATS) -> float:
    """CPU seconds of a call in this process, and in the workers of a client."""

    def spent() -> Vector:
        others = client.run(time.process_time).values() if client else []
        return np.array([time.perf_counter(), time.process_time() + sum(others)])

    moments = [spent()]
    time.sleep(IDLE)
    moments.append(spent())
    for _ in range(repeats):
        run()
    moments.append(spent())
    (idle_wall, idle), (wall, busy) = np.diff(moments, axis=0)
    return max(float(busy - idle / idle_wall * wall), 0.0) / repeats


def wall_of(run: Callable[[], Any], client: Any = None, repeats: int = REPEATS) -> float:
    """Wall seconds of a call."""
    started = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - started) / repeats


def messages(size: int, client: Any, seconds_of: Callable[..., float]) -> Messages:
    """The times of messages on a cluster of this machine."""
    w = np.random.default_rng(0).normal(size=size)
    job = Job(BlockHandle(("run", 0), None), None, ()), Answer(None, Tally())
    first = next(iter(client.nthreads()))

    def send() -> Any:
        return client.scatter([w], workers=[first], hash=False)[0]

    def tasks() -> Any:
        return client.gather([client.submit(nothing, pure=False) for _ in range(64)])

    sums = [client.submit(np.ones, size, pure=False) for _ in range(4)]
    client.gather(sums)
    return Messages(
        send=seconds_of(send, client),
        receive=seconds_of(lambda: client.gather(sums)) / len(sums),
        add=seconds_of(lambda: w + w),
        task=seconds_of(tasks) / 64,
        block=seconds_of(lambda: pickle.loads(pickle.dumps(job)), repeats=1000),
    )


def in_milliseconds(size: int) -> Row:
    with cluster(2) as client:
        found = messages(size, client, cpu_of)
    return {name: 1e3 * seconds for name, seconds in found._asdict().items()}


def stored_messages(size: int) -> Messages:
    (row,) = (row for row in stored(NAME)[MESSAGES] if row["length of w"] == size)
    return Messages(*(row[name] / 1e3 for name in Messages._fields))


def nothing() -> None:
    """A task without work."""


def one_pass(problem: Waiting, n: int, client: Any = None) -> float:
    """Seconds of a pass whose workers have their blocks; without a client, in this process."""
    X, w = np.zeros((n, 1)), np.zeros(problem.size_joint_feature)
    backend = {"backend": "dask", "client": client} if client else {"n_jobs": 1}
    seconds = []
    with parallel_config(**backend), Workers(None) as workers:
        examples = Examples(problem, X, np.zeros(n), workers=workers if client else None)
        for _ in range(1 + PASSES):  # the first one sends the blocks
            started = time.perf_counter()
            one_slack_cut(examples, None, w)
            seconds.append(time.perf_counter() - started)
    return min(seconds[1:])


def simulated(problem: Waiting, n: int, workers: int, of: Messages) -> dict[str, float]:
    """Seconds of a pass in each design."""
    blocks = problem.blocks(n)
    busy = min(workers, blocks)
    of_a_worker, rounds = math.ceil(blocks / busy), math.ceil(math.log2(busy))
    work = of_a_worker * problem.seconds * n / blocks
    if workers == 1:
        return dict.fromkeys(DESIGNS, work + blocks * of.add)
    around = work + busy * of.task + blocks * of.block
    get, handed_on, sums = of.receive + of.add, of.send * (1 + rounds), of_a_worker * of.add
    seconds = (
        busy * of.send + blocks * get,
        handed_on + blocks * get,
        handed_on + sums + busy * get,
        handed_on + sums + rounds * (of.send + of.add) + get,
    )
    return {design: around + own for design, own in zip(DESIGNS, seconds, strict=True)}


def problem_of(size: int, ms: float) -> Waiting:
    return Waiting(size, ms / 1e3)


def comparison(problem: Waiting, workers: int) -> Row:
    with cluster(workers) as client:
        of = messages(problem.size_joint_feature, client, wall_of)
        real = one_pass(problem, EXAMPLES, client if workers > 1 else None)
    found = simulated(problem, EXAMPLES, workers, of)["now"]
    return {"measured s": real, "simulated s": found}


def speed_ups(problem: Waiting) -> list[Row]:
    of = stored_messages(problem.size_joint_feature)
    alone, *rows = (simulated(problem, MANY_EXAMPLES, count, of) for count in (1, *MANY))
    return [
        {"workers": count} | {design: alone[design] / row[design] for design in DESIGNS}
        for count, row in zip(MANY, rows, strict=True)
    ]


KINDS = {(size, ms): partial(problem_of, size, ms) for size in SIZES for ms in MILLISECONDS}
EXPERIMENTS = (
    Experiment(
        MESSAGES,
        ("length of w",),
        {size: partial(int, size) for size in SIZES},
        in_milliseconds,
    ),
    Experiment(
        "Seconds of a pass, measured and simulated",
        ("length of w", "ms", "workers"),
        {key: load for key, load in KINDS.items() if key[1] == 1},
        {workers: partial(comparison, workers=workers) for workers in FEW},
    ),
    Experiment(
        f"Speed-up of a pass over {MANY_EXAMPLES} examples, simulated",
        ("length of w", "ms", "workers"),
        KINDS,
        speed_ups,
    ),
)
