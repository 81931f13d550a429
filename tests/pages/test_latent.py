"""Figures on the page on latent outputs are those of the results."""

from page_text import rows_by, text_of

from benchmarks.store import stored

WRONG = "wrong digits, percent"


def test_the_figures_on_digits():
    found = rows_by("latent/digits", "latent", "start")
    place = rows_by("latent/digits", "beside", "LinearSVC on")["the true place"][WRONG]
    ink, random = found["most ink, descent"], found["random windows, descent"]
    text = text_of("latent.md")
    assert f"{ink[WRONG]:.1f} % are wrong with a latent place" in text
    assert f"given the true place has {place:.1f} %" in text
    assert random["starts"] == 10
    starts = f"ten random starts leave {random[WRONG]:.1f} % wrong"
    assert f"{starts}, one from the windows of most ink {ink[WRONG]:.1f} %" in text


def test_the_figures_on_letters():
    row = rows_by("latent/letters", "wrong letters, percent", "known")["half of the letters"]
    completed, alone = (row[key] for key in ("completed, weight 0", "known alone, C 1000"))
    text = text_of("latent.md")
    assert f"completing the others leaves {completed:.1f} % of letters wrong" in text
    assert f"the known ones alone {alone:.1f} %" in text


def test_the_figures_on_promoters():
    fewest = min(row["errors"] for row in stored("latent/promoters")["latent"])
    beside = rows_by("latent/promoters", "beside", "method")
    counts = beside["LinearSVC on k-mers, k chosen"]["errors"]
    shared = rows_by("latent/promoters", "overlaps", "sequences")["others"]["shared"]
    text = text_of("latent.md")
    assert f"{fewest} of 106 wrong" in text
    assert f"counts of k-mers, with {counts}" in text
    assert f"{shared} of the 53 sequences that are no promoters share 12 letters" in text


def test_cccp_ends_lower_where_a_tenth_is_known():
    rows = [row for row in stored("latent/semi_supervised")["objectives"] if row["known"] == 0.1]
    assert rows and all(row["CCCP"] < row["SmoothedCCCP"] for row in rows)
    assert all(row["CCCP, CPU s"] > row["SmoothedCCCP, CPU s"] for row in rows)
    assert "ends at lower objectives than `SmoothedCCCP`, in more time" in text_of("latent.md")


def test_smoothed_cccp_ends_lower_in_less_time_on_sequences():
    rows = stored("speed/partial_chains")["half of the labels"]
    for smoothed, other in zip(rows[::2], rows[1::2], strict=True):
        assert (smoothed["solver"], other["solver"]) == ("SmoothedCCCP", "CCCP")
        assert smoothed["objective"] < other["objective"] and smoothed["CPU s"] < other["CPU s"]
    assert "it ends lower than `CCCP` in less time" in text_of("latent.md")
