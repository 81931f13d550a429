"""Figures on the page on defaults are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored
from benchmarks.tables.pages import TABLES


def beside():
    return {row[""]: row for row in TABLES["defaults-comparison"].rows()}


def means():
    rows = beside()
    chain = rows["ChainSVM: labels"]
    classes = [rows[f"MulticlassSVM: accuracy, {form}"] for form in ("prepared", "raw")]
    others = [row["best other"].split(", ") for row in classes]
    assert {name for _, name in others} == {"LogisticRegression"}
    pairs = rows["SupervisedKMeans: adjusted Rand, prepared"]
    return [
        f"labels {chain['ours']} % of positions correctly, "
        f"CRFsuite {chain['best other'].removesuffix(', CRFsuite')} %",
        f"has {classes[0]['ours']} % with prepared features and {classes[1]['ours']} % with raw",
        f"`LogisticRegression` {others[0][0]} and {others[1][0]} %",
        f"({pairs['best other'].split()[0]} and {pairs['ours'].split()[0]})",
    ]


def sets():
    held = stored("defaults/classifiers")["the comparison"]
    prepared = {row["data"]: row for row in held if row["form"] == "prepared"}
    texts = [
        prepared[name]["LinearSVC"] - prepared[name]["MulticlassSVM"]
        for name in ("webkb_linqs", "cora", "newsgroups")
    ]
    letters = [
        prepared[name]["LogisticRegression"] - prepared[name]["MulticlassSVM"]
        for name in ("letter", "australian")
    ]
    return [
        f"ahead by {min(texts):.0f} to {max(texts):.0f} points",
        f"ahead by {min(letters):.0f} to {max(letters):.0f} on two",
    ]


def measures():
    behind = {
        name: float(row["best other"].split(", ")[0]) - row["ours"]
        for name, row in beside().items()
        if name.startswith("MultivariateSVM")
    }
    assert all(value <= 0 for name, value in behind.items() if "F1" in name)
    return [f"up to {max(behind.values()):.1f} points behind"]


def factors():
    rows = {row["factor"]: row for row in stored("defaults/classifiers")["factors"]}
    ours, svc, logistic = (
        [rows[factor][name] for factor in (1.0, 0.01, 1000.0)]
        for name in ("MulticlassSVM", "LinearSVC", "LogisticRegression")
    )
    return [
        f"has {ours[0]} %, with these features divided by 100 {ours[1]} %, times 1000 {ours[2]} %",
        f"`LinearSVC` has {svc[0]}, {svc[1]} and {svc[2]} %",
        f"`LogisticRegression` {logistic[0]}, {logistic[1]} and {logistic[2]} %",
    ]


def tolerance():
    rows = [row for row in stored("defaults/tolerance")["hinge"] if row["kind"] == "treebank"]
    loose, tight = (next(row for row in rows if row["rtol"] == rtol) for rtol in (0.1, 0.01))
    return [
        f"{loose['score']:.1f} % right in {loose['CPU s']:.1f} s, "
        f"`rtol=0.01` {tight['score']:.1f} % in {tight['CPU s']:.1f} s",
    ]


@pytest.mark.parametrize("source", [means, sets, measures, factors, tolerance])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("appendix/defaults.md"), figure


def test_ten_n_has_the_lowest_log_loss_on_each_kind():
    rows = stored("defaults/log_loss")["log loss"]
    for kind in {row["kind"] for row in rows}:
        of_kind = {row["C / n"]: row["100 log loss"] for row in rows if row["kind"] == kind}
        assert min(of_kind, key=of_kind.get) == 10


def test_f1_is_0_on_satimage():
    rows = [row for row in stored("defaults/measures")["the comparison"] if row["measure"] == "f1"]
    assert {row["MultivariateSVM"] for row in rows if row["data"] == "satimage"} == {0}
