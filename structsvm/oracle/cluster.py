"""The workers of a Dask cluster, each of which keeps its share of the blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from structsvm.oracle.remote import Answer, Job, run_jobs


class Owners:
    """The workers of a Dask cluster, with the blocks of examples that each worker evaluates.

    The blocks are divided evenly: the numbers of blocks of any two worker threads differ by at most
    one. A block moves to another worker only if its worker leaves the cluster, or if a new worker
    joins the cluster and gets its share of the blocks.

    Parameters
    ----------
    backend : joblib.parallel.ParallelBackendBase
        Backend "dask" of joblib.
    count : int
        Number of blocks of the run.
    """

    def __init__(self, backend: Any, count: int) -> None:
        self._backend, self._client = backend, backend.client
        #: The worker and the number of its thread that own each block.
        self._owners: list[Any] = [None] * count

    def run(
        self, function: Callable[..., Any], shared: tuple[Any, ...], jobs: Sequence[Job]
    ) -> list[Answer | None]:
        """Run each job in the worker that owns its block; return None for a missing block."""
        self._assign()
        places: dict[Any, list[int]] = {}
        for place, job in enumerate(jobs):
            places.setdefault(self._owners[job.handle.key[1]], []).append(place)
        # Its workers' threads, where this is one of them, are free to run the jobs meanwhile.
        with self._backend.retrieval_context():
            # Workers get it from each other.
            (scattered,) = self._client.scatter([shared], hash=False)
            futures = [
                self._submitted(worker, function, scattered, [jobs[place] for place in own])
                for (worker, _), own in places.items()
            ]
            found = self._client.gather(futures)
        answers: list[Answer | None] = [None] * len(jobs)
        for own, of_owner in zip(places.values(), found, strict=True):
            for place, answer in zip(own, of_owner, strict=True):
                answers[place] = answer
        return answers

    def _submitted(self, worker: str, function: Any, shared: Any, jobs: Any) -> Any:
        """Submit the jobs of a worker, and return the future."""
        if any(job.sent is not None for job in jobs):  # large: not by way of the scheduler's graph
            (jobs,) = self._client.scatter([jobs], workers=[worker], hash=False)
        # Another worker runs them where this one has died.
        where: dict[str, Any] = {"workers": [worker], "allow_other_workers": True}
        return self._client.submit(run_jobs, function, shared, jobs, pure=False, **where)

    def _assign(self) -> None:
        """Assign an owner to each block whose owner is not among the present workers."""
        self._backend.effective_n_jobs(-1)  # waits for a worker
        threads = self._client.nthreads().items()
        loads = {(worker, i): 0 for worker, count in threads for i in range(count)}
        most = -(-len(self._owners) // len(loads))
        homeless = []
        for number, owner in enumerate(self._owners):
            if loads.get(owner, most) < most:
                loads[owner] += 1
            else:
                homeless.append(number)
        for number in homeless:
            owner = self._owners[number] = min(loads, key=loads.__getitem__)
            loads[owner] += 1


def warn_of_threads(client: Any) -> None:
    """Warn if a worker has several threads that would call a problem's methods at the same time."""
    if max(client.nthreads().values(), default=1) > 1:
        warnings.warn(
            "the problem declares parallelism = 'processes', but workers of the cluster have "
            "several threads, which will call its methods at the same time: start them with "
            "threads_per_worker=1, or declare 'threads' if that is safe",
            stacklevel=2,
        )
