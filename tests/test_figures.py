"""Figures in the text of the pages are those of the benchmarks' results."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.store import stored
from benchmarks.tables.pages import TABLES

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "problems.md").read_text()


def figures(results, title, key):
    """The rows of a stored table by their first column."""
    return {row[key]: row for row in stored(results)[title]}


def tags():
    rows = figures("sequences/tags", "accuracy", "trainer")
    best = max(row["test"] for name, row in rows.items() if name.startswith("CRFsuite"))
    return [f"{rows['ChainSVM()']['test']:.2f} %", f"best of four: {best:.2f} %"]


def letters():
    rows = figures("sequences/letters", "error of a letter, percent", "trainer")
    return [
        f"{rows['ChainSVM()']['error']:.1f} % wrong letters",
        f"CRFsuite {rows['CRFsuite lbfgs']['error']:.1f} %",
        f"`LogisticRegression` {rows['LogisticRegression()']['error']:.1f} %",
    ]


def words():
    rows = figures("sequences/words", "words found, percent", "method")
    return [
        f"F1 of words {rows['SegmentSVM']['F1']:.1f} %",
        f"`ChainSVM` {rows['ChainSVM']['F1']:.1f} %",
        f"CRFsuite {rows['CRFsuite averaged-perceptron']['F1']:.1f} %",
    ]


def parsing():
    rows = figures("trees/parsing", "attachment in percent, and CPU seconds", "parser")
    perceptron = rows["averaged perceptron, 5 epochs"]["test"]
    return [
        f"{rows['DependencyParser()']['test']:.2f} % attachment",
        f"averaged perceptron {perceptron:.2f} %",
        f"right neighbour {rows['right neighbour']['test']:.1f} %",
    ]


def ranking():
    rows = figures("ranking/mq2008", "MQ2008", "method")
    text = {name: f"{row['MAP, default']:.3f}".lstrip("0") for name, row in rows.items()}
    return [
        f"MAP {text['RankingSVM, average precision']}",
        f"LightGBM {text['LightGBM lambdarank']}",
        f"`LinearSVC` of pairs {text['LinearSVC of pairs']}",
        f"best single feature {text['single feature']}",
    ]


def newsgroups():
    rows = figures("classification/taxonomy", "all articles", "model")

    def figure(name):
        distance = f"{rows[name]['distance']:.3f}".lstrip("0")
        return f"{rows[name]['accuracy']:.1f} %, {distance} edges"

    flat = [f"`{name}` {figure(name)}" for name in ("MulticlassSVM", "LinearSVC")]
    return [figure("TaxonomySVM"), *flat]


def horses():
    rows = figures("graphs/horses", "32 x 32", "method")
    names = ("mean IoU", 3), ("pixel accuracy", 4)
    grid, pixels = (
        [f"{rows[method][name]:.{digits}f}".lstrip("0") for name, digits in names]
        for method in ("grid, all weights", "LinearSVC of pixels")
    )
    return [
        f"mean IoU {grid[0]}, pixels {grid[1]}",
        f"`LinearSVC` of pixels {pixels[0]} and {pixels[1]}",
    ]


def house():
    row = figures("matching/house", "fraction of landmarks wrong", "k")[60]
    percent = {key: f"{100 * value:.1f} %" for key, value in row.items()}
    return [
        f"{percent['learned, contexts']} wrong landmarks",
        f"{percent['learned, contexts and graph']} with the graph",
        f"equal weights {percent['equal, contexts']}",
        f"quadratic assignment {percent['quadratic, equal']}",
    ]


def cells():
    f1 = {
        (row["weights"], row["annotated"]): f"{row['F1']:.3f}".lstrip("0")
        for row in stored("programs/cell_tracking")["tracking"]
    }
    assert f1["prior", 1.0] == f1["prior", 0.5]
    return [
        f"F1 of links {f1['learned', 1.0]}; {f1['learned', 0.5]} from half the labels",
        f"{f1['prior', 1.0]} from either near weights by hand",
        f"weights by hand {f1['by hand', 0.0]}",
    ]


def label_sets():
    found = []
    for title in ("scene", "yeast"):
        rows = [r for r in stored("label_sets/yeast_scene")[title] if r["chosen"] == "default"]
        by = {
            r["estimator"]: [f"{r[key]:.3f}".lstrip("0") for key in ("Hamming", "F1")] for r in rows
        }
        single, chain = by["OneVsRest(LinearSVC)"], by["ClassifierChain(LogisticRegression)"]
        found += [
            "Hamming loss {}, F1 {}".format(*by["MultiLabelSVM"]),
            "OneVsRest {} and {}, ".format(*single)
            + "a chain of classifiers {} and {}".format(*chain),
        ]
    return [*found, "{} and {} trained for F1".format(*by["MultiLabelSVM, cost='f1'"])]


def digits():
    wrong = "wrong digits, percent"
    found = figures("latent/digits", "latent", "start")["most ink, descent"][wrong]
    beside = figures("latent/digits", "beside", "LinearSVC on")
    image, ink, place = (beside[x][wrong] for x in ("the image", "most ink", "the true place"))
    return [
        f"{found:.1f} % wrong digits",
        f"on the image {image:.1f} %, on the window with most ink {ink:.1f} %, on the true place "
        f"{place:.1f} %",
    ]


def promoters():
    fewest = min(row["errors"] for row in stored("latent/promoters")["latent"])
    beside = figures("latent/promoters", "beside", "method")
    counts = beside["LinearSVC on k-mers, k chosen"]["errors"]
    letters_of = beside["LinearSVC on letters by position"]["errors"]
    return [
        f"{fewest} of 106 wrong",
        f"on counts of k-mers {counts}, on letters by position {letters_of}",
    ]


SOURCES = [
    newsgroups,
    label_sets,
    tags,
    letters,
    words,
    parsing,
    horses,
    house,
    cells,
    ranking,
    digits,
    promoters,
]


@pytest.mark.parametrize("source", SOURCES)
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in PAGE, figure


def test_the_temperature_on_the_page_on_sequences_is_that_of_the_results():
    before, after = stored("sequences/tags")["log loss"]
    text = " ".join((DOCS / "sequences.md").read_text().split())
    assert f"On the tags below it is {after['temperature']:.2f}" in text
    assert f"falls from {before['log loss']:.2f} to {after['log loss']:.2f}" in text


def test_the_overlaps_on_the_page_on_latent_outputs_are_those_of_the_results():
    shared = figures("latent/promoters", "overlaps", "sequences")["others"]["shared"]
    text = " ".join((DOCS / "latent.md").read_text().split())
    assert f"{shared} of the 53 sequences that are no promoters share 12 letters" in text


def test_the_figures_on_the_page_on_many_cores_are_those_of_the_plan():
    text = " ".join((DOCS / "many_cores.md").read_text().split())
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


def test_the_times_of_tags_on_the_page_on_speed_are_those_of_the_results():
    text = " ".join((DOCS / "speed.md").read_text().split())
    rows = [row for row in TABLES["speed-overview"].rows() if row["trained"].startswith("tags")]
    ratios = [float(row["ratio"]) for row in rows]
    assert f"from {min(ratios):.1f} to {max(ratios):.1f} times as long as CRFsuite's 100" in text
    scaled = stored("sequences/scale")["time, memory and accuracy"]
    seconds = {row["trainer"]: row["CPU s"] for row in scaled if row["task"].startswith("tags")}
    ours = [s for name, s in seconds.items() if "C=" in name]
    assert len(ours) == 2 and max(ours) < seconds["CRFsuite lbfgs"]


def test_the_comparisons_of_sdp_mmc_are_those_of_the_results():
    results = stored("reproduction/sdp_mmc")
    relatives = " ".join((DOCS / "relatives.md").read_text().split())
    page = " ".join((DOCS / "reproduction_relatives.md").read_text().split())
    pairs = [(row["data"], row["admm"], row["low_rank"]) for row in results["solvers"]]
    ratio = min(low["lower bound"] / admm["lower bound"] for _, admm, low in pairs)
    assert f"at least {np.floor(ratio * 1000) / 1000:.3f} of the".replace("0.", ".") in relatives
    above = {name: low["f of the labels"] / admm["f of the labels"] for name, admm, low in pairs}
    assert f"their f is {100 * (above.pop('diabetes') - 1):.1f} %".replace("0.", ".") in page
    assert max(above.values()) < 1.001
    worse = [name for name, admm, low in pairs if low["error"] > admm["error"]]
    assert worse == ["vote"]  # by one of 200 rows
    several = results["several"]
    ahead = [sum(row["SDP"] > row[other] for row in several) for other in ("k-means", "CPM3C")]
    words = "more right rows than k-means on {} of these {} sets, and more than `CPM3C` on {}"
    assert words.format(ahead[0], len(several), ahead[1]) in page


def test_the_accuracies_of_tags_with_a_prior_are_those_of_the_results():
    (rows,) = stored("sequences/adaptation").values()
    text = " ".join((DOCS / "experience.md").read_text().split())
    behind = max(row["both"] - row["prior, C"] for row in rows)
    assert (
        f"within {np.ceil(behind * 10) / 10:.1f} points of training on all".replace("0.", ".")
        in text
    )
    times = [row["prior, C, CPU s"] / row["both, CPU s"] for row in rows]
    assert "takes two to four times the time of that training" in text
    assert 2 <= min(times) and max(times) <= 4
    assert "worse than those of the source alone up to a hundred sentences" in text
    assert all((row["prior"] < row["source"]) == (row["labelled"] <= 100) for row in rows)
