"""Figures on the page on many cores are those of the results."""

from page_text import text_of

from benchmarks.store import stored


def test_the_figures_on_the_page_on_many_cores_are_those_of_the_plan():
    text = text_of("many_cores.md")
    plan, costs = stored("scale/plan"), stored("scale/measure")["oracles"]
    chain, rows, slow = (
        f"one slack, {kind}" for kind in ("chain", "multiclass", "oracle of 10 ms")
    )
    by = {
        (row["training"], row["way"]): row
        for row in plan["hours"]
        if row["workers"] == 1000 and row["size of w"] == 10**5
    }
    most = {
        (row["training"], row["way"], row["case"]): row
        for row in plan["limits"]
        if row["size of w"] == 10**6
    }
    efficiency = [100 * by[name, "sums"]["efficiency"] for name in (chain, rows)]
    flat, tree = (most[rows, way, "10 Gbit/s"] for way in ("sums", "tree"))
    stragglers = {row["half"] for (_, _, case), row in most.items() if case == "stragglers"}
    gigabytes = costs[0]["bytes of the output"]  # of 10^9 examples
    passing = by[chain, "today"]["hours alone"] * 3600 / by[chain, "today"]["passes"]
    for figure in (
        f"{gigabytes:.0f} GB of outputs in a pass",
        f"in {gigabytes / 1.25:.0f} s, where 32 workers find them in {passing / 32:.0f} s",
        "efficiency of {:.0f} % with chains and {:.0f} % with cheap rows".format(*efficiency),
        f"more than {flat['half']} workers, and is slower with more than {flat['fastest']}",
        f"a tree reaches {tree['half']}",
        f"{by[slow, 'sums']['hours']:.0f} hours on 1000 workers",
        f"more than {max(stragglers)} workers wait for the slowest",
    ):
        assert figure in text, figure


def test_every_run_on_the_page_on_many_cores_has_equal_bits():
    runs = stored("scale/backends")["runs"]
    assert all(row["same bits"] for row in runs)
    assert {row["backend"] for row in runs if row["killed"]} == {"processes", "Dask", "Ray"}
