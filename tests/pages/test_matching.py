"""Figures on the page on matching are those of the results."""

from page_text import rows_by, text_of

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
    assert (ahead("learned"), ahead("C chosen")) == ({90}, {80, 90})
    text = text_of("matching.md")
    assert "ahead of quadratic assignment at 90 frames, and with C chosen at 80, too" in text


def test_learned_weights_are_hardly_ever_behind_equal_ones():
    for title in (HOUSE, DRAWN):
        for row in rows_by("matching/house", title, "k").values():
            for features in ("contexts", "contexts and graph"):
                assert row[f"learned, {features}"] < row[f"equal, {features}"] + 0.005
