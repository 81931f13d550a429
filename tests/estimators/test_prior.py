"""The prior of a fit: weights of an estimator that was fitted to other data, or an array."""

from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from structsvm import LatentSVM
from structsvm.data.containers import dense
from structsvm.problems import (
    Chain,
    ChainSVM,
    CorrelationClustering,
    DependencyParser,
    IntegerProgram,
    IntegerProgramSVM,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateSVM,
    PartialChain,
    SegmentSVM,
    TaxonomySVM,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:training ended at w_prior"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def classes(seed):
    X = np.random.default_rng(seed).normal(size=(60, 4)) * [1, 2, 3, 40]
    return X, (X @ [1, 1, 1, 0.1] > 0).astype(int) + (X[:, 0] > 1)


def item_sets(seed):
    rng = np.random.default_rng(seed)
    y = [rng.integers(3, size=12) for _ in range(4)]
    return [np.eye(3, 5)[own] + 0.3 * rng.normal(size=(12, 5)) for own in y], y


def tagged(seed, words, labels=("A", "B", "C")):
    """Sentences whose words determine their labels, as dicts of features."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(20):
        chosen = rng.integers(len(words), size=5)
        X.append([{"word": words[j], "size": 0.5 + j % 2} for j in chosen])
        y.append([labels[j % len(labels)] for j in chosen])
    return X, y


@pytest.mark.parametrize("states", [True, False])
def test_a_chain_takes_the_weights_of_all_features_and_labels_of_another(states):
    words = [f"w{j}" for j in range(12)]
    X, y = tagged(0, words[:9])
    X2, y2 = tagged(1, words[3:], labels=("B", "C", "D"))
    source = ChainSVM(all_possible_states=states).fit(X, y)
    kept = ChainSVM(C=1e-12, all_possible_states=states).fit(X2, y2, w_prior=source)
    assert kept.classes_.tolist() == ["A", "B", "C", "D"]
    names = [str(name) for name in kept.feature_names_in_]
    assert {*source.feature_names_in_} < {*names}
    before, found = source.state_features_, kept.state_features_
    for pair in {*before, *found}:
        assert found.get(pair, 0.0) == pytest.approx(before.get(pair, 0.0), abs=1e-9)
    np.testing.assert_allclose(kept.transitions_[:3, :3], source.transitions_, atol=1e-9)
    of_means = dense(source.coef_) @ source._encoding.columns.means
    np.testing.assert_allclose(kept.transitions_[3], np.append(-of_means, 0), atol=1e-9)
    np.testing.assert_allclose(kept.end_transitions_[:3], source.end_transitions_, atol=1e-9)
    assert kept.predict(X) == source.predict(X)
    near = ChainSVM(all_possible_states=states).fit(X2, y2, w_prior=source)
    assert near.verify(X2, y2).matches


def test_vectors_and_tables_are_carried_too():
    X = [[{"v": np.eye(4)[k], "c": k % 2} for k in own] for own in ([0, 1, 2], [2, 3], [3, 0, 1])]
    y = [["a", "b", "a"], ["a", "b"], ["b", "a", "b"]]
    source = ChainSVM().fit(X, y)
    kept = ChainSVM(C=1e-12).fit(
        [[word | {"new": 1} for word in own] for own in X], y, w_prior=source
    )
    before, found = source.state_features_, kept.state_features_
    for pair in {*before, *found}:
        assert found.get(pair, 0.0) == pytest.approx(before.get(pair, 0.0), abs=1e-6)
    pandas = pytest.importorskip("pandas")
    numbers = np.random.default_rng(0).normal(size=(30, 2))
    table, groups = pandas.DataFrame(numbers, columns=["a", "b"]), np.arange(30) // 3
    labels = (table["a"] > 0).astype(int)
    source = ChainSVM().fit(table, labels, groups=groups)
    kept = ChainSVM(C=1e-12).fit(table[["b", "a"]] * 5, labels, groups=groups, w_prior=source)
    np.testing.assert_allclose(kept.coef_[:, ::-1], source.coef_, atol=1e-9)


@pytest.mark.parametrize("states", [True, False])
def test_segments_and_trees_take_the_weights_of_another(states):
    def features(sequence, start, stop):
        return {f"first {sequence[start]}": 1.0, "length": stop - start}

    def check(before, found):
        for pair in {*before, *found}:
            assert found.get(pair, 0.0) == pytest.approx(before.get(pair, 0.0), abs=1e-9)

    def weights(model, names):
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
        labels = [None] if model.classes_ is None else model.classes_.tolist()
        table = zip(labels, np.atleast_2d(coef), strict=True)
        return {(a, b): w for a, row in table for b, w in zip(names, row, strict=True) if w}

    X, y = ["aabb", "abab"], [[(0, 2, "a"), (2, 4, "b")], [(0, 1, "a"), (1, 4, "b")]]
    options = {"max_length": 4, "all_possible_states": states}
    source = SegmentSVM(features, **options).fit([list(x) for x in X], y)
    X2, y2 = [list("bbca")], [[(0, 2, "b"), (2, 3, "c"), (3, 4, "c")]]
    kept = SegmentSVM(features, C=1e-12, **options).fit(X2, y2, w_prior=source)
    check(*(weights(model, model.feature_names_in_) for model in (source, kept)))
    assert kept.classes_.tolist() == ["a", "b", "c"]

    def described(sentence, head, dependent):
        return [
            f"{head and sentence[head - 1]}-{sentence[dependent - 1]}",
            f"by {head - dependent}",
        ]

    sentences, heads = [["a", "b", "c"], ["b", "c", "a"]], [[2, 0, 2], [0, 1, 2]]
    labelled = [[(h, "root" if h == 0 else "x") for h in own] for own in heads]
    for trees, more in ((heads, [[2, 0]]), (labelled, [[(2, "y"), (0, "root")]])):
        options = {"features": described, "all_possible_states": states}
        source = DependencyParser(**options).fit(sentences, trees)
        kept = DependencyParser(C=1e-12, **options).fit([["c", "b"]], more, w_prior=source)
        check(*(weights(model, model._encoding.describe.names) for model in (source, kept)))
        assert kept.verify([["c", "b"]], more).matches
    words = [[("the", "D"), ("cat", "N"), ("sat", "V")]] * 2
    source = DependencyParser().fit(words, [[2, 3, 0]] * 2)
    kept = DependencyParser(C=1e-12).fit([[("a", "D"), ("dog", "N")]], [[2, 0]], w_prior=source)
    assert {*source._encoding.describe.names} < {*kept._encoding.describe.names}
    check(*(weights(model, model._encoding.describe.names) for model in (source, kept)))


def test_latent_outputs_start_at_the_prior():
    X, Y = (part[:4] for part in PartialChain.example_data())
    source = LatentSVM(PartialChain(), C=1.0, n_init=1).fit(X, Y)
    near = LatentSVM(PartialChain(), C=1.0, n_init=2).fit(X, Y, w_prior=source)
    assert near.verify(X, Y).matches
    assert near.result_.primal < source.result_.primal
    programs, outputs = IntegerProgram.example_data()
    for y in outputs:
        y[::2] = -1
    whole = IntegerProgramSVM().fit(programs, outputs)
    again = IntegerProgramSVM().fit(programs, outputs, w_prior=whole)
    assert again.result_.primal < whole.result_.primal
    assert again.verify(programs, outputs).matches


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_search_passes_it_on():
    X, y = classes(0)
    X2, y2 = classes(1)
    source = MulticlassSVM(scale=None).fit(X, y)
    given = MulticlassSVM(scale=None)
    search = GridSearchCV(given, {"C": [1e-12, 1.0]}, cv=3).fit(X2, y2, w_prior=source)
    np.testing.assert_allclose(search.best_estimator_.result_.w_prior, source.w_)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(source.score(X2, y2), abs=0.02)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.zeros(3), r"w_prior must be finite and of shape \(15,\); got shape \(3,\)"),
        (np.full(15, np.inf), "w_prior must be finite"),
        (ChainSVM().fit(*tagged(0, ["a", "b", "c"])), "fitted MulticlassSVM; got a ChainSVM"),
        (
            MulticlassSVM().fit(np.eye(4), [0, 1, 2, 2]),
            "fitted to other classes: it lacks 3 and has 0 besides. Fit it to the same, in the",
        ),
        (
            MulticlassSVM().fit(np.eye(3), [1, 2, 3]),
            "w_prior was fitted with 3 columns; here are 4",
        ),
        ({"a": 1}, r"a fitted MulticlassSVM, or an array of shape \(15,\) .*; got \{'a': 1\}"),
        ("weights", "an array of shape .*; got 'weights'"),
        (3.0, r"an array of shape .*; got 3\.0"),
        (MulticlassSVM, "an array of shape .*; got <class"),
        (
            MulticlassSVM().fit(np.eye(4), [1, 2, 3, 3]).result_,
            "an array of shape .*; got a Result: give the estimator",
        ),
    ],
)
def test_priors_that_do_not_fit_are_named(prior, message):
    X, y = classes(0)
    with pytest.raises(ValueError, match=message):
        MulticlassSVM().fit(X, y + 1, w_prior=prior)
    with pytest.raises(NotFittedError, match="w_prior is a MulticlassSVM that is not fitted"):
        MulticlassSVM().fit(X, y, w_prior=MulticlassSVM())


def test_a_chain_names_features_and_labels_that_are_not_shared():
    X, y = tagged(0, ["a", "b", "c"])
    source = ChainSVM().fit(X, y)
    others = [[{"other": 1.0} for _ in x] for x in X]
    with pytest.raises(ValueError, match=r"fitted to, which are 'word:.*; it has 'other'"):
        ChainSVM().fit(others, y, w_prior=source)
    with pytest.raises(ValueError, match=r"other labels: it has 'A', 'B', 'C', and none .* 'A!'"):
        ChainSVM().fit(X, [[label + "!" for label in own] for own in y], w_prior=source)
    arrays, codes = Chain.example_data()
    arrays = [np.asarray(x) for x in arrays]
    source = ChainSVM().fit(arrays, codes)
    with pytest.raises(ValueError, match="must both have names, or both be columns of matrices"):
        ChainSVM().fit(
            [[{"a": 1.0} for _ in x] for x in arrays], [list(c) for c in codes], w_prior=source
        )
    with pytest.raises(ValueError, match=r"fitted to \d+ columns; here are"):
        ChainSVM().fit([np.hstack([x, x]) for x in arrays], codes, w_prior=source)


def test_features_and_outputs_are_compared_by_name_where_both_have_names():
    pandas = pytest.importorskip("pandas")
    X, y = classes(0)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    of_frame, of_array = MulticlassSVM().fit(frame, y), MulticlassSVM().fit(X, y)
    for other, message in (
        (frame.rename(columns={"b": "e"}), "other features: it lacks 'e' and has 'b' besides"),
        (frame[list("abdc")], "other features: it has 'c' in the place of 'd'"),
        (frame[list("abc")], "other features: it has 'd' besides"),
    ):
        with pytest.raises(ValueError, match=message):
            MulticlassSVM().fit(other, y, w_prior=of_frame)
    for prior in (of_frame, of_array):
        for data in (X, frame):
            MulticlassSVM().fit(data, y, w_prior=prior)
    text = np.array(["no", "yes"])[(y > 0).astype(int)]
    with pytest.raises(ValueError, match="other classes: it lacks False, True and has 'no', 'yes'"):
        MultivariateSVM().fit(X, y > 0, w_prior=MultivariateSVM().fit(X, text))
    groups = np.arange(60) // 6
    chain = ChainSVM().fit(frame, y, groups=groups)
    with pytest.raises(ValueError, match="no name in common: 'a', 'b', 'c', 'd'; 'A', 'B',"):
        ChainSVM().fit(frame.rename(columns=str.upper), y, groups=groups, w_prior=chain)


def test_names_of_sets_of_items_are_those_of_the_new_data():
    pandas = pytest.importorskip("pandas")
    X, y = item_sets(0)
    one, other = (
        [pandas.DataFrame(x, columns=list(names)) for x in X] for names in ("abcde", "abcdf")
    )
    source = CorrelationClustering().fit(one, y)
    with pytest.raises(ValueError, match="other features: it lacks 'f' and has 'e' besides"):
        CorrelationClustering().fit(other, y, w_prior=source)
    CorrelationClustering().fit(other, y).fit(one, y, w_prior=source)


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_labels_of_segments_and_trees():
    def features(sequence, start, stop):
        return {"first": sequence[start], "length": stop - start}

    segments = SegmentSVM(features, max_length=2)
    source = clone(segments).fit([list("aab")], [[(0, 2, "a"), (2, 3, "b")]])
    longer = clone(segments).fit([list("aab")], [[(0, 2, "a"), (2, 3, "place")]], w_prior=source)
    assert longer.classes_.tolist() == ["a", "b", "place"]
    with pytest.raises(ValueError, match=r"other labels: it has 'a', 'b', and none of .* 'c', 'd'"):
        clone(segments).fit([list("aab")], [[(0, 2, "c"), (2, 3, "d")]], w_prior=source)
    words, heads = [[("the", "D"), ("cat", "N"), ("sat", "V")]] * 2, [[2, 3, 0]] * 2
    named = [[(2, "det"), (3, "subject"), (0, "root")]] * 2
    alone, labelled = DependencyParser().fit(words, heads), DependencyParser().fit(words, named)
    with pytest.raises(ValueError, match="trees with labels, and those in y have none"):
        DependencyParser().fit(words, heads, w_prior=labelled)
    own = DependencyParser(features=lambda sentence, head, dependent: ["any"]).fit(words, heads)
    for prior, parser in ((own, alone), (alone, own)):
        with pytest.raises(ValueError, match="fitted to features of another kind"):
            clone(parser).fit(words, heads, w_prior=prior)


def test_nodes_of_taxonomies_are_compared():
    networkx = pytest.importorskip("networkx")
    X, y = classes(0)

    def tree(node):
        return networkx.DiGraph([("root", 0), ("root", node), (node, 1), (node, 2)])

    source = TaxonomySVM(tree("some")).fit(X, y)
    with pytest.raises(ValueError, match="other nodes: it lacks 'more' and has 'some' besides"):
        TaxonomySVM(tree("more")).fit(X, y, w_prior=source)


def test_the_estimator_inside_another_is_named():
    X, y = classes(0)
    search = GridSearchCV(MulticlassSVM(), {"C": [1.0]}, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="got a GridSearchCV: give its best_estimator_"):
        MulticlassSVM().fit(X, y, w_prior=search)
    with pytest.raises(ValueError, match="got a Pipeline: give its last step"):
        MulticlassSVM().fit(X, y, w_prior=make_pipeline(MulticlassSVM()))


def test_weights_are_converted_by_the_parameters_of_their_own_fit():
    X = np.random.default_rng(0).normal(size=(30, 4))
    Y = (X[:, :3] + X[:, 1:] > 0).astype(int)
    source = MultiLabelSVM(structure="pairs", pair_scale=3.0).fit(X, Y)
    kept = deepcopy(source).set_params(C=1e-9, pair_scale=9.0).fit(X, Y, w_prior=source)
    np.testing.assert_allclose(kept.pair_coef_, source.pair_coef_, atol=1e-6)
    other = deepcopy(source).set_params(C=1e-9, pair_scale=9.0)
    np.testing.assert_allclose(
        other.fit(X, Y, w_prior=other).pair_coef_, source.pair_coef_, atol=1e-6
    )
