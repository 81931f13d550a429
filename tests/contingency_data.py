"""Losses and tables that the tests of contingency tables share."""

import pytest

from structsvm.problems.multivariate.contingency import measure_loss, table_loss

LOSSES = {
    "nmi": table_loss("nmi"),
    "rand": table_loss("rand"),
    "error": table_loss("error"),
    "f1": measure_loss("f1"),
    **{f"f, beta {beta}": table_loss("f", beta) for beta in (0.5, 1, 1.5, 3)},
}


def each(losses):
    return pytest.mark.parametrize("loss", losses.values(), ids=losses)
