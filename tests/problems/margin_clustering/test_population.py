"""The best different clusterings, and the matching of their clusters."""

from itertools import permutations

import numpy as np

from structsvm.problems.margin_clustering.evolution import added
from structsvm.problems.margin_clustering.partitions import matching
from structsvm.problems.margin_clustering.smoothed_margin import Member


def member(objective, labels, k=3):
    return Member(objective, np.zeros((k, 1)), np.asarray(labels))


def test_matched_clusters_share_most_rows():
    rng = np.random.default_rng(0)
    for _ in range(20):
        k = int(rng.integers(2, 5))
        labels, others = rng.integers(k, size=(2, 30))
        matched = matching(labels, others, k)
        best = max(np.sum(np.array(p)[labels] == others) for p in permutations(range(k)))
        assert np.sum(matched[labels] == others) == best


def test_members_are_kept_in_order_up_to_the_size():
    population = []
    for objective, labels in [(3.0, [0, 1, 2]), (1.0, [0, 0, 1]), (2.0, [0, 1, 1])]:
        population = added(population, member(objective, labels), 2)
    assert [one.objective for one in population] == [1.0, 2.0]
    assert population[0].labels.tolist() == [0, 0, 1]


def test_of_equal_clusterings_the_best_is_kept_whatever_their_numbers():
    labels = np.repeat([0, 1, 2], 50)
    population = added([member(1.0, labels)], member(1.0005, (labels + 1) % 3), 8)
    assert len(population) == 1
    population = added(population, member(0.9995, (labels + 2) % 3), 8)
    assert [one.objective for one in population] == [0.9995]
    population = added(
        population, member(1.2, labels), 8
    )  # of another objective: its weights are others
    few = labels.copy()
    few[:10] = 1
    population = added(population, member(1.0, few), 8)
    assert [one.objective for one in population] == [0.9995, 1.0, 1.2]
