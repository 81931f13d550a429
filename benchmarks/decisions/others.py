"""Regret of knapsacks and tours, compared with PyEPO and two stages.

    python -m benchmarks decisions/others    # PyEPO: pip install pyepo==2.2.7, needs torch

As benchmarks/decisions/paths.py: 32 items in two dimensions with capacities of 20 and 5 features,
and tours through 10 cities with 10 features; noise 0.5, and 1000 more examples test.
"""

from __future__ import annotations

from benchmarks.decisions._comparison import comparison
from benchmarks.decisions._draws import knapsacks, tours

#: The number of draws, by that of the examples.
DRAWS = {100: (20, 20), 1000: (20, 10), 5000: (5, 2)}
EXPERIMENTS = tuple(
    comparison(drawn.__name__, drawn, n, draws)
    for n, of_problems in DRAWS.items()
    for drawn, draws in zip((knapsacks, tours), of_problems, strict=True)
)
