"""The laws of tables: forms that are the same, and columns that differ from those of the fit."""

import numpy as np
import pytest
from cases.estimators import MODELS, applied, model_of, quietly
from cases.tables import CASES, LABELS, Case, X, case_of, frame, pandas, queries, y
from sklearn.base import clone

import structsvm
from structsvm.problems import (
    BayesianMMC,
    ChainSVM,
    DependencyParser,
    Graph,
    GraphSVM,
    ItemSet,
    MulticlassSVM,
    MultiLabelSVM,
    PairTable,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:fit_temperature found no best"),
    pytest.mark.filterwarnings("ignore:3 of 4 features of X are not among"),
]

#: Those whose table has numbers alone, and those where it is the one of several inputs.
WITH_NUMBERS = sorted(set(CASES) - {"DependencyParser"})
#: What may be wrong with the columns of a table, and what the message names.
CHANGES = {
    "permuted": (lambda t: t[t.columns[::-1]], "{}|feature names should match"),
    "renamed": (lambda t: t.rename(columns={t.columns[0]: "other"}), "other"),
    "missing": (lambda t: t[t.columns[1:]], "{}"),
    "extra": (lambda t: t.assign(other=1.0), "other"),
}


def as_text(table, name):
    """The table, a column of which was read as text because of one '?'."""
    column = [str(value) for value in table[name]]
    column[1] = "?"
    return table.assign(**{name: column})


# ---------------------------------------------------------------------- other columns


@pytest.mark.parametrize("name", CASES)
def test_every_method_refuses_a_table_with_other_columns(name, tmp_path):
    case, model = case_of(name)
    first = case.table.columns[0]
    for method in case.methods:
        case.call(model, method, case.table)
        for changed, message in CHANGES.values():
            with pytest.raises(ValueError, match=message.format(first)):
                case.call(model, method, changed(case.table))
        if name in WITH_NUMBERS:
            message = rf"column '{first}' of .*((row 1|\[1\]).* holds '\?'|such as '\?' in row 1)"
            with pytest.raises(ValueError, match=message):
                case.call(model, method, as_text(case.table, first))
        if name in ("DependencyParser", "ChainSVM text"):
            with pytest.raises(ValueError, match=r"column 'word' of .* held text .*holds 3"):
                case.call(model, method, case.table.assign(word=3))
    structsvm.save(model, tmp_path / "model.npz")
    loaded, method = structsvm.load(tmp_path / "model.npz"), case.methods[0]
    case.call(loaded, method, case.table)
    with pytest.raises(ValueError, match=f"{first}|feature names should match"):
        case.call(loaded, method, CHANGES["permuted"][0](case.table))


@pytest.mark.parametrize("name", CASES)
def test_a_fit_compares_its_tables_with_the_first(name):
    case, _ = case_of(name)
    if isinstance(case.arguments(case.table)[0][0], list):
        with pytest.raises(ValueError, match="other"):
            case.fit(CHANGES["renamed"][0](case.table))
        return
    numbered = case.table.select_dtypes("number")
    numbered = numbered.set_axis(range(numbered.shape[1]), axis=1)
    model = case.fit(numbered)
    for method in case.methods:
        case.call(model, method, numbered)
        with pytest.raises(ValueError, match=r"it has . in the place of 0"):
            case.call(model, method, numbered[numbered.columns[::-1]])


#: Cases whose outputs have a value for each row of a table that is one of several inputs.
LISTED = [
    "GraphSVM nodes", "ChainSVM list", "IntegerProgramSVM", "AssignmentSVM left",
    "CorrelationClustering", "SupervisedKMeans", "DependencyParser", "DecisionFocusedRegressor own",
]  # fmt: skip


@pytest.mark.parametrize("name", LISTED)
def test_outputs_have_the_index_of_their_table(name):
    case, model = case_of(name)
    # Sets match what is merely numbered by position, unless both have the same names.
    start = 0 if name in ("CorrelationClustering", "SupervisedKMeans") else 50
    table = case.table.set_axis(range(start, start + len(case.table)))
    (given, outputs), _ = case.arguments(table)
    last = pandas.Series(list(outputs[-1]), table.index)
    calls = [clone(case.model).fit] + [
        getattr(model, method) for method in case.methods if method in ("score", "verify", "regret")
    ]
    for call in calls:
        quietly(call, given, [*outputs[:-1], last])
        with pytest.raises(ValueError, match=r"y\[\d+\] (must have the index of (X|the items))"):
            quietly(call, given, [*outputs[:-1], last[::-1]])


ROWS = pandas.DataFrame(X[::2])
NUMBERS = pandas.Series(range(20))
INDEXED = {
    ("RankingSVM", "qid"): lambda q: (q % 3, {"qid": q[::-1] // 4}),
    ("RankingSVM", "y"): lambda q: (q[::-1] % 3, {"qid": q // 4}),
    ("MulticlassSVM", "y"): lambda q: (q[::-1] % 2, {}),
    ("MultivariateSVM", "y"): lambda q: (q[::-1] % 2, {}),
    ("MulticlassSVM", "sample_weight"): lambda q: (q % 2, {"sample_weight": q[::-1]}),
    ("ChainSVM", "sample_weight"): lambda q: (q % 2, {"groups": q // 4, "sample_weight": q[::-1]}),
    ("MultiLabelSVM", "y"): lambda q: ((ROWS[::-1] > 0).astype(int), {}),
    ("CPM3C", "y"): lambda q: (q[::-1] % 3 - 1, {}),
    ("SDPMMC", "y"): lambda q: (q[::-1] % 3 - 1, {}),
}


@pytest.mark.parametrize(("name", "argument"), INDEXED)
def test_what_has_another_index_than_the_rows_is_refused(name, argument):
    outputs, options = INDEXED[name, argument](NUMBERS)
    with pytest.raises(ValueError, match=rf"^{argument} must have the index of X, 0, 1.*; got 19"):
        model_of(name)[0].fit(ROWS, outputs, **options)


# ---------------------------------------------------------------------- other libraries


def arrow():
    return pytest.importorskip("pyarrow")


def polars():
    return pytest.importorskip("polars")


#: Tables like a DataFrame of pandas.
TABLES = {
    "pyarrow": lambda frame: arrow().Table.from_pandas(frame),
    "RecordBatch": lambda frame: arrow().RecordBatch.from_pandas(frame),
    "ArrowDtype": lambda frame: (
        arrow().Table.from_pandas(frame).to_pandas(types_mapper=pandas.ArrowDtype)
    ),
    "objects": lambda frame: frame.astype(object),
    "polars": lambda frame: polars().from_pandas(frame),
}
#: Sequences like a list.
COLUMNS = {
    "Series": lambda data: pandas.Series(data, index=range(7, 7 + len(data)), dtype=object),
    "polars": lambda data: polars().Series(data),
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


@pytest.mark.sampled(7)
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
        assert_same(plain(found), plain(expected))


def assert_same(found, expected):
    """Numbers may differ by the rounding of sums in another order of the memory."""
    if getattr(expected, "dtype", None) == np.float64:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_equal(found, expected)


def without_frames(data):
    return in_form(data, lambda table: table.to_numpy())


ARRAYS = sorted(set(WITH_NUMBERS) - {"ChainSVM text", "CorrelationClustering pairs"})


@pytest.mark.parametrize("name", ARRAYS)
def test_a_table_is_the_same_as_an_array(name):
    case, model = case_of(name)
    other = Case(case.model, case.table, lambda table: without_frames(case.with_table(table)))
    plain = other.fit(case.table)
    if hasattr(model, "w_"):
        np.testing.assert_allclose(plain.w_, model.w_, rtol=1e-9, atol=1e-12)
    given = case.arguments(case.table)[0][0]
    if isinstance(given, pandas.DataFrame):
        assert model.feature_names_in_.tolist() == list(given.columns)
        assert model.n_features_in_ == len(given.columns)
    assert not hasattr(plain, "feature_names_in_")


#: Models whose inputs and outputs are lists.
LISTS = [
    name for name in MODELS
    if len(data := model_of(name)[1]) == 2 and all(isinstance(part, list) for part in data)
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LISTS)
def test_a_sequence_of_examples_is_a_list(name):
    data = model_of(name)[1]
    expected, *others = (measured(name, *map(form, data)) for form in (list, tuple, series))
    for found in others:
        np.testing.assert_equal(found, expected)


series = COLUMNS["Series"]


def measured(name, X, y):
    """Results of the methods for a sequence of examples."""
    model = model_of(name)[0].set_params(early_stopping=True, n_iter_no_change=3)
    quietly(model.fit, X, y, X_val=X, y_val=y)
    if hasattr(model, "fit_temperature"):
        quietly(model.fit_temperature, X, y)
    return model.w_, applied(model, X), quietly(model.score, X, y), model.verify(X, y).primal


@pytest.mark.parametrize("form", COLUMNS)
def test_a_column_of_lists_or_labels_is_a_list(form):
    change = COLUMNS[form]
    words = [[["word:the"], ["word:dog"]], [["word:dogs"], ["word:bark"], ["word:the"]]]
    described = [[{"word": name[5:]} for (name,) in sentence] for sentence in words]
    tags = [["DET", "NOUN"], ["NOUN", "VERB", "DET"]]
    expected = ChainSVM().fit(words, tags).predict(words)
    for given in (words, described):
        svm = ChainSVM().fit(change(given), change(tags))
        assert svm.predict(change(given)) == expected
        assert svm.score(change(given), change(tags)) == 1.0
    groups, labels = change((np.arange(40) // 5).tolist()), change(list("ab" * 20))
    assert ChainSVM().fit(X, labels, groups=groups).predict(X, groups=groups).shape == (40,)
    svm = MulticlassSVM().fit(X, labels, sample_weight=change([1.0] * 40))
    assert svm.classes_.tolist() == ["a", "b"]


# ---------------------------------------------------------------------- what is special to some


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("X", lambda rows: MulticlassSVM().fit(rows, y)),
        ("y", lambda rows: MulticlassSVM().fit(X, rows)),
        ("X", lambda rows: ChainSVM().fit(rows, y, groups=queries)),
        (r"X\[1\]", lambda rows: ChainSVM().fit([frame(X), rows], [y, y])),
        ("nodes", lambda rows: ItemSet(rows)),
        ("pairs", lambda rows: PairTable(rows, ("p", "q"))),
    ],
)
def test_a_lazy_frame_is_refused(name, refused):
    rows = polars().from_pandas(frame(X)).lazy()
    with pytest.raises(TypeError, match=rf"{name} is a LazyFrame; pass {name}.collect\(\)"):
        refused(rows)


@pytest.mark.parametrize("form", sorted(TABLES.keys() - {"objects"}))
def test_edges_in_tables_of_integers_are_those_of_an_array(form):
    features = np.random.default_rng(0).normal(size=(4, 2))
    edges = pandas.DataFrame({"from": [0, 1, 2], "to": [1, 2, 3]})
    plain, tables = ([Graph(features, e)] * 2 for e in (edges.to_numpy(), TABLES[form](edges)))
    labels = [[0, 1, 1, 0]] * 2
    expected, found = GraphSVM().fit(plain, labels), GraphSVM().fit(tables, labels)
    np.testing.assert_array_equal(found.w_, expected.w_)
    np.testing.assert_array_equal(found.predict(tables), expected.predict(plain))


@pytest.mark.parametrize("change", CHANGES)
def test_a_universum_has_the_columns_of_X(change):
    table, changed = frame(X), CHANGES[change][0]
    with pytest.raises(ValueError, match="universum has other columns than in X"):
        BayesianMMC(universum=changed(table[:5]), n_init=1).fit(table)
    for universum in (table[:5], X[:5]):
        assert BayesianMMC(universum=universum, n_init=1, random_state=0).fit(table).labels_.any()


@pytest.mark.parametrize(
    ("values", "known"), [([1, 2, None, "2"], "numbers"), (["a", "b", None, 2], "text")]
)
def test_a_column_of_numbers_and_text_is_refused_in_the_fit(values, known):
    table, y = pandas.DataFrame({"g": 1.0, "f": values}), ["x", "y", "y", "x"]
    message = r"column 'f' of X{} holds {}, but row 3{} holds '?2'?: convert the column"
    with pytest.raises(ValueError, match=message.format("", known, " of X")):
        ChainSVM().fit(table, y, groups=[0, 0, 0, 0])
    with pytest.raises(ValueError, match=rf"'f' of X holds {known}, but X\[0\]\[3\] holds"):
        ChainSVM().fit([table], [y])
    with pytest.raises(ValueError, match=message.format(r"\[0\]", known, "")):
        DependencyParser().fit([table[["f"]]], [[0, 1, 1, 1]])


def test_columns_of_outputs_are_classes_which_a_second_fit_forgets():
    table = frame(LABELS)
    svm = MultiLabelSVM().fit(X, table)
    assert svm.classes_.tolist() == table.columns.tolist()
    svm.fit(X, LABELS).score(X, table[table.columns[::-1]])
    assert svm.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("known", "other"), [(1.5, "2.5"), ("a", 3)])
def test_values_in_dicts_keep_their_role(known, other):
    svm = ChainSVM().fit([[{"x": known}, {"z": 1}]], [["a", "b"]])
    with pytest.raises(ValueError, match=rf"X\[0\]\[1\]\['x'\] is {other!r}, .*'x' is always"):
        svm.predict([[{"x": known}, {"x": other}]])
    both = ChainSVM().fit([[{"x": known}, {"x": other}]], [["a", "b"]])
    assert len(both.predict([[{"x": "new", "y": "new"}, {"x": 7, "y": 1}]])[0]) == 2
