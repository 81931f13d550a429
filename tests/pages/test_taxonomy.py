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
    plain, distances = (
        rows[name]["accuracy, 5 articles"] for name in ("TaxonomySVM", "TaxonomySVM, distances")
    )
    return [f"accuracy falls from {plain:.1f} to {distances:.1f} %"]


def drawn():
    (rows,) = stored("classification/small_taxonomies").values()
    row = next(r for r in rows if (r["data"], r["rows of a class"]) == ("drawn", 3))
    return [f"accuracy rises from {row['MulticlassSVM']:.1f} to {row['TaxonomySVM']:.1f} %"]


@pytest.mark.parametrize("source", [all_articles, few_articles, drawn])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("taxonomy.md"), figure
