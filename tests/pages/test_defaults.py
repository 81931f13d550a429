"""Figures on the page on defaults are those of the results."""

from page_text import text_of

from benchmarks.averages import averaged
from benchmarks.store import stored
from benchmarks.tables.defaults import CLASSIFIERS
from benchmarks.tables.pages import TABLES


def test_c_is_nearly_the_best_multiple_for_arrays_and_for_sparse_rows():
    rows = {row["C"]: row for row in stored("defaults/classifiers")["candidates"]}
    for kind in ("standardised", "raw", "tf-idf", "counts"):
        chosen = "1 n" if kind in ("tf-idf", "counts") else "10 n"
        assert rows[chosen][kind] > max(row[kind] for row in rows.values()) - 0.2


def test_ours_has_the_highest_mean_accuracy():
    rows = stored("defaults/classifiers")["the comparison"]
    for row in averaged(rows, ["form"], CLASSIFIERS):
        assert row["MulticlassSVM"] == max(row[name] for name in CLASSIFIERS)
    by_kind = {row["features"]: row for row in TABLES["defaults-kinds"].rows()}
    assert by_kind["0 and 1"]["logistic"] > by_kind["0 and 1"]["ours"]
    assert by_kind["tf-idf"]["SVC"] > by_kind["tf-idf"]["ours"]


def log_losses():
    rows, names = stored("defaults/classifiers")["log likelihood, the comparison"], CLASSIFIERS[::2]
    means = {row["form"]: row for row in averaged(rows, ["form"], names)}
    means |= {
        row["kind"]: row for row in averaged(rows, ["kind"], names) if "counts" in row.values()
    }
    ours, theirs = ({of: f"{-row[name] / 100:.2f}" for of, row in means.items()} for name in names)
    assert ours["prepared"] == ours["raw"]
    return [
        f"log loss is {ours['raw']} after {theirs['prepared']} and {theirs['raw']} of",
        f"on counts {ours['counts']} after {theirs['counts']}",
    ]


def test_units_do_not_matter():
    rows = stored("defaults/units")["scores"]
    for row in rows:
        ours, best = (row[f"ours, {form}"] for form in ("moved", "standardised"))
        assert ours > best - 0.5


def tolerance():
    rows = [row for row in stored("defaults/tolerance")["hinge"] if row["kind"] == "treebank"]
    loose, tight = (next(row for row in rows if row["rtol"] == rtol) for rtol in (0.1, 0.01))
    return [
        f"{loose['score']:.1f} % right in {loose['CPU s']:.1f} s, "
        f"`rtol=0.01` {tight['score']:.1f} % in {tight['CPU s']:.1f} s",
    ]


def segments():
    rows = {row["kind"]: row for row in stored("defaults/segments")["F1"]}
    two, six, sums, states = (
        tuple(f"{rows[kind][C]:.1f}" for C in ("default", "C=5 n"))
        for kind in ("two features", "six features", "sums", "states")
    )
    return [
        f"is {two[0]} and {six[0]} with two and six features (5 n: {two[1]}, {six[1]}), "
        f"with sums {sums[0]} ({sums[1]}), on states {states[0]} ({states[1]})."
    ]


def test_the_figures_are_those_of_the_results():
    for figure in tolerance() + log_losses() + segments():
        assert figure in text_of("appendix/defaults.md"), figure


def test_ten_n_has_the_lowest_log_loss_on_each_kind():
    rows = stored("defaults/log_loss")["log loss"]
    for kind in {row["kind"] for row in rows}:
        of_kind = {row["C / n"]: row["100 log loss"] for row in rows if row["kind"] == kind}
        assert min(of_kind, key=of_kind.get) == 10


def test_cross_validation_takes_some_six_times_as_long():
    rows = stored("defaults/cross_validation")["every set"]
    times = [row["time"] for row in rows if row["C"] == "cv"]
    assert round(sum(times) / len(times)) == 6
    assert "takes some six times as long" in text_of("faq.md")
