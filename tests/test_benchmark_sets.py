"""The modules that the benchmark scripts share: data sets, baselines, the race."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score, fbeta_score, rand_score
from sklearn.metrics.pairwise import rbf_kernel

import structsvm
from benchmarks import item_sets, report
from benchmarks.reproduction import (
    _baselines,
    _bayesian_calibration,
    _names,
    _protocol,
    _sets,
    _transductive,
)
from benchmarks.speed import _contenders, _data, cpu_time_by_part, expensive_oracle, planes_per_pass
from structsvm import OneSlackCuttingPlane, check_problem
from structsvm.datasets import FOLDER_VARIABLE
from structsvm.problems import Multiclass

pytestmark = pytest.mark.slow

SIZES = {
    "digits 3v8": (357, 64, 2),
    "digits 0689": (713, 64, 4),
    "digits 1279": (718, 64, 4),
    "digits": (1797, 64, 10),
    "ringnorm": (1000, 20, 2),
    "ionosphere": (351, 34, 2),
    "letter AvB": (1555, 16, 2),
    "letter ABCD": (3096, 16, 4),
    "satellite": (2236, 36, 2),
    "text-1": (1986, 16175, 2),
    "text-2": (1993, 16175, 2),
    "rec": (3979, 16175, 4),
    "webkb cornell": (867, 7289, 7),
    "webkb texas": (827, 6082, 7),
    "webkb washington": (1205, 8348, 7),
    "webkb wisconsin": (1261, 8801, 7),
    "mnist 0v1": (14780, 784, 2),
    "mnist": (70000, 784, 10),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name, capsys):
    (data,) = list(_sets.load([name])) or pytest.skip(capsys.readouterr().out.strip())
    assert data.name == name
    assert (*data.X.shape, data.n_clusters) == SIZES[name]
    assert len(data.y) == data.X.shape[0]
    assert data.X.dtype == (np.float32 if "mnist" in name else np.float64)
    if issparse(data.X):
        assert data.X.format == "csr"
        np.testing.assert_allclose(data.X.multiply(data.X).sum(axis=1), 1)
    elif name != "ringnorm":
        assert 0.6 < abs(data.X).max() <= 1


def test_the_tables_are_made_of_known_sets():
    assert set(_names.PAIRS) | set(_names.SEVERAL) <= set(_sets.BUILDERS)
    names = [data.name for data in _sets.digit_pairs()]
    assert len(names) == len(set(names)) == 45


def test_sets_are_built_when_their_turn_comes(monkeypatch):
    monkeypatch.setitem(_sets.BUILDERS, "ringnorm", lambda: pytest.fail("built too early"))
    first = next(_sets.load(["digits 3v8", "ringnorm"]))
    assert first.name == "digits 3v8"


def test_a_set_without_its_file_is_skipped_aloud(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    names = [data.name for data in _sets.load(["letter AvB", "digits 1v7"])]
    assert names == ["digits 1v7"]
    assert capsys.readouterr().out.startswith("skipped: letter AvB (")


def test_an_article_keeps_its_subject_and_body_alone():
    article = "From: me\nSubject: Re: tyres\nNewsgroups: rec.autos\n\nFlat.\n\nSubject: none"
    assert _sets.article_text(article).split() == ["Re:", "tyres", "Flat.", "Subject:", "none"]


@pytest.mark.parametrize(
    "header", ["", "Server: CERN/3.0\nDate: today\n\n", "Server: CERN\r\nDate: today\r\n\r\n"]
)
def test_a_page_loses_its_header_and_tags(header):
    page = header + "<html><title>Home</title>\n\n<!-- hidden --><p class='a'>Tea &amp; cake"
    assert _sets.page_text(page).split() == ["Home", "Tea", "&", "cake"]


def test_text_before_the_first_tag_is_no_header():
    page = "Date: today\n\nWelcome\n\n<p>here"
    assert _sets.page_text(page).split() == ["Welcome", "here"]


def test_empty_texts_are_dropped_and_counted(capsys):
    texts = [*["apple pear"] * 3, *["plum fig"] * 4, "the of", "unique"]
    X, y = _sets.tfidf(texts, np.arange(9))
    assert X.shape == (7, 4)
    assert y.tolist() == list(range(7))
    assert capsys.readouterr().out.startswith("dropped 2 of 9 texts")


def test_accuracy_names_each_cluster_by_its_majority():
    y = np.array([0, 0, 0, 1, 1, 2])
    assert _baselines.accuracy([5, 5, 5, 5, 7, 7], y) == pytest.approx(4 / 6)
    assert _baselines.accuracy([1, 1, 1, 0, 0, 9], y) == 1
    assert _baselines.accuracy(np.zeros(6), y) == pytest.approx(3 / 6)


def test_measures_by_hand():
    """Clusters {a a b} and {b b}: of ten pairs two true positives, two false of either kind."""
    found = _baselines.measures([0, 0, 0, 1, 1], np.array([0, 0, 1, 1, 1]))
    assert found["accuracy"] == pytest.approx(4 / 5)
    assert found["RI"] == pytest.approx(6 / 10)
    assert found["F"] == pytest.approx(1 / 2)
    entropy = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    information = 0.4 * np.log(0.4 / 0.24) + 0.2 * np.log(0.2 / 0.36) + 0.4 * np.log(0.4 / 0.24)
    assert found["NMI"] == pytest.approx(information / entropy)


def test_the_f_measure_is_that_of_the_decisions_on_pairs():
    rng = np.random.default_rng(0)
    labels, y = rng.integers(3, size=40), rng.integers(4, size=40)
    first, second = np.triu_indices(40, 1)
    found = _baselines.measures(labels, y, beta=2.0)
    together, alike = labels[first] == labels[second], y[first] == y[second]
    assert found["F"] == pytest.approx(fbeta_score(alike, together, beta=2))
    assert found["RI"] == pytest.approx(np.mean(together == alike)) == rand_score(y, labels)


def test_nmi_takes_the_geometric_mean():
    y = np.array([0, 0, 1, 1])
    assert _baselines.measures([0, 1, 2, 3], y)["NMI"] == pytest.approx(np.sqrt(1 / 2))


@pytest.fixture(autouse=True)
def one_thread():
    """The graphs are small: several threads would only wait for each other."""
    with report.one_thread():
        yield


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([20, 30, 40], centers=[[0, 0], [0, 9], [9, 0]], random_state=0)


def test_kmeans_finds_blobs(blobs):
    X, y = blobs
    assert adjusted_rand_score(y, _baselines.kmeans(X, 3, 0)) == 1
    singles = [adjusted_rand_score(y, _baselines.kmeans_single(X, 3, s)) for s in range(20)]
    assert max(singles) == 1 > min(singles)


def test_kmeans_takes_the_best_of_many_starts():
    """A rectangle can also be halved the wrong way, and one start in ten ends there."""
    X = np.repeat([[0, 0], [0, 1], [1.2, 0], [1.2, 1]], 10, axis=0)
    y = np.repeat([0, 1], 20)
    assert all(adjusted_rand_score(y, _baselines.kmeans(X, 2, seed)) == 1 for seed in range(10))


def test_normalized_cut_finds_rings_that_kmeans_cannot():
    angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    circle = np.c_[np.cos(angles), np.sin(angles)]
    X, y = np.r_[circle, 4 * circle], np.repeat([0, 1], 100)
    cuts = _baselines.normalized_cut(X, 2, 0)
    assert [cut.width for cut in cuts] == pytest.approx(np.arange(1, 11) / 10)
    assert _baselines.accuracy(_baselines.best_scored(cuts, y).labels, y) == 1
    assert _baselines.accuracy(_baselines.kmeans(X, 2, 0), y) < 0.9


def test_the_choice_of_a_cut():
    y = np.array([0, 0, 1, 1])
    wrong = _baselines.Cut(0.1, np.array([0, 1, 1, 1]))
    right = _baselines.Cut(0.2, y)
    assert _baselines.best_scored([wrong, right], y) is right


def test_a_graph_without_edges_is_cut_all_the_same():
    """At the least width the far rows' affinities vanish; LAPACK has returned no vectors here."""
    X = np.eye(300)
    assert len(_baselines.normalized_cut(X, 3, 0)) == len(_baselines.WIDTHS)


def test_long_data_are_not_cut(monkeypatch, capsys):
    monkeypatch.setattr(_baselines, "MOST_ROWS", 5)
    assert _baselines.normalized_cut(np.eye(6), 2, 0) is None
    assert "6 rows are more than 5" in capsys.readouterr().out


ARTICLE = """From: someone
Subject: Re: Orbits
Lines: 4

Indeed.
> The moon moves
 > around the earth
So it does.
"""


def test_parts_of_an_article():
    subject, own, quotes, both, everything = item_sets._parts(ARTICLE)
    assert subject.strip() == "Re: Orbits"
    assert own.split() == ["Indeed.", "So", "it", "does."]
    assert quotes.replace(">", "").split() == ["The", "moon", "moves", "around", "the", "earth"]
    assert "Orbits" in both and "moon" not in both
    assert "Orbits" in everything and "moon" in everything
    assert item_sets._parts("no header")[0] == ""


def test_vectors_of_articles_are_thirty():
    vectors = list(item_sets._news_vectors([ARTICLE, ARTICLE.replace("Indeed", "Movements")]))
    assert len(vectors) == 30
    assert all(rows.shape[0] == 2 for rows in vectors)
    assert np.allclose(vectors[0][0].toarray(), vectors[0][1].toarray()), "the same subject"
    raw, stemmed = vectors[6], vectors[9]  # words of the article, raw and stemmed
    assert (raw[0] @ raw[1].T).toarray() <= (stemmed[0] @ stemmed[1].T).toarray() < 1


def test_draws_of_synth():
    name, sets, X, y, _ = item_sets.synth_sets(0.45, 1)
    assert name == "synth 0.45, draw 2"
    assert len(sets) == len(X) == len(y) == 5
    assert {x.n_features for x in X} == {750}
    assert not np.array_equal(y[0], item_sets.synth_sets(0.45, 0).y[0])


def test_missing_files_are_skipped(capsys, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert list(item_sets.available([item_sets.linqs_sets])) == []
    assert "skipped: " in capsys.readouterr().out


@pytest.mark.skipif(
    not os.environ.get(FOLDER_VARIABLE), reason=f"{FOLDER_VARIABLE} names no folder of data files"
)
def test_optional_item_sets():
    linked = item_sets.linqs_sets(links=True)
    assert [len(x) for x in linked.X] == [195, 187, 230, 265]
    assert {x.features for x in linked.X} == {(1703, 3408, None, None)}
    pages = item_sets.webkb_sets()
    assert [len(x) for x in pages.X] == [867, 827, 1205, 1262]
    assert [len(set(y.tolist())) for y in pages.y] == [6] * 4
    assert 50_000 < pages.X[0].n_features < 60_000
    classes = [np.sort(np.bincount(y))[-1] for y in pages.y]
    assert classes == [620, 572, 940, 942], "'other' and the department page"


def test_error_is_up_to_the_names_of_clusters():
    assert _baselines.error([0, 0, 1, 1], np.array([1, 1, 0, 1])) == 25
    assert _baselines.error([0, 0, 1, 1], np.array([0, 0, 1, 1])) == 0


def test_the_calibration_error_by_hand():
    p = np.array([0.55, 0.58, 0.95, 0.95])
    right = np.array([True, False, True, True])
    assert _bayesian_calibration.calibration_error(p, right) == pytest.approx(
        100 * (0.5 * abs(0.565 - 0.5) + 0.5 * abs(0.95 - 1))
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_transductive_problem_keeps_the_contract(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(12, 3)), np.r_[1, -1, np.zeros(10, dtype=int)]
    check_problem(_transductive.TransductiveProblem(), X, Y, random_state=seed)


def test_the_transductive_machine_uses_the_unlabelled_rows():
    X, moon = make_moons(120, noise=0.05, random_state=0)
    y = np.zeros(120, dtype=int)
    for c in (0, 1):
        rows = np.flatnonzero(moon == c)
        y[rows[:: len(rows) // 4]] = 2 * c - 1
    K = rbf_kernel(X, gamma=5.0)
    labelled = y != 0
    start = K[:, labelled] @ y[labelled]
    labels = _transductive.transductive_labels(K, y, 10.0, start)
    np.testing.assert_array_equal(labels[labelled], y[labelled])
    truth = 2 * moon - 1
    assert np.mean(labels == truth) >= np.mean(np.sign(start) == truth)
    assert np.mean(labels == truth) > 0.9


def race_data():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=80)
    X = np.eye(3, 6)[y] + 0.5 * rng.normal(size=(80, 6))
    return _data.Data("three classes", Multiclass, X, y, 0.5)


def test_the_objective_of_the_race_is_that_of_the_solvers():
    data = race_data()
    result = OneSlackCuttingPlane(rtol=1e-8).solve(Multiclass(), data.X, data.y, 0.5 * data.n)
    assert _data.objective(data, result.w) == pytest.approx(result.primal, rel=1e-9)
    assert _data.optimum(data) == pytest.approx(result.primal, rel=3e-5)


def test_contenders_reach_the_target_on_the_same_objective(capsys):
    data = race_data()
    best = _data.optimum(data)
    tolerance = _contenders.loosest_tolerance(data, 1e-3, best)
    assert _data.objective(data, _contenders.linear_svc(data, tolerance).w) <= 1.001 * best
    if tolerance < max(_contenders.TOLERANCES):
        looser = _contenders.TOLERANCES[_contenders.TOLERANCES.index(tolerance) - 1]
        assert _data.objective(data, _contenders.linear_svc(data, looser).w) > 1.001 * best
    field = [contender for contender in _contenders.contenders() if contender.takes(data)]
    assert len(field) >= 3
    for contender in field:
        outcome = contender.train(data, 1e-2, best)
        assert _data.objective(data, outcome.w) <= 1.0101 * best
    names = {contender.name for contender in _contenders.contenders()}
    printed = capsys.readouterr().out
    for library in ("dlib", "pystruct"):
        assert (library in names) != (f"{library} skipped: " in printed)


def test_the_plain_one_slack_takes_more_passes_to_the_same_optimum():
    data = race_data()
    results = [
        solver(rtol=1e-4).solve(Multiclass(), data.X, data.y, 40.0)
        for solver in (expensive_oracle.PlainOneSlack, OneSlackCuttingPlane)
    ]
    assert results[0].primal == pytest.approx(results[1].primal, rel=2e-4)
    assert results[0].iterations > results[1].iterations


def test_a_slack_for_each_group_takes_fewer_passes_to_the_same_optimum():
    data = race_data()
    results = [
        planes_per_pass.Grouped(1e-4, n_groups).solve(Multiclass(), data.X, data.y, 40.0)
        for n_groups in (1, 8)
    ]
    together = OneSlackCuttingPlane(rtol=1e-4).solve(Multiclass(), data.X, data.y, 40.0)
    for result in results:
        assert result.primal == pytest.approx(together.primal, rel=2e-4)
    assert results[1].iterations < results[0].iterations


def test_every_part_names_files_that_exist():
    """Else its time would silently count as the rest."""
    package = Path(structsvm.__file__).parent
    inside = {name for path in package.rglob("*.py") for name in path.relative_to(package).parts}
    named = {name for names in cpu_time_by_part.PARTS.values() for name in names}
    # In a clone the problems are beside the package; where it is installed, inside.
    beside = set() if (package / "problems").is_dir() else {"problems"}
    assert named - inside == beside


def test_means_over_seeds_come_with_their_spread_and_the_worst():
    found = [{"accuracy": a, "RI": 0.5, "NMI": 0.25, "F": 0.75} for a in (0.9, 0.8, 1.0)]
    row = _protocol.means(found)
    assert row["accuracy"] == pytest.approx(90) and row["accuracy, sd"] == pytest.approx(10)
    assert row["worst"] == pytest.approx(80) and row["RI"] == 0.5
