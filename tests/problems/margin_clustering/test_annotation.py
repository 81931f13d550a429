"""Known labels among unknown ones, for all maximum margin clusterers."""

import numpy as np
import pytest
from clustering_data import blobs, data_for, every, two
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from structsvm import StructuredSVM
from structsvm.problems import CPM3C, MMC, SDPMMC, MMCProblem


@pytest.mark.sampled(5)
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
    with pytest.raises(ValueError, match="clustered with known labels: give y"):
        fitted.verify(X)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, np.nan] + [-1] * 18, "1 labels such as 'nan'"),
        ([0, 1] + [None] * 18, "18 labels such as 'None'"),
        (["a", "b"] + ["-1"] * 18, "must hold integers"),
    ],
)
def test_labels_that_are_marked_otherwise_are_an_error(y, message):
    """Else they would be dropped, and nobody would know."""
    with pytest.raises(ValueError, match=message):
        MMC(n_init=1).fit(np.random.default_rng(0).normal(size=(20, 2)), y)


@pytest.mark.sampled(3)
@every
def test_known_rows_stay_even_in_the_wrong_cluster(clusterer):
    X, truth = data_for(clusterer)
    known = np.full(len(X), -1)
    known[::5] = truth[::5]
    known[0] = 1 - known[0]
    fitted = clone(clusterer).fit(X, known)
    np.testing.assert_array_equal(fitted.labels_[known >= 0], known[known >= 0])
    assert fitted.predict(X)[0] == truth[0]


@pytest.mark.sampled(3)
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


@pytest.mark.sampled(3)
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
    labels = clone(clusterer).set_params(kernel="linear").fit(X, known).labels_
    assert np.mean(labels[unknown] == truth[unknown]) > 0.93


@pytest.mark.parametrize("clusterer", [MMC(random_state=0), SDPMMC(random_state=0)], ids=str)
def test_fit_predict_takes_known_labels(clusterer):
    X, truth = blobs(2)
    known = np.full(len(X), -1)
    known[[0, 1, -2, -1]] = 1 - truth[[0, 1, -2, -1]]
    np.testing.assert_array_equal(clusterer.fit_predict(X, known), 1 - truth)


@pytest.mark.sampled(5)
@every
def test_no_known_row_is_no_annotation(clusterer):
    X, _ = data_for(clusterer)
    one = clone(clusterer).fit(X)
    two = clone(clusterer).fit(X, np.full(len(X), -1))
    np.testing.assert_array_equal(one.result_.w, two.result_.w)


@pytest.mark.sampled(5)
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


@pytest.mark.parametrize("y", [[0, [1], -1, 0], np.zeros(4, dtype=[("a", int)])], ids=["list", "V"])
def test_annotations_that_are_no_single_values(y):
    with pytest.raises(ValueError, match="y must be an array of single values"):
        MMC().fit(np.eye(4), y)


def test_an_unsigned_annotation():
    with pytest.raises(ValueError, match="y must be a signed integer array"):
        StructuredSVM(MMCProblem()).fit([np.eye(4)], [np.array([0, 1, 1, 0], dtype=np.uint64)])


@pytest.mark.parametrize("search", ["evolutionary", "cccp"])
def test_too_few_unknown_rows_for_the_least_sizes_are_warned_of(search):
    X, _ = blobs(2, each=30)
    known = np.full(60, -1)
    known[:58] = 0
    with pytest.warns(ConvergenceWarning, match=r"cluster 1 is smaller than .* known label stay"):
        labels = MMC(search=search, random_state=0).fit(X, known).labels_
    assert np.all(labels[:58] == 0) and np.bincount(labels)[1] >= 1
    known[:59] = np.repeat([0, 1], [30, 29])
    with pytest.warns(ConvergenceWarning, match="cluster 2 is smaller than"):
        CPM3C(3, search=search, random_state=0).fit(X, known)
