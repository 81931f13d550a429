"""Series, columns and tables of pandas, polars and pyarrow train what lists and arrays train."""

import numpy as np
import pytest
from fitted_models import MODELS, applied, model_of, quietly
from sklearn.base import clone
from table_cases import CASES, Case, X, case_of

from structsvm.problems import (
    CPM3C,
    SDPMMC,
    ChainSVM,
    DecisionFocusedRegressor,
    Graph,
    GraphSVM,
    ItemSet,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateSVM,
    RankingSVM,
    SegmentSVM,
    segment_f1_score,
)

pandas = pytest.importorskip("pandas")

#: Models whose inputs and outputs are lists.
LISTED = sorted(
    name
    for name in MODELS
    if (data := model_of(name)[1]) and len(data) == 2 and all(isinstance(d, list) for d in data)
)


def arrow():
    return pytest.importorskip("pyarrow")


#: Tables like a DataFrame of pandas.
TABLES = {
    "pyarrow": lambda frame: arrow().Table.from_pandas(frame),
    "RecordBatch": lambda frame: arrow().RecordBatch.from_pandas(frame),
    "ArrowDtype": lambda frame: (
        arrow().Table.from_pandas(frame).to_pandas(types_mapper=pandas.ArrowDtype)
    ),
    "objects": lambda frame: frame.astype(object),
    "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
}
#: Sequences like a list; polars and pyarrow know those of lists alone.
SEQUENCES = {
    "Series": lambda data: pandas.Series(data, index=range(7, 7 + len(data)), dtype=object),
    "tuple": tuple,
}
COLUMNS = {
    "Series": SEQUENCES["Series"],
    "polars": lambda data: pytest.importorskip("polars").Series(data),
    "pyarrow": lambda data: arrow().array(data),
    "chunked": lambda data: arrow().chunked_array([data[:1], data[1:]]),
}


def in_form(data, form):
    """The data, with another form of each DataFrame in them."""
    if isinstance(data, pandas.DataFrame):
        return form(data)
    if isinstance(data, (list, tuple)):
        made = [in_form(part, form) for part in data]
        return type(data)(*made) if hasattr(data, "_fields") else type(data)(made)
    return data


def plain(found):
    """Results of a method as arrays and lists that can be compared."""
    if isinstance(found, list) and any(isinstance(each, ItemSet) for each in found):
        return [each.pairs for each in found]
    return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("name", CASES)
def test_a_table_of_another_library_is_the_same(name, form):
    if "pairs" in name and form == "polars":
        pytest.skip("its tables have no index")
    case, model = case_of(name)
    change = TABLES[form]

    def with_table(table):
        if "pairs" in name:
            return case.with_table(change(table))
        return in_form(case.with_table(table), change)

    other = Case(case.model, case.table, with_table)
    if hasattr(model, "w_"):
        np.testing.assert_allclose(other.fit(case.table).w_, model.w_, rtol=1e-9, atol=1e-12)
    for method in set(case.methods) - {"verify", "fit_temperature"}:
        found, expected = (quietly(each.call, model, method, case.table) for each in (other, case))
        np.testing.assert_equal(plain(found), plain(expected))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", SEQUENCES)
@pytest.mark.parametrize("name", LISTED)
def test_a_sequence_of_examples_is_a_list(name, form):
    model, (X, y), _ = model_of(name)
    model.set_params(early_stopping=True, n_iter_no_change=3)
    models, change = [clone(model), clone(model)], SEQUENCES[form]
    expected, found = (
        measured(each, *given)
        for each, given in zip(models, [(X, y), (change(X), change(y))], strict=True)
    )
    np.testing.assert_equal(found, expected)


def measured(model, X, y):
    """Results of the methods for a sequence of examples."""
    quietly(model.fit, X, y, X_val=X, y_val=y)
    if hasattr(model, "fit_temperature"):
        quietly(model.fit_temperature, X, y)
    return model.w_, applied(model, X), quietly(model.score, X, y), model.verify(X, y).primal


@pytest.mark.parametrize("form", COLUMNS)
def test_a_column_of_lists_is_a_list(form):
    change = COLUMNS[form]
    X = [[["word:the"], ["word:dog"]], [["word:dogs"], ["word:bark"], ["word:the"]]]
    described = [[{"word": name[5:]} for (name,) in sentence] for sentence in X]
    y = [["DET", "NOUN"], ["NOUN", "VERB", "DET"]]
    expected = ChainSVM().fit(X, y).predict(X)
    for given in (X, described):
        svm = ChainSVM().fit(change(given), change(y))
        assert svm.predict(change(given)) == expected
        assert svm.score(change(given), change(y)) == 1.0
    tags = [["B-X", "O"], ["O", "B-Y", "I-Y"]]
    assert segment_f1_score(change(tags), tags) == 1.0


@pytest.mark.parametrize("form", COLUMNS)
def test_a_column_of_text_or_of_labels_is_a_list(form):
    def features(letters, start, stop):
        return {"known": letters[start:stop] in ("a", "dog", "ran")}

    change, segments = COLUMNS[form], [[(0, 1, "w"), (1, 4, "w")], [(0, 3, "w"), (3, 6, "w")]]
    svm = SegmentSVM(features, max_length=3).fit(change(["adog", "dogran"]), segments)
    assert svm.predict(change(["adogran"])) == [[(0, 1, "w"), (1, 4, "w"), (4, 7, "w")]]
    groups, labels = change((np.arange(40) // 5).tolist()), change(list("ab" * 20))
    assert ChainSVM().fit(X, labels, groups=groups).predict(X, groups=groups).shape == (40,)
    assert MulticlassSVM().fit(X, labels).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("form", sorted(TABLES.keys() - {"objects"}))
def test_edges_in_tables_of_integers_are_those_of_an_array(form):
    features = np.random.default_rng(0).normal(size=(4, 2))
    edges = pandas.DataFrame({"from": [0, 1, 2], "to": [1, 2, 3]})
    plain, tables = ([Graph(features, e)] * 2 for e in (edges.to_numpy(), TABLES[form](edges)))
    labels = [[0, 1, 1, 0]] * 2
    expected, found = GraphSVM().fit(plain, labels), GraphSVM().fit(tables, labels)
    np.testing.assert_array_equal(found.w_, expected.w_)
    np.testing.assert_array_equal(found.predict(tables), expected.predict(plain))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x, q, costs: RankingSVM().fit(x, q % 3, qid=q[::-1] // 4), "qid"),
        (lambda x, q, costs: DecisionFocusedRegressor(np.sign).fit(x, costs[::-1]), "y"),
        (lambda x, q, costs: MulticlassSVM().fit(x, q[::-1] % 2), "y"),
        (lambda x, q, costs: MulticlassSVM().fit(x, q % 2).score(x, q[::-1] % 2), "y"),
        (lambda x, q, costs: MultivariateSVM().fit(x, q[::-1] % 2), "y"),
        (lambda x, q, costs: RankingSVM().fit(x, q[::-1] % 3, qid=q // 4), "y"),
        (lambda x, q, costs: MulticlassSVM().fit(x, q % 2, sample_weight=q[::-1]), "sample_weight"),
        (
            lambda x, q, costs: ChainSVM().fit(x, q % 2, groups=q // 4, sample_weight=q[::-1]),
            "sample_weight",
        ),
        (lambda x, q, costs: MultiLabelSVM().fit(x, (costs[::-1] > 0).astype(int)), "y"),
        (lambda x, q, costs: CPM3C(2).fit(x, q[::-1] % 3 - 1), "y"),
        (lambda x, q, costs: SDPMMC().fit(x, q[::-1] % 3 - 1), "y"),
    ],
)
def test_what_has_another_index_than_the_rows_is_refused(call, name):
    rows = pandas.DataFrame(np.random.default_rng(0).normal(size=(12, 3)))
    with pytest.raises(ValueError, match=rf"^{name} must have the index of X, 0, 1.*; got 11, 10"):
        call(rows, pandas.Series(range(12)), rows)
