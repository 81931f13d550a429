"""Expected times of training on 10^9 examples by 10, 100 and 1000 workers, on paper.

The costs of examples, sums and the master are those of benchmarks/scale/measure.py; the network is
simulated (benchmarks/scale/_network.py). Assumed are: 10^9 examples take as many passes as 10^5 at
the same C, chains as many as multiclass rows; workers hold their examples in memory; the seconds of
blocks are log-normal, with the spread measured here. Three ways of a pass are compared:

- *today*: at most 32 blocks, hence workers; each block returns its sum and its examples' outputs.
- *sums*: a block for each worker; what belongs to an example stays there. The master is flat.
- *tree*: the same, with w and the sums sent through a binary tree of workers.

In short, up to 32 workers training is as it is today, if each has memory for all examples. Beyond
them outputs would have to stay with the workers. With 10 Gbit/s and 10^5 entries of w, 1000 workers
would then have an efficiency of 86 % with chains and 58 % with cheap rows; with 10^6 entries the
one master is the limit. With a spread of 0.3 between the seconds of equal blocks, more than 181
workers wait half of the time for the slowest.

    python -m benchmarks.scale.plan    # needs the results of benchmarks.scale.measure
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.scale._bytes import SENTENCES
from benchmarks.scale._network import MOST_WORKERS, Network, flat, tree
from benchmarks.store import Row, stored
from structsvm.oracle.examples import MOST_BLOCKS
from structsvm.oracle.workers import MESSAGES_PER_JOB

N = 10**9
WORKERS = (10, 100, 1000)
#: 50 us, and 10 or 1 Gbit/s.
NETWORKS = {"10 Gbit/s": Network(50e-6, 1.25e9), "1 Gbit/s": Network(50e-6, 1.25e8)}
#: A larger spread of the blocks' seconds, assumed.
STRAGGLERS = 0.3
EXPENSIVE = 0.01
#: Simulated passes that a time is the mean of.
REPEATS = 5
#: Numbers of workers that are tried for the limits: two in each factor of two.
TRIED = np.unique(np.round(MOST_WORKERS ** np.arange(0, 1.001, 1 / 32)).astype(int))
HOURS = 3600.0


class Training(NamedTuple):
    """One kind of training.

    Attributes
    ----------
    name : str
    size : int
        Length of w.
    seconds : float
        CPU seconds of an example in a pass.
    returned : float
        Bytes that come back for each example today.
    held : float
        Bytes of an example.
    passes : float
    master : float
        Seconds of the master's own work in a pass.
    add : float
        Seconds in which a vector as long as w is added.
    """

    name: str
    size: int
    seconds: float
    returned: float
    held: float
    passes: float
    master: float
    add: float


def main() -> None:
    measured = stored("scale/measure")
    kinds = list(trainings(measured))
    sigma = measured["block times"][0]["sigma"]
    ten, one = NETWORKS.values()
    cases = {"10 Gbit/s": (ten, sigma), "1 Gbit/s": (one, sigma), "stragglers": (ten, STRAGGLERS)}
    report(
        "scale/plan",
        {
            "hours": [row for kind in kinds for row in expected(kind, ten, sigma)],
            "limits": [
                row for kind in kinds for case in cases for row in limits(kind, case, *cases[case])
            ],
            "bytes": [compared(row, measured) for row in measured["bytes of a pass"]],
        },
    )


def trainings(measured: dict[str, list[Row]]) -> Iterator[Training]:
    """The kinds of training, with the costs that were measured."""
    passes = {row["solver"]: row["passes"] for row in measured["passes"]}  # the last: most examples
    reads = measured["reads of the rows"][-1]
    oracles, master = measured["oracles"], measured["master"]
    for size in (100_000, 1_000_000):
        costs = {row["oracle"]: row for row in oracles if round(row["size of w"] / size) == 1}
        own = {row["solver"]: row["ms a pass"] / 1e3 for row in master if row["size of w"] == size}
        add, _ = cpu_seconds(partial(np.add, np.ones(size), np.ones(size)), 20)
        for name in ("chain", "multiclass", "oracle of 10 ms"):
            cost = costs.get(name, costs["chain"])
            oracle = EXPENSIVE if name not in costs else cost["oracle, us"] / 1e6
            seconds = oracle + cost["sums, us"] / 1e6
            back, held = cost["bytes of the output"], cost["bytes of the input"]
            solver = "OneSlackCuttingPlane"
            given = size, seconds, back, held, passes[solver], own[solver], add
            yield Training(f"one slack, {name}", *given)
            if name in costs:
                solver, soft = "SmoothedLBFGS", cost["soft oracle, us"] / 1e6
                back = cost["bytes of soft values"]
                given = size, soft, back, held, passes[solver], own[solver], add
                yield Training(f"smoothed descent, {name}", *given)
        cost = costs["clustering"]
        mean = (cost["oracle, us"] + cost["sums, us"]) / 2e6
        back, held = cost["bytes of the output"], cost["bytes of the input"]
        count = reads["products with all rows"] + reads["sums of rows"]
        yield Training("clustering", size, mean, back, held, count, 0.0, add)


# ---------------------------------------------------------------------- seconds of a pass


def _drawn(mean: float, shape: Any, sigma: float, rng: Any) -> Any:
    """Log-normal seconds with this mean."""
    return mean * rng.lognormal(-(sigma**2) / 2, sigma, shape)


def today(kind: Training, network: Network, workers: int, sigma: float, rng: Any) -> float:
    busy = min(workers, MOST_BLOCKS)
    blocks = -(-MOST_BLOCKS // busy)
    compute = _drawn(kind.seconds * N / MOST_BLOCKS, (busy, blocks), sigma, rng).sum(axis=1)
    back = blocks * (8 * kind.size + kind.returned * N / MOST_BLOCKS)
    return kind.master + flat(network, 8 * kind.size, back, compute, blocks * kind.add)


def sums(kind: Training, network: Network, workers: int, sigma: float, rng: Any) -> float:
    compute = _drawn(kind.seconds * N / workers, workers, sigma, rng)
    return kind.master + flat(network, 8 * kind.size, 8 * kind.size, compute, kind.add)


def in_tree(kind: Training, network: Network, workers: int, sigma: float, rng: Any) -> float:
    compute = _drawn(kind.seconds * N / workers, workers, sigma, rng)
    return kind.master + tree(network, 8 * kind.size, 8 * kind.size, compute, kind.add)


WAYS: dict[str, Callable[..., float]] = {"today": today, "sums": sums, "tree": in_tree}


def alone(kind: Training) -> float:
    """Seconds of a pass by one worker that needs no network."""
    return kind.master + kind.seconds * N


def expected(kind: Training, network: Network, sigma: float) -> Iterator[Row]:
    """Hours and efficiency of each way by each number of workers."""
    for way, seconds in WAYS.items():
        for workers in WORKERS:
            rng = np.random.default_rng(0)
            mean = np.mean([seconds(kind, network, workers, sigma, rng) for _ in range(REPEATS)])
            share = MOST_BLOCKS / min(workers, MOST_BLOCKS) if way == "today" else 1
            per_example = kind.returned * N / min(workers, MOST_BLOCKS) if way == "today" else 0
            yield {
                "training": kind.name,
                "size of w": kind.size,
                "passes": kind.passes,
                "way": way,
                "workers": workers,
                "MB a pass and worker": (8 * kind.size * (1 + share) + per_example) / 1e6,
                "GB held": kind.held * (N if way == "today" else N / workers) / 1e9,
                "hours alone": kind.passes * alone(kind) / HOURS,
                "hours": kind.passes * float(mean) / HOURS,
                "speed-up": alone(kind) / float(mean),
                "efficiency": alone(kind) / float(mean) / workers,
            }


def limits(kind: Training, case: str, network: Network, sigma: float) -> Iterator[Row]:
    """The most workers of which half the time pays, and the number that takes the least time."""
    for way, seconds in WAYS.items():
        times = np.array(
            [seconds(kind, network, int(k), sigma, np.random.default_rng(0)) for k in TRIED]
        )
        pays = alone(kind) / times / TRIED >= 0.5
        yield {
            "training": kind.name,
            "size of w": kind.size,
            "case": case,
            "way": way,
            "half": int(TRIED[pays][-1]) if pays.any() else 0,
            "fastest": int(TRIED[times.argmin()]),
        }


# ---------------------------------------------------------------------- counted bytes


def compared(row: Row, measured: dict[str, list[Row]]) -> Row:
    """The bytes of a pass that the model expects, beside those that were counted."""
    vector, workers = 8 * row["size of w"], row["workers"]
    chain = measured["oracles"][0]
    outputs = SENTENCES * chain["bytes of the output"]
    back = MOST_BLOCKS * vector + outputs
    out = workers * vector
    if row["backend"] == "processes":  # each message has its w
        out *= MESSAGES_PER_JOB
    else:  # the answers go by way of the scheduler
        back *= 2
    model, counted = (out + back) / 1e6, row["MB out"] + row["MB back"]
    kept = {key: row[key] for key in ("backend", "workers", "size of w")}
    return kept | {"MB, model": model, "MB, counted": counted, "ratio": counted / model}


if __name__ == "__main__":
    with one_thread():
        main()
