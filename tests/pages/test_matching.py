"""Figures on the page on matching are those of the results."""

from page_text import rows_by, text_of

TITLE = "fraction of landmarks wrong"


def test_the_figures_on_the_house():
    row = rows_by("matching/house", TITLE, "k")[60]
    percent = {key: f"{100 * value:.1f} %" for key, value in row.items()}
    text = text_of("matching.md")
    assert f"{percent['learned, contexts']} of the landmarks are wrong with learned" in text
    assert f"{percent['equal, contexts']} with equal ones" in text
    assert f"has {percent['quadratic, equal']}." in text
    assert f"learning has {percent['learned, contexts and graph']} at 60 frames" in text


def test_where_learning_is_ahead_of_quadratic_assignment():
    rows = rows_by("matching/house", TITLE, "k")
    ahead = {
        k for k, row in rows.items() if row["learned, contexts and graph"] < row["quadratic, equal"]
    }
    assert ahead & {60, 70, 80, 90} == {80, 90}
    assert "ahead of quadratic assignment at 80 and 90, behind at 70" in text_of("matching.md")
