"""Figures on the page on many cores, and those of the plan for more, are those of the results."""

import ast
from pathlib import Path

from page_text import text_of

from benchmarks.store import stored

PLAN = Path(__file__).parents[2] / "benchmarks" / "scale" / "plan.py"


def test_the_speed_ups_on_the_page_are_those_of_the_results():
    results = stored("speed/parallel")
    times, overhead = results.values()
    gain = {
        row["work"].rpartition(", ")[2]: f"{row['speed-up']:.1f} times"
        for row in times
        if row["where"] == "n_jobs=2"
    }
    text = text_of("many_cores.md")
    assert f"two jobs were {gain['OneSlackCuttingPlane']} as fast" in text
    assert f"and {gain['SmoothedCuttingPlane']} with `SmoothedCuttingPlane`" in text
    assert f"{overhead[0]['ms']:.0f} ms for two processes" in text


def test_every_run_on_the_page_on_many_cores_has_equal_bits():
    runs = stored("scale/backends")["runs"]
    assert all(row["same bits"] for row in runs)
    assert {row["backend"] for row in runs if row["killed"]} == {"processes", "Dask", "Ray"}


def test_the_conclusion_of_the_plan_is_that_of_its_results():
    plan = stored("scale/plan")
    efficiency = {
        row["training"]: f"{100 * row['efficiency']:.0f} %"
        for row in plan["hours"]
        if (row["way"], row["workers"], row["size of w"]) == ("sums", 1000, 10**5)
    }
    waiting = {row["half"] for row in plan["limits"] if row["case"] == "stragglers"} - {32}
    text = " ".join(ast.get_docstring(ast.parse(PLAN.read_text())).split())
    assert f"{efficiency['one slack, chain']} with chains" in text
    assert f"{efficiency['one slack, multiclass']} with cheap rows" in text
    assert f"more than {max(waiting)} workers wait" in text
