"""Losses and tables that the tests of contingency tables share."""

import pytest
from scipy.special import xlogy

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


def each(losses):
    return pytest.mark.parametrize("loss", losses.values(), ids=losses)
