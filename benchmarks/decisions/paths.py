"""Regret of shortest paths, compared with PyEPO, two stages, and published regrets.

    python -m benchmarks decisions/paths    # PyEPO: pip install pyepo==2.2.7, needs torch

Paths through 5 x 5 nodes with 5 features and noise 0.5, from the papers of Elmachtoub & Grigas and
of PyEPO: means over 20 draws, and 10,000 more examples test each. The published regrets are means
over 50 other draws. Differences are means over the draws with their standard errors.

"auto" is DecisionFocusedRegressor with its defaults, "chosen" has 0.1, 1 or 10 times the automatic
C, by the regret on n / 4 more examples, which also choose PyEPO's learning rate (0.01 or 0.1) and
epoch. PyEPO 2.2.7 trains a linear model with a bias by Adam, in batches of 32, for 20 epochs, or up
to 50 as long as one of the last ten is the best so far (with 5000 examples: 20); its perturbed
Fenchel-Young loss has one sample and sigma = 1. It has the same optimizer, in its batch form
(_pyepo.py). The Hamming SVM is our estimator with the Hamming distance from the best decision in
place of the regret. Least squares and the forest have the defaults of scikit-learn.

Calls counts calls of the optimizer for each example in training, without the call for the best
decision at the true costs. Seconds are CPU time of one thread; they include this call, but not the
evaluation of validation examples. PyEPO's calls and seconds end at the chosen epoch. All our fits
converged, with a certified gap of at most 1 %.
"""

from __future__ import annotations

from benchmarks.decisions._comparison import comparison
from benchmarks.decisions._draws import paths

EXPERIMENTS = tuple(comparison("paths", paths, n, 20) for n in (100, 1000, 5000))
