"""The rates of wrong letters beside the first picture are the results, wherever they stand."""

from pathlib import Path

import pytest
from page_text import DOCS, rows_by


@pytest.mark.parametrize("page", ["index.md", "sequences.md", "../README.md"])
def test_the_rates_in_words_are_those_of_the_results(page):
    rows = rows_by("sequences/letters", "error of a letter, percent", "trainer")
    alone, crfsuite, chain = (
        f"{rows[name]['error']:.1f} %"
        for name in ("LogisticRegression()", "CRFsuite lbfgs", "ChainSVM()")
    )
    text = " ".join(Path(DOCS / page).read_text().split())
    assert f"{alone} alone, {crfsuite} by CRFsuite, {chain} by ChainSVM" in text
