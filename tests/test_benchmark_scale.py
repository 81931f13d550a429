"""The simulated network of the plan for many machines gives the times of closed forms."""

import numpy as np
import pytest

from benchmarks.scale._network import Network, flat, tree

FREE = Network(0.0, np.inf)
passes = pytest.mark.parametrize("simulated", [flat, tree])


@passes
@pytest.mark.parametrize("workers", [1, 2, 3, 7, 10, 1000])
def test_without_a_network_the_slowest_worker_counts(simulated, workers):
    rng = np.random.default_rng(0)
    assert simulated(FREE, 8e6, 8e6, np.full(workers, 60 / workers), 0.0) == 60 / workers
    seconds = rng.lognormal(size=workers)
    assert simulated(FREE, 8e6, 8e6, seconds, 0.0) == seconds.max()


@passes
def test_one_worker_takes_both_ways_and_its_time(simulated):
    found = simulated(Network(0.5, 10.0), 20.0, 30.0, np.array([4.0]), 0.25)
    assert found == pytest.approx(2 + 0.5 + 4 + 0.5 + 3 + 0.25)


@pytest.mark.parametrize("workers", [1, 5, 100])
def test_the_link_of_a_flat_master_carries_every_copy(workers):
    network, nothing = Network(0.5, 10.0), np.zeros(workers)
    # Answers come back while w goes out to the next: one more message than workers.
    assert flat(network, 20.0, 20.0, nothing, 0.0) == pytest.approx(2 * (workers + 1) + 1)
    # All wait for their only answer, which then come at once.
    assert flat(FREE._replace(bandwidth=10.0), 0.0, 20.0, nothing, 0.0) == pytest.approx(
        2 * workers
    )
    assert flat(FREE, 0.0, 0.0, nothing, 3.0) == pytest.approx(3 * workers)


@pytest.mark.parametrize("height", [1, 2, 3, 9])
def test_a_tree_takes_three_messages_a_level(height):
    # Two down, the second child's after the first's; one up, as siblings are one message apart.
    workers = 2 ** (height + 1) - 2
    found = tree(Network(0.5, 10.0), 20.0, 20.0, np.zeros(workers), 0.0)
    assert found == pytest.approx(height * (3 * 2 + 2 * 0.5))


def test_a_parent_adds_both_answers_after_its_own():
    # Its children wait for it: a sum of two in each of two levels, the leaves' at the same time.
    assert tree(FREE, 0.0, 0.0, np.zeros(6), 1.0) == pytest.approx(4)
    assert tree(FREE, 0.0, 0.0, np.array([5.0, 0, 0, 0, 0, 0]), 1.0) == pytest.approx(5 + 2 + 1)


@passes
def test_more_of_anything_takes_no_less_time(simulated):
    rng = np.random.default_rng(0)
    seconds = rng.lognormal(size=37)
    given = [Network(0.1, 10.0), 3.0, 5.0, seconds, 0.1]
    base = simulated(*given)
    for more in (
        {0: Network(0.2, 10.0)}, {0: Network(0.1, 5.0)}, {1: 6.0}, {2: 9.0}, {3: seconds + 1},
        {4: 0.3},
    ):  # fmt: skip
        assert simulated(*[more.get(k, value) for k, value in enumerate(given)]) > base
