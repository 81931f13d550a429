"""Figures on the page on matching are those of the results."""

import numpy as np
from page_text import rows_by, text_of

from benchmarks.store import stored
from benchmarks.tables.matching import DRAWN, HOUSE


def test_the_figures_on_the_house():
    row = rows_by("matching/house", HOUSE, "k")[60]
    percent = {key: f"{100 * value:.1f} %" for key, value in row.items()}
    text = text_of("matching.md")
    assert f"{percent['learned, contexts']} of the landmarks are wrong with learned" in text
    assert f"{percent['C chosen, contexts']} with C chosen on five more pairs" in text
    assert f"{percent['equal, contexts']} with equal weights" in text
    assert f"has {percent['quadratic, equal']}." in text


def ahead(weights):
    """Where weights with the graph have fewer errors than quadratic assignment, from 60 on."""
    rows = rows_by("matching/house", HOUSE, "k")
    column = f"{weights}, contexts and graph"
    return {k for k, row in rows.items() if k >= 60 and row[column] < row["quadratic, equal"]}


def test_where_learning_is_ahead_of_quadratic_assignment():
    assert ahead("learned") == ahead("C chosen") == {80, 90}
    assert "ahead of quadratic assignment at 80 and 90 frames" in text_of("matching.md")


def test_learned_weights_are_ahead_of_equal_ones_in_the_mean():
    for title in (HOUSE, DRAWN):
        rows = rows_by("matching/house", title, "k").values()
        for features in ("contexts", "contexts and graph"):
            ahead = [row[f"equal, {features}"] - row[f"learned, {features}"] for row in rows]
            assert np.mean(ahead) > 0.025
            assert min(ahead) > -0.02


def test_the_default_is_the_best_in_the_mean_of_kinds_that_had_no_say():
    rows = [row for row in stored("matching/drawn")["wrong rows, percent"]
            if row["half"] == "confirming"]  # fmt: skip
    default, *others = (
        np.mean([row[name] for row in rows])
        for name in ("default", "C x 0.1", "C x 10", "scale=None", "equal")
    )
    assert default < min(others)
