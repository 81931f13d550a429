"""Figures on the page on label sets are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored


def label_sets():
    found = []
    for title in ("scene", "yeast"):
        rows = [r for r in stored("label_sets/yeast_scene")[title] if r["chosen"] == "default"]
        by = {
            r["estimator"]: [f"{r[key]:.3f}".lstrip("0") for key in ("Hamming", "F1")] for r in rows
        }
        single, chain = by["OneVsRest(LinearSVC)"], by["ClassifierChain(LogisticRegression)"]
        found += [
            "Hamming loss {}, F1 {}".format(*by["MultiLabelSVM"]),
            "OneVsRest {} and {}, ".format(*single)
            + "a chain of classifiers {} and {}".format(*chain),
        ]
    return [*found, "{} and {} trained for F1".format(*by["MultiLabelSVM, cost='f1'"])]


@pytest.mark.parametrize("source", [label_sets])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
