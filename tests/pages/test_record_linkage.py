"""Figures on the page on record linkage are those of the results."""

import pytest
from page_text import text_of

from benchmarks.averages import grouped
from benchmarks.store import stored
from benchmarks.tables.record_linkage import METHODS, RESULTS, mean_by_method

F1 = {
    (data, learned): mean_by_method(rows, "pairs")
    for (data, learned), rows in grouped(stored(RESULTS)["comparison"], ["data", "learned"]).items()
}


def ahead_and_behind():
    names, few = F1["RLdata10000", 0.1], F1["restaurants", 0.1]
    assert all(
        F1["RLdata10000", n]["ours"] == max(F1["RLdata10000", n].values()) for n in (0.1, 0.3)
    )
    return [
        f"{names['ours']:.1f} % from a tenth of the entities, components {names['components']:.1f}",
        f"too few for ours: {few['ours']:.1f} %, splink {few['splink']:.1f} %",
    ]


def unlisted():
    mean = mean_by_method(stored(RESULTS)["choice"], "pairs")
    components = max(mean[name] for name in mean if name.startswith("components"))
    learned, impossible = (mean[f"{name}, C = 300"] for name in ("learned", "impossible"))
    return [
        f"F1 {learned:.1f} %, impossible pairs {impossible:.1f} %, components {components:.1f} %"
    ]


def large():
    rows = stored("set_clustering/large_block")["sizes"]
    (row,) = (row for row in rows if (row["records"], row["unlisted"]) == (10_000, "impossible"))
    assert 24 < row["training, s"] <= 25
    return [f"{row['pairs']:,} pairs in one block train in 25 seconds and {row['memory, MB']} MB"]


@pytest.mark.parametrize("source", [ahead_and_behind, unlisted, large])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("record_linkage.md"), figure


def test_the_methods_are_close_on_febrl():
    for (data, _), mean in F1.items():
        if data.startswith("FEBRL"):
            shown = [round(mean[name], 1) for name in METHODS.values()]
            assert max(shown) - min(shown) <= 0.5
            assert mean["splink"] > max(shown) - 0.1
