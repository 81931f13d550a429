"""Figures in the sentences of docs/papers are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored
from benchmarks.tables import bayesian, cpm3c, kmeans, multivariate
from benchmarks.tables.pages import TABLES

TEXTS = ("text-1", "text-2", "rec", *(f"webkb {name}" for name in kmeans.PAPER["webkb-n"]))


def of_cpm3c():
    content = stored(cpm3c.RESULTS)
    pages = [cpm3c.found(content, name, "one cluster")["accuracy"] for name in TEXTS[3:]]
    paper = [cpm3c.PAPER[name][1].seconds / cpm3c.PAPER[name][0].seconds for name in TEXTS]
    slower = [
        cpm3c.found(content, name, "one start")["CPU s"]
        / cpm3c.found(content, name, "k-means, single starts")["CPU s"]
        for name in TEXTS
    ]
    return [
        f"{min(pages):.0f} to {max(pages):.0f} % of the pages",
        f"a factor of {min(paper):.0f} to {max(paper):.0f}.",
        f"by a factor of {min(slower):.0f} to {max(slower):.0f}",
    ]


def of_multivariate_mmc():
    rows = TABLES["multivariate-nmi"].rows()[-1]
    columns = ("paper", "best of a grid by labels")
    paper, ours = (rows[column].split(" / ") for column in columns)
    content = stored(multivariate.RESULTS)
    one = {row["data"]: row for row in content["defaults"] if row["method"] == "one cluster"}
    return [
        f"raises it from {paper[0][1:]} to {paper[1][1:]} in the paper",
        f"changes it from {ours[0][1:]} to {ours[1][1:]} here",
        f"have {one['ringnorm']['F']:.3f} and {one['ionosphere']['F']:.3f} there".replace(
            "0.", "."
        ),
    ]


def of_sdp_mmc():
    several = stored("reproduction/sdp_mmc")["several"]
    ahead = [sum(row["SDP"] > row[other] for row in several) for other in ("k-means", "CPM3C")]
    australian = rows_by("reproduction/sdp_mmc", "labels", "data")["australian"]
    assert australian["SDP"] < australian["SDP, balance"]
    return [
        f"k-means on {ahead[0]} of {len(several)} sets, and more than `CPM3C` on {ahead[1]}",
        f"does harm on australian: {australian['SDP, balance']:.1f} % are wrong",
    ]


def of_bayesian_mmc():
    found = rows_by(bayesian.RESULTS, "universum", "data")["mnist 5v8"]
    paper = bayesian.PAPER_UNIVERSUM["mnist 5v8"]
    return [
        f"from {found['diffusion, None']:.1f} to {found['diffusion, mean']:.1f} % with the default "
        f"kernel, in the paper they fall from {paper[0]} to {paper[1]}",
        f"they fall by {found['rbf, None'] - found['rbf, mean']:.1f}",
    ]


def of_supervised_kmeans():
    content = stored(kmeans.RESULTS)
    texts = [row for title in ("news", "linqs", "webkb-n", "webkb-l") for row in content[title]]
    sets = dict.fromkeys((row["data"], row["held out"]) for row in texts)
    assert all(
        kmeans.loss_of(content, *key, "Iterative") < kmeans.loss_of(content, *key, "Logistic")
        for key in sets
    )
    ours = {row[""]: row for row in TABLES["kmeans-means"].rows()}
    of_news = [rows.values() for name, rows in kmeans.PAPER.items() if "news" in name]
    news = [losses for rows in of_news for losses in rows]
    linqs = next(row for row in content["chance"] if "linqs" in row.values())
    return [
        f"on all {len(sets)} sets of texts and web pages",
        f"is {ours['news']['Iterative']}, of Pair {ours['news']['Pair']}",
        f"in the paper {sum(row[0] for row in news) / len(news):.1f} and",
        f"{sum(row[2] for row in news) / len(news):.1f}",
        f"on linqs is {linqs['standard deviation']:.1f}",
    ]


@pytest.mark.parametrize(
    "source", [of_cpm3c, of_multivariate_mmc, of_sdp_mmc, of_bayesian_mmc, of_supervised_kmeans]
)
def test_the_figures_are_those_of_the_results(source):
    page = f"papers/{source.__name__.removeprefix('of_')}.md"
    for figure in source():
        assert figure in text_of(page), figure


def test_the_tables_name_each_set_once():
    assert len(multivariate.ORDER) == len(set(multivariate.ORDER)) == 10
    for name in ("cpm3c-accuracy", "cpm3c-rand", "multivariate-nmi"):
        rows = TABLES[name].rows()
        assert len({row[""] for row in rows}) == len(rows)
