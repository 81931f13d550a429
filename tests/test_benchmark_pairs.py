"""The baseline of supervised clustering: a classifier of pairs whose scores are clustered."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score

from benchmarks.defaults import _clusterers
from benchmarks.pairs import pair_scores
from benchmarks.reproduction._pair_classifiers import PairLogistic, PairSVM
from benchmarks.set_clustering import pairwise
from benchmarks.tables.pairwise import decided
from structsvm.problems import GreedyOracle, ItemSet, IterativeOracle


def answered(labels, wrong=0.0, seed=0):
    """A judge's answers whether pairs are together, some of them wrong."""
    together = labels[:, None] == labels
    flipped = np.triu(np.random.default_rng(seed).random(together.shape) < wrong, 1)
    answers = (together ^ flipped ^ flipped.T).astype(float)
    return ItemSet(pairs=np.dstack([np.ones(answers.shape), answers]))


LABELS = [np.random.default_rng(seed).permutation(24) % 4 for seed in range(4)]


@pytest.mark.parametrize("wrong", [0.0, 0.05])
@pytest.mark.parametrize("scaled", [False, True])
def test_good_scores_of_pairs_give_the_truth(wrong, scaled):
    sets = [answered(labels, wrong, seed) for seed, labels in enumerate(LABELS)]
    scores = pair_scores(LogisticRegression(), sets[:3], LABELS[:3], scaled)
    K = scores.similarity(sets[3])
    assert adjusted_rand_score(IterativeOracle().cluster(K, 4), LABELS[3]) == 1
    # Of unknown number, the greedy search finds them where no score is wrong.
    assert adjusted_rand_score(GreedyOracle().cluster(K), LABELS[3]) > (0.85 if wrong else 0.999)


def test_the_similarity_is_the_decision_function_of_pairs():
    items = ItemSet(np.random.default_rng(0).normal(size=(24, 3)))
    model = LogisticRegression()
    K = pair_scores(model, [items], LABELS[:1]).similarity(items)
    i, j = np.triu_indices(24)
    np.testing.assert_allclose(K[i, j], model.decision_function(items.pair_vectors(i, j)))
    scaled = pair_scores(LogisticRegression(C=1e9, tol=1e-9), [items], LABELS[:1], scaled=True)
    plain = pair_scores(LogisticRegression(C=1e9, tol=1e-9), [items], LABELS[:1])
    np.testing.assert_allclose(scaled.w, plain.w, rtol=1e-3)


@pytest.mark.parametrize("model", [PairLogistic(C=1.0), PairSVM(C=1.0)])
def test_the_baselines_of_the_reproduction(model):
    sets = [answered(labels) for labels in LABELS]
    assert model.fit(sets[:3], LABELS[:3]).score(sets[3:], LABELS[3:]) == 1.0


@pytest.mark.parametrize("predict", [_clusterers.pairs_iterative(), _clusterers.pairs_greedy()])
def test_the_baselines_of_the_defaults(predict):
    sets = [answered(labels) for labels in LABELS]
    (found,) = predict(sets[:3], LABELS[:3], sets[3:], [4])
    assert adjusted_rand_score(found, LABELS[3]) == 1


def test_misplaced_items():
    (noisy,) = pairwise.misplaced([np.arange(1000) % 5], seed=0)
    assert 0.1 < np.mean(noisy != np.arange(1000) % 5) < 0.2


def test_what_is_decided():
    clear, unclear = [3.0, 3.1, 2.9], [-3.0, 3.0, 0.5]
    assert decided(np.array([clear, unclear, np.negative(clear)])) == (1, 1)
