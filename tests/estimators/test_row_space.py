"""Few wide rows are trained in the space that they span, with the same result."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import structsvm.estimators.row_space as module
from structsvm import OneSlackCuttingPlane
from structsvm.planes.plane import SoftSource
from structsvm.problems import ChainSVM, MultiLabelSVM, TaxonomySVM


def sequences(d=120):
    rng = np.random.default_rng(0)
    y = [rng.integers(3, size=length) for length in (4, 1, 6, 3, 5)]
    centers = rng.normal(size=(3, d))
    return [centers[labels] + 2 * rng.normal(size=(len(labels), d)) for labels in y], y


def seen():
    """The pairs of labels that follow each other."""
    return sorted({pair for y in sequences()[1] for pair in pairwise(y.tolist())})


def label_sets(n_labels=4, d=120, n=30):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, n_labels)) + 8 * rng.normal(size=(n, 1)) > 0).astype(int)


def classes():
    X, y = label_sets(3)
    return X, y.sum(axis=1)


def weights_of(n):
    return np.random.default_rng(2).uniform(0.5, 2, size=n)


TREE = nx.DiGraph(
    [("few", 0), ("few", 1), ("many", 2), ("many", 3), ("all", "few"), ("all", "many")]
)

TASKS = {
    "taxonomy": (TaxonomySVM, {"taxonomy": TREE, "fit_intercept": True}, classes()),
    "chain": (ChainSVM, {"rtol": 1e-4}, ([x + 50 for x in sequences()[0]], sequences()[1])),
    "columns as they are": (ChainSVM, {"scale": None, "rtol": 1e-4}, sequences()),
    "transitions": (ChainSVM, {"allowed_transitions": seen(), "rtol": 1e-4}, sequences()),
    "log_loss": (ChainSVM, {"loss": "log_loss", "rtol": 1e-4}, sequences()),
    "cutting planes": (ChainSVM, {"solver": OneSlackCuttingPlane(rtol=1e-4)}, sequences()),
    "label sets": (MultiLabelSVM, {"rtol": 1e-4}, label_sets()),
    "tree": (MultiLabelSVM, {"structure": "tree", "cost": "f1", "rtol": 1e-4}, label_sets()),
    "attractive": (MultiLabelSVM, {"attractive": True, "rtol": 1e-4}, label_sets()),
}
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name == "attractive")) for name in TASKS]


@pytest.fixture
def spaces(monkeypatch):
    """The shapes of the rows that were trained in a space of their own."""
    shapes, kind = [], module.RowSpace

    def noted(rows):
        shapes.append(rows.shape)
        return kind(rows)

    monkeypatch.setattr(module, "RowSpace", noted)
    return shapes


@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_the_same(name, spaces, monkeypatch):
    kind, options, (X, y) = TASKS[name]
    weights = weights_of(len(X))
    found = kind(**options).fit(X, y, sample_weight=weights)
    assert len(spaces) == 1
    monkeypatch.setattr(module, "MOST", 0)
    expected = kind(**options).fit(X, y, sample_weight=weights)
    assert len(spaces) == 1
    # P is strongly convex: half the squared distance from the optimum is at most the gap.
    apart = np.sqrt(2 * found.result_.gap) + np.sqrt(2 * expected.result_.gap)
    assert np.linalg.norm(found.w_ - expected.w_) <= apart < 0.3 * np.linalg.norm(expected.w_)
    assert found.result_.dual <= expected.result_.primal
    assert expected.result_.dual <= found.result_.primal
    verification = found.verify(X, y, sample_weight=weights)
    assert verification.matches, verification


def test_soft_planes_are_verified_also_with_frozen_examples():
    rng, labels = np.random.default_rng(0), np.arange(60) % 3
    X, y = rng.normal(size=(3, 130))[labels] + rng.normal(size=(60, 130)), np.eye(3, dtype=int)
    svm = MultiLabelSVM(rtol=1e-3).fit(X, y[labels])
    sources = [source for source, _ in svm.result_.support if isinstance(source, SoftSource)]
    frozen = [source.others for source in sources if source.others is not None]
    assert frozen
    assert all(source.w.shape == svm.w_.shape for source in sources + frozen)
    assert svm.verify(X, y[labels]).matches


def plain_fit(X, y, **options):
    return MultiLabelSVM(**options).fit(X, y)


def checkpointed(X, y):
    with TemporaryDirectory() as folder:
        return MultiLabelSVM().fit(X, y, checkpoint=Path(folder) / "run")


AS_THEY_ARE = {
    "float32": lambda X, y: plain_fit(X.astype(np.float32), y),
    "sparse": lambda X, y: plain_fit(sparse.csr_matrix(X), y),
    "not wide": lambda X, y: plain_fit(X[:, :40], y),
    "callback": lambda X, y: plain_fit(X, y, callback=lambda iteration, w: len(w) != 4 * 121 + 6),
    "warm start": lambda X, y: plain_fit(X, y, warm_start=True),
    "checkpoint": checkpointed,
    "early stopping": lambda X, y: plain_fit(X, y, early_stopping=True, random_state=0),
    "prior": lambda X, y: MultiLabelSVM().fit(X, y, w_prior=np.ones(4 * 121 + 6)),
}


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_rows_are_taken_as_they_are(name, spaces):
    svm = AS_THEY_ARE[name](*label_sets())
    assert not spaces
    assert svm.result_.status.name != "STOPPED"


def test_a_warm_start_goes_on_from_a_fit_in_the_space(spaces):
    X, y = label_sets()
    svm = MultiLabelSVM(rtol=1e-3).fit(X, y)
    before = svm.result_
    again = svm.set_params(warm_start=True).fit(X, y).result_
    assert len(spaces) == 1
    assert before.dual <= again.primal <= before.primal
