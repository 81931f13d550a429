"""Figures on the page on defaults are those of the results."""

import pytest
from page_text import text_of

from benchmarks.averages import averaged
from benchmarks.store import stored
from benchmarks.tables.defaults import CLASSIFIERS
from benchmarks.tables.pages import TABLES


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


def test_n_is_about_as_good_a_C_as_any():
    """C matters for words and for zeros and ones alone."""
    first, *_ = rows = stored("defaults/classifiers")["candidates"]
    chosen = next(row for row in rows if row["C"] == "1 n")
    for kind in set(first) - {"C"}:
        found = [row[kind] for row in rows if row["C"] != first["C"]]
        assert chosen[kind] > max(found) - 0.4
        if kind in ("standardised", "raw"):
            assert max(found) - min(found) < 0.5


def kinds():
    by_kind = {row["features"]: row for row in TABLES["defaults-kinds"].rows()}
    leads = {kind: row["logistic"] - row["ours"] for kind, row in by_kind.items()}
    behind = {kind for kind, lead in leads.items() if round(lead, 1) > 0}
    assert behind == {"standardised", "raw", "counts"}
    assert all(row["ours"] >= row["SVC"] for row in by_kind.values())
    return [
        f"is ahead by {leads['standardised']:.1f} points with standardised features, "
        f"{leads['raw']:.1f} with raw ones and {leads['counts']:.1f} with counts of words"
    ]


def raw_features():
    by_form = {}
    for row in stored("defaults/classifiers")["the comparison"]:
        if row["kind"] not in ("tf-idf", "counts"):
            by_form.setdefault(row["data"], {})[row["form"]] = row
    lost = {
        name: max(both["prepared"][name] - both["raw"][name] for both in by_form.values())
        for name in CLASSIFIERS
    }
    return [
        f"loses at most {lost['MulticlassSVM']:.1f} points with raw features, `LinearSVC` "
        f"{lost['LinearSVC']:.1f} and `LogisticRegression` {lost['LogisticRegression']:.1f}"
    ]


def units():
    rows = stored("defaults/units")["scores"]
    for row in rows:
        ours, best = (row[f"ours, {form}"] for form in ("moved", "standardised"))
        assert ours > best - 0.5 or row["data"] == "ocr_letters"
    (rows,) = stored("classification/small_taxonomies").values()
    drawn, digits = (
        row["MulticlassSVM, scale=None"] - row["MulticlassSVM"]
        for row in rows
        if row["rows of a class"] == 3
    )
    return [
        f"is {drawn:.0f} points ahead on drawn coordinates and {-digits:.0f} points behind on "
        "digits"
    ]


def measures():
    behind = {
        name: float(row["best other"].split(", ")[0]) - row["ours"]
        for name, row in beside().items()
        if name.startswith("MultivariateSVM")
    }
    assert max(value for name, value in behind.items() if "F1" in name) < 0
    return [f"up to {max(behind.values()):.1f} points behind"]


def tolerance():
    rows = [row for row in stored("defaults/tolerance")["hinge"] if row["kind"] == "treebank"]
    loose, tight = (next(row for row in rows if row["rtol"] == rtol) for rtol in (0.1, 0.01))
    return [
        f"{loose['score']:.1f} % right in {loose['CPU s']:.1f} s, "
        f"`rtol=0.01` {tight['score']:.1f} % in {tight['CPU s']:.1f} s",
    ]


@pytest.mark.parametrize("source", [means, kinds, raw_features, units, measures, tolerance])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("appendix/defaults.md"), figure


def test_ten_n_has_the_lowest_log_loss_on_each_kind():
    rows = stored("defaults/log_loss")["log loss"]
    for kind in {row["kind"] for row in rows}:
        of_kind = {row["C / n"]: row["100 log loss"] for row in rows if row["kind"] == kind}
        assert min(of_kind, key=of_kind.get) == 10
