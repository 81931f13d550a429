"""Known labels among unknown ones, for all clusterers that take them."""

import numpy as np
import pytest
from clustering_data import SEARCHING, blobs, clusterer, clusters_of, data_for, fitted, quietly
from sklearn.exceptions import ConvergenceWarning

from structsvm import StructuredSVM
from structsvm.datasets import digits_pair
from structsvm.problems import CPM3C, MMC, MMCProblem

taking = pytest.mark.parametrize("name", [*SEARCHING, "SDPMMC"])


def partly_known(name):
    """Rows, other names of their clusters than those of first rows, and a third of the names."""
    X, truth = data_for(name)
    names = (truth + 1) % clusters_of(name)
    return X, names, np.where(np.arange(len(X)) % 3, -1, names)


@pytest.mark.sampled(2)
@taking
def test_known_rows_name_the_clusters(name):
    X, names, known = partly_known(name)
    model = quietly(clusterer(name), X, known)
    np.testing.assert_array_equal(model.labels_, names)
    if name in SEARCHING:
        assert model.verify(X, known).matches
        with pytest.raises(ValueError, match="clustered with known labels: give y"):
            model.verify(X)


@pytest.mark.sampled(3)
@taking
def test_known_rows_stay_even_in_the_wrong_cluster(name):
    """Copies whose labels contradict each other too: the row goes where the others say."""
    X, names, known = partly_known(name)
    X[1] = X[0]
    known[[0, 1, 3]] = names[0], 1 - names[0], 1 - names[3]
    model = quietly(clusterer(name), X, known)
    np.testing.assert_array_equal(model.labels_[known >= 0], known[known >= 0])
    if name in SEARCHING:
        np.testing.assert_array_equal(model.predict(X)[[0, 1, 3]], names[[0, 1, 3]])


@pytest.mark.sampled(6)
@taking
def test_no_known_row_or_all_are_no_annotation(name):
    X, truth = data_for(name)
    plain = fitted(name)
    for y in (np.full(len(X), -1), truth):
        model = clusterer(name)
        if y is truth:
            with pytest.warns(UserWarning, match="y is ignored: it has no -1"):
                model.fit(X, y)
        else:
            quietly(model, X, y)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_a_few_labels_help_with_digits():
    X, y = digits_pair(8, 9)
    truth = (y == 9).astype(int)
    few = np.random.default_rng(0).permutation(len(X)) < 60
    labels = MMC(kernel="linear", random_state=0).fit(X, np.where(few, truth, -1)).labels_
    assert np.mean(labels[~few] == truth[~few]) > 0.93


# ---------------------------------------------------------------------- refusals

X4 = np.eye(4)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, np.nan, -1, -1], "1 labels such as 'nan'"),
        (["a", "b", "-1", "-1"], "must hold integers"),
        ([-1, 0, 1], r"one label for each of \d+ rows; got shape \(3,\)"),
        ([0, [1], -1, 0], "y must be an array of single values"),
        ([7, -1, -1, -1], r"known labels must be 0\.\.\d, .* got 7\. .*LabelEncoder"),
        ([-2, -1, -1, -1], "got -2"),
        ([0.5, 1.0, -1.0, -1.0], "integer array"),
    ],
    ids=str,
)
def test_unusable_known_labels(y, message):
    for name in SEARCHING:
        with pytest.raises(ValueError, match=message):
            clusterer(name).fit(X4, y)
    with pytest.raises(ValueError, match="y must be a signed integer array"):
        StructuredSVM(MMCProblem()).fit([X4], [np.array([0, 1, 1, 0], dtype=np.uint64)])


@pytest.mark.sampled(2)
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
