"""Short searches under several settings: what they find, keep and repeat."""

import numpy as np
import pytest
from clustering_data import blobs, data_for, every
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3C, MMC
from structsvm.problems.margin_clustering import trials
from structsvm.problems.margin_clustering.choice import agreements
from structsvm.problems.margin_clustering.settings import settings_to_try
from structsvm.problems.margin_clustering.smoothed_margin import SmoothedMargin


def unequal(sizes, d=5, apart=6.0, seed=0):
    """Clusters of these sizes around centres at equal distances."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    return apart / np.sqrt(2) * np.eye(len(sizes), d)[y] + rng.normal(size=(len(y), d)), y


@pytest.mark.parametrize("sizes", [(300, 30), (200, 60, 20)])
def test_clusters_of_unequal_size_are_found(sizes):
    X, y = unequal(sizes)
    clusterer = MMC(random_state=0) if len(sizes) == 2 else CPM3C(len(sizes), random_state=0)
    assert adjusted_rand_score(y, clusterer.fit_predict(X)) > 0.9
    of_equal_size = settings_to_try("auto", None, None, X, len(sizes))[0]
    chosen = clusterer.problem_.balance, clusterer.problem_.min_cluster_size
    assert chosen != of_equal_size[1:3]


def test_many_clusters_of_few_rows_are_found():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 8)
    X = 5 * rng.normal(size=(30, 12))[y] + rng.normal(size=(240, 12))
    cpm3c = CPM3C(30, random_state=0).fit(X)
    assert adjusted_rand_score(y, cpm3c.labels_) > 0.95


@pytest.mark.sampled(3)
@every
def test_the_trial_of_most_agreement_is_kept(clusterer, monkeypatch):
    seen = []

    def recorded(found, *rest):
        seen.append((found, agreements(found, *rest)))
        return seen[-1][1]

    monkeypatch.setattr(trials, "agreements", recorded)
    X, _ = data_for(clusterer, apart=30.0)
    labels = clone(clusterer).fit(X).labels_
    (found, values), _ = seen
    # The clusters are so far apart that neither the search nor the last descent changes them.
    best = int(np.argmax(values))
    assert adjusted_rand_score(labels, found[best]) == 1


@pytest.mark.parametrize("change", [1.0, 0.0, -1.0])
def test_what_a_search_finds_is_kept_where_it_agrees_no_less(change, monkeypatch):
    best, judged, kept = trials.Trials.best, [], []

    def values(found, *rest):
        judged.append(found)
        return agreements(found, *rest) if len(judged) == 1 else [0.0, change]

    def recorded(*arguments):
        kept.append(best(*arguments))
        return kept[-1]

    monkeypatch.setattr(trials, "agreements", values)
    monkeypatch.setattr(trials.Trials, "best", recorded)
    X = np.random.default_rng(0).normal(size=(120, 10))
    CPM3C(6, n_init=2, random_state=0).fit(X)
    before, after = judged[1]
    assert adjusted_rand_score(before, after) < 1
    assert np.array_equal(kept[0].labels, after if change >= 0 else before)


def test_of_many_rows_a_sample_is_tried(monkeypatch):
    monkeypatch.setattr(trials, "ROWS", 60)
    X, truth = blobs(3, each=200, apart=12.0)
    cpm3c = CPM3C(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, cpm3c.labels_) > 0.95
    assert cpm3c.verify(X).matches
    np.testing.assert_array_equal(cpm3c.predict(X), cpm3c.labels_)


def test_known_labels_keep_their_numbers():
    X, truth = blobs(3, each=60)
    known = np.where(np.arange(180) % 6, -1, (truth + 1) % 3)
    assert np.mean(CPM3C(3, random_state=0).fit(X, known).labels_ == (truth + 1) % 3) > 0.95


@pytest.mark.parametrize("search", ["evolutionary", "cccp"])
def test_a_search_goes_on_under_the_chosen_setting(search):
    X, _ = unequal((120, 40, 20))
    one, other = (CPM3C(3, search=name, n_init=3, random_state=0).fit(X) for name in (None, search))
    assert one.kernel_ == other.kernel_
    assert one.C_ == other.C_
    assert other.n_iter_ > one.n_iter_
    assert other.objective_ <= one.objective_ * 1.001


@pytest.mark.parametrize("call", [1, 30, 60, 120, 170])
def test_ctrl_c_keeps_the_settings_tried_so_far(call, monkeypatch):
    descend, calls = SmoothedMargin.descend, []

    def interrupted(margin, W, steps):
        calls.append(0)
        if len(calls) == call:
            raise KeyboardInterrupt
        return descend(margin, W, steps)

    monkeypatch.setattr(SmoothedMargin, "descend", interrupted)
    X, _ = blobs(3)
    cpm3c = CPM3C(3, random_state=0)
    if call == 1:
        with pytest.raises(KeyboardInterrupt, match="no start was completed"):
            cpm3c.fit(X)
        return
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        cpm3c.fit(X)
    assert cpm3c.verify(X).matches


def test_a_time_limit_ends_the_trials():
    X, _ = blobs(3)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        cpm3c = CPM3C(3, time_limit=1e-6, random_state=0).fit(X)
    assert cpm3c.kernel_ == "linear"
    assert cpm3c.verify(X).matches


def test_progress_is_shown(capsys):
    X, _ = blobs(3)
    CPM3C(3, n_init=1, random_state=0, verbose=True).fit(X)
    assert "setting" in capsys.readouterr().err
