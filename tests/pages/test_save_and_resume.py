"""Figures on the page on saving are those of the results."""

from page_text import text_of

from benchmarks.store import stored

NUMBERS = {7: "seven", 8: "eight", 9: "nine"}


def test_the_killed_trainings_on_the_page_are_those_of_the_results():
    (rows,) = stored("robustness/resume").values()
    text = text_of("save_and_resume.md")
    assert {row["kills"] for row in rows} == {20}
    assert f"{NUMBERS[len(rows)]} solvers were killed 20 times each" in text
    ended, same = (sum(row[key] for row in rows) for key in list(rows[0])[-2:])
    assert ended == same
    assert f"all {ended} trainings that came to an end had the same bits" in text
