"""The loop of the benchmarks: over data and contenders, with what is skipped, kept and stored."""

import time
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from benchmarks import experiment, store
from benchmarks.experiment import Experiment, Other


def missing():
    raise FileNotFoundError("no such file")


def not_installed(data):
    raise ModuleNotFoundError("no such package")


DATA = {"two": lambda: 2, "lost": missing, "three": lambda: 3}
CONTENDERS = {"double": lambda x: 2 * x, "absent": not_installed, "square": lambda x: x * x}


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Runs experiments, and returns what is stored then."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)

    def results(*experiments, **options):
        monkeypatch.setattr(experiment, "experiments", lambda name: experiments)
        experiment.run("some/script", **options)
        return store.stored("some/script")

    return results


def one(fit, data):
    return {"found": fit.found}


LONG = Experiment("long", ("data", "method"), DATA, CONTENDERS, one)


def test_a_row_for_each_contender_and_what_is_missing_stays(run, capsys):
    store.save("some/script", "long", [{"data": "lost", "method": "double", "found": 1}])
    rows = run(LONG)["long"]
    assert [tuple(row.values()) for row in rows] == [
        *(("lost", "double", 1), ("two", "double", 4), ("two", "square", 4)),
        *(("three", "double", 6), ("three", "square", 9)),
    ]
    printed = capsys.readouterr().out
    assert "skipped: lost (no such file)" in printed and "absent (no such package)" in printed
    assert "environment" in store._read("some/script")
    rows = run(LONG._replace(measure=lambda fit, data: {"found": 0}))["long"]
    assert [row["found"] for row in rows] == [1, 0, 0, 0, 0], "rows are replaced, not repeated"


def test_one_function_has_no_column_and_returns_the_others(run):
    found = run(Experiment("alone", ("data",), DATA, lambda x: [{"part": 1, "sum": x + 1}]))
    assert found["alone"] == [
        {"data": n, "part": 1, "sum": s} for n, s in (("two", 3), ("three", 4))
    ]
    found = run(Experiment("all", ("data",), DATA, CONTENDERS, wide=True))["all"]
    assert found[0] == {"data": "two", "double": 4, "square": 4}


def test_a_row_for_all_contenders_with_a_row_of_another_table(run):
    def measure(fits, data):
        names = {name: fit.found for name, fit in fits.items()}
        return names | {"others": Other(sum=sum(names.values()))}

    tables = run(Experiment("wide", ("data",), DATA, CONTENDERS, measure, wide=True))
    assert tables["wide"][0] == {"data": "two", "double": 4, "square": 4}
    assert tables["others"] == [{"data": "two", "sum": 8}, {"data": "three", "sum": 15}]


def test_draws_are_summarised_and_several_rows_of_one_data_set(run):
    data = {("a", 1): lambda draw: draw, ("a", 2): lambda draw: 10 * draw}
    columns = "data", "n", "method", "part"
    means = Experiment("means", columns[:3], data, {"same": int}, one, draws=3)
    curve = Experiment(
        "curve", columns, data, {"same": int}, one, draws=2,
        summary=lambda rows: [{"part": i, **row} for i, row in enumerate(rows)],
    )  # fmt: skip
    tables = run(means, curve)
    assert [row["found"] for row in tables["means"]] == [1, 10]
    assert [(row["n"], row["part"], row["found"]) for row in tables["curve"]] == [
        *((1, 0, 0), (1, 1, 1), (2, 0, 0), (2, 1, 10)),
    ]


def test_missing_rows_some_titles_and_one_data_set(run, monkeypatch):
    store.save("some/script", "long", [{"data": "two", "method": "double", "found": 1}])
    assert [row["found"] for row in run(LONG, missing=True)["long"]] == [1, 4, 6, 9]
    assert list(run(LONG, LONG._replace(title="other"), titles=["other"])) == ["long", "other"]
    before = store.RESULTS
    run(LONG._replace(title="brief", data={"lost": missing, **DATA}), briefly=True)
    monkeypatch.setattr(store, "RESULTS", before)
    assert "brief" not in store.stored("some/script")


def test_seconds_are_those_of_the_contender(run):
    def busy(data):
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    slow = LONG._replace(contenders={"busy": busy}, measure=lambda fit, _: {"s": fit.seconds})
    assert all(0.05 <= row["s"] < 0.5 for row in run(slow)["long"])


def test_fits_that_do_not_converge_are_errors_if_strict(run):
    def stopped(data):
        warnings.warn("stopped", ConvergenceWarning, stacklevel=2)

    given = LONG._replace(contenders={"stopped": stopped})
    run(given)
    with pytest.raises(ConvergenceWarning):
        run(given._replace(strict=True))


@pytest.mark.slow
def test_a_row_apart_comes_from_a_process_of_its_own():
    """The experiments of a script are found again there, by their number."""
    named = experiment.experiments("speed/large")
    assert named[0].apart
    case = "clustering/defaults", 0, ("tables", "confirming", "no such"), ["k-means"], True
    with pytest.raises(KeyError):
        experiment._in_a_process(*case)


def test_data_and_contenders_that_the_columns_do_not_tell_apart_are_named(run):
    with pytest.raises(ValueError, match=r"told apart by \('two', 'double'\), which need more"):
        run(LONG._replace(columns=("data",)))
