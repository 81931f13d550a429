"""Losses and tables that the tests of contingency tables share."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import xlogy
from sklearn.metrics import (
    adjusted_rand_score,
    f1_score,
    normalized_mutual_info_score,
    rand_score,
    v_measure_score,
)
from sklearn.metrics.cluster import pair_confusion_matrix

from structsvm.problems import ClusteringLoss
from structsvm.problems.multivariate.contingency import measure_loss, table_loss


class VariationOfInformation(ClusteringLoss):
    """A user's loss: H(y | y') + H(y' | y)."""

    def phi(self, counts, n):
        return xlogy(counts, counts / n) / n

    def of_sums(self, cells, rows, columns):
        return rows + columns - 2 * cells


LOSSES = {
    **{name: table_loss(name) for name in ("nmi", "v_measure", "rand", "adjusted_rand")},
    "information": VariationOfInformation(),
    "error": table_loss("error"),
    "f1": measure_loss("f1"),
    **{f"f, beta {beta}": table_loss("f", beta) for beta in (0.5, 1, 1.5, 3)},
}


def pair_f(y, y_hat, beta=1.5):
    """F_beta of the pairs; with no pair in y nor in y_hat it is 1."""
    (_, retrieved), (missed, found) = pair_confusion_matrix(y, y_hat)
    both = (1 + beta**2) * found
    total = both + beta**2 * missed + retrieved
    return both / total if total else 1.0


def entropy(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -shares @ np.log(shares)


def information(y, y_hat):
    """1 less the variation of information, by the entropies of the labellings and of both."""
    return 1 - (2 * entropy(10 * y + y_hat) - entropy(y) - entropy(y_hat))


#: 1 less the losses, by scikit-learn and by the definitions.
MEASURES = {
    "nmi": lambda y, y_hat: normalized_mutual_info_score(y, y_hat, average_method="geometric"),
    "v_measure": v_measure_score,
    "rand": rand_score,
    "adjusted_rand": adjusted_rand_score,
    "information": information,
    "error": lambda y, y_hat: np.mean(y == y_hat),
    "f1": lambda y, y_hat: f1_score(y, y_hat, zero_division=1.0),
    "f": pair_f,
    **{
        f"f, beta {beta}": lambda y, y_hat, beta=beta: pair_f(y, y_hat, beta)
        for beta in (0.5, 1, 1.5, 3)
    },
}


@cache
def all_labellings(n, k=2):
    return np.array(list(product(range(k), repeat=n)))


def each(losses):
    return pytest.mark.parametrize("loss", losses.values(), ids=losses)
