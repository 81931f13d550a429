"""Rankings of small queries one by one, with measures written down as their definitions are."""

from itertools import pairwise, permutations, product

import numpy as np

MEASURES = [
    ("average_precision", None),
    ("ndcg", None),
    ("ndcg", 1),
    ("ndcg", 3),
    ("precision_at_k", None),
    ("precision_at_k", 1),
    ("precision_at_k", 3),
    ("roc_area", None),
]


def taken(measure, relevance):
    """The grades as the measure takes them, the higher ones as 1 where it tells none apart."""
    return np.asarray(relevance) if measure in ("ndcg", "roc_area") else np.minimum(relevance, 1)


def average_precision(relevance):
    """Of grades in the order of a ranking, the best first."""
    places = np.flatnonzero(relevance) + 1
    return float(np.mean([sum(places <= p) / p for p in places]))


def ndcg(relevance, k):
    def dcg(grades):
        return sum((2.0**g - 1) / np.log2(p + 2) for p, g in enumerate(grades[:k]))

    return dcg(relevance) / dcg(sorted(relevance, reverse=True))


def precision(relevance, k):
    """The precision of the first k over the largest one possible."""
    n_relevant = sum(g > 0 for g in relevance)
    k = n_relevant if k is None else k
    return sum(g > 0 for g in relevance[:k]) / min(k, n_relevant)


def roc_area(relevance):
    pairs = [(a, b) for i, a in enumerate(relevance) for b in relevance[i + 1 :] if a != b]
    return sum(a > b for a, b in pairs) / len(pairs)


def measured(measure, k, relevance):
    """A measure of grades in the order of a ranking."""
    if measure == "average_precision":
        return average_precision(relevance)
    if measure == "ndcg":
        return ndcg(relevance, k)
    return precision(relevance, k) if measure == "precision_at_k" else roc_area(relevance)


def splits(measure, k, relevance):
    """Triples (relevant, others, weight): documents that are compared with each other."""
    relevance = np.asarray(relevance)
    if measure in ("average_precision", "precision_at_k"):
        return [(np.flatnonzero(relevance > 0), np.flatnonzero(relevance == 0), 1.0)]
    grades, found = np.unique(relevance), []
    for below, grade in pairwise(grades):
        others = np.flatnonzero(relevance < grade)
        if measure == "roc_area":
            own = np.flatnonzero(relevance == grade)
            found.append((own, others, len(own) * len(others)))
        else:
            own = np.flatnonzero(relevance >= grade)
            ideal = sum(1 / np.log2(p + 2) for p in range(min(k or len(own), len(own))))
            found.append((own, others, (2.0**grade - 2.0**below) * ideal))
    total = sum(weight for *_, weight in found)
    if measure == "ndcg":
        total = sum(
            (2.0**g - 1) / np.log2(p + 2) for p, g in enumerate(sorted(relevance)[::-1][:k])
        )
    return [(own, others, weight / total) for own, others, weight in found]


def rankings(measure, k, relevance):
    """For every split a list of (shifts, loss), for all orders of its documents."""
    found = []
    for own, others, weight in splits(measure, k, relevance):
        documents, orders = [*own, *others], []
        for order in permutations(documents):
            place = {document: p for p, document in enumerate(order)}
            shifts = np.zeros(len(relevance))
            for i, j in product(own, others):
                if place[j] < place[i]:
                    shifts[i] += weight / (len(own) * len(others))
                    shifts[j] -= weight / (len(own) * len(others))
            in_order = [int(document in own) for document in order]
            orders.append((shifts, weight * (1 - measured(measure, k, in_order))))
        found.append(orders)
    return found


def largest(measure, k, relevance, scores):
    """The largest loss minus margin over all rankings of every split."""
    return sum(
        max(loss - shifts @ scores for shifts, loss in orders)
        for orders in rankings(measure, k, relevance)
    )
