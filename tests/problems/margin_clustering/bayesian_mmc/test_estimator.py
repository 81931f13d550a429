"""BayesianMMC: kernels, probabilities, the Universum, several clusters, bad input."""

import numpy as np
import pytest
from clustering_data import agreement
from scipy import sparse
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems import BayesianMMC

CENTRES = {2: [[-3, 0], [3, 0]], 4: [[-6, 0], [0, 0], [6, 0], [0, 7]]}


def blobs(k=2, each=30):
    return make_blobs(each * k, centers=CENTRES[k], random_state=0)


def unequal(*sizes):
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(x, 1, (n, 2)) for x, n in zip((-3, 3), sizes, strict=True)])


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("kernel", ["diffusion", "rbf", "graph"])
def test_clusters_that_are_plain(kernel, k):
    X, y = blobs(k)
    fit = BayesianMMC(k, kernel=kernel, random_state=0).fit(X)
    assert adjusted_rand_score(y, fit.labels_) == 1
    assert fit.probabilities_.shape == (30 * k, k)
    np.testing.assert_allclose(fit.probabilities_.sum(axis=1), 1)
    np.testing.assert_array_equal(fit.probabilities_.argmax(axis=1), fit.labels_)
    assert fit.log_posterior_ == -fit.result_.primal < 0
    assert not fit.collapsed_
    assert np.isnan(fit.length_scale_) == (kernel == "graph")
    if kernel == "graph":
        with pytest.raises(ValueError, match="kernel='diffusion' to predict"):
            fit.predict(X)
        return
    np.testing.assert_allclose(fit.predict_proba(X), fit.probabilities_, atol=1e-6)
    if k == 4:
        between = fit.predict_proba([[-3.0, 0.0], [-6.0, 0.0]]).max(axis=1)
        assert between[0] < 0.85 < 0.9 < between[1]


def test_probabilities_say_where_it_is_unsure():
    X, _ = blobs()
    p = BayesianMMC(kernel="rbf").fit(X).predict_proba([[0.0, 0.0], [3.0, 0.0], [100.0, 0.0]])
    assert p.max(axis=1)[1] > 0.85
    assert abs(p[0, 0] - 0.5) < 0.15
    assert abs(p[2, 0] - 0.5) < 0.2  # far from all rows the prior is all there is


def test_clusters_of_unequal_size_need_an_offset():
    labels = BayesianMMC(kernel="rbf", offset=1.0).fit_predict(unequal(90, 10))
    assert agreement(labels, np.repeat([0, 1], [90, 10])) == 1


@pytest.mark.parametrize("gamma", [0.4, 0.6])
def test_gamma_names_the_clusters(gamma):
    """Both names of every start are tried: gamma is the prior share of the second cluster."""
    X = unequal(51, 9)
    for rows in (X, X[::-1]):
        fit = BayesianMMC(kernel="rbf", gamma=gamma, offset=1.0, n_init=1).fit(rows)
        first, second = np.bincount(fit.labels_)
        assert (first > 3 * second) if gamma < 0.5 else (second > 3 * first)


@pytest.mark.filterwarnings("error")
def test_rows_far_from_all_others():
    """The walk to near neighbours underflows there, but is a walk."""
    X, _ = make_moons(24, noise=0.08, random_state=0)
    p = BayesianMMC().fit(X).predict_proba([[1e4, 0.0], [0.0, 1e6]])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    rng = np.random.default_rng(0)
    tight = np.vstack([rng.normal(c, 1e-3, (30, 2)) for c in ((0, 0), (10, 0), (0, 10))])
    labels = BayesianMMC(n_clusters=3, offset=1.0).fit_predict(tight)
    assert sorted(np.bincount(labels).tolist()) == [30, 30, 30]


# ---------------------------------------------------------------------- the Universum


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("universum", ["mean", "marginal", [[0.0, 0.0], [0.1, -0.1]]])
@pytest.mark.parametrize(
    ("kernel", "k", "convert"),
    [("rbf", 2, np.asarray), ("diffusion", 2, sparse.csr_matrix), ("rbf", 4, np.asarray)],
)
def test_a_universum_keeps_within_the_margins(universum, kernel, k, convert):
    X, y = blobs(k)
    fit = BayesianMMC(k, kernel=kernel, universum=universum, random_state=0).fit(convert(X))
    assert adjusted_rand_score(y, fit.labels_) > 0.7
    f = fit._searches[0].posterior.f
    assert len(f) > 30 * k
    assert np.all(np.abs(f[30 * k :]) < 1)
    np.testing.assert_allclose(fit.predict_proba(convert(X)), fit.probabilities_, atol=1e-6)


def test_a_universum_moves_the_margin():
    """Rows of no cluster beside one of the blobs pull the boundary there."""
    X, _ = blobs()
    beside = np.column_stack([np.full(20, 1.5), np.linspace(-2, 2, 20)])
    plain = BayesianMMC(kernel="rbf", offset=1.0).fit(X)
    informed = BayesianMMC(kernel="rbf", offset=1.0, universum=beside).fit(X)
    sure, unsure = (max(f.predict_proba([[1.5, 0.0]])[0]) - 0.5 for f in (plain, informed))
    assert unsure < 0.6 * sure


def test_dense_and_sparse_rows_may_be_mixed():
    X, _ = blobs()
    middle = sparse.csr_matrix([[0.0, 0.0], [0.1, 0.0]])
    fit, dense = (BayesianMMC(universum=rows).fit(X) for rows in (middle, middle.toarray()))
    np.testing.assert_allclose(fit.predict_proba(sparse.csr_matrix(X)), fit.predict_proba(X))
    np.testing.assert_allclose(fit.probabilities_, dense.probabilities_)


# ---------------------------------------------------------------------- warnings and bad input


def test_steps_that_run_out_warn():
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        BayesianMMC(max_iter=1).fit(blobs()[0])


def test_known_labels_are_ignored_with_a_warning():
    X, y = make_moons(60, noise=0.05, random_state=0)
    half = np.where(np.arange(60) % 2, y, -1)
    with pytest.warns(UserWarning, match="no use for known labels: y is ignored"):
        ignored = BayesianMMC(random_state=0).fit(X, half)
    np.testing.assert_array_equal(ignored.labels_, BayesianMMC(random_state=0).fit(X, y).labels_)


X20 = np.random.default_rng(0).normal(size=(20, 2))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": 0.0}, "gamma"),
        ({"gamma": 0.3, "n_clusters": 3}, "the second of two clusters; leave it 0.5"),
        ({"length_scale": 0.0}, "length_scale"),
        ({"length_scale": 1e300}, r"must be from 1e-150 to 1e\+150; got 1e\+300"),
        ({"length_scale": 1e10}, "the kernel is constant"),
        ({"length_scale": 1.0, "kernel": "graph"}, "has none"),
        ({"C": 1e-7}, "C must be from 1e-06 to 1e"),
        ({"C": 400.0, "universum": "mean"}, "C, with a Universum, must be from 1e-06 to 300"),
        ({"offset": 1e15}, "offset, a variance.* must be from 0 to 1e"),
        ({"universum": [[1e200, 0.0]]}, "the largest entry of universum is 1e"),
        ({"universum": np.ones((3, 5))}, r"with the 2 features of X; got shape \(3, 5\)"),
        ({"universum": [1.0, 2.0]}, r"at least one row of numbers.*got shape \(2,\)"),
        ({"universum": sparse.csr_matrix([[1j, 0]])}, "universum must hold real numbers"),
        ({"universum": [[np.nan, 0.0]]}, "NaN"),
        ({"universum": "median"}, "'mean', 'marginal'"),
        ({"universum": "mean", "kernel": "graph"}, "needs a kernel of rows"),
        ({"universum": "mean", "kernel": "precomputed"}, "needs a kernel of rows"),
        ({"kernel": "graph", "calibrate": True}, "calibrate=True predicts rows that were left out"),
        ({"calibrate": 2}, "calibrate must be True or False"),
        ({"n_clusters": 11, "kernel": "rbf", "calibrate": True}, "fits halves .* needs as many"),
        ({"n_clusters": 3, "multi_class": "ovr"}, "must be one of 'joint', 'bisecting'"),
        (
            {"n_clusters": 3, "multi_class": "bisecting", "kernel": "graph"},
            "for which kernel='graph' is not defined: choose",
        ),
    ],
)
def test_unusable_parameters(parameters, message):
    X = rbf_kernel(X20) if parameters.get("kernel") == "precomputed" else X20
    with pytest.raises(ValueError, match=message):
        BayesianMMC(**parameters).fit(X)


def test_rows_that_the_graph_cannot_tell_apart():
    with pytest.raises(ValueError, match="all rows are the same"):
        BayesianMMC(kernel="graph").fit(np.ones((9, 3)))
    with pytest.raises(ValueError, match="as many different rows; X has 1"):
        BayesianMMC(kernel="precomputed").fit(np.ones((9, 9)))
