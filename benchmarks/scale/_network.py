"""A simulated pass over the examples: w goes out to workers, sums come back, over a network.

A link sends one message at a time, and receives one at a time while it sends. Workers begin as soon
as w has arrived; a worker of the tree passes w on while it computes. All times are in seconds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

#: Workers of the largest cluster that the plan simulates.
MOST_WORKERS = 2**16


class Network(NamedTuple):
    """The links of a simulated cluster, all alike.

    Attributes
    ----------
    latency : float
        Seconds before a message begins to arrive.
    bandwidth : float
        Bytes a second.
    """

    latency: float
    bandwidth: float


def flat(network: Network, out: float, back: float, compute: Any, add: float) -> float:
    """Seconds of a pass in which one master sends w to each worker and adds what comes back.

    Parameters
    ----------
    network : Network
    out, back : float
        Bytes to and from each worker.
    compute : ndarray of shape (workers,)
        Seconds of each worker.
    add : float
        Seconds in which the master adds one answer.
    """
    latency, bandwidth = network
    places = np.arange(len(compute))
    started = (places + 1) * (out / bandwidth) + latency
    arrivals = np.sort(started + compute + latency)
    received = _served(arrivals, back / bandwidth)
    return float(_served(received, add)[-1])


def tree(network: Network, out: float, back: float, compute: Any, add: float) -> float:
    """The same where w goes down a binary tree of the workers and sums go up in it.

    The master is its root; worker i has the place i + 1, and place p the children 2p + 1 and
    2p + 2. Every parent adds what its children send.
    """
    latency, bandwidth = network
    n = len(compute) + 1
    started, ready = np.zeros(n), np.zeros(n)
    levels = [slice(2**h - 1, min(2 ** (h + 1) - 1, n)) for h in range(n.bit_length())]
    for level in levels[1:]:
        places = np.arange(n)[level]
        sends = 2 - places % 2  # an odd place is the first child
        started[level] = started[(places - 1) // 2] + sends * (out / bandwidth) + latency
    ready[1:] = started[1:] + compute
    for level in reversed(levels[1:]):
        places = np.arange(n)[level]
        arrivals = ready[level] + latency
        parents = (places - 1) // 2
        for parent, own in _pairs(parents, arrivals):
            received = _served(np.sort(own, axis=1), back / bandwidth)
            ready[parent] = _served(np.maximum(received, ready[parent][:, None]), add)[:, -1]
    return float(ready[0])


def _served(arrivals: Any, seconds: float) -> Any:
    """When messages that take so long each are done, in the order in which they arrive."""
    places = np.arange(arrivals.shape[-1])
    return np.maximum.accumulate(arrivals - places * seconds, axis=-1) + (places + 1) * seconds


def _pairs(parents: Any, arrivals: Any) -> Any:
    """The parents of two children with both arrivals, then the last parent of an only child."""
    whole = len(parents) // 2 * 2
    if whole:
        yield parents[:whole:2], arrivals[:whole].reshape(-1, 2)
    if whole < len(parents):
        yield parents[whole:], arrivals[whole:].reshape(-1, 1)
