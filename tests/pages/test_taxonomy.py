"""Figures on the page on taxonomy are those of the results."""

import pytest
from page_text import rows_by, text_of


def newsgroups():
    rows = rows_by("classification/taxonomy", "all articles", "model")

    def figure(name):
        distance = f"{rows[name]['distance']:.3f}".lstrip("0")
        return f"{rows[name]['accuracy']:.1f} %, {distance} edges"

    flat = [f"`{name}` {figure(name)}" for name in ("MulticlassSVM", "LinearSVC")]
    return [figure("TaxonomySVM"), *flat]


@pytest.mark.parametrize("source", [newsgroups])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
