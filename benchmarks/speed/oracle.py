"""CPU time and memory of the separation oracles for losses of the contingency table.

    python -m benchmarks.speed.oracle

First the exact oracle for two clusters, compared with a scan of all tables;
then the exact oracle alone, for many rows; and the local search for more clusters. Scores are
normal random numbers, y is their best labelling, and the mean hinge loss is about 0.5. CPU seconds
depend on the machine; ratios less so.
"""

import math
import tracemalloc

import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from structsvm.problems.multivariate.contingency import (
    contingency_table,
    greedy_most_violated,
    most_violated,
    table_loss,
)

LOSSES = ("nmi", "rand", "f")
SCANNED = (250, 500, 1000, 2000, 4000)
ALONE = (10**3, 10**4, 10**5, 10**6)
CLUSTERS = (4, 10)
SEARCHED = (10**3, 10**4, 10**5)


def two_clusters(n):
    """Labels y, and by how much '+' raises the score of each row."""
    scores = np.random.default_rng(0).normal(size=n)
    return scores > 0, 2 * scores / n


def many_clusters(n, k):
    scores = np.random.default_rng(0).normal(size=(n, k))
    return scores.argmax(axis=1), scores / n


def value(loss, labels, gains, predicted):
    """The loss plus the score; the table as (d, c, b, a)."""
    d, c, b, a = contingency_table(labels, predicted, 2).ravel()
    return float(loss(a, b, c, d)) + gains @ predicted


def scanned(labels, gains, loss):
    """The largest loss plus score, by all tables, each with its rows of largest gain."""
    positive, negative = (
        np.append(0, np.cumsum(-np.sort(-gains[rows]))) for rows in (labels, ~labels)
    )
    best, b = -math.inf, np.arange(len(negative))
    for a, gain in enumerate(positive):
        losses = loss(np.full_like(b, a), b, len(positive) - 1 - a, len(negative) - 1 - b)
        best = max(best, float((losses + gain + negative).max()))
    return best


def against_the_scan(name, n):
    (labels, gains), loss = two_clusters(n), table_loss(name)
    exact, found = cpu_seconds(lambda: most_violated(labels, gains, loss), repeats=51)
    scan, best = cpu_seconds(lambda: scanned(labels, gains, loss))
    assert math.isclose(value(loss, labels, gains, found), best, rel_tol=1e-12)
    return {"loss": name, "n": n, "exact CPU s": exact, "scan CPU s": scan, "ratio": scan / exact}


def alone(name):
    loss, instances = table_loss(name), {n: two_clusters(n) for n in ALONE}
    seconds = {
        n: cpu_seconds(lambda given=given: most_violated(*given, loss), repeats=5)[0]
        for n, given in instances.items()
    }
    exponent = np.polyfit(np.log(ALONE), np.log(list(seconds.values())), 1)[0]
    times = {f"n = {n:.0e}": time for n, time in seconds.items()}
    memory = peak_megabytes(lambda: most_violated(*instances[ALONE[-1]], loss))
    return {"loss": name, **times, "power of n": float(exponent), "MB at the last": memory}


def peak_megabytes(run):
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def searched(name, k):
    loss, times = table_loss(name), {}
    for n in SEARCHED:
        labels, scores = many_clusters(n, k)
        times[f"n = {n:.0e}"], _ = cpu_seconds(
            lambda given=(labels, scores): greedy_most_violated(*given, loss)
        )
    return {"loss": name, "k": k, **times}


def main():
    report(
        "speed/oracle",
        {
            "Two clusters: the exact oracle and the scan of all tables": [
                against_the_scan(name, n) for name in LOSSES for n in SCANNED
            ],
            "Two clusters: CPU s of the exact oracle": [alone(name) for name in LOSSES],
            "k clusters: CPU s of the local search": [
                searched(name, k) for name in LOSSES for k in CLUSTERS
            ],
        },
    )


if __name__ == "__main__":
    with one_thread():
        main()
