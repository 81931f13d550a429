"""Figures on the page on trees are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored


def parsing():
    rows = rows_by("trees/parsing", "attachment in percent, and CPU seconds", "parser")
    perceptron = rows["averaged perceptron, 5 epochs"]
    assert perceptron["CPU s"] + perceptron["features"] < rows["DependencyParser()"]["CPU s"]
    return [
        f"{rows['DependencyParser()']['test']:.2f} % of the words get the right head",
        f"same features and decoder {perceptron['test']:.2f} %",
    ]


def labelled():
    ours, after = stored("trees/labelled")["labelled attachment"]
    figure = f"{ours['test, labels']:.1f} % of heads and labels are right"
    assert f"{after['test, labels']:.1f}" in figure
    assert all(ours[name] > after[name] for name in ("CPU s", "GB"))
    return [figure]


def losses():
    rows = stored("trees/losses")["attachment in percent"]
    hinge, field = (
        {row["treebank"]: row for row in rows if row["loss"] == loss}
        for loss in ("hinge", "log_loss")
    )
    assert len(hinge) == 7
    most = max(hinge[name]["1 C"] - field[name]["10 C"] for name in hinge)
    return [f"at most {most:.1f} points behind"]


def projective():
    rows = stored("trees/projective")["attachment in percent"]
    return [f"by up to {max(row['True'] - row['False'] for row in rows):.1f} points"]


@pytest.mark.parametrize("source", [parsing, labelled, losses, projective])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("trees.md"), figure
