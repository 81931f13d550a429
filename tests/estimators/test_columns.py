"""Every method refuses a table whose columns differ from the fit in name, order or kind."""

import pytest
from fitted_models import quietly
from sklearn.base import clone
from table_cases import CASES, LABELS, X, case_of, frame, pandas

import structsvm
from structsvm.problems import BayesianMMC, ChainSVM, DependencyParser, MultiLabelSVM

pytestmark = [
    pytest.mark.filterwarnings("ignore:fit_temperature found no best"),
    pytest.mark.filterwarnings("ignore:3 of 4 features of X are not among"),
]


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


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", CASES)
def test_a_table_with_other_columns_is_refused(name, change):
    case, model = case_of(name)
    changed, message = CHANGES[change]
    for method in case.methods:
        case.call(model, method, case.table)
        with pytest.raises(ValueError, match=message.format(case.table.columns[0])):
            case.call(model, method, changed(case.table))


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_text_in_the_place_of_numbers_is_named(name):
    case, model = case_of(name)
    column = case.table.columns[0]
    message = rf"column '{column}' of .*((row 1|\[1\]).* holds '\?'|such as '\?' in row 1)"
    for method in case.methods:
        with pytest.raises(ValueError, match=message):
            case.call(model, method, as_text(case.table, column))


@pytest.mark.parametrize("name", ["DependencyParser", "ChainSVM text"])
def test_numbers_in_the_place_of_text_are_named(name):
    case, model = case_of(name)
    for method in case.methods:
        with pytest.raises(ValueError, match=r"column 'word' of .* held text .*holds 3"):
            case.call(model, method, case.table.assign(word=3))


@pytest.mark.parametrize("name", CASES)
def test_a_fit_compares_its_tables_with_the_first(name):
    case, _ = case_of(name)
    if isinstance(case.arguments(case.table)[0][0], list):
        with pytest.raises(ValueError, match="other"):
            case.fit(CHANGES["renamed"][0](case.table))


#: Cases whose outputs have a value for each row of a table that is one of several inputs.
LISTED = [
    "GraphSVM nodes", "ChainSVM list", "IntegerProgramSVM", "AssignmentSVM left",
    "CorrelationClustering", "SupervisedKMeans", "DependencyParser", "DecisionFocusedRegressor own",
]  # fmt: skip


@pytest.mark.parametrize("start", [0, 50])
@pytest.mark.parametrize("name", LISTED)
def test_outputs_have_the_index_of_their_table(name, start):
    case, model = case_of(name)
    if name in ("CorrelationClustering", "SupervisedKMeans"):
        start = 0  # sets match what is merely numbered by position, unless both have the same names
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


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_columns_that_are_numbered_are_compared_too(name):
    case, _ = case_of(name)
    numbered = case.table.select_dtypes("number")
    numbered = numbered.set_axis(range(numbered.shape[1]), axis=1)
    if isinstance(case.arguments(case.table)[0][0], list):
        return  # the other tables have names
    model = case.fit(numbered)
    for method in case.methods:
        case.call(model, method, numbered)
        with pytest.raises(ValueError, match=r"it has . in the place of 0"):
            case.call(model, method, numbered[numbered.columns[::-1]])


@pytest.mark.parametrize("name", CASES)
def test_columns_are_saved(name, tmp_path):
    case, model = case_of(name)
    structsvm.save(model, tmp_path / "model.npz")
    loaded, method = structsvm.load(tmp_path / "model.npz"), case.methods[0]
    case.call(loaded, method, case.table)
    with pytest.raises(ValueError, match=f"{case.table.columns[0]}|feature names should match"):
        case.call(loaded, method, CHANGES["permuted"][0](case.table))


def test_a_fit_forgets_the_columns_of_the_last():
    table = frame(LABELS)
    svm = MultiLabelSVM().fit(X, table)
    svm.fit(X, LABELS).score(X, table[table.columns[::-1]])
    assert svm.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("known", "other"), [(1.5, "2.5"), ("a", 3)])
def test_values_in_dicts_keep_their_role(known, other):
    svm = ChainSVM().fit([[{"x": known}, {"z": 1}]], [["a", "b"]])
    with pytest.raises(ValueError, match=rf"X\[0\]\[1\]\['x'\] is {other!r}, .*'x' is always"):
        svm.predict([[{"x": known}, {"x": other}]])
    both = ChainSVM().fit([[{"x": known}, {"x": other}]], [["a", "b"]])
    assert len(both.predict([[{"x": "new", "y": "new"}, {"x": 7, "y": 1}]])[0]) == 2
