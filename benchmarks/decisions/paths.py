"""Regret of shortest paths, beside PyEPO, two stages, and what was published.

    python -m benchmarks.decisions.paths    # PyEPO: pip install pyepo==2.2.7, needs torch

Paths through 5 x 5 nodes with 5 features and noise 0.5, from the papers of Elmachtoub & Grigas and
of PyEPO; 10,000 more examples test. "auto" is DecisionFocusedRegressor as it is, "chosen" with 0.1,
1 or 10 times the automatic C, by the regret on n / 4 more examples, which choose the penalty of
ridge, and PyEPO's learning rate and epoch, too. PyEPO has the same optimizer, in its batch form
(_pyepo.py). Calls counts calls of the optimizer for each example in training, beside the one that
finds the best decision for the true costs; seconds are CPU time of one thread and include it, but
not the evaluation of validation examples. PyEPO's are those until the chosen epoch; "search" counts
all fits that were chosen from.
"""

from __future__ import annotations

from benchmarks.decisions._comparison import Comparison, main
from benchmarks.decisions._draws import paths

DEGREES, SIZES, DRAWS = (1, 2, 4, 6, 8), (100, 1000, 5000), 20


def compare(comparison: Comparison) -> None:
    for n in SIZES:
        for degree in DEGREES:
            comparison.add("paths", paths, n, degree, range(DRAWS))


if __name__ == "__main__":
    main("decisions/paths", compare)
