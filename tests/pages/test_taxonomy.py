"""Figures on the page on taxonomies are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored


def all_articles():
    rows = rows_by("classification/taxonomy", "all articles", "model")
    tree, flat, linear = (rows[name] for name in ("TaxonomySVM", "MulticlassSVM", "LinearSVC"))
    return [
        f"{tree['accuracy']:.1f} % are right, {tree['distance']:.3f} edges from the truth",
        f"`MulticlassSVM` has {flat['accuracy']:.1f} % and {flat['distance']:.3f} edges",
        f"`LinearSVC` {linear['accuracy']:.1f} % and {linear['distance']:.3f}.",
    ]


def few_articles():
    rows = rows_by("classification/taxonomy", "few articles", "model")
    plain, distances, large = (
        rows[f"TaxonomySVM{kind}"]["accuracy, 5 articles"]
        for kind in ("", ", distances", ", distances, large C")
    )
    assert f"{large:.1f}" == f"{distances:.1f}"
    return [f"accuracy falls from {plain:.1f} to {distances:.1f} %, at the default C and at 10"]


def few_rows():
    (rows,) = stored("classification/small_taxonomies").values()
    few = {row["data"]: row for row in rows if row["rows of a class"] == 3}
    drawn, digits = (
        f"from {few[name]['MulticlassSVM']:.1f} to {few[name]['TaxonomySVM']:.1f} %"
        for name in ("drawn", "digits")
    )
    return [f"accuracy rises {drawn} on drawn data, and {digits} on digits"]


@pytest.mark.parametrize("source", [all_articles, few_articles, few_rows])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("taxonomy.md"), figure
