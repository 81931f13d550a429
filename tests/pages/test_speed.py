"""Figures on the page on speed are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored
from benchmarks.tables.pages import TABLES

KINDS = ("four methods", "a task")
PROFILES = "profiles, 2000 x 216, 10 classes"


def first(results):
    return next(iter(stored(results).values()))


def tags():
    rows = [row for row in first("speed/tagging") if row["sentences"] == 12544]
    ours = [row for row in rows if row["trainer"] == "structsvm C=0.5"]
    crfsuite = next(row for row in rows if row["trainer"] == "CRFsuite lbfgs")
    ratios = [float(row["ratio"]) for row in TABLES["speed-overview"].rows()[:4]]
    return [
        f"from {min(ratios):.1f} to {max(ratios):.1f} times as long as CRFsuite's 100",
        *(
            f"{100 * row['certified gap']:.1f} % takes {row['CPU s']:.1f} s and gets "
            f"{row['test']:.2f} %"
            for row in (ours[0], ours[-1])
        ),
        f"{ours[-1]['peak GB']:.2f} GB, data included, instead of {crfsuite['peak GB']:.2f}",
    ]


def a_million_rows():
    (row, *_) = [row for row in first("speed/large") if row["solver"] == "SmoothedLBFGS"]
    return [f"{row['CPU s']:.1f} s to a gap of 1 %"]


def few_wide_rows():
    rows = stored("speed/few_wide_rows")["plans, CPU s"]
    chosen = [row for row in rows if row["solver"].startswith("DualInteriorPoint, ")]
    assert {row["data"] for row in rows} - {row["data"] for row in chosen} == {PROFILES}
    passes = [row["passes"] for row in chosen]
    beside = [row["passes of SmoothedLBFGS"] for row in chosen if row["C of a row"] == 1]
    ratios = [row["ratio"] for row in chosen]
    return [
        f"{min(beside)} to {max(beside)}. `DualInteriorPoint` takes {min(passes)} to {max(passes)}",
        f"{min(ratios):.2f} to {max(ratios):.2f} of the time",
    ]


def expensive_oracles():
    rows = [row for row in first("speed/expensive_oracle") if row["target"] == 1e-3]
    passes = {row["solver"]: row["passes"] for row in rows if row["data"].startswith("OCR")}
    plain = passes["one slack, plain"]
    assert 0.38 < 1 - passes["OneSlackCuttingPlane"] / plain < 0.45
    return [
        f"needs {passes['SmoothedCuttingPlane']:.1f} passes",
        f"as published (*plain*) {plain:.0f}.",
    ]


def oracles_in_python():
    rows = stored("speed/oracle_cost")["summary"]
    mean = {
        (row["solver"], row["n"]): row["mean"]
        for row in rows
        if row["a call takes"] == "as it does"
    }
    own = [row["engine, us a call"] for row in first("speed/single_oracle")]
    return [
        f"takes {mean['NSlackCuttingPlane', 100]:.2f} of the time",
        f"{mean['SmoothedCuttingPlane', 400]:.2f} with 400",
        f"adds {min(own):.0f} to {max(own):.0f} µs",
    ]


def small_fits():
    """CPU seconds of small fits, and their ratios to a loop by hand, by problem."""
    rows = stored("speed/small_fits")["fits of small data, CPU time beside a loop by hand"]
    return (
        [[row[column] for row in rows if row["problem"] == problem] for problem in KINDS]
        for column in ("CPU ms", "ratio")
    )


def beside_a_loop_by_hand():
    _, (four, task) = small_fits()
    return [
        "takes {:.1f} times the time of a loop written by hand with 20 examples, {:.1f} times with "
        "200 and {:.1f} times with 2,000".format(*four),
        "With a task it takes {:.1f}, {:.1f} and {:.2f} times as long".format(*task),
    ]


def many_cores():
    fits, overhead = stored("speed/parallel").values()
    costs = [row["ms"] for row in overhead]
    return [
        f"are {fits[1]['speed-up']:.2f} times as fast",
        f"{costs[0]:.0f} ms a pass with two processes, {costs[1]:.0f} ms with four Dask workers",
    ]


@pytest.mark.parametrize(
    "source",
    [tags, few_wide_rows, a_million_rows, expensive_oracles, oracles_in_python,
     beside_a_loop_by_hand, many_cores],
)  # fmt: skip
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("appendix/speed.md"), figure


def test_what_a_task_gains_is_that_of_the_results():
    (four, task), _ = small_fits()
    gains = [after / before for before, after in zip(four, task, strict=True)]
    words = "take {:.2f} of the time with 20 examples, {:.2f} with 200 and {:.2f} with 2,000"
    assert words.format(*gains) in text_of("speed_up_a_problem.md")


def test_ratios_in_words_are_those_of_the_table():
    ratio = {row["trained"]: float(row["ratio"]) for row in TABLES["speed-overview"].rows()}
    with_intercept = [ratio[name] for name in ratio if name.endswith(", intercept")]
    without = [ratio[name] for name in ratio if "topics" in name and "intercept" not in name]
    assert max(with_intercept) < 0.15 and all(1.5 < value <= 2.5 for value in without)
    longer = {name for name, value in ratio.items() if value > 2 and "tags" not in name}
    assert longer == {*(n for n in ratio if n.endswith("C=0.1") and "topics" in n),
                      "digits/16 C=0.1", "mnist/255 C=0.01"}  # fmt: skip


def test_few_wide_rows_are_certified_and_a_hundred_take_ten_milliseconds():
    rows = {row["data"]: row for row in first("speed/few_wide_rows")}
    assert max(row["relative gap"] for row in rows.values()) <= 1e-3
    assert rows[PROFILES]["solver"].startswith("SmoothedLBFGS, ")
    assert 0.005 < rows["animals, 101 x 16, 7 classes"]["MulticlassSVM"] < 0.015


def test_gaps_are_as_small_as_the_page_says():
    tags = [row for row in first("speed/tagging") if row["trainer"].startswith("structsvm")]
    last = {(row["trainer"], row["sentences"]): row["certified gap"] for row in tags}
    assert max(last.values()) <= 0.01
    race = [row["certified"] for row in first("speed/race") if row["target"] == 1e-3]
    assert max(gap for gap in race if gap != "-") <= 1e-3


def test_tags_take_less_time_than_crfsuite_needs_until_it_stops():
    scaled = stored("sequences/scale")["time, memory and accuracy"]
    seconds = {row["trainer"]: row["CPU s"] for row in scaled if row["task"].startswith("tags")}
    ours = [s for name, s in seconds.items() if "C=" in name]
    assert len(ours) == 2 and max(ours) < seconds["CRFsuite lbfgs"]
