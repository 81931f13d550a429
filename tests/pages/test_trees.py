"""Figures on the page on trees are those of the results."""

import pytest
from page_text import rows_by, text_of


def parsing():
    rows = rows_by("trees/parsing", "attachment in percent, and CPU seconds", "parser")
    perceptron = rows["averaged perceptron, 5 epochs"]["test"]
    return [
        f"{rows['DependencyParser()']['test']:.2f} % attachment",
        f"averaged perceptron {perceptron:.2f} %",
        f"right neighbour {rows['right neighbour']['test']:.1f} %",
    ]


@pytest.mark.parametrize("source", [parsing])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
