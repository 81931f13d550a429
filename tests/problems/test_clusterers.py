"""What all maximum margin clusterers do alike: known labels, unusual data, bad input."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from structsvm.problems import CPM3C, MMC, CPM3CProblem, MultivariateMMC
from structsvm.problems.margin_clustering import restarts
from structsvm.problems.margin_clustering.restarts import Restarts

TWO = [MMC(random_state=0), CPM3C(random_state=0), MultivariateMMC(random_state=0)]
THREE = [
    CPM3C(3, n_init=4, random_state=0),
    MultivariateMMC(3, loss="rand", n_init=4, random_state=0),
]

two = pytest.mark.parametrize("clusterer", TWO, ids=lambda c: type(c).__name__)
every = pytest.mark.parametrize("clusterer", TWO + THREE, ids=str)


def blobs(k, each=25, apart=8.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(k), each)
    angles = 2 * np.pi * truth / k
    centres = apart / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return centres + rng.normal(size=centres.shape), truth


def clusters_of(clusterer):
    return getattr(clusterer, "n_clusters", 2)


def data_for(clusterer, **settings):
    return blobs(clusters_of(clusterer), **settings)


# ---------------------------------------------------------------------- known labels


@every
def test_known_rows_name_the_clusters(clusterer):
    X, truth = data_for(clusterer)
    k = truth.max() + 1
    names = (truth + 1) % k
    known = np.full(len(X), -1)
    known[:: len(X) // (2 * k)] = names[:: len(X) // (2 * k)]
    fitted = clone(clusterer).fit(X, known)
    np.testing.assert_array_equal(fitted.labels_, names)
    assert fitted.verify(X, known).matches


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, np.nan] + [-1] * 18, "1 labels that are missing"),
        ([0, 1] + [None] * 18, "18 labels that are missing"),
        (["a", "b"] + ["-1"] * 18, "must hold integers"),
    ],
)
def test_labels_that_are_marked_otherwise_are_an_error(y, message):
    """Else they would be dropped, and nobody would know."""
    with pytest.raises(ValueError, match=message):
        MMC(n_init=1).fit(np.random.default_rng(0).normal(size=(20, 2)), y)


@every
def test_known_rows_stay_even_in_the_wrong_cluster(clusterer):
    X, truth = data_for(clusterer)
    known = np.full(len(X), -1)
    known[::5] = truth[::5]
    known[0] = 1 - known[0]
    fitted = clone(clusterer).fit(X, known)
    np.testing.assert_array_equal(fitted.labels_[known >= 0], known[known >= 0])
    assert fitted.predict(X)[0] == truth[0]


@every
def test_copies_of_a_row_whose_labels_contradict_each_other(clusterer):
    """Documented: each keeps its own, and the row itself goes where the others say."""
    X, truth = data_for(clusterer)
    X[1] = X[0]
    known = np.full(len(X), -1)
    known[[0, 1]] = 0, 1
    known[5::5] = truth[5::5]
    fitted = clone(clusterer).fit(X, known)
    assert fitted.labels_[0] == 0 and fitted.labels_[1] == 1
    assert fitted.predict(X)[0] == fitted.predict(X)[1] == truth[0]


@pytest.mark.parametrize("pair", [(8, 9), (3, 8)])
@two
def test_a_few_labels_help_with_digits(clusterer, pair):
    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, pair)
    X, truth = X[rows], (y[rows] == pair[1]).astype(int)
    known = np.full(len(X), -1)
    chosen = np.random.default_rng(0).choice(len(X), 60, replace=False)
    known[chosen] = truth[chosen]
    unknown = known == -1
    labels = clone(clusterer).fit(X, known).labels_
    assert np.mean(labels[unknown] == truth[unknown]) > 0.95


@every
def test_no_known_row_is_no_annotation(clusterer):
    X, _ = data_for(clusterer)
    one = clone(clusterer).fit(X)
    two = clone(clusterer).fit(X, np.full(len(X), -1))
    np.testing.assert_array_equal(one.result_.w, two.result_.w)


@every
def test_complete_labels_are_ignored_and_that_is_said(clusterer):
    X, truth = data_for(clusterer)
    one = clone(clusterer).fit(X)
    with pytest.warns(UserWarning, match="y is ignored: it has no -1"):
        two = clone(clusterer).fit(X, truth)
    np.testing.assert_array_equal(one.labels_, two.labels_)


@every
@pytest.mark.parametrize(
    ("value", "message"),
    [(7, r"known labels must be 0\.\.\d, .* got 7\. .*LabelEncoder"), (-2, "got -2")],
)
def test_unusable_known_labels(clusterer, value, message):
    X, _ = data_for(clusterer)
    known = np.full(len(X), -1)
    known[0] = value
    with pytest.raises(ValueError, match=message):
        clone(clusterer).fit(X, known)


@every
def test_known_labels_of_another_kind_or_number(clusterer):
    X, truth = data_for(clusterer)
    with pytest.raises(ValueError, match="integer array"):
        clone(clusterer).fit(X, np.where(truth == 0, -1.0, truth))
    with pytest.raises(ValueError, match=r"one label for each of \d+ rows; got shape \(3,\)"):
        clone(clusterer).fit(X, [-1, 0, 1])


# ---------------------------------------------------------------------- unusual data


@every
def test_explicit_zeros_are_zeros(clusterer):
    X, _ = data_for(clusterer)
    X[np.abs(X) < 0.5] = 0
    thin = sparse.csr_matrix(X)
    explicit = sparse.csr_matrix(
        (X.ravel(), np.tile([0, 1], len(X)), np.arange(0, 2 * len(X) + 1, 2)), X.shape
    )
    assert explicit.nnz > thin.nnz
    one, two = (clone(clusterer).fit(data) for data in (thin, explicit))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert two.objective_ == pytest.approx(one.objective_)
    np.testing.assert_array_equal(one.predict(explicit), one.predict(X))


@every
def test_every_row_three_times(clusterer):
    X, _ = data_for(clusterer)
    one, three = (clone(clusterer).fit(data) for data in (X, np.repeat(X, 3, axis=0)))
    assert adjusted_rand_score(np.repeat(one.labels_, 3), three.labels_) == 1
    assert three.C_ == pytest.approx(one.C_)
    assert three.objective_ == pytest.approx(one.objective_, rel=0.05)


@every
def test_two_different_rows_many_times(clusterer):
    """As many different rows as clusters, or fewer: copies share a cluster unless sizes forbid."""
    X = np.repeat([[0.0, 1.0], [3.0, 0.0]], 20, axis=0)
    if clusters_of(clusterer) == 2:
        labels = clone(clusterer).fit(X).labels_
        assert adjusted_rand_score(labels, np.repeat([0, 1], 20)) == 1
    else:
        with pytest.warns(ConvergenceWarning, match="rows score higher for another cluster") as w:
            labels = clone(clusterer).fit(X).labels_
        assert not [str(one.message) for one in w if "distinct clusters" in str(one.message)]
        assert np.bincount(labels).min() >= 40 // 6


@every
def test_one_row_many_times(clusterer):
    with pytest.raises(ValueError, match="at least two different rows; all rows are the same"):
        clone(clusterer).fit(np.tile([1.0, 2.0, 3.0], (30, 1)))


@every
def test_constant_features_change_nothing(clusterer):
    X, _ = data_for(clusterer)
    wide = np.column_stack([X, np.full(len(X), 5.0), np.zeros(len(X))])
    one, two = (clone(clusterer).fit(data) for data in (X, wide))
    assert adjusted_rand_score(one.labels_, two.labels_) == 1
    np.testing.assert_allclose(two.coef_[:, 2:], 0, atol=1e-12)


@every
def test_as_many_rows_as_clusters(clusterer):
    k = clusters_of(clusterer)
    X = np.random.default_rng(0).normal(size=(k, 4))
    assert sorted(clone(clusterer).fit(X).labels_) == list(range(k))


@every
def test_no_cluster_is_empty_however_few_the_rows(clusterer):
    k = clusters_of(clusterer)
    X = np.random.default_rng(1).normal(size=(2 * k + 1, 3))
    labels = clone(clusterer).set_params(balance=3.0).fit(X).labels_
    assert np.bincount(labels, minlength=k).min() >= 1


@every
def test_verify_wants_the_training_rows(clusterer):
    X, _ = data_for(clusterer)
    fitted = clone(clusterer).fit(X)
    with pytest.raises(ValueError, match=f"verify expects the {len(X)} training rows; got 7"):
        fitted.verify(X[:7])


def test_a_start_that_ends_without_a_margin_is_not_chosen():
    X, problem = np.random.default_rng(0).normal(size=(2, 4)), CPM3CProblem(2)
    restarts = Restarts(1.0, 4, 1e-3, 100, np.random.default_rng(0))
    ends = [result.w.any() for result in restarts._search(problem, X, None)]
    assert any(ends) and not all(ends)
    assert restarts.best(problem, X, None).w.any()


@every
def test_without_any_margin_c_is_named(clusterer, monkeypatch):
    solve = restarts.solved
    monkeypatch.setattr(
        restarts, "solved", lambda *a: replace(found := solve(*a), w=np.zeros_like(found.w))
    )
    with pytest.raises(ValueError, match=r"every start ended at w = 0, .* C=7 is too small"):
        clone(clusterer).set_params(C=7.0, n_init=2).fit(data_for(clusterer)[0])


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
@pytest.mark.parametrize("k", [2, 4, 10])
def test_automatic_C(shape, k):
    """From the eigenvalues of the covariance; the same for sparse rows, twice for sign decoding."""
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 3, shape[1]) + 2
    spectrum = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    dimension = spectrum.sum() ** 2 / (spectrum**2).sum()
    expected = min(100, max(dimension**1.2, 2 * (k - 1) ** 2))
    for data in (X, sparse.csr_matrix(X)):
        problem = CPM3CProblem(k)
        if k <= len(X):
            problem.initialize([data])
            assert problem.automatic_C(data) == pytest.approx(expected)
    if k == 2:
        assert MMC(n_init=1, random_state=0).fit(X).C_ == pytest.approx(2 * expected)


@every
@pytest.mark.parametrize("kernel", ["rbf", "poly", "whiten", "diffusion"])
def test_features_on_new_rows(clusterer, kernel):
    X, truth = data_for(clusterer, each=40)
    fitted = clone(clusterer).set_params(kernel=kernel).fit(X)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    assert adjusted_rand_score(fitted.labels_, truth) > 0.9
    new, classes = data_for(clusterer, each=40, seed=1)
    assert adjusted_rand_score(fitted.predict(new), classes) > 0.9
    assert not hasattr(fitted, "coef_")


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize("clusterer", THREE, ids=str)
@pytest.mark.parametrize(
    ("n_clusters", "message"),
    [
        (1, "n_clusters must be an integer >= 2; got 1"),
        (0, "n_clusters must be an integer >= 2; got 0"),
        (2.0, "n_clusters must be an integer >= 2; got 2.0"),
        ("3", "n_clusters must be an integer >= 2; got '3'"),
        (76, "n_clusters=76 needs as many rows; got n_samples=75"),
    ],
)
def test_unusable_numbers_of_clusters(clusterer, n_clusters, message):
    X, _ = blobs(3)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(n_clusters=n_clusters).fit(X)


@every
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"balance": -0.1}, "balance must be a finite number >= 0; got -0.1"),
        ({"C": 0.0}, "C, if not 'auto', must be"),
        ({"C": "automatic"}, "C, if not 'auto', must be"),
        ({"min_cluster_size": 0.5}, r"min_cluster_size must be in \[0, 0\.\d+\)"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer"),
        ({"n_jobs": 1.5}, "n_jobs must be None or an integer"),
        ({"kernel": "cosine"}, "kernel must be one of"),
    ],
)
def test_unusable_parameters(clusterer, parameters, message):
    X, _ = data_for(clusterer)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(**parameters).fit(X)


@every
@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((6, 4)), "square"),
        (np.triu(np.ones((6, 6))), "must be symmetric"),
        (np.diag([1.0, -1.0, 1.0, 1.0, 1.0, 1.0]), "positive semidefinite"),
    ],
)
def test_unusable_kernel_matrices(clusterer, K, message):
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(kernel="precomputed").fit(K)


@two
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x: 1.0, "take two rows and return a number; it raised TypeError"),
        (lambda x, y: x, "take two rows and return a number; it raised"),
        (lambda x, y: np.nan, "finite numbers; it gave NaN or infinity$"),
    ],
)
def test_unusable_callable_kernels(clusterer, kernel, message):
    X, _ = data_for(clusterer)
    with pytest.raises(ValueError, match=message):
        clone(clusterer).set_params(kernel=kernel).fit(X)
