"""Blocks are owned by the workers of a cluster: as many each, and few move when workers change."""

from collections import Counter

import pytest

from structsvm.oracle.cluster import Owners


class Cluster:
    """What :class:`Owners` reads of a cluster: the threads of its workers."""

    def __init__(self, **threads):
        self.threads, self.client = threads, self

    def effective_n_jobs(self, n_jobs):
        return sum(self.threads.values())

    def nthreads(self):
        return self.threads


def assigned(owners):
    owners._assign()
    return list(owners._owners)


@pytest.mark.parametrize(
    ("threads", "loads"),
    [({"a": 1, "b": 1}, {16}), ({"a": 1, "b": 2}, {10, 11}), (dict.fromkeys("abc", 1), {10, 11})],
)
def test_every_thread_owns_as_many_blocks(threads, loads):
    counts = Counter(assigned(Owners(Cluster(**threads), 32)))
    assert {*counts.values()} == loads
    assert {*counts} == {(worker, i) for worker, count in threads.items() for i in range(count)}


def test_with_more_workers_than_blocks_some_own_none():
    found = assigned(Owners(Cluster(**{f"w{i}": 1 for i in range(50)}), 32))
    assert len({*found}) == 32


def moved(before, after):
    return [place for place, pair in enumerate(zip(before, after, strict=True)) if len({*pair}) > 1]


def test_blocks_move_from_a_worker_that_has_gone_alone():
    cluster = Cluster(a=1, b=1, c=1)
    owners = Owners(cluster, 33)
    before = assigned(owners)
    assert assigned(owners) == before
    del cluster.threads["b"]
    after = assigned(owners)
    assert moved(before, after) == [j for j, owner in enumerate(before) if owner == ("b", 0)]
    assert sorted(Counter(after).values()) == [16, 17]


def test_a_worker_that_joins_gets_its_share():
    cluster = Cluster(a=1, b=1)
    owners = Owners(cluster, 30)
    before = assigned(owners)
    cluster.threads["c"] = 1
    after = assigned(owners)
    assert set(Counter(after).values()) == {10}
    assert {after[place] for place in moved(before, after)} == {("c", 0)}
