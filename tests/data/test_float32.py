"""float32 data stay float32: no training holds a copy of them in double precision."""

import tracemalloc
import warnings

import numpy as np
import pytest

from structsvm import OneSlackCuttingPlane, SmoothedLBFGS
from structsvm.problems import CPM3C, MMC, Chain, Multiclass, MulticlassSVM

pytestmark = pytest.mark.slow

N, D = 60_000, 100


def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    return (rng.normal(size=(N, D)) + 3 * np.eye(2, D)[y]).astype(np.float32), y


TRAININGS = {
    "Multiclass, smoothed": lambda: SmoothedLBFGS(rtol=0.05).solve(Multiclass(), *rows(), 10.0),
    "Multiclass": lambda: OneSlackCuttingPlane(rtol=0.05).solve(Multiclass(), *rows(), 10.0),
    "MulticlassSVM": lambda: (
        MulticlassSVM(C=10.0, fit_intercept=False).fit(*rows()).predict(rows()[0])
    ),
    "MMC": lambda: MMC(kernel="linear", n_init=1, random_state=0).fit(rows()[0]),
    "CPM3C": lambda: CPM3C(2, kernel="linear", n_init=1, random_state=0).fit(rows()[0]),
}


@pytest.mark.parametrize("training", TRAININGS.values(), ids=TRAININGS)
def test_there_is_no_copy_in_double_precision(training, monkeypatch):
    data = rows()
    monkeypatch.setitem(globals(), "rows", lambda: data)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        training()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    copies = 2 if training is TRAININGS["MulticlassSVM"] else 1  # the scaled columns
    assert peak < copies * data[0].nbytes + 10e6


def test_sequences_are_packed_in_single_precision():
    X, y = rows()
    sequences, labels = np.split(X[:600], 60), np.split(y[:600], 60)
    chain = Chain()
    chain.initialize(sequences, labels)
    assert chain.task(sequences, labels).X.rows.dtype == np.float32
