"""Features of any size: a fit that verifies, or an error that names their scale."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from structsvm import StructuredSVM
from structsvm.features import DiffusionMap, KernelMap, Whitening
from structsvm.problems import (
    CPM3C,
    MMC,
    SDPMMC,
    BayesianMMC,
    Chain,
    ChainSVM,
    CorrelationClustering,
    Graph,
    GraphSVM,
    ItemSet,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateMMC,
    MultivariateSVM,
    RankingSVM,
    SupervisedKMeans,
)

rng = np.random.default_rng(0)
ROWS = np.vstack([rng.normal(-2, 1, (8, 3)), rng.normal(2, 1, (8, 3))])
LABELS = np.repeat([0, 1], 8)
SCALE = r"the largest entry of (X|nodes) is .*(multiply|divide) (X|nodes) by \d"

# Of searches that end early; a RuntimeWarning remains an error.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

#: Estimators whose results do not depend on the units of the features.
UNITLESS = {
    "MMC": MMC(n_init=2, random_state=0),
    "MMC rbf": MMC(kernel="rbf", n_init=2, random_state=0),
    "MMC poly": MMC(kernel="poly", n_init=2, random_state=0),
    "MMC whiten": MMC(kernel="whiten", n_init=2, random_state=0),
    "MMC diffusion": MMC(kernel="diffusion", n_init=2, random_state=0),
    "CPM3C": CPM3C(n_clusters=2, n_init=2, random_state=0),
    "MultivariateMMC": MultivariateMMC(n_init=2, random_state=0),
    "SDPMMC": SDPMMC(random_state=0),
    "BayesianMMC": BayesianMMC(random_state=0),
    "BayesianMMC rbf": BayesianMMC(kernel="rbf", random_state=0),
}
#: Estimators that compute with the features as they are.
AS_GIVEN = {
    "MulticlassSVM": MulticlassSVM(),
    "MultivariateSVM": MultivariateSVM(),
    "MultivariateSVM roc": MultivariateSVM("roc_area"),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", UNITLESS)
@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_clusters_do_not_depend_on_the_units(name, scale):
    usual = UNITLESS[name].fit(ROWS).labels_
    assert np.array_equal(UNITLESS[name].fit(scale * ROWS).labels_, usual)


@pytest.mark.parametrize("name", UNITLESS)
@pytest.mark.parametrize("scale", [1e-310, 1e-160, 1e155])
def test_clusterers_name_a_scale_that_is_impossible(name, scale):
    with pytest.raises(ValueError, match=SCALE):
        UNITLESS[name].fit(scale * ROWS)


@pytest.mark.parametrize("kernel", ["linear", "whiten", "diffusion"])
def test_squares_in_float32_are_narrower(kernel):
    rows, mmc = (1e-15 * ROWS).astype(np.float32), MMC(kernel=kernel, n_init=2, random_state=0)
    with pytest.raises(ValueError, match=SCALE):
        mmc.fit(rows)
    assert mmc.fit(rows.astype(float)).result_
    with pytest.raises(ValueError, match=SCALE):
        mmc.fit((1e15 * ROWS).astype(np.float32))


@pytest.mark.parametrize("name", AS_GIVEN)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_classifiers_name_a_scale_that_is_impossible(name, form):
    fitted = AS_GIVEN[name].fit(form(ROWS), LABELS)
    for scale in (1e155, 1e300):
        with pytest.raises(ValueError, match=SCALE):
            fitted.predict(form(scale * ROWS))
        with pytest.raises(ValueError, match=SCALE):
            clone(fitted).fit(form(scale * ROWS), LABELS)


def test_a_sequence_or_a_set_of_an_impossible_scale():
    for scale in (1e-160, 1e-100, 1e100, 1e155):
        with pytest.raises(ValueError, match=SCALE):
            ItemSet(scale * ROWS)
    with pytest.raises(ValueError, match=r"X\[0\], one sequence: the largest entry"):
        StructuredSVM(Chain()).fit([1e200 * ROWS], [LABELS])


@pytest.mark.parametrize("estimator", [SupervisedKMeans(), CorrelationClustering()])
@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_similarities_do_not_depend_on_the_units(estimator, scale):
    partitions = [np.arange(4) % 2] * 2
    usual = estimator.fit([ROWS[:4], ROWS[8:12]], partitions).result_.primal
    scaled = estimator.fit([scale * ROWS[:4], scale * ROWS[8:12]], partitions)
    assert scaled.result_.primal == pytest.approx(usual, rel=0.01)
    assert np.isfinite(scaled.coef_).all()


@pytest.mark.parametrize("transformer", [KernelMap(), Whitening(2), DiffusionMap(2)])
def test_feature_maps_name_a_scale_that_is_impossible(transformer):
    for scale in (1e-160, 1e155):
        with pytest.raises(ValueError, match=SCALE):
            transformer.fit(scale * ROWS)
    queries = transformer.fit(ROWS).transform(1e-160 * ROWS)  # near the origin, as any may be
    assert np.isfinite(queries).all()


#: Fits to rows, and whether they bring columns to one scale unless they are told not to.
FITS = {
    "MulticlassSVM": (lambda X, **scale: MulticlassSVM(**scale).fit(X, LABELS), True),
    "MultiLabelSVM": (lambda X: MultiLabelSVM().fit(X, np.eye(2)[LABELS]), False),
    "RankingSVM": (lambda X: RankingSVM().fit(X, LABELS, qid=np.arange(16) % 2), False),
    "ChainSVM": (lambda X, **scale: ChainSVM(**scale).fit([X], [LABELS]), True),
    "GraphSVM": (
        lambda X, **scale: GraphSVM(**scale).fit([Graph(X, [[0, 1]])], [LABELS]), True
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", FITS)
def test_weights_are_finite_or_the_features_refused(name, form):
    fit, unscaled = FITS[name]
    coef = fit(form(1e-299 * ROWS)).coef_
    assert np.isfinite(coef).all() and coef.any()
    with pytest.raises(ValueError, match="column 0 of the features holds nothing above"):
        fit(form(1e-310 * ROWS))
    for scale in (1e-299, 1e-150) if unscaled else ():
        with pytest.raises(ValueError, match=r"the largest entry of the features is .* multiply"):
            fit(form(scale * ROWS), scale=None)
