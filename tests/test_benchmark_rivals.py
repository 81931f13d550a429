"""What the benchmarks compare with: on the same objective, and as good as it can be."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import report
from benchmarks.decisions import _draws
from benchmarks.defaults import _clusterers
from benchmarks.pairs import pair_scores
from benchmarks.reproduction import _baselines, _transductive
from benchmarks.reproduction._pair_classifiers import PairLogistic, PairSVM
from benchmarks.scale._network import Network, flat, tree
from benchmarks.set_clustering import _linkage, _records
from benchmarks.speed import _contenders, _data, expensive_oracle
from structsvm import OneSlackCuttingPlane, check_problem
from structsvm.problems import ItemSet, Multiclass


@pytest.fixture(autouse=True)
def one_thread():
    """The graphs are small: several threads would only wait for each other."""
    with report.one_thread():
        yield


# ----------------------------------------------------------------------------- the race of speed


def race_data():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=80)
    X = np.eye(3, 6)[y] + 0.5 * rng.normal(size=(80, 6))
    return _data.Data("three classes", Multiclass, X, y, 0.5)


def test_the_objective_of_the_race_is_that_of_the_solvers():
    data = race_data()
    result = OneSlackCuttingPlane(rtol=1e-6).solve(Multiclass(), data.X, data.y, 0.5 * data.n)
    assert _data.objective(data, result.w) == pytest.approx(result.primal, rel=1e-9)
    assert _data.optimum(data) == pytest.approx(result.primal, rel=3e-5)
    plain = expensive_oracle.PlainOneSlack(rtol=1e-6).solve(Multiclass(), data.X, data.y, 40.0)
    assert plain.primal == pytest.approx(result.primal, rel=1e-5)
    assert plain.iterations > result.iterations


def test_contenders_reach_the_target_on_the_same_objective():
    data = race_data()
    best = _data.optimum(data)
    tolerance = _contenders.loosest_tolerance(data, 1e-3, best)
    assert _data.objective(data, _contenders.linear_svc(data, tolerance).w) <= 1.001 * best
    field = [contender for contender in _contenders.contenders() if contender.takes(data)]
    assert len(field) >= 3
    for contender in field:
        assert _data.objective(data, contender.train(data, 1e-2, best).w) <= 1.0101 * best


# ------------------------------------------------------------------------------------ clusterers


def test_normalized_cut_finds_rings_that_k_means_cannot():
    angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    circle = np.c_[np.cos(angles), np.sin(angles)]
    X, y = np.r_[circle, 4 * circle], np.repeat([0, 1], 100)
    cuts = _baselines.normalized_cut(X, 2, 0)
    assert _baselines.accuracy(_baselines.best_scored(cuts, y).labels, y) == 1
    assert _baselines.accuracy(_baselines.kmeans(X, 2, 0), y) < 0.9


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
        predict = getattr(_clusterers, f"pairs_{kind}")()
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
@pytest.mark.parametrize("name", ["ours", "near", "components", "pairs, greedy"])
def test_methods_find_records_with_few_errors(name, monkeypatch):
    def common(a, b):  # jellyfish need not be installed
        return len(set(a) & set(b)) / len(set(a) | set(b))

    monkeypatch.setattr(_records, "_similarity", common)
    learn, test = _linkage.divided(_records.drawn(_records.DRAWN[0], 0, 80), 0.5, 0)
    labels = _linkage.methods(10.0, 100.0)[name](learn, test)
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


# ------------------------------------------------------------------------- decisions, and networks


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


@pytest.mark.parametrize("simulated", [flat, tree])
def test_a_pass_over_a_network_takes_the_times_of_closed_forms(simulated):
    free, network = Network(0.0, np.inf), Network(0.5, 10.0)
    seconds = np.random.default_rng(0).lognormal(size=7)
    assert simulated(free, 8e6, 8e6, seconds, 0.0) == seconds.max()  # the slowest worker
    one = simulated(network, 20.0, 30.0, np.array([4.0]), 0.25)
    assert one == pytest.approx(2 + 0.5 + 4 + 0.5 + 3 + 0.25)  # both ways, and its time


def test_messages_of_a_network():
    network, nothing = Network(0.5, 10.0), np.zeros(14)
    # Answers come back while w goes out to the next: one more message than workers.
    assert flat(network, 20.0, 20.0, nothing, 0.0) == pytest.approx(2 * 15 + 1)
    # Each of three levels: two messages down, one up.
    assert tree(network, 20.0, 20.0, nothing, 0.0) == pytest.approx(3 * (3 * 2 + 2 * 0.5))
