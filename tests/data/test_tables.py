"""Tables of any library that narwhals reads: what they become, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest

from structsvm.data.columns import Columns, numbers
from structsvm.data.conversion import table_of
from structsvm.problems import ChainSVM, ItemSet, MulticlassSVM, MultiLabelSVM, PairTable

narwhals = pytest.importorskip("narwhals")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

LIBRARIES = {
    "pandas": pandas.DataFrame,
    "polars": lambda columns: polars.DataFrame(columns, strict=False),
    "pyarrow": pyarrow.table,
    "narwhals": lambda columns: narwhals.from_native(polars.DataFrame(columns)),
}
each_library = pytest.mark.parametrize("library", LIBRARIES)

WITHOUT_PANDAS = """
import sys

class WithoutPandas:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, WithoutPandas())
import numpy, pyarrow
from structsvm.problems import ChainSVM, MulticlassSVM, MultiLabelSVM, PairTable
rng = numpy.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = numpy.where(X[:, 0] > 0, "a", "b")
table = pyarrow.table({"p": X[:, 0], "q": X[:, 1]})
svm = MulticlassSVM().fit(table, y)
assert svm.feature_names_in_.tolist() == ["p", "q"]
assert (svm.predict(table) == svm.predict(table.to_batches()[0])).all()
words = pyarrow.table({"word": ["the", "dog"] * 30, "size": X[:, 0]})
groups = pyarrow.array([i // 6 for i in range(60)])
chain = ChainSVM().fit(words, words["word"], groups=groups)
assert chain.score(words, words["word"], groups=groups) == 1.0
parts = [words.slice(0, 30), words.slice(30)]
assert ChainSVM().fit(parts, [["the", "dog"] * 15] * 2).predict(parts) == [["the", "dog"] * 15] * 2
sets = pyarrow.table({"big": X[:, 0] > 0, "high": X[:, 1] > 0})
assert MultiLabelSVM().fit(table, sets).classes_.tolist() == ["big", "high"]
pairs = pyarrow.table({"left": ["a", "b"], "right": ["b", "c"], "near": [1.0, 0.0]})
assert PairTable(pairs, ids=("left", "right")).records == ["a", "b", "c"]
print(svm.score(table, y), "pandas" in sys.modules)
"""


def test_tables_of_pyarrow_need_no_pandas():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True)
    assert done.stdout == "1.0 False\n", done.stderr


@each_library
def test_a_table_keeps_the_names_and_kinds_of_its_columns(library):
    table = LIBRARIES[library]({
        "whole": [1, 2], "real": [0.5, None], "truth": [True, False], "text": ["a", "b"],
        "none": [None, None],
    })  # fmt: skip
    columns = Columns.of(table_of("X", table))
    assert columns.names == ("whole", "real", "truth", "text", "none")
    assert columns.roles == ("numbers",) * 3 + ("text", "others")


@each_library
@pytest.mark.parametrize(("dtype", "kept"), [("float32", "float32"), ("int16", "float64")])
def test_numbers_keep_single_precision(library, dtype, kept):
    table = LIBRARIES[library]({"p": np.arange(3, dtype=dtype), "q": np.ones(3, dtype)})
    found = numbers("X", table)
    assert found.dtype == kept
    np.testing.assert_array_equal(found, [[0, 1], [1, 1], [2, 1]])
    assert numbers("X", table, ["q"]).tolist() == [[1], [1], [1]]


@each_library
def test_tables_of_integers_and_floats_are_stacked(library):
    parts = [LIBRARIES[library]({"f": values}) for values in ([0, 1], [0.5, 1.0], [0, 1])]
    svm = ChainSVM().fit(parts, [["a", "b"]] * 3)
    assert svm.predict(parts) == [["a", "b"]] * 3
    plain = [np.array([[0.0], [1.0]]), np.array([[0.5], [1.0]]), np.array([[0.0], [1.0]])]
    np.testing.assert_array_equal(svm.w_, ChainSVM().fit(plain, [["a", "b"]] * 3).w_)


def test_tables_of_different_libraries_are_not_stacked():
    parts = [LIBRARIES[name]({"f": [0.0, 1.0]}) for name in ("pandas", "pyarrow")]
    with pytest.raises(ValueError, match=r"X\[1\] must be of type DataFrame, as X\[0\] .* Table"):
        ChainSVM().fit(parts, [["a", "b"]] * 2)


@each_library
def test_rows_have_names_and_labels_in_any_library(library):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    table = LIBRARIES[library]({"p": X[:, 0], "q": X[:, 1]})
    sets = LIBRARIES[library]({"big": X[:, 0] > 0, "high": X[:, 1] > 0})
    plain, found = MulticlassSVM().fit(X, X[:, 0] > 0), MulticlassSVM().fit(table, X[:, 0] > 0)
    np.testing.assert_allclose(found.w_, plain.w_, rtol=1e-9, atol=1e-12)
    assert found.feature_names_in_.tolist() == ["p", "q"]
    assert MultiLabelSVM().fit(table, sets).classes_.tolist() == ["big", "high"]
    assert ItemSet(table)._names[0] == ("p", "q")


def test_pyarrow_keeps_the_index_that_pandas_wrote():
    nodes = pandas.DataFrame({"f": [0.0, 1.0, 1.5]}, index=["a", "b", "c"])
    assert list(ItemSet(pyarrow.Table.from_pandas(nodes)).items) == ["a", "b", "c"]
    pairs = pandas.DataFrame({"l": ["a"], "r": ["b"], "near": [0.5]}).set_index(["l", "r"])
    table = PairTable(pyarrow.Table.from_pandas(pairs))
    assert table.records == ["a", "b"] and table.feature_names == ("near", "constant")


@pytest.mark.parametrize("make", [
    lambda: pandas.DataFrame([[1, 2]], columns=["a", "a"]),
    lambda: pyarrow.table([[1], [2]], names=["a", "a"]),
    lambda: pyarrow.RecordBatch.from_arrays([pyarrow.array([1])] * 2, names=["a", "a"]),
])  # fmt: skip
def test_columns_of_one_name_are_refused(make):
    with pytest.raises(ValueError, match="X has 2 columns with the name 'a'; rename them"):
        table_of("X", make())


@pytest.mark.filterwarnings("ignore:Dask support is moving")
def test_lazy_tables_of_other_libraries_are_refused():
    dask = pytest.importorskip("dask.dataframe")
    lazy = dask.from_pandas(pandas.DataFrame({"f": [1.0]}), npartitions=1)
    with pytest.raises(TypeError, match=r"pass narwhals.from_native\(X\).collect\(\)"):
        table_of("X", lazy)


def test_other_data_are_no_tables():
    for data in (np.eye(2), [1, 2], {"columns": 1}, pandas.Series([1]), None):
        assert table_of("X", data) is None
