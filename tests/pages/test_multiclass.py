"""Figures on the page on classes are those of the results."""

from page_text import text_of

from benchmarks.averages import averaged
from benchmarks.store import stored

NAMES = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]


def test_the_means_over_the_sets():
    rows = averaged(stored("defaults/classifiers")["the comparison"], ["form"], NAMES)
    (row,) = (row for row in rows if row["form"] == "prepared")
    means = ", ".join(f"`{name}` {float(row[name]):.1f} %" for name in NAMES)
    assert f"on {row['sets']} data sets" in text_of("multiclass.md")
    assert means in text_of("multiclass.md")


def test_the_lead_of_linear_svc_on_texts():
    rows = stored("defaults/classifiers")["the comparison"]
    texts = ("webkb_linqs", "cora", "newsgroups")
    leads = [
        row["LinearSVC"] - row["MulticlassSVM"]
        for row in rows
        if row["data"] in texts and row["form"] == "prepared"
    ]
    assert f"ahead by {min(leads):.0f} to {max(leads):.0f} points" in text_of("multiclass.md")
