"""Regret of knapsacks and tours, beside PyEPO and two stages.

    python -m benchmarks decisions/others    # PyEPO: pip install pyepo==2.2.7, needs torch

As benchmarks/decisions/paths.py: 32 items in two dimensions with capacities of 20 and 5 features,
and tours through 10 cities with 10 features; noise 0.5, and 1000 more examples test.
"""

from __future__ import annotations

from benchmarks.decisions._comparison import Comparison, main
from benchmarks.decisions._draws import knapsacks, tours

PROBLEMS = {"knapsacks": knapsacks, "tours": tours}
DEGREES = (1, 2, 4, 6, 8)
#: The number of draws, by that of the examples.
DRAWS = {
    100: {"knapsacks": 20, "tours": 20},
    1000: {"knapsacks": 20, "tours": 10},
    5000: {"knapsacks": 5, "tours": 2},
}


def compare(comparison: Comparison) -> None:
    for n, draws in DRAWS.items():
        for name, drawn in PROBLEMS.items():
            for degree in DEGREES:
                comparison.add(name, drawn, n, degree, range(draws[name]))


if __name__ == "__main__":
    main("decisions/others", compare)
