"""Figures on the page on classes are those of the results."""

from page_text import text_of

from benchmarks.averages import averaged
from benchmarks.store import stored

NAMES = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]


def test_the_means_over_the_sets():
    rows = averaged(stored("defaults/classifiers")["the comparison"], ["form"], NAMES)
    prepared, raw = sorted(rows, key=lambda row: row["form"])
    means = ", ".join(f"`{name}` {float(prepared[name]):.1f} %" for name in NAMES)
    first, second, third = (f"{float(raw[name]):.1f}" for name in NAMES)
    assert f"on {prepared['sets']} data sets" in text_of("multiclass.md")
    assert f"{means}; with raw features {first}, {second} and {third} %" in text_of("multiclass.md")
