"""Tables of pairs: kinds of frames, blocks, labels, and bad ones."""

import numpy as np
import pandas
import pytest
from linkage_data import drawn_pairs
from refusals import refused

from structsvm.problems import PairMap, PairTable

polars = pytest.importorskip("polars")
IDS = ("left", "right")


def frame(**changes):
    columns = {
        "left": ["a", "b", "d"],
        "right": ["b", "c", "e"],
        "name": [0.9, 0.1, 0.8],
        "match": [True, False, True],
    }
    return pandas.DataFrame(columns | changes)


def described(table):
    return [
        (list(block.items), [part.tolist() for part in block.pairs[:2]], block.pairs[2].tolist())
        for block in table
    ]


def test_blocks_are_the_components_of_the_pairs():
    table = PairTable(frame(), IDS, match="match")
    assert described(table) == [
        (["a", "b", "c"], [[0, 1], [1, 2]], [[0.9, 1.0], [0.1, 1.0]]),
        (["d", "e"], [[0], [1]], [[0.8, 1.0]]),
    ]
    assert table.feature_names == ("name", "constant")
    assert table.blocks == [0, 1]
    assert repr(table) == "PairTable(5 records, 3 pairs, 2 blocks)"


def test_the_columns_of_pandas_its_index_and_polars_are_the_same():
    table = PairTable(frame(), IDS, match="match")
    indexed = PairTable(frame().set_index(list(IDS)), match="match")
    of_polars = PairTable(polars.DataFrame(frame().to_dict("list")), IDS, match="match")
    assert described(indexed) == described(table) == described(of_polars)
    for other in (indexed, of_polars):
        assert [y.tolist() for y in other.labels()] == [y.tolist() for y in table.labels()]
        assert other.records == table.records


def test_a_column_of_blocks_may_hold_several_components():
    pairs = frame(block=["y", "y", "y"])
    table = PairTable(pairs, IDS, block="block", match="match")
    assert list(table[0].items) == ["a", "b", "c", "d", "e"]
    pairs = frame(block=["y", "y", "x"])
    assert PairTable(pairs, IDS, block="block", match="match").blocks == ["y", "x"]


def test_pairs_of_blocks_may_come_in_any_order():
    pairs, _ = drawn_pairs(0)
    found = []
    for each in (pairs, pairs.sample(frac=1, random_state=0)):
        table = PairTable(each, IDS, features=["name", "town"], block="block")
        found.append({
            (name, frozenset((block.items[i], block.items[j])), *vector)
            for name, block in zip(table.blocks, table, strict=True)
            for i, j, vector in zip(*block.pairs, strict=True)
        })  # fmt: skip
    assert found[0] == found[1] and len(found[0]) == len(pairs)


def test_records_without_a_pair_are_alone():
    table = PairTable(frame(), IDS, match="match", records=["z", "a", "b", "c", "d", "e"])
    assert table.records == ["a", "b", "c", "d", "e", "z"]
    clusters = table.clusters([np.array([0, 0, 1]), np.array([0, 0])])
    assert clusters == {"a": 0, "b": 0, "c": 1, "d": 2, "e": 2, "z": 3}
    assert len(table.labels(dict.fromkeys("abcdez", 1))) == 2


def test_identifiers_are_integers_of_python():
    pairs = frame(left=[1, 2, 4], right=[2, 3, 5], same=[True, False, True])
    for given in (pairs, polars.DataFrame(pairs.to_dict("list"))):
        table = PairTable(given, IDS, features=["same"])
        assert table.records == [1, 2, 3, 4, 5]
        assert table[0].pairs[2].tolist() == [[1.0, 1.0], [0.0, 1.0]]
    pairs = pairs.drop(columns="same")
    for records in (np.arange(1, 7), list(np.arange(1, 7)), pandas.Series(range(1, 7))):
        table = PairTable(pairs, IDS, match="match", records=records)
        assert table.records == [1, 2, 3, 4, 5, 6]
        assert {type(record) for record in table.records} == {int}


@pytest.mark.parametrize("block", [None, "block"])
def test_all_records_may_be_without_a_pair(block):
    empty = frame(block=["x"] * 3).iloc[:0]
    for pairs in (empty, polars.DataFrame(empty.to_dict("list"))):
        table = PairTable(pairs, IDS, match="match", block=block, records=["z", "a"])
        assert table.clusters(table.labels()) == {"z": 0, "a": 1}


def test_labels_by_entity_and_by_match():
    table = PairTable(frame(), IDS, match="match")
    entity = {"a": 7, "b": 7, "c": 8, "d": 9, "e": 9}
    for y in (entity, pandas.Series(entity), None):
        assert [codes.tolist() for codes in table.labels(y)] == [[0, 0, 1], [0, 0]]
    for column in ([1, 0, 1], [1.0, 0.0, 1.0]):
        matches = PairTable(frame(match=column), IDS, match="match").labels()
        assert [codes.tolist() for codes in matches] == [[0, 0, 1], [0, 0]]


test_bad_columns = refused(
    lambda changes: PairTable(frame(**changes), IDS, match="match").labels(),
    ({"left": list("abb"), "right": list("bca")}, "'b' and 'a' is listed twice, in rows 0 and"),
    ({"left": list("aad"), "right": list("bbe")}, "'a' and 'b' is listed .* no order, so keep"),
    ({"left": list("acd")}, "row 1 of pairs is of the record 'c' with itself"),
    ({"left": ["a", "b", 4]}, "must be all of type str or all of type int, .* got int and str"),
    ({"left": [0.5, 1.5, 2.5], "right": [3.5, 4.5, 5.5]}, "got float: convert both columns"),
    ({"left": [["a"], ["b"], ["d"]]}, "must be all of type str .* got list and str"),
    ({"left": ["a", None, "d"]}, "column 'left' of pairs: no value in row 1 .*; fill"),
    ({"name": [0.9, np.nan, 0.8]}, "column 'name' of pairs has NaN or infinity, first in row"),
    ({"name": ["x", "y", "z"]}, "column 'name' of pairs must hold real numbers"),
    ({"name": pandas.to_datetime(["2020-01-01"] * 3)}, "'name' of pairs must hold real"),
    ({"match": [1, 0, np.nan]}, "'match' of pairs has NaN or infinity, first in row 2; fill"),
    ({"match": [True, pandas.NA, False]}, "'match' of pairs has no value in row 1"),
    ({"match": [0, 2, 1]}, "'match' of pairs must hold bools, or 0 and 1; got 2"),
    ({"constant": [1, 2, 3]}, "the column 'constant' of pairs has the name of a feature"),
    ({"left": list("aba"), "right": list("bcc"), "match": [1, 1, 0]}, "'a' and 'c' do not"),
)


@pytest.mark.parametrize("column", ["name", "match"])
def test_null_in_polars_is_no_value(column):
    values = frame().to_dict("list")
    values[column][1] = None
    with pytest.raises(ValueError, match=f"'{column}' of pairs has NaN or infinity, .* row 1"):
        PairTable(polars.DataFrame(values), IDS, match="match")


test_bad_options = refused(
    lambda options: PairTable(frame(), **{"ids": IDS, "match": "match"} | options),
    ({"ids": ("left", "wrong")}, "pairs has no column 'wrong'; its columns are"),
    ({"ids": None}, "ids must name the two columns"),
    ({"ids": ("left", "left")}, "ids must be two names of columns"),
    ({"ids": "left"}, "ids must be two names of columns"),
    ({"features": ["age"]}, "pairs has no column 'age'"),
    ({"features": []}, "no column of features besides ids, block and match"),
    ({"features": ["name", "name"]}, "features names the column 'name' twice"),
    ({"features": "name"}, "features must be a list of columns; got the string 'name'"),
    ({"block": "area"}, "pairs has no column 'area'"),
    ({"match": "same"}, "pairs has no column 'same'"),
    ({"unlisted": "far"}, "unlisted must be one of"),
    ({"records": "abcde"}, "records must be a list of identifiers; got the string"),
    ({"records": list("abcd")}, "lists the record 'e', which is not among records"),
    ({"records": [*"abcde", 7]}, "all of type str .* int and str: convert all records"),
    ({"records": [*"abcde", None]}, r"records: no value in row 5 \(None\); fill"),
    ({"records": [["a"]]}, "must be all of type str .* got list"),
)


test_bad_blocks = refused(
    lambda block: PairTable(frame(block=block), IDS, match="match", block="block"),
    (["x", None, "x"], r"column 'block' of pairs: no value in row 1"),
    ([np.nan] * 3, r"column 'block' of pairs: no value in row 0"),
    ([["x"]] * 3, "column 'block' of pairs must hold a single value in row 0"),
    ([1, 2, 3], "the record 'b' is in two blocks, 1 and 2|2 and 1"),
)


test_what_is_no_table_of_pairs = refused(
    lambda pairs: PairTable(pairs, IDS, match="match", unlisted="learned"),
    (frame().iloc[:0], "pairs has no rows; expected at least one pair, or records"),
    (frame().to_numpy(), "pairs must be a DataFrame of pandas or polars; got ndarray"),
    (frame(unlisted=[1, 2, 3]), "the column 'unlisted' .* rename it, or leave it out"),
)


test_bad_labels = refused(
    lambda y: PairTable(frame(), IDS, match="match").labels(y),
    ({"a": 1, "b": 1, "c": 2, "d": 3}, "y has no entity for the record 'e'"),
    ({"a": 1, "b": 1, "c": None, "d": 3, "e": 3}, "record 'c'; .*its value is missing, None"),
    (dict.fromkeys("abcde", ""), "for the record 'a'; .*its value is missing, ''"),
    (dict(zip("abcde", [1, 1, 2, -1, -1], strict=True)), "y of block 1 has the label -1 for"),
    (dict.fromkeys("abcdex", 1), "y has an entity for 'x', which no pair of the table lists"),
    ({1: 1, 2: 1}, "y has no entity for the record 'a'.*another type"),
    ([0, 0, 1, 2, 2], r"y must be a dict .* got \[.*GridSearchCV, take list\(table\)"),
    (pandas.Series([1, 1, 2], index=["a", "a", "b"]), "two entities for the record 'a'"),
)


def test_a_table_without_matches_has_no_labels_and_no_map():
    table = PairTable(frame().drop(columns="match"), IDS)
    with pytest.raises(ValueError, match="name the column of the table that says which pairs"):
        table.labels()
    with pytest.raises(ValueError, match="transform the columns of features"):
        PairMap().fit(table)
