"""Figures on the page on experience are those of the results."""

import numpy as np
from page_text import text_of

from benchmarks.store import stored


def test_the_accuracies_of_tags_with_a_prior_are_those_of_the_results():
    (rows,) = stored("sequences/adaptation").values()
    text = text_of("experience.md")
    behind = max(row["both"] - row["prior, C"] for row in rows)
    assert (
        f"within {np.ceil(behind * 10) / 10:.1f} points of training on all".replace("0.", ".")
        in text
    )
    times = [row["prior, C, CPU s"] / row["both, CPU s"] for row in rows]
    assert "takes two to four times the time of that training" in text
    assert 2 <= min(times) and max(times) <= 4
    assert "worse than those of the source alone up to a hundred sentences" in text
    assert all((row["prior"] < row["source"]) == (row["labelled"] <= 100) for row in rows)
