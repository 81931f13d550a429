"""Figures on the page of papers reproduced are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored
from benchmarks.tables.bayesian import PAPER_UNIVERSUM
from benchmarks.tables.cpm3c import PAPER
from benchmarks.tables.kmeans import mean_loss
from benchmarks.tables.pages import TABLES


def cpm3c():
    results = stored("reproduction/cpm3c")
    rows = {row[""]: row for row in TABLES["cpm3c"].rows()}
    reached = [row for row in rows.values() if float(row["without labels"]) >= float(row["paper"])]
    near = next(row for row in results["objectives"]
                if (row["data"], row["method"]) == ("digits 1279", "diffusion"))  # fmt: skip
    assert near["from the classes"] < near["objective"]
    short = {name: float(row["paper"]) - float(row["without labels"]) for name, row in rows.items()}
    webkb = [row for name, row in rows.items() if name.startswith("webkb")]
    beside = [float(row["k-means"]) - float(row["without labels"]) for row in webkb]
    plain = {
        row["data"]: row["accuracy"] for row in results["two clusters"] if row["method"] == "linear"
    }
    pairs = next(row for row in results["45 digit pairs"] if row["method"] == "default")
    mnist = results["45 MNIST pairs"][0]["accuracy"]
    seconds = {(row["clusters"], row["n"]): row["CPU s"] for row in results["growth with n"]}
    alone = results["growth with n"][-1]["one start, CPU s"]
    return [
        f"on {len(reached)} of {len(PAPER)} data sets, and "
        f"{rows['45 digit pairs']['without labels']} % in the mean",
        f"{near['its accuracy']:.2f} % right",
        f"the lowest of all pairs has {pairs['worst']:.2f} %",
        f"digits 2v7 and satellite: by {short['digits 2v7']:.1f} points each",
        f"digits 2v7 and satellite: by {short['satellite']:.1f} points each",
        f"text-1 and text-2: by {short['text-1']:.1f} and {short['text-2']:.1f} points",
        f"paper's search has {plain['text-1']:.2f} and {plain['text-2']:.2f} %",
        f"k-means is up to {max(beside):.1f} points ahead",
        f"paper's search {mnist:.2f} %",
        f"100,000 take {seconds[2, 100_000]:.1f} s for two clusters and "
        f"{seconds[4, 100_000]:.1f} s for four, a million {seconds[2, 1_000_000]:.1f} and "
        f"{seconds[4, 1_000_000]:.1f} s.",
        f"takes {alone:.1f} s for a million and four clusters",
    ]


def multivariate():
    rows = {row[""]: row for row in TABLES["multivariate"].rows()}
    mmc, trained = rows["NMI, MMC"], rows["NMI, its loss"]
    protocol = "paper's protocol"
    return [
        f"from {mmc['paper']} to {trained['paper']} in the paper",
        f"from {mmc[protocol]} to {trained[protocol]} here",
    ]


def supervised_k_means():
    results = stored("reproduction/supervised_kmeans")
    rows = {row[""]: row for row in TABLES["kmeans"].rows()}
    texts = [row for title in ("news", "linqs", "webkb-n", "webkb-l") for row in results[title]]
    sets = dict.fromkeys((row["data"], row["held out"]) for row in texts)
    loss = {
        (key, method): mean_loss([r for r in texts if (r["data"], r["held out"]) == key],
                                 key[0], method)
        for key in sets for method in ("Iterative", "Logistic")
    }  # fmt: skip
    assert all(loss[key, "Iterative"] < loss[key, "Logistic"] for key in sets)
    equal = [n for n, row in rows.items() if float(row["Iterative"]) >= float(row["Spectral"])]
    assert equal == ["synth 0.2", "paper: webkb-n"]
    linqs = next(row for row in results["chance"] if "linqs" in row.values())
    return [
        f"of Iterative is {rows['news']['Iterative']}, of Pair {rows['news']['Pair']}",
        f"all {len(sets)} sets of texts and web pages",
        f"on linqs is {linqs['standard deviation']:.1f}",
    ]


def sdp():
    results = stored("reproduction/sdp_mmc")
    labels = rows_by("reproduction/sdp_mmc", "labels", "data")["digits 1v7"]
    several = results["several"]
    ahead = [sum(row["SDP"] > row[other] for row in several) for other in ("k-means", "CPM3C")]
    return [
        f"leave {labels['SDP']:.1f} % errors (paper: 3.3); the support vector machine leaves "
        f"{labels['SVM, cross-validated']:.1f} %",
        f"k-means on {ahead[0]} of {len(several)} sets, and more than `CPM3C` on {ahead[1]}",
    ]


def bayesian():
    rows = TABLES["bayesian"].rows()
    some = [row for row in rows if not row[""].endswith("1000")]
    below = [row for row in some if float(row["without labels"]) < float(row["paper"])]
    news = next(row for row in rows if row[""].startswith("news 9v10"))
    best = next(row for row in stored("reproduction/bayesian_mmc")["sets"]
                if (row["data"], row["n"]) == ("mnist 3v8", 1000))["best"]  # fmt: skip
    assert best < 6.0
    found = rows_by("reproduction/bayesian_mmc", "universum", "data")["mnist 5v8"]
    paper = PAPER_UNIVERSUM["mnist 5v8"]
    return [
        f"on {len(below)} of {len(some)} data sets: {news['without labels']} % on news 9v10 "
        f"(paper: {news['paper']})",
        f"from {found['diffusion, None']:.1f} to {found['diffusion, mean']:.1f} %, in the paper "
        f"they fall from {paper[0]} to {paper[1]}",
    ]


@pytest.mark.parametrize("source", [cpm3c, multivariate, supervised_k_means, sdp, bayesian])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("appendix/reproduction.md"), figure
