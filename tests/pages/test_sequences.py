"""Figures on the page on sequences are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored


def tags():
    rows = rows_by("sequences/tags", "accuracy", "trainer")
    best = max(row["test"] for name, row in rows.items() if name.startswith("CRFsuite"))
    return [f"{rows['ChainSVM()']['test']:.2f} %", f"best of four: {best:.2f} %"]


def letters():
    rows = rows_by("sequences/letters", "error of a letter, percent", "trainer")
    return [
        f"{rows['ChainSVM()']['error']:.1f} % wrong letters",
        f"CRFsuite {rows['CRFsuite lbfgs']['error']:.1f} %",
        f"`LogisticRegression` {rows['LogisticRegression()']['error']:.1f} %",
    ]


def words():
    rows = rows_by("sequences/words", "words found, percent", "method")
    return [
        f"F1 of words {rows['SegmentSVM']['F1']:.1f} %",
        f"`ChainSVM` {rows['ChainSVM']['F1']:.1f} %",
        f"CRFsuite {rows['CRFsuite averaged-perceptron']['F1']:.1f} %",
    ]


def test_the_temperature_on_the_page_on_sequences_is_that_of_the_results():
    before, after = stored("sequences/tags")["log loss"]
    text = text_of("sequences.md")
    assert f"On the tags below it is {after['temperature']:.2f}" in text
    assert f"falls from {before['log loss']:.2f} to {after['log loss']:.2f}" in text


@pytest.mark.parametrize("source", [tags, letters, words])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
