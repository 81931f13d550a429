"""Figures on the page on label sets are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored

CHAIN = "ClassifierChain(LogisticRegression)"


def figures(title, chosen="default"):
    return {
        row["estimator"]: row
        for row in stored("label_sets/yeast_scene")[title]
        if row["chosen"] == chosen
    }


def pair(row):
    return f"{row['Hamming']:.3f} and {{}}{row['F1']:.3f}"


def scenes():
    rows = figures("scene")
    return [
        f"Hamming loss {pair(rows['MultiLabelSVM']).format('F1 ')}",
        f"a classifier chain {pair(rows[CHAIN]).format('')}",
    ]


def genes():
    rows = figures("yeast")
    ours, chain, f1 = (
        pair(rows[name]).format("") for name in ("MultiLabelSVM", CHAIN, "MultiLabelSVM, cost='f1'")
    )
    alone = figures("yeast", "by Hamming")["OneVsRest(LinearSVC)"]
    return [
        f"{ours}, the chain {chain}; trained for F1, {f1}",
        f"reaches {alone['Hamming']:.3f} once",
    ]


def picture():
    scene, yeast = (figures(title) for title in ("scene", "yeast"))
    names = ("OneVsRest(LinearSVC)", CHAIN, "MultiLabelSVM")
    alone, chain, ours = (f"{yeast[name]['F1']:.3f}" for name in names)
    return [
        "{} for each label alone, {} for a classifier chain, {} for MultiLabelSVM".format(
            *(f"{scene[name]['F1']:.3f}" for name in names)
        ),
        f"on genes {alone}, {chain} and {ours}",
    ]


@pytest.mark.parametrize("source", [scenes, genes, picture])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("label_sets.md"), figure
