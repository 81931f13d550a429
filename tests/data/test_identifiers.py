"""Identifiers of groups, queries and records: refused where one is missing, wherever they go."""

import datetime
import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from structsvm import problems
from structsvm.data.identifiers import numbered
from structsvm.problems import (
    ChainSVM,
    CorrelationClustering,
    ItemSet,
    PairTable,
    RankingSVM,
    segment_f1_score,
)

M = 4
X = np.arange(2.0 * M).reshape(M, 2)
TAGS = ["B", "I", "O", "B"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    CHAIN = ChainSVM(loss="log_loss").fit(X, TAGS, groups=[1, 1, 2, 2])
    CLUSTERING = CorrelationClustering().fit([ItemSet(X)], [[0, 0, 1, 1]])
    RANKING = RankingSVM().fit(X, [0, 1, 1, 0], qid=[1, 1, 2, 2])


def held_out(model, y, name, groups):
    arguments = {name: [1, 1, 2, 2], f"{name}_val": groups, "X_val": X, "y_val": y}
    return type(model)(early_stopping=True).fit(X, y, **arguments)


def pairs(**columns):
    of_pairs = {"left": [*"aabb"], "right": [*"bccd"], "name": [0.1, 0.2, 0.3, 0.4]}
    return pd.DataFrame(of_pairs | columns)


def linked(left):
    return pairs(left=left).set_index(["left", "right"])


#: Every function of identifiers of the rows of a table.
OF_ROWS = {
    "ChainSVM.fit groups": lambda g: ChainSVM().fit(X, TAGS, groups=g),
    "ChainSVM.fit groups_val": lambda g: held_out(CHAIN, TAGS, "groups", g),
    "ChainSVM.predict groups": lambda g: CHAIN.predict(X, groups=g),
    "ChainSVM.predict_proba groups": lambda g: CHAIN.predict_proba(X, groups=g),
    "ChainSVM.predict_marginals groups": lambda g: CHAIN.predict_marginals(X, groups=g),
    "ChainSVM.predict_n_best groups": lambda g: CHAIN.predict_n_best(X, 2, groups=g),
    "ChainSVM.score groups": lambda g: CHAIN.score(X, TAGS, groups=g),
    "ChainSVM.verify groups": lambda g: CHAIN.verify(X, TAGS, groups=g),
    "ChainSVM.fit_temperature groups": lambda g: CHAIN.fit_temperature(X, TAGS, groups=g),
    "segment_f1_score groups": lambda g: segment_f1_score(TAGS, TAGS, groups=g),
    "RankingSVM.fit qid": lambda g: RankingSVM().fit(X, [0, 1, 1, 0], qid=g),
    "RankingSVM.fit qid_val": lambda g: held_out(RANKING, [0, 1, 1, 0], "qid", g),
    "RankingSVM.score qid": lambda g: RANKING.score(X, [0, 1, 1, 0], qid=g),
    "RankingSVM.verify qid": lambda g: RANKING.verify(X, [0, 1, 1, 0], qid=g),
    "CorrelationClustering.fit y": lambda g: CorrelationClustering().fit([ItemSet(X)], [g]),
    "CorrelationClustering.score y": lambda g: CLUSTERING.score([ItemSet(X)], [g]),
}  # fmt: skip
#: Likewise, which take columns of a DataFrame, or lists alone.
OF_PAIRS = {
    "PairTable ids": lambda g: PairTable(pairs(left=g), ids=("left", "right")),
    "PairTable ids, index": lambda g: PairTable(linked(g)),
    "PairTable block": lambda g: PairTable(pairs(b=g), ids=("left", "right"), block="b"),
    "PairTable records": lambda g: PairTable(pairs(), ids=("left", "right"), records=g),
    "ItemSet.from_frames nodes": lambda g: ItemSet.from_frames(pd.DataFrame(X, index=g)),
    "ItemSet.from_frames pairs": lambda g: ItemSet.from_frames(pairs=linked(g)),
}

NANS = [1.0, 1.0, np.nan, 2.0]
DAYS = [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01"), pd.NaT, pd.Timestamp("2021-01-01")]
#: Columns whose row 2 is the first that is missing.
MISSING = {
    "None": ["q", "q", None, None],
    "None among numbers": [1, 1, None, 2],
    "NaN, array": np.array(NANS),
    "NaN, objects": np.array(["q", "r", np.nan, "s"], dtype=object),
    "NaT, array": np.array(["2020", "2020", "NaT", "2021"], dtype="datetime64[s]"),
    "NaT, Series": pd.Series(DAYS),
    "NaT, time zone": pd.Series(DAYS).dt.tz_localize("UTC"),
    "NaT, durations": np.array([1, 1, "NaT", 2], dtype="timedelta64[s]"),
    "NA": pd.array([1, 1, pd.NA, 2]),
    "NA, strings": pd.array(["q", "q", pd.NA, "r"], dtype="string"),
    "NaN, categories": pd.Series(["q", "q", np.nan, "r"], dtype="category"),
    "masked": np.ma.array([1, 1, 7, 2], mask=[0, 0, 1, 0]),
    "empty": ["q", "r", "", ""],
    "tuples": [("d", 1), ("d", 2), ("e", None), ("e", 1)],
    "mixed": [1, "q", None, 2],
}
FILL = r"no value in row 2 \(.*\); fill them, as by ffill\(\)"


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_missing_identifier_of_a_row_is_named(name):
    for groups in MISSING.values():
        with pytest.raises(ValueError, match=FILL):
            OF_ROWS[name](groups)


@pytest.mark.parametrize("name", OF_PAIRS)
def test_a_missing_identifier_of_a_pair_is_named(name):
    for groups in MISSING.values():
        if isinstance(groups, (list, pd.Series)) and not isinstance(groups[0], tuple):
            column = [None if value is np.ma.masked else value for value in groups]
            with pytest.raises(ValueError, match=FILL):
                OF_PAIRS[name](column)


@pytest.mark.filterwarnings("ignore::UserWarning")  # of fits to four rows
@pytest.mark.parametrize("name", OF_ROWS)
def test_the_remedy_for_mixed_identifiers_helps(name):
    mixed = [1, 1, "a", "a"]
    with pytest.raises(ValueError, match="mixed, 1 in row 0 and 'a' in row 2") as error:
        OF_ROWS[name](mixed)
    remedy = str(error.value).rpartition("as by ")[2].replace("...", "mixed")
    OF_ROWS[name](eval(remedy, {"mixed": mixed}))


def test_a_number_in_the_first_row_of_each_sentence_gets_the_remedy():
    first = pd.Series(["Sentence 1", None, "Sentence 2", None])
    for column in (first, first.tolist(), first.fillna(""), first.astype("string")):
        with pytest.raises(ValueError, match=r"groups: no value in row 1 .*ffill\(\)"):
            ChainSVM().fit(X, TAGS, groups=column)
    assert CHAIN.score(X, TAGS, groups=first.ffill()) >= 0


def test_every_public_method_with_identifiers_is_here():
    known = {key.partition(",")[0] for key in (*OF_ROWS, *OF_PAIRS)}
    for name in problems.__all__:
        public = getattr(problems, name)
        methods = {name: public} if not inspect.isclass(public) else {
            f"{name}.{key}": method for key, method in inspect.getmembers(public, callable)
            if not key.startswith(("_", "set_"))
        }  # fmt: skip
        for called, method in methods.items():
            for argument in inspect.signature(method).parameters:
                if re.fullmatch(r"(groups|qid|ids|blocks?|records)(_val)?", argument):
                    assert f"{called} {argument}" in known


@pytest.mark.parametrize(
    ("message", "values"),
    {
        "types are mixed, 1 in row 0 and 'a' in row 1": [1, "a", 2],
        "types are mixed, 'a' in row 0 and b'a' in row 1": ["a", b"a", "b"],
        "types are mixed, datetime.date.* in row 0 and 1 in row 1": [
            datetime.date(2020, 1, 1), 1, 2,
        ],
        "must hold a single value in row 1: .*unhashable": [1, [1], 2],
        "must hold a single value in row 0: .*unhashable": [np.zeros(2)] * 3,
        "must be three; got shape": [1, 2],
        "must be three; got shape ": np.eye(3),
        "is the string 'abc'; pass the column itself": "abc",
        "is an iterator": iter([1, 2, 3]),
    }.items(),
)  # fmt: skip
def test_identifiers_of_types_that_differ_are_named(message, values):
    with pytest.raises(ValueError, match=f"^g:? {message}"):
        numbered("g", values, 3, "be three")


def test_identifiers_are_numbered_as_they_are_sorted_and_a_tuple_is_one():
    for values in (
        ["b", "a", "b"], [2, 1, 2.0], np.array([5, 3, 5]), pd.Series([2.5, 1, 2.5]),
        [("d", 2), ("d", 1), ("d", 2)], np.ma.array([2, 1, 2]), [b"b", b"a", b"b"],
    ):  # fmt: skip
        assert numbered("g", values, 3, "be three").tolist() == [1, 0, 1]
    sets = [frozenset("ab"), frozenset("c"), frozenset("ba")]  # without a total order
    assert numbered("g", sets, 3, "be three").tolist() in ([0, 1, 0], [1, 0, 1])


def test_sequences_whose_rows_are_apart_get_a_warning():
    message = r"groups: 2 of 3 sequences have rows that are not together, first in row 2 of X;"
    rows, tags = np.vstack([X, X[:2]]), [*TAGS, "B", "O"]
    apart = [5, 7, 5, 7, 9, 9]
    with pytest.warns(UserWarning, match=message):
        CHAIN.predict(rows, groups=apart)
    with pytest.warns(UserWarning, match=message.replace("of X", "of Y_true")):
        segment_f1_score(tags, tags, groups=apart)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CHAIN.predict(rows, groups=[9, 9, 5, 5, 7, 7])
        RANKING.score(rows, [0, 1, 0, 1, 1, 0], qid=apart)  # queries have no order
