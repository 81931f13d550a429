"""The rates of wrong letters beside the picture of words are the results."""

from page_text import rows_by, text_of


def test_the_rates_in_words_are_those_of_the_results():
    rows = rows_by("sequences/letters", "error of a letter, percent", "trainer")
    alone, crfsuite, chain = (
        f"{rows[name]['error']:.1f} %"
        for name in ("LogisticRegression()", "CRFsuite lbfgs", "ChainSVM()")
    )
    found = f"{alone} alone, {crfsuite} by CRFsuite, {chain} by ChainSVM"
    assert found in text_of("sequences.md")
