"""What the benchmarks compare with: on the same objective, and as good as it can be."""

import shutil

import numpy as np
import pytest
from linkage_data import drawn_records
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import experiment
from benchmarks.decisions import _draws
from benchmarks.defaults import _clusterers
from benchmarks.pairs import pair_scores
from benchmarks.reproduction import _baselines, _transductive
from benchmarks.reproduction._pair_classifiers import PairLogistic, PairSVM
from benchmarks.set_clustering import _linkage, _records
from structsvm import check_problem
from structsvm.problems import ItemSet


@pytest.fixture(autouse=True)
def one_thread():
    """The graphs are small: several threads would only wait for each other."""
    with experiment.one_thread():
        yield


# --------------------------------------------------------------------------------------- solvers


def small(folder, data, tmp_path, monkeypatch, *solvers):
    """The runs of a benchmark of benchopt on small data, and what makes rows of them."""
    pytest.importorskip("benchopt")
    from benchmarks import from_benchopt

    shutil.copytree(from_benchopt.FOLDER / folder, tmp_path / folder)
    monkeypatch.setattr(from_benchopt, "FOLDER", tmp_path)
    options = ["-d", data, "-r", "1", "-n", "8", *solvers]
    return from_benchopt.measured(folder, options), from_benchopt


@pytest.mark.optional
def test_solvers_of_quadratic_programs_end_at_the_same_optimum(tmp_path, monkeypatch):
    data = "digits[n=50,C_of_n=1.0,slacks=n,passes=3]"
    frame, rows = small("qp", data, tmp_path, monkeypatch)
    found = {row["method"]: row["worst relative gap"] for row in rows.programs(frame)}
    assert found.keys() == {
        "structsvm", "cvxopt[G=dense]", "cvxopt[G=sparse]", "PIQP", "Clarabel"
    }  # fmt: skip
    assert max(found.values()) < 1e-5


@pytest.mark.optional
def test_solvers_of_the_race_come_within_the_targets_on_the_same_objective(tmp_path, monkeypatch):
    solvers = ("-s", "LinearSVC", "-s", "structsvm[solver=auto]")
    frame, rows = small("solvers", "digits[C=0.1]", tmp_path, monkeypatch, *solvers)
    found = rows.race(frame)
    assert {row["solver"] for row in found if row["target"] == 1e-2} == {*solvers[1::2]}
    assert all(row["suboptimality"] <= row["target"] for row in found)


# ------------------------------------------------------------------------------------ clusterers


def test_k_means_takes_the_best_of_many_starts():
    """A rectangle can also be halved the wrong way, and one start in ten ends there."""
    X = np.repeat([[0, 0], [0, 1], [1.2, 0], [1.2, 1]], 10, axis=0)
    y = np.repeat([0, 1], 20)
    assert all(adjusted_rand_score(y, _baselines.kmeans(X, 2, seed)) == 1 for seed in range(10))


LABELS = [np.random.default_rng(seed).permutation(24) % 4 for seed in range(4)]


def answered(labels):
    """A judge's answers whether pairs are together."""
    together = (labels[:, None] == labels).astype(float)
    return ItemSet(pairs=np.dstack([np.ones(together.shape), together]))


@pytest.mark.parametrize("kind", [PairLogistic, PairSVM, "iterative", "greedy"])
def test_classifiers_of_pairs_learn_from_right_answers(kind):
    sets = [answered(labels) for labels in LABELS]
    if isinstance(kind, str):
        predict = getattr(_clusterers, f"pairs_{kind}")
        (found,) = predict(sets[:3], LABELS[:3], sets[3:], [4])
        assert adjusted_rand_score(found, LABELS[3]) == 1
    else:
        assert kind(C=1.0).fit(sets[:3], LABELS[:3]).score(sets[3:], LABELS[3:]) == 1


def test_the_similarity_is_the_decision_function_of_pairs():
    items = ItemSet(np.random.default_rng(0).normal(size=(24, 3)))
    model = LogisticRegression()
    K = pair_scores(model, [items], LABELS[:1]).similarity(items)
    i, j = np.triu_indices(24)
    np.testing.assert_allclose(K[i, j], model.decision_function(items.pair_vectors(i, j)))


@pytest.mark.filterwarnings("ignore:training ended at w_prior")
@pytest.mark.parametrize("name", sorted(_linkage.METHODS.keys() - {"splink"}))
def test_methods_find_records_with_few_errors(name, monkeypatch):
    def common(a, b):  # jellyfish need not be installed
        return len(set(a) & set(b)) / len(set(a) | set(b))

    monkeypatch.setattr(_records, "_similarity", common)
    learn, test = _linkage.divided(drawn_records(80), 0.5, 0)
    labels = _linkage.METHODS[name](learn, test)
    assert _linkage.scores(test.entity, labels)["pairs"] > 90


def test_the_transductive_machine_uses_the_unlabelled_rows():
    X, moon = make_moons(120, noise=0.05, random_state=0)
    y = np.zeros(120, dtype=int)
    for c in (0, 1):
        rows = np.flatnonzero(moon == c)
        y[rows[:: len(rows) // 4]] = 2 * c - 1
    check_problem(_transductive.TransductiveProblem(), X[:12], y[:12], random_state=0)
    K, labelled = rbf_kernel(X, gamma=5.0), y != 0
    start = K[:, labelled] @ y[labelled]
    labels = _transductive.transductive_labels(K, y, 10.0, start)
    np.testing.assert_array_equal(labels[labelled], y[labelled])
    assert np.mean(labels == 2 * moon - 1) > 0.9


# ------------------------------------------------------------------------------------- decisions


def test_pyepo_learns_the_same_from_batches_as_one_by_one():
    pytest.importorskip("torch")
    pytest.importorskip("pyepo")
    from benchmarks.decisions import _pyepo

    draw, weights = _draws.paths(20, 4, seed=0, tested=30), []
    for model in (_pyepo.Batched, _pyepo.Single):
        steps = _pyepo.epochs(draw, _pyepo.spo_plus(model(draw.optimizer)), 0.1, seed=0)
        for _ in range(3):
            linear, _ = next(steps)
        weights.append(linear.weight.detach().numpy())
    np.testing.assert_allclose(*weights, atol=1e-5)
