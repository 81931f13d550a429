"""Figures on the page on speed are those of the results."""

from page_text import text_of

from benchmarks.store import stored
from benchmarks.tables.pages import TABLES


def test_the_times_of_tags_on_the_page_on_speed_are_those_of_the_results():
    text = text_of("appendix/speed.md")
    rows = [row for row in TABLES["speed-overview"].rows() if row["trained"].startswith("tags")]
    ratios = [float(row["ratio"]) for row in rows]
    assert f"from {min(ratios):.1f} to {max(ratios):.1f} times as long as CRFsuite's 100" in text
    scaled = stored("sequences/scale")["time, memory and accuracy"]
    seconds = {row["trainer"]: row["CPU s"] for row in scaled if row["task"].startswith("tags")}
    ours = [s for name, s in seconds.items() if "C=" in name]
    assert len(ours) == 2 and max(ours) < seconds["CRFsuite lbfgs"]
