"""Figures on the page on defaults are those of the results."""

import pytest
from page_text import text_of

from benchmarks.averages import averaged
from benchmarks.store import stored
from benchmarks.tables.defaults import CLASSIFIERS
from benchmarks.tables.pages import TABLES

TEXTS = ("webkb_linqs", "cora", "newsgroups")


def beside():
    return {row[""]: row for row in TABLES["defaults-comparison"].rows()}


def means():
    rows = beside()
    chain = rows["ChainSVM: labels"]
    classes = averaged(stored("defaults/classifiers")["the comparison"], ["form"], CLASSIFIERS)
    prepared, raw = sorted(classes, key=lambda row: row["form"])
    means = {name: [f"{float(row[name]):.1f}" for row in (prepared, raw)] for name in CLASSIFIERS}
    pairs = rows["SupervisedKMeans: adjusted Rand, prepared"]
    return [
        f"labels {chain['ours']} % of positions correctly, "
        f"CRFsuite {chain['best other'].removesuffix(', CRFsuite')} %",
        "has {} % with prepared features and {} % with raw".format(*means["MulticlassSVM"]),
        "`LogisticRegression` {} and {} %".format(*means["LogisticRegression"]),
        "`LinearSVC` {} and {} %".format(*means["LinearSVC"]),
        f"({pairs['best other'].split()[0]} and {pairs['ours'].split()[0]})",
    ]


def candidates():
    rows = stored("defaults/classifiers")["candidates"]
    assert [rows[0]["C"], rows[-1]["C"]] == ["1 n", "30 n"]
    found = [row[form] for row in rows for form in ("prepared", "raw")]
    return [f"is {min(found)} to {max(found)} %"]


def sets():
    held = stored("defaults/classifiers")["the comparison"]
    prepared = {row["data"]: row for row in held if row["form"] == "prepared"}
    leads = {name: prepared[name]["LinearSVC"] - prepared[name]["MulticlassSVM"] for name in TEXTS}
    assert max(leads["webkb_linqs"], leads["newsgroups"]) < 0.5
    return [f"`LinearSVC` is ahead by {leads['cora']:.0f} points"]


def raw_features():
    by_form = {}
    for row in stored("defaults/classifiers")["the comparison"]:
        if row["data"] not in TEXTS:
            by_form.setdefault(row["data"], {})[row["form"]] = row
    lost = {
        name: max(both["prepared"][name] - both["raw"][name] for both in by_form.values())
        for name in CLASSIFIERS
    }
    return [
        f"loses at most {lost['MulticlassSVM']:.1f} points with raw features, `LinearSVC` "
        f"{lost['LinearSVC']:.1f} and `LogisticRegression` {lost['LogisticRegression']:.1f}"
    ]


def measures():
    behind = {
        name: float(row["best other"].split(", ")[0]) - row["ours"]
        for name, row in beside().items()
        if name.startswith("MultivariateSVM")
    }
    ahead = [value for name, value in behind.items() if "F1" in name or "accuracy" in name]
    assert max(ahead) <= 0
    return [f"up to {max(behind.values()):.1f} points behind"]


def tolerance():
    rows = [row for row in stored("defaults/tolerance")["hinge"] if row["kind"] == "treebank"]
    loose, tight = (next(row for row in rows if row["rtol"] == rtol) for rtol in (0.1, 0.01))
    return [
        f"{loose['score']:.1f} % right in {loose['CPU s']:.1f} s, "
        f"`rtol=0.01` {tight['score']:.1f} % in {tight['CPU s']:.1f} s",
    ]


@pytest.mark.parametrize("source", [means, candidates, sets, raw_features, measures, tolerance])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("appendix/defaults.md"), figure


def test_ten_n_has_the_lowest_log_loss_on_each_kind():
    rows = stored("defaults/log_loss")["log loss"]
    for kind in {row["kind"] for row in rows}:
        of_kind = {row["C / n"]: row["100 log loss"] for row in rows if row["kind"] == kind}
        assert min(of_kind, key=of_kind.get) == 10
