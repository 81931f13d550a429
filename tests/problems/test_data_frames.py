"""DataFrames and Series, of pandas and polars, for the rows, the labels and all else."""

import networkx as nx
import numpy as np
import pytest

from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    BayesianMMC,
    ChainSVM,
    CorrelationClustering,
    Graph,
    GraphSVM,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateMMC,
    MultivariateSVM,
    RankingSVM,
    SupervisedKMeans,
    TaxonomySVM,
)

NAMES = ["length", "width", "height"]
TAXONOMY = nx.DiGraph([("root", "a"), ("root", "b")])
CLASSIFIERS = [MulticlassSVM(), MultivariateSVM(), TaxonomySVM(TAXONOMY)]
CLUSTERERS = [
    MMC(random_state=0), CPM3C(2, random_state=0), MultivariateMMC(random_state=0),
    SDPMMC(random_state=0), BayesianMMC(random_state=0),
]  # fmt: skip

half = np.arange(40) < 20
X = np.random.default_rng(0).normal(size=(40, 3)) + 3 * half[:, None]
y = np.where(half, "a", "b")
queries = np.repeat(np.arange(8), 5)


class Library:
    """The same data as DataFrames and Series of a library."""

    def __init__(self, name):
        self._module = pytest.importorskip(name)

    def frame(self, array, names=NAMES):
        return self._module.DataFrame(dict(zip(names, array.T, strict=True)))

    def series(self, array):
        return self._module.Series(array.tolist())


@pytest.fixture(params=["pandas", "polars"])
def library(request):
    return Library(request.param)


def require_names(estimator, library, predict):
    """The names are remembered, and columns of another order are refused."""
    assert estimator.feature_names_in_.tolist() == NAMES
    assert estimator.n_features_in_ == 3
    with pytest.raises(ValueError, match="feature names should match"):
        predict(library.frame(X[:, ::-1], NAMES[::-1]))


@pytest.mark.sampled(17)
@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *CLUSTERERS], ids=lambda e: type(e).__name__)
def test_estimators_of_rows(estimator, library):
    supervised = estimator in CLASSIFIERS
    expected = estimator.fit(X, *[y] * supervised).predict(X)
    estimator.fit(library.frame(X), *[library.series(y)] * supervised)
    np.testing.assert_array_equal(estimator.predict(library.frame(X)), expected)
    require_names(estimator, library, estimator.predict)


def test_a_lazy_frame_is_refused():
    rows = Library("polars").frame(X).lazy()
    with pytest.raises(TypeError, match=r"X is a LazyFrame; pass X.collect\(\)"):
        CLASSIFIERS[0].fit(rows, y)


def test_weights(library):
    weights = 1.0 + half
    svm = MulticlassSVM().fit(
        library.frame(X), library.series(y), sample_weight=library.series(weights)
    )
    assert svm.result_.primal == MulticlassSVM().fit(X, y, sample_weight=weights).result_.primal


def test_label_sets(library):
    Y = np.column_stack([half, X[:, 1] > 0]).astype(int)
    svm = MultiLabelSVM().fit(library.frame(X), library.frame(Y, ["p", "q"]))
    assert svm.classes_.tolist() == ["p", "q"]
    expected = MultiLabelSVM().fit(X, Y).predict(X)
    np.testing.assert_array_equal(svm.predict(library.frame(X)), expected)
    named, other = library.frame(Y, ["p", "q"]), library.frame(Y, ["q", "p"])
    assert svm.score(library.frame(X), named) == MultiLabelSVM().fit(X, Y).score(X, Y)
    with pytest.raises(ValueError, match=r"y has other columns .* 'q' in the place of 'p'"):
        svm.score(library.frame(X), other)
    require_names(svm, library, svm.predict)


def test_rankings(library):
    relevance = (X[:, 0] > 1).astype(int)
    given = library.frame(X), library.series(relevance)
    expected = RankingSVM().fit(X, relevance, qid=queries).predict(X)
    svm = RankingSVM().fit(*given, qid=library.series(queries))
    np.testing.assert_allclose(svm.predict(given[0]), expected, rtol=1e-9)
    require_names(svm, library, svm.predict)


def test_sequences(library):
    groups = library.series(queries)
    svm = ChainSVM().fit(library.frame(X), library.series(y), groups=groups)
    expected = ChainSVM().fit(X, y, groups=queries).predict(X, groups=queries)
    np.testing.assert_array_equal(svm.predict(library.frame(X), groups=groups), expected)
    assert svm.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match="it has 'height' in the place of 'length'"):
        svm.predict(library.frame(X[:, ::-1], NAMES[::-1]), groups=groups)


@pytest.mark.sampled(2)
def test_graphs(library):
    edges = [(i, i + 1) for i in range(39)]
    svm = GraphSVM().fit([Graph(library.frame(X), edges)], [library.series(y)])
    expected = GraphSVM().fit([Graph(X, edges)], [y]).predict([Graph(X, edges)])[0]
    np.testing.assert_array_equal(svm.predict([Graph(library.frame(X), edges)])[0], expected)
    assert svm.feature_names_in_.tolist() == NAMES


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [SupervisedKMeans, CorrelationClustering])
def test_sets_of_items(kind, library):
    sets = [X[14:24], X[15:25]], [y[14:24], y[15:25]]
    frames, labels = map(library.frame, sets[0]), map(library.series, sets[1])
    model = kind().fit(list(frames), list(labels))
    assert model.feature_names_in_.tolist() == NAMES
    expected = model.coef_
    np.testing.assert_allclose(model.fit(*sets).coef_, expected, rtol=1e-6)
    assert not hasattr(model, "feature_names_in_")
    model.fit([library.frame(rows) for rows in sets[0]], sets[1])
    with pytest.raises(ValueError, match="has 'height' in the place of 'length'"):
        model.predict([library.frame(X[:, ::-1], NAMES[::-1])])
