"""Figures on the page on latent are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored


def digits():
    wrong = "wrong digits, percent"
    found = rows_by("latent/digits", "latent", "start")["most ink, descent"][wrong]
    beside = rows_by("latent/digits", "beside", "LinearSVC on")
    image, ink, place = (beside[x][wrong] for x in ("the image", "most ink", "the true place"))
    return [
        f"{found:.1f} % wrong digits",
        f"on the image {image:.1f} %, on the window with most ink {ink:.1f} %, on the true place "
        f"{place:.1f} %",
    ]


def promoters():
    fewest = min(row["errors"] for row in stored("latent/promoters")["latent"])
    beside = rows_by("latent/promoters", "beside", "method")
    counts = beside["LinearSVC on k-mers, k chosen"]["errors"]
    letters_of = beside["LinearSVC on letters by position"]["errors"]
    return [
        f"{fewest} of 106 wrong",
        f"on counts of k-mers {counts}, on letters by position {letters_of}",
    ]


def test_the_overlaps_on_the_page_on_latent_outputs_are_those_of_the_results():
    shared = rows_by("latent/promoters", "overlaps", "sequences")["others"]["shared"]
    text = text_of("latent.md")
    assert f"{shared} of the 53 sequences that are no promoters share 12 letters" in text


@pytest.mark.parametrize("source", [digits, promoters])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
