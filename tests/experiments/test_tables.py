"""The scripts start, and make the tables of the pages of their results alone."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import store
from benchmarks.tables import pages
from benchmarks.tables.table import (
    Table,
    aligned,
    cell,
    markdown,
    pivot,
    plain,
    rounded,
    short,
    transposed,
)

ROOT = Path(__file__).parents[2]


def test_every_table_is_on_a_page():
    docs = ROOT / "docs"
    pages_of = (
        path for folder in (".", "appendix", "papers") for path in (docs / folder).glob("*.md")
    )
    text = "".join(page.read_text() for page in pages_of)
    assert set(re.findall(r"\{include\} \S*_tables/([\w-]+)\.txt", text)) == pages.TABLES.keys()


@pytest.mark.parametrize("name", pages.TABLES)
def test_tables_can_be_made(name):
    rows = pages.TABLES[name].rows()
    assert markdown(rows).count("\n") == len(rows) + 2
    assert all(list(row) == list(rows[0]) for row in rows)


def test_nothing_that_trains_is_imported():
    code = (
        "import sys, benchmarks.tables.pages; "
        "print(sys.modules.keys() & {'structsvm', 'sklearn', 'matplotlib', 'threadpoolctl'})"
    )
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "set()\n"


BENCHOPT = "qp", "solvers"  # read by benchopt
SCRIPTS = [
    path
    for path in sorted((ROOT / "benchmarks").rglob("*.py"))
    if path.name[0] != "_" and not set(BENCHOPT) & set(path.parts)
]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_imported_and_tells_the_rows_that_it_stored_apart(path):
    name = path.relative_to(ROOT).with_suffix("").parts
    module = importlib.import_module(".".join(name))
    results = store.stored("/".join(name[1:]))
    for experiment in getattr(module, "EXPERIMENTS", ()):
        rows = results.get(experiment.title, [])
        keys = [json.dumps([row[column] for column in experiment.columns]) for row in rows]
        assert len(set(keys)) == len(keys), experiment.title
        if rows and not experiment.wide and not callable(experiment.contenders):
            stored = {repr(value) for row in rows for value in row.values()}
            assert stored & set(map(repr, experiment.contenders)), experiment.title


ROWS = [{"data": "a", "CPU s": 123.456}, {"data": "b", "CPU s": 1.23456, "passes": 3}]


def test_rows_as_text():
    assert rounded(ROWS, short, "-") == [
        {"data": "a", "CPU s": "123", "passes": "-"},
        {"data": "b", "CPU s": "1.23", "passes": "3"},
    ]
    assert markdown(ROWS[:1]) == "| data | CPU s |\n| :--- | ---: |\n| a | 123.456 |\n"
    assert aligned(ROWS) == "data  CPU s  passes\n   a  123.5       -\n   b  1.235       3\n"


def test_cells_are_templates_of_columns_with_any_name():
    row = {"CPU s, 1.5": 0.01234, "share (all)": 0.5, "n": 1234567.0}
    assert cell("{CPU s, 1.5:~2} s, {share (all):%0} %, {n:~3}", row) == "0.012 s, 50 %, 1234567"
    assert cell("{n:.0f} ± {error:.1f}", row) == "", "a column is missing"


def test_rows_with_the_same_heads_are_one_line():
    rows = [{"n": n, "way": way, "s": n + len(way)} for n in (1, 2) for way in ("a", "bb", "ccc")]
    table = pivot({"": rows}, "", {"size": "{n}"}, "way", "{s} s", {"a": "first", "ccc": "last"})
    assert table == [
        {"size": "1", "first": "2 s", "last": "4 s"},
        {"size": "2", "first": "3 s", "last": "5 s"},
    ]
    names = {"a": "first"}
    means = pivot({"": rows}, "", {}, "way", "{s:.1f}", names, where={"n": 1}, means=[["way"]])
    assert means == [{"first": "2.0"}]
    table = transposed({"": rows[:2]}, "", {"": "{way}", "number": "{n}", "s": "{s}"})
    assert table == [{"": "number", "a": "1", "bb": "1"}, {"": "s", "a": "2", "bb": "3"}]


def test_tables_of_some_results_are_printed_and_else_the_results(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    tables = {name: Table(plain, "some/first", title=name) for name in ("rows", "not run")}
    monkeypatch.setattr(pages, "TABLES", tables)
    for name in ("some/first", "some/second"):
        store.save(name, "rows", ROWS[:1])
        store.save(name, "none", [])
    pages.show("some/first")
    assert capsys.readouterr().out == "\nrows\ndata  CPU s\n   a    123\n"
    pages.show("some/second")
    assert capsys.readouterr().out == "\nrows\ndata  CPU s\n   a  123.5\n\nnone\nnone\n"


def test_rows_of_a_run_take_the_place_of_those_with_the_same_keys(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    store.save("some/first", "rows", ROWS)
    store.merge("some/first", "rows", [{"data": "b", "CPU s": 2}], "data")
    assert store.stored("some/first")["rows"] == [ROWS[0], ROWS[1] | {"CPU s": 2}]
