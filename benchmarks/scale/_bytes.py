"""The bytes of a pass that two processes carry by their pipes, or two Dask workers by a network."""

from __future__ import annotations

import multiprocessing.connection
from pathlib import Path
from typing import Any
from unittest import mock

from joblib import parallel_config

from benchmarks.scale._text import chains
from benchmarks.scale.backends import WORKERS, dask_workers
from benchmarks.store import Row
from structsvm import OneSlackCuttingPlane
from structsvm.problems import Chain

#: Sentences of the runs whose bytes are counted.
SENTENCES = 320


class BlocksOfTen(Chain):
    """A chain in processes, in 32 blocks of 320 sentences."""

    parallelism = "processes"

    def initialize(self, X: Any, Y: Any) -> None:
        super().initialize(X, Y)
        self.block_size = 10


def by_processes(size: int) -> Row:
    counted = {"out": 0, "back": 0}
    kind = multiprocessing.connection.Connection
    send, receive = kind._send_bytes, kind._recv_bytes

    def sending(self: Any, buffer: Any) -> None:
        counted["out"] += len(buffer)
        send(self, buffer)

    def receiving(self: Any, *size: Any) -> Any:
        buffer = receive(self, *size)
        counted["back"] += buffer.tell()
        return buffer

    with (
        mock.patch.object(kind, "_send_bytes", sending),
        mock.patch.object(kind, "_recv_bytes", receiving),
        parallel_config(backend="loky"),
    ):
        both = [_counted(size, passes, counted) for passes in (4, 12)]
    out, back = ((both[1][key] - both[0][key]) / 8 for key in ("out", "back"))
    return _bytes_row("processes", size, both[0], out, back)


def by_dask(size: int) -> Row:
    with dask_workers():
        counted = {"local": 0}
        both = []
        for passes in (4, 12):
            before = _local_bytes()
            both.append(_counted(size, passes, counted) | {"local": _local_bytes() - before})
    total = (both[1]["local"] - both[0]["local"]) / 8
    return _bytes_row("Dask", size, both[0], total, 0)


def _counted(size: int, passes: int, counted: dict[str, int]) -> dict[str, Any]:
    problem, (X, Y) = BlocksOfTen(), chains(SENTENCES, size)[1:]
    before = dict(counted)
    result = OneSlackCuttingPlane(0, max_iter=passes).solve(problem, X, Y, 1000.0, n_jobs=WORKERS)
    assert len(result.history) == passes
    words = sum(map(len, Y))
    sent = {key: counted[key] - before[key] for key in counted}
    return sent | {"size": len(result.w), "words": words}


def _bytes_row(backend: str, size: int, run: dict[str, Any], out: float, back: float) -> Row:
    return {
        "backend": backend,
        "workers": WORKERS,
        "size of w": run["size"],
        "words": run["words"],
        "MB out": out / 1e6,
        "MB back": back / 1e6,
    }


def _local_bytes() -> int:
    """Bytes that the loopback device has carried."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, fields = line.partition(":")
        if name.strip() == "lo":
            return int(fields.split()[0])
    raise OSError("no loopback device")
