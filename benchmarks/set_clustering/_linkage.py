"""Methods of record linkage: trained on the records of some entities, applied to others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score

from benchmarks.set_clustering._records import Records
from structsvm.problems import CorrelationClustering, GreedyOracle, PairTable
from structsvm.problems.set_clustering.similarities import PairSimilarity

#: Thresholds of a probability, from which the best for the records to learn from is chosen.
THRESHOLDS = (0.02, *np.linspace(0.05, 0.95, 19).round(2), 0.98, 0.99, 0.995)
#: C of the logistic regression, and the weight of a log-odds of 1 in a prior, as chosen.
C_OF_PAIRS, UNIT = 10.0, 100.0
#: Similarities of a pair that is not listed, from which the same records choose.
ELSEWHERE = (0.0, -np.inf)


class Part(NamedTuple):
    """Some records, their candidate pairs and the features of these."""

    records: Records
    pairs: pd.DataFrame

    @property
    def entity(self) -> Any:
        return self.records.entity

    @property
    def ends(self) -> tuple[Any, Any]:
        return self.pairs["left"].to_numpy(), self.pairs["right"].to_numpy()

    @property
    def features(self) -> pd.DataFrame:
        return self.pairs.drop(columns=["left", "right"])

    @property
    def matches(self) -> Any:
        left, right = self.ends
        return self.entity[left] == self.entity[right]

    def table(self) -> PairTable:
        """The pairs as our estimators take them."""
        ids = "left", "right"
        return PairTable(self.pairs, ids, records=range(len(self.entity)))


#: From the part to learn from and the part to cluster to the labels of its records.
Method = Callable[[Part, Part], Any]


def divided(records: Records, fraction: float, seed: int) -> tuple[Part, Part]:
    """The records of a fraction of the entities, and all others, with candidates within each."""
    entities = np.random.default_rng(seed).permutation(np.unique(records.entity))
    chosen = np.isin(records.entity, entities[: round(fraction * len(entities))])
    parts = [records.part(chosen), records.part(~chosen)]
    learn, test = (Part(part, part.candidates()) for part in parts)
    # A field may be missing in one part alone.
    names = learn.features.columns.union(test.features.columns, sort=False)
    learn, test = (
        part._replace(pairs=part.pairs.reindex(columns=["left", "right", *names], fill_value=0.0))
        for part in (learn, test)
    )
    return learn, test


def scores(entity: Any, labels: Any) -> dict[str, float]:
    """F1 of all pairs, F1 of whole clusters, and the adjusted Rand index, in percent."""
    true, found = (np.unique(each, return_inverse=True)[1] for each in (entity, labels))
    both = np.unique(true * (len(found) + 1) + found, return_inverse=True)[1]
    sizes = [np.bincount(each) for each in (true, found, both)]
    pairs = [float((size * (size - 1)).sum() / 2) for size in sizes]
    # A cluster is right if it and its entity have no other records.
    firsts = np.unique(both, return_index=True)[1]
    whole = (sizes[0][true[firsts]] == sizes[2]) & (sizes[1][found[firsts]] == sizes[2])
    return {
        "pairs": 200 * pairs[2] / max(pairs[0] + pairs[1], 1.0),
        "clusters": 200 * float(whole.sum()) / (len(sizes[0]) + len(sizes[1])),
        "Rand": 100 * float(adjusted_rand_score(true, found)),
    }


def ours(learn: Part, test: Part, prior: Any = None) -> Any:
    """CorrelationClustering of the tables of pairs."""
    model = CorrelationClustering()
    model.fit(learn.table(), dict(enumerate(learn.entity)), w_prior=prior)
    clusters = model.predict(test.table())
    return np.array([clusters[i] for i in range(len(test.entity))])


def of_pairs(learn: Part) -> LogisticRegression:
    return LogisticRegression(C=C_OF_PAIRS, max_iter=10_000).fit(learn.features, learn.matches)


def near(learn: Part, test: Part) -> Any:
    """Cluster with a prior from a logistic regression of pairs."""
    pairs = of_pairs(learn)
    return ours(learn, test, UNIT * np.append(pairs.coef_[0], pairs.intercept_))


def best(options: Sequence[Any], learn: Part, labels: Callable[[Any], Any]) -> Any:
    """The option whose labels of the records to learn from have the largest F1 of pairs.

    Of several the one in the middle: often a range of thresholds makes no error.
    """
    found = np.array([scores(learn.entity, labels(option))["pairs"] for option in options])
    largest = np.flatnonzero(found == found.max())
    return options[largest[len(largest) // 2]]


def of_probabilities(options: Sequence[Any], cluster: Callable[[Part, Any, Any], Any]) -> Method:
    """A logistic regression of pairs, then ``cluster(part, log_odds, option)``."""

    def method(learn: Part, test: Part) -> Any:
        model = of_pairs(learn)
        ours, theirs = (model.decision_function(part.features) for part in (learn, test))
        option = best(options, learn, lambda each: cluster(learn, ours, each))
        return cluster(test, theirs, option)

    return method


def components(part: Part, log_odds: Any, threshold: float) -> Any:
    """Connected components of the pairs with a larger probability."""
    kept = log_odds > np.log(threshold / (1 - threshold))
    ends = tuple(end[kept] for end in part.ends)
    m = len(part.entity)
    graph = sparse.coo_matrix((np.ones(len(ends[0])), ends), shape=(m, m))
    return connected_components(graph, directed=False)[1]


def greedy(part: Part, log_odds: Any, elsewhere: float) -> Any:
    """Our greedy search by log-odds."""
    m, ends = len(part.entity), part.ends
    ordered = np.concatenate(ends), np.concatenate(ends[::-1])
    K = sparse.csr_matrix((np.tile(log_odds, 2), ordered), shape=(m, m))
    return GreedyOracle().cluster(PairSimilarity(K, elsewhere))


def splink(learn: Part, test: Part) -> Any:
    """splink's model with m from the labels, and the threshold of components that is best."""
    import splink.comparison_library as comparisons
    from splink import SettingsCreator, block_on

    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            comparisons.JaroWinklerAtThresholds(name, [0.9, 0.7]) for name in learn.records.fields
        ],
        blocking_rules_to_generate_predictions=[block_on(*key) for key in learn.records.keys],
    )
    linker = _linker(learn, settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    linker.training.estimate_m_from_label_column("entity")
    trained = linker.misc.save_model_to_json()
    ours, theirs = (_log_odds(part, _linker(part, trained)) for part in (learn, test))
    threshold = best(THRESHOLDS, learn, lambda each: components(learn, ours, each))
    return components(test, theirs, threshold)


def _linker(part: Part, settings: Any) -> Any:
    from splink import Linker
    from splink.backends.duckdb import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    fields = part.records.fields
    table = fields.assign(unique_id=np.arange(len(fields)), entity=part.entity)
    return Linker(DuckDBAPI().register(table), settings, log_level="ERROR")


def _log_odds(part: Part, linker: Any) -> Any:
    """The match weights of the candidates, in natural logarithms."""
    found = linker.inference.predict().as_pandas_dataframe()
    low, high = (np.sort(found[["unique_id_l", "unique_id_r"]].to_numpy(), axis=1)).T
    weights = pd.Series(found["match_weight"].to_numpy(), index=[low, high])
    pairs = pd.MultiIndex.from_arrays(np.sort(part.ends, axis=0))
    return weights.reindex(pairs, fill_value=weights.min()).to_numpy() * np.log(2)


#: The methods of the comparison.
METHODS: dict[str, Method] = {
    "ours": ours,
    "near": near,
    "components": of_probabilities(THRESHOLDS, components),
    "pairs, greedy": of_probabilities(ELSEWHERE, greedy),
    "splink": splink,
}
