"""An error names what is wrong, and its remedy, where it is a line of code, works as it stands."""

import re

import numpy
import numpy as np
import pandas
import pytest
import scipy  # noqa: F401 - in the code of a message
from scipy.sparse import csr_matrix, triu
from sklearn.exceptions import DataConversionWarning
from sklearn.preprocessing import LabelEncoder

from structsvm import (
    MultivariateSVM,
    OneSlackCuttingPlane,
    Result,
    SmoothedLBFGS,
    StructuredSVM,
    save,
)
from structsvm.problems import (
    MMC,
    AssignmentSVM,
    Chain,
    ChainSVM,
    DecisionFocusedRegressor,
    DependencyParser,
    Graph,
    GraphSVM,
    MulticlassSVM,
    RankingSVM,
    SegmentSVM,
    grid_graph,
)
from structsvm.problems.decisions.optimizers import CallableOptimizer

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(40, 3))
CODES = (ROWS[:, 0] > 0).astype(int)
QUERIES = np.repeat(np.arange(8), 5)
MASKS = [rng.permutation([[0, 1, 0], [1, 0, 1]]) for _ in range(6)]
IMAGES = [mask[:, :, None] + rng.normal(size=(2, 3, 2)) for mask in MASKS]
PIXELS = [grid_graph(image) for image in IMAGES]
SEQUENCES = [rng.normal(size=(4, 3)) for _ in range(6)]
LABELS = [[0, 1, 0, 1]] * 6
PATHS = [Graph(x, [[0, 1], [1, 2], [2, 3]]) for x in SEQUENCES]
PARTNERS = np.eye(4)[[1, 0, 3, 2]]
PAIRS = [rng.normal(size=(4, 4, 2)) + PARTNERS[:, :, None] for _ in range(6)]
COSTS = rng.normal(size=(40, 4))
TEXTS = ["abc", "bca"] * 3
SEGMENTS = [[(0, 1, "a"), (1, 3, "b")], [(0, 2, "b"), (2, 3, "a")]] * 3


def missing(value):
    return np.array([*CODES[:-1].astype(object), value], dtype=object)


#: Estimator, X, y: what fit refuses; the variable that is to blame, what else the message says, and
#: whether its remedy is code to run in its place.
CASES = {
    "a sparse y": (MulticlassSVM(), ROWS, csr_matrix(CODES[:, None]), "y", "sparse", True),
    "sparse grades": (RankingSVM(), ROWS, csr_matrix(CODES[:, None]), "y", "sparse", True),
    "None in y": (MulticlassSVM(), ROWS, missing(None), "y", "first in row 39", False),
    "bytes": (MulticlassSVM(), ROWS, CODES.astype("S"), "y", "bytes", True),
    "integers in objects": (MulticlassSVM(), ROWS, CODES.astype(object), "y", "object", True),
    "one-hot rows": (MulticlassSVM(), ROWS, np.eye(2)[CODES], "y", r"\(40, 2\)", True),
    "one-hot positions": (ChainSVM(), SEQUENCES, [np.eye(2)[y] for y in LABELS], "y", "4", True),
    "one-hot nodes": (GraphSVM(), PATHS, [np.eye(2, dtype=int)[y] for y in LABELS], "y", "4", True),
    "masks": (GraphSVM(), PIXELS, MASKS, "y", "6 rows", True),
    "permutations": (AssignmentSVM(), PAIRS, [PARTNERS] * 6, "y", "4 integ", True),
    "images": (GraphSVM(), IMAGES, [mask.ravel() for mask in MASKS], "X", "ndarray", False),
    "an array": (GraphSVM(), np.stack(IMAGES), [mask.ravel() for mask in MASKS], "X", "a", False),
    "pairs": (GraphSVM(), [(g.features, g.edges) for g in PATHS], LABELS, "X", "tuple", False),
    "triples": (GraphSVM(), [(*g[:2], None) for g in PATHS], LABELS, "X", "tuple", False),
    "dicts": (GraphSVM(), [g._asdict() for g in PATHS], LABELS, "X", "dict", False),
    "texts": (SegmentSVM(), TEXTS, SEGMENTS, "X", "is a str, not a matrix", False),
    "ratings": (RankingSVM("average_precision"), ROWS, 1 + np.tile(np.arange(5), 8),
        "y", "do not tell grades apart", True),
    "one class": (StructuredSVM(Chain()), SEQUENCES, [[0] * 4] * 6, "y", "one class", False),
    "another length": (StructuredSVM(Chain()), SEQUENCES, LABELS[1:], "y", "5", False),
}  # fmt: skip


def options(svm):
    return {"qid": QUERIES} if isinstance(svm, RankingSVM) else {}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_blamed_and_the_remedy_works(case):
    svm, X, y, blamed, said, has_code = CASES[case]
    with pytest.raises((ValueError, TypeError), match=said) as caught:
        svm.fit(X, y, **options(svm))
    message = str(caught.value)
    assert re.search(rf"\b{blamed}\b", message), message
    assert blamed == "X" or not re.search(r"\bY\b|\bX must", message), message
    assert has_code == (": pass " in message or "; pass " in message), message
    if has_code:
        code = re.split(r"[:;] pass |, or for images ", message)[-1]
        for remedy in code.partition(";")[0].split(", or "):  # each of several
            names = {"X": X, "y": y, "numpy": numpy, "Graph": Graph, "grid_graph": grid_graph}
            if "=" in remedy.partition("(")[0]:  # a parameter
                svm.set_params(**eval(f"dict({re.sub(',.*', '', remedy)})"))
                svm.fit(X, y, **options(svm))
            else:
                names[blamed] = eval(remedy, names)
                type(svm)().fit(names["X"], names["y"], **options(svm))


def test_texts_are_described_as_the_message_says():
    with pytest.raises(ValueError) as caught:
        SegmentSVM().fit(TEXTS, SEGMENTS)
    svm = eval(str(caught.value).partition("such as ")[2])
    for X in (TEXTS, [*map(list, TEXTS)]):
        assert svm.fit(X, SEGMENTS).predict(X) == SEGMENTS


@pytest.mark.parametrize(
    ("edges", "remedied"),
    [
        (np.array([[0, 1, 2], [1, 2, 3]]), np.transpose),
        ([[0, 1, 2], [1, 2, 3]], np.transpose),
        (np.eye(4, k=1) + np.eye(4, k=-1), lambda A: np.transpose(np.triu(A, 1).nonzero())),
        (csr_matrix(np.eye(4, k=1)), lambda A: np.transpose(triu(A, 1).nonzero())),
    ],
)
def test_tables_of_edges_of_another_form_get_the_way_to_pairs(edges, remedied):
    said = "edges must be integers .* transpose columns, and of an adjacency matrix take"
    with pytest.raises(ValueError, match=rf"^X\[0\]: {said}"):
        GraphSVM().fit([Graph(x, edges) for x in SEQUENCES], LABELS)
    GraphSVM().fit([Graph(x, remedied(edges)) for x in SEQUENCES], LABELS)


PLACES = {
    "an index": lambda costs: int(costs.argmin()),
    "a list": lambda costs: [int(costs.argmin())],
    "two of them": lambda costs: np.argsort(costs)[:2],
}


@pytest.mark.parametrize("case", PLACES)
def test_chosen_indices_become_a_decision(case):
    with pytest.raises(ValueError, match="If these are the chosen indices") as caught:
        DecisionFocusedRegressor(PLACES[case]).fit(ROWS, COSTS)
    assert "batch" not in str(caught.value)
    code = str(caught.value).partition("return numpy")[2]

    def decide(costs):
        return eval(f"numpy{code}", {"numpy": numpy, "costs": costs, "chosen": PLACES[case](costs)})

    DecisionFocusedRegressor(decide).fit(ROWS, COSTS)


def test_chosen_indices_of_many_become_decisions():
    with pytest.raises(ValueError, match="If these are the chosen indices") as caught:
        CallableOptimizer(lambda costs: costs.argmin(axis=1), batch=True).batch(COSTS)
    code = str(caught.value).partition("indices, return ")[2]
    found = eval(code, {"numpy": numpy, "costs": COSTS, "chosen": COSTS.argmin(axis=1)})
    np.testing.assert_array_equal(found.argmax(axis=1), COSTS.argmin(axis=1))


def test_a_label_that_pytorch_ignores_is_warned_of():
    for svm, X, y in (
        (MulticlassSVM(), ROWS, np.where(np.arange(40) % 5, CODES, -100)),
        (MultivariateSVM("error"), ROWS, np.where(CODES, 1, -100)),
        (ChainSVM(), SEQUENCES, [[0, 1, 0, -100]] * 6),
        (GraphSVM(), PATHS, [[0, 1, 0, -100]] * 6),
    ):
        with pytest.warns(UserWarning, match="-100 is a label like any other here"):
            svm.fit(X, y)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: StructuredSVM(Chain).fit(SEQUENCES, LABELS), "Chain"),
        (lambda: ChainSVM(solver=SmoothedLBFGS).fit(SEQUENCES, LABELS), "SmoothedLBFGS"),
        (lambda: solve(warm_start=Result), "Result"),
        (lambda: save(Chain, "model.npz"), "Chain"),
    ],
)
def test_a_class_for_an_object_has_its_name(call, kind):
    with pytest.raises((TypeError, ValueError), match=f"got the class {kind}: pass an object of i"):
        call()


def solve(**options):
    OneSlackCuttingPlane().solve(Chain(), SEQUENCES, LABELS, **options)


NAMED = [["x", "y"]]
WRONG = {
    "a mixed column": (MulticlassSVM(), ROWS, [["a"], [1]] * 20, "y must hold labels of one k"),
    "a missing name": (ChainSVM(), [[{"k": ["a", None]}, {}]], NAMED, r"^X.*\['k'\]\[1\] is None"),
    "one in an array": (ChainSVM(), [[{"k": np.array(["a", None])}, {}]], NAMED, r"\[1\] is None"),
    "a masked number": (ChainSVM(), [[{"v": 1.0}, {"v": np.ma.masked}], [{"v": np.ma.masked}]],
        [["x", "y"], ["y"]], r"^X\[0\]\[1\]\['v'\] is masked"),
    "a segment beyond": (SegmentSVM(features=lambda x, i, j: {x[i:j]: 1}, max_length=4), ["abcdef"],
        [[(0, 3, "a"), (3, 9, "b")]], r"\(3, 9, 'b'\), which ends beyond the 6 positions of X"),
    "heads without labels": (DependencyParser(), [[("a", "N"), ("b", "V")]], [[(2, "x"), 0]],
        r"^y\[0\] must hold a pair \(head, label\) for each word, as the very first has one"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("case", WRONG)
def test_the_place_that_is_wrong_is_named(case):
    svm, X, y, said = WRONG[case]
    with pytest.raises(ValueError, match=said):
        svm.fit(X, y)


def test_columns_and_arrays_of_strings_are_read_as_lists_of_them():
    names = np.where(CODES, "a", "b")
    with pytest.warns(DataConversionWarning):
        column = MulticlassSVM().fit(ROWS, [[name] for name in names])
    np.testing.assert_array_equal(column.classes_, ["a", "b"])
    found = [
        ChainSVM().fit([[{"k": kind(["a", "b"])}, {"k": kind(["c"])}]] * 2, [["x", "y"]] * 2)
        for kind in (list, np.array)
    ]
    assert found[0].feature_names_in_.tolist() == found[1].feature_names_in_.tolist()


def test_iterators_in_a_list_get_the_line_that_makes_lists():
    for svm, x in ((ChainSVM(), [{"a": 1}]), (StructuredSVM(Chain()), [[1.0]])):
        X = [iter(x), iter(x)]
        with pytest.raises(ValueError, match=r"^X\[0\] is an iterator \(list_iterator\)") as caught:
            svm.fit(X, [["x"], ["y"]])
        assert eval(str(caught.value).partition("; pass ")[2], {"X": X}) == [x, x]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("missing", [("word", None), ("size", None), ("size", np.nan)])
def test_what_a_table_lacks_is_named_and_how_words_get_lost(library, missing):
    library = pytest.importorskip(library)
    columns = {"word": ["a", "b", "c", "d"], "size": [1.0, 2.0, 3.0, 4.0]}
    columns[missing[0]][1] = missing[1]
    table, y = library.DataFrame(columns), ["x", "y"] * 2
    with pytest.raises(ValueError, match=rf"^row 1 of X\['{missing[0]}'\] is N") as caught:
        ChainSVM().fit(table, y, groups=[0, 0, 1, 1])
    assert ("read_csv" in str(caught.value)) == (library is pandas and missing[0] == "word")


def test_dicts_get_no_advice_on_tables():
    with pytest.raises(ValueError, match=r"is None; .*: leave it out, or fill it in$"):
        ChainSVM().fit([[{"word": "a"}, {"word": None}]], [["x", "y"]])


def test_labels_of_known_rows_are_encoded():
    y = np.array(["a"] * 3 + ["-1"] * 34 + ["b"] * 3)
    with pytest.raises(ValueError, match="where -1 marks rows of unknown") as caught:
        MMC().fit(ROWS, y)
    known = y != "-1"
    code = re.search(r"y\[known\] = (.*), and set", str(caught.value)).group(1)
    codes = np.full(len(y), -1)
    codes[known] = eval(code, {"y": y, "known": known, "LabelEncoder": LabelEncoder})
    MMC().fit(ROWS, codes)


def test_a_label_Y_keeps_its_name():
    with pytest.raises(ValueError, match=r"only \('Y'\)"):
        StructuredSVM(Chain()).fit(SEQUENCES, [["Y"] * 4] * 6)
