"""The estimators trained on tables of pairs."""

import warnings
from functools import cache

import numpy as np
import pandas
import pytest
from linkage_data import drawn_pairs, drawn_table
from peak_memory import peak_below

from benchmarks.set_clustering import large_block
from structsvm import check_problem
from structsvm.problems import (
    CorrelationClustering,
    CorrelationClusteringProblem,
    ItemSet,
    PairTable,
    SupervisedKMeans,
)

IDS = "left", "right"
FULL = {"entities": 9, "records": 3, "share": 1.0}


def of_entities(found, entity):
    """Whether the clusters found are the entities."""
    return all((found[a] == found[b]) == (entity[a] == entity[b]) for a in found for b in found)


@pytest.mark.parametrize("unlisted", ["impossible", "learned"])
def test_the_contract_of_correlation_clustering(unlisted):
    table, _ = drawn_table(0, unlisted, entities=4, records=2, share=0.6)
    Y = []
    for block in table:  # the first listed pair is together
        labels = np.arange(len(block))
        labels[block.pairs[1][0]] = labels[block.pairs[0][0]]
        Y.append(block.partition(np.unique(labels, return_inverse=True)[1]))
    check_problem(CorrelationClusteringProblem(), list(table), Y, max_examples=1)


@pytest.mark.parametrize("unlisted", ["impossible", "learned"])
def test_joint_feature_and_loss_by_their_definition(unlisted):
    table, _ = drawn_table(1, unlisted, share=0.5)
    rng = np.random.default_rng(0)
    for block in table:
        problem = CorrelationClusteringProblem()
        labels = [rng.integers(4, size=len(block)) for _ in range(2)]
        y, other = map(block.partition, labels)
        problem.initialize([block], [y])
        rows, cols, features = block.pairs
        same, differ = (each[rows] == each[cols] for each in labels)
        expected = features[same].sum(axis=0)
        if unlisted == "learned":
            i, j = np.triu_indices(len(block), 1)
            together = np.count_nonzero(labels[0][i] == labels[0][j])
            expected = np.append(expected, same.sum() - together)
        np.testing.assert_allclose(problem.joint_feature(block, y) * len(rows), expected)
        assert problem.loss(y, other) == pytest.approx(100 * (same != differ).mean())


def table_of(pairs, block="block", **options):
    return PairTable(pairs, IDS, features=["name", "town"], block=block, **options)


@cache
def fitted():
    """A model of a table with all pairs of each block, to be left as it is."""
    table, entity = drawn_table(0, **FULL)
    return CorrelationClustering().fit(table, entity), table, entity


def test_with_all_pairs_listed_a_table_is_an_item_set():
    _, table, entity = fitted()
    sets = [ItemSet(pairs=block.pairs, n_items=len(block)) for block in table]
    y = table.labels(entity)
    kinds = {"C": 1000.0, "scale": np.array([0.1, 0.2, 0.3]), "rtol": 1e-4}
    listed = CorrelationClustering(**kinds).fit(table, entity)
    plain = CorrelationClustering(**kinds).fit(sets, y)
    np.testing.assert_allclose(listed.coef_, plain.coef_, rtol=1e-2)
    assert listed.result_.primal == pytest.approx(plain.result_.primal, rel=1e-3)
    assert listed.score(table, entity) == pytest.approx(plain.score(sets, y))
    assert of_entities(listed.predict(table), entity)


@pytest.mark.filterwarnings("ignore:.*not listed")
@pytest.mark.parametrize("unlisted", ["impossible", "learned"])
@pytest.mark.parametrize("block", ["block", None])
def test_other_tables_are_clustered(unlisted, block):
    table, entity = drawn_table(0, unlisted, block, entities=15, share=0.9, noise=0.15)
    others, truth = drawn_table(1, unlisted, block, entities=15, share=1.0, noise=0.15)
    model = CorrelationClustering().fit(table, entity)
    assert model.feature_names_in_.tolist() == list(table.feature_names)
    found = model.predict(others)
    assert set(found) == set(truth)
    right = sum((found[a] == found[b]) == (truth[a] == truth[b]) for a in found for b in found)
    assert right / len(found) ** 2 > 0.99
    if unlisted == "learned":
        assert model.coef_[-1] >= 0


def test_predictions_put_no_unlisted_pair_together_where_it_is_impossible():
    table, entity = drawn_table(0, entities=12, share=0.7)
    model = CorrelationClustering(C=1e5)
    with pytest.warns(UserWarning, match="of 36 pairs of one entity are not listed .*learned"):
        model.fit(table, entity)
    assert all(
        block.partition(y).only_listed
        for block, y in zip(table, model.predict(list(table)), strict=True)
    )
    learned, _ = drawn_table(0, "learned", entities=12, share=0.7)
    found = CorrelationClustering(C=1e5).fit(learned, entity).predict(list(learned))
    assert not all(b.partition(y).only_listed for b, y in zip(learned, found, strict=True))


def test_labels_by_match_are_those_by_entity():
    model, table, entity = fitted()
    by_match = table_of(drawn_pairs(0, **FULL)[0], match="same")
    np.testing.assert_array_equal(CorrelationClustering().fit(by_match).coef_, model.coef_)
    assert model.score(by_match) == model.score(table, entity)


def test_every_listed_pair_counts_the_same():
    """Two blocks in one, without a pair between them, are the two blocks."""
    pairs, entity = drawn_pairs(0, **FULL)
    models = [
        CorrelationClustering(scale=np.ones(3), rtol=1e-3).fit(table, entity)
        for table in (table_of(pairs), table_of(pairs.assign(all=0), block="all"))
    ]
    np.testing.assert_allclose(models[0].result_.primal, models[1].result_.primal, rtol=0.01)
    assert models[0].C_ == models[1].C_ == 300 * len(pairs)
    table, weights = table_of(pairs), [1.0, 0.0, 0.0]
    one = CorrelationClustering().fit(table, entity, sample_weight=weights)
    assert one.C_ == pytest.approx(300 * 3 * table[0].n_pairs)


def test_the_score_is_of_pairs():
    (model, _, entity), (pairs, _) = fitted(), drawn_pairs(0, **FULL)
    small = pandas.DataFrame({"left": list("xxy"), "right": list("yzz"), "name": [1.0, 0.0, 0.0]})
    table = table_of(pandas.concat([pairs, small.assign(town=small["name"], block=3)]))
    entity = entity | {"x": -2, "y": -2, "z": -3}
    lost = model.score(table, entity) - model.score(table, entity | {"y": -4})
    assert lost == pytest.approx(1 / (len(pairs) + 3))


def test_other_tables_than_in_training_are_refused():
    (_, table, entity), (pairs, _) = fitted(), drawn_pairs(0, **FULL)
    sets = [ItemSet(pairs=block.pairs, n_items=len(block)) for block in table]
    model = CorrelationClustering(warm_start=True).fit(table, entity)
    for options, message in (
        ({"features": ["name"]}, "other pair features than in training: it lacks 'town'"),
        ({"features": ["name", "same"]}, "it lacks 'town' and has 'same' besides"),
        ({"features": ["town", "name"]}, "it has 'town' in the place of 'name'"),
        ({"unlisted": "learned"}, r"unlisted='impossible', and X is .* unlisted='learned'"),
    ):
        other = PairTable(pairs, IDS, **{"features": ["name", "town"], "block": "block"} | options)
        for call, data in ((model.predict, (other,)), (model.fit, (other, entity))):
            with pytest.raises(ValueError, match=message):
                call(*data)
    with pytest.raises(ValueError, match=r"trained on a PairTable .*, and X is item sets"):
        model.predict(sets)
    with pytest.raises(ValueError, match="X mixes blocks of a PairTable with other item sets"):
        model.fit([*table, *sets], [[0] * len(x) for x in [*table, *sets]])
    for name in ("oracle", "predictor"):
        with pytest.raises(ValueError, match=f"the {name} needs the similarities of all pairs"):
            CorrelationClustering(**{name: "relaxed"}).fit(table, entity)
    with pytest.raises(ValueError, match="X is a PairTable, which CorrelationClustering takes"):
        SupervisedKMeans().fit(list(table), table.labels(entity))


@pytest.mark.parametrize("kind", [CorrelationClustering, SupervisedKMeans])
def test_a_frame_is_no_table_and_a_table_no_list(kind):
    pairs, entity = drawn_pairs(0, **FULL)
    for frame in (pairs, pytest.importorskip("polars").DataFrame(pairs.to_dict("list"))):
        with pytest.raises(ValueError, match=r"got a single DataFrame: .*PairTable\(X, ids="):
            kind().fit(frame, entity)
    table = PairTable(pairs, IDS, features=["name"], match="same")
    for y in (None, entity):
        with pytest.raises(ValueError, match=r"partition for each of 3 .* table.labels\(y\) has"):
            CorrelationClustering().fit(list(table), y)


def test_single_records_are_clusters_of_their_own():
    (model, *_), (pairs, _) = fitted(), drawn_pairs(0, **FULL)
    alone = PairTable(pairs.iloc[:0], IDS, records=["a", "b"])
    assert model.predict(alone) == {"a": 0, "b": 1}
    for call in (CorrelationClustering().fit, model.score):
        with pytest.raises(ValueError, match="X holds no item set, or is a PairTable without a"):
            call(alone, {"a": 1, "b": 1})


def test_a_column_of_labels_among_the_features_is_named():
    pairs, entity = drawn_pairs(0, **FULL)
    table = PairTable(pairs, IDS, features=["name", "same"])
    with pytest.warns(UserWarning, match="column 'same' agrees with the labels.*match='same'"):
        CorrelationClustering().fit(table, entity)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        everything = {r: b for b, block in enumerate(table) for r in block.items}
        CorrelationClustering(C=1e5).fit(table, everything)


def test_entities_in_several_blocks_are_counted():
    pairs = pandas.DataFrame(
        {"left": ["a", "a", "b", "d"], "right": ["b", "c", "c", "e"], "name": [0.9, 0.2, 0.1, 0.8]}
    )
    entity = {"a": 0, "b": 0, "c": 1, "d": 0, "e": 1, "f": 0}
    table = PairTable(pairs, IDS, records=list("abcdef"))
    with pytest.warns(UserWarning, match="6 of 7 pairs of one entity are not listed"):
        CorrelationClustering().fit(table, entity)
    by_column = PairTable(pairs.assign(block=[0, 0, 0, 1]), IDS, block="block")
    with warnings.catch_warnings():  # entities of different blocks are different
        warnings.simplefilter("error", UserWarning)
        CorrelationClustering().fit(by_column, {r: entity[r] for r in "abcde"})


def test_the_weight_of_the_threshold_may_be_negative():
    for unlisted in ("impossible", "learned"):
        table, entity = drawn_table(0, unlisted, **FULL)
        model = CorrelationClustering(nonnegative=True).fit(table, entity)
        assert of_entities(model.predict(table), entity)
        assert model.coef_[2] < 0 < model.coef_[0]
        assert model.verify(table, entity).matches


def test_memory_is_in_the_number_of_listed_pairs():
    """A matrix of all pairs would take 5 MB."""
    table, entity = large_block.table(800, 1600, "impossible")
    (block,) = table
    y = block.partition(table.labels(entity)[0])
    problem = CorrelationClusteringProblem()
    with peak_below(3.5e6):
        problem.initialize([block], [y])
        for w in (np.zeros(2), np.array([100.0, -50.0])):
            assert problem.separation_oracle(block, y, w).only_listed
            problem.joint_feature_difference(block, y, problem.decode(block, w))
