"""Figures on the page on matching are those of the results."""

import pytest
from page_text import rows_by, text_of


def house():
    row = rows_by("matching/house", "fraction of landmarks wrong", "k")[60]
    percent = {key: f"{100 * value:.1f} %" for key, value in row.items()}
    return [
        f"{percent['learned, contexts']} wrong landmarks",
        f"{percent['learned, contexts and graph']} with the graph",
        f"equal weights {percent['equal, contexts']}",
        f"quadratic assignment {percent['quadratic, equal']}",
    ]


@pytest.mark.parametrize("source", [house])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
