"""Figures on the page on ranking are those of the results."""

import pytest
from page_text import rows_by, text_of


def ranking():
    rows = rows_by("ranking/mq2008", "MQ2008", "method")
    text = {name: f"{row['MAP, default']:.3f}".lstrip("0") for name, row in rows.items()}
    return [
        f"MAP {text['RankingSVM, average precision']}",
        f"LightGBM {text['LightGBM lambdarank']}",
        f"`LinearSVC` of pairs {text['LinearSVC of pairs']}",
        f"best single feature {text['single feature']}",
    ]


@pytest.mark.parametrize("source", [ranking])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
