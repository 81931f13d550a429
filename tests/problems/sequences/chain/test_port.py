"""ChainSVM for CRFsuite's users: empty sequences, features in its forms, weights by name."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

from structsvm.problems import ChainSVM, bio_transitions

WORDS = (
    [[{"word": w} for w in text.split()] for text in ("the dog barks", "dogs bark", "the cat")],
    [["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "NOUN"]],
)


def drawn():
    rng = np.random.default_rng(0)
    Y = [rng.integers(3, size=m) for m in (3, 1, 4, 2)]
    return [np.eye(3)[y] + 0.5 * rng.normal(size=(len(y), 3)) for y in Y], [
        ["abc"[c] for c in y] for y in Y
    ]


def test_empty_sequences_have_empty_labellings():
    X, y = WORDS
    svm = ChainSVM(loss="log_loss").fit(X, y)
    matrices = ChainSVM(loss="log_loss").fit(*drawn())
    for model, known, empty in ((svm, X[0], []), (matrices, drawn()[0][0], np.empty((0, 3)))):
        assert model.predict([]) == [] and model.predict([empty]) == [[]]
        assert model.predict([empty, known, empty]) == [[], *model.predict([known]), []]
        assert model.predict_proba([]) == []
        first, second = model.predict_proba([empty, known])
        assert first.shape == (0, len(model.classes_))
        np.testing.assert_array_equal(second, model.predict_proba([known])[0])
        assert model.predict_marginals([empty]) == [[]]
        assert model.predict_n_best([empty, known], 1)[0] == [([], 0.0)]
        assert model.predict_single(empty) == []
    assert list(svm.predict([], groups=[])) == []
    assert svm.score([[], X[0]], [[], y[0]]) == svm.score(X[:1], y[:1])
    with pytest.raises(ValueError, match=r"y\[0\] must hold a label for each of the 0 rows"):
        svm.score([[], X[0]], [["DET"], y[0]])
    with pytest.raises(ValueError, match="X has no positions to score"):
        svm.score([[]], [[]])
    with pytest.raises(ValueError, match=r"X\[1\] is empty; .*: leave empty sequences out"):
        svm.fit([X[0], []], [y[0], []])


def test_messages_count_empty_sequences():
    svm = ChainSVM().fit([[{"w": "a"}, {"w": "b"}]] * 2, [["A", "B"]] * 2)
    with pytest.raises(ValueError, match=r"X\[1\] must be a matrix, or a list with a dict"):
        svm.predict([[], [3]])
    with pytest.raises(
        ValueError, match=r"y\[1\] must hold a label for each of the 1 rows of X\[1\]"
    ):
        svm.score([[], [{"w": "a"}]], [[], ["A", "B"]])
    svm = ChainSVM().fit([np.eye(2)] * 2, [["A", "B"]] * 2)
    with pytest.raises(ValueError, match=r"X\[1\], one sequence: X contains NaN"):
        svm.predict([np.empty((0, 2)), np.array([[np.nan, 1.0]])])


def test_single_sequences():
    X, y = WORDS
    svm = ChainSVM(loss="log_loss").fit(X, y)
    assert svm.predict_single(X[0]) == svm.predict(X[:1])[0]
    assert svm.predict_marginals_single(X[0]) == svm.predict_marginals(X[:1])[0]


@pytest.mark.parametrize("every", [True, False])
def test_weights_by_name(every):
    X, y = WORDS
    svm = ChainSVM(all_possible_states=every).fit(X, y)
    coef = svm.coef_ if every else svm.coef_.toarray()
    found, names = svm.state_features_, svm.feature_names_in_.tolist()
    for c, label in enumerate(svm.classes_.tolist()):
        for j, name in enumerate(names):
            assert found.get((name, label), 0.0) == coef[c, j]
    assert all(found.values())
    labels = svm.classes_.tolist()
    assert svm.transition_features_ == {
        (labels[a], labels[b]): svm.transitions_[a, b]
        for a, b in zip(*np.nonzero(svm.transitions_), strict=True)
    }


def test_forbidden_transitions_have_no_weight_by_name():
    X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}, {"w": "a"}]]
    svm = ChainSVM(allowed_transitions=bio_transitions).fit(X, [["B", "I"], ["O", "B"]])
    assert ("O", "I") not in svm.transition_features_


def test_seen_states_have_the_weights_of_pairs_that_occur():
    X, y = WORDS
    svm = ChainSVM(all_possible_states=False).fit(X, y)
    assert sparse.issparse(svm.coef_) and svm.coef_.shape == (len(svm.classes_), svm.n_features_in_)
    seen = {
        (f"word:{d['word']}", label)
        for x, labels in zip(X, y, strict=True)
        for d, label in zip(x, labels, strict=True)
    }
    assert set(svm.state_features_) <= seen and len(svm.w_) < ChainSVM().fit(X, y).w_.size
    assert svm.verify(X, y).matches
    dense = ChainSVM(all_possible_states=False).fit(*drawn())
    assert isinstance(dense.coef_, np.ndarray)
    with pytest.raises(ValueError, match="all_possible_states must be True, False or 'auto'"):
        ChainSVM(all_possible_states="some").fit(X, y)


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_features_in_the_forms_of_crfsuite():
    plain = [[{"a:b": 1.0, "in:x": True, "in:y": True, "w:c": 2.0}, {"p:q:r": 1.0}]] * 2
    nested = [[{"a": "b", "in": ["x", "y"], "w": {"c": 2}}, {"p": {"q": {"r"}}}]] * 2
    y = [["u", "v"], ["v", "u"]]
    one, other = ChainSVM().fit(plain, y), ChainSVM().fit(nested, y)
    assert one.feature_names_in_.tolist() == other.feature_names_in_.tolist()
    np.testing.assert_array_equal(one.w_, other.w_)
    names = ChainSVM().fit([[["a:b", "in:x"], {"p"}], [("a:b",), []]], y)
    assert names.feature_names_in_.tolist() == ["a:b", "in:x", "p"]
    assert names.predict([[["a:b"]]]) == names.predict([[{"a": "b"}]])
    by_rows = ChainSVM().fit([["a"], ["b"], {"c": 1.0}], ["u", "v", "u"], groups=[0, 0, 1])
    assert by_rows.feature_names_in_.tolist() == ["a", "b", "c"]


def test_single_precision_stays_single():
    X, y = WORDS
    svm = ChainSVM().fit(X, y)
    assert svm._task(X, None)[1].X.rows.dtype == np.float32


def test_columns_of_matrices_have_no_names():
    with pytest.raises(AttributeError, match="the columns have no names: X held matrices"):
        _ = ChainSVM().fit(*drawn()).feature_names_in_


def test_labels_and_features_seen_only_in_validation():
    X, y = WORDS
    svm = ChainSVM(early_stopping=True)
    expected = r"in X_val and y_val: unknown label 'X'; the classes are .*leave examples with other"
    with pytest.raises(ValueError, match=expected):
        svm.fit(X * 3, y * 3, X_val=X[:1], y_val=[["X", "NOUN", "ADV"]])
    with pytest.warns(UserWarning, match="3 of 3 features of X are not among those trained on"):
        svm.fit(X * 3, y * 3, X_val=[[{"word": w} for w in ("a", "b", "c")]], y_val=y[:1])


@pytest.mark.parametrize(
    "X_val, y_val, message",
    [
        ([WORDS[0][0], []], [WORDS[1][0], []], r"X\[1\] is empty; .*: leave empty sequences out"),
        (WORDS[0][:1], WORDS[1][:1] * 2, "X has 1 sequences but y has 2"),
    ],
)
def test_what_is_wrong_with_held_out_sequences_is_said_of_them(X_val, y_val, message):
    with pytest.raises(ValueError, match=f"in X_val and y_val: {message}"):
        ChainSVM(early_stopping=True).fit(*WORDS, X_val=X_val, y_val=y_val)


def test_scalars_of_numpy_are_numbers_and_strings():
    position = {"a": np.float32(1), "b": np.int64(2), "c": np.bool_(True), "d": np.str_("x")}
    svm = ChainSVM().fit([[position, {"a": np.float16(0.5)}]] * 2, [["u", "v"]] * 2)
    assert svm.feature_names_in_.tolist() == ["a", "b", "c", "d:x"]


def test_the_memory_of_many_labels_is_said_before_it_is_taken():
    names = [f"label {j}" for j in range(100_000)]
    X = [[{"w": name} for name in names[i : i + 1000]] for i in range(0, len(names), 1000)]
    with pytest.raises(MemoryError, match=r"w has 1\d{10} entries .* fewer classes"):
        ChainSVM().fit(X, [names[i : i + 1000] for i in range(0, len(names), 1000)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_long_sequence():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=20_000)
    X = [[{"w": int(c)} if rng.random() < 0.9 else {"w": int(1 - c)} for c in codes]]
    svm = ChainSVM(max_iter=5).fit(X, [codes.tolist()])
    assert svm.score(X, [codes.tolist()]) > 0.8


def test_weights_without_effect_are_refused():
    X, y = [[{"w": "a"}, {"w": "b"}]] * 3, [["A", "B"]] * 3
    with pytest.raises(ValueError, match="class_weight would have no effect: it changes the loss"):
        ChainSVM(loss="log_loss", class_weight={"A": 3.0}).fit(X, y)
    with pytest.raises(ValueError, match="a sample_weight of positions would have no effect"):
        ChainSVM(loss="log_loss").fit(X, y, sample_weight=[[1, 2]] * 3)
    assert ChainSVM(loss="log_loss").fit(X, y, sample_weight=[1, 2, 3]).score(X, y) == 1
    assert ChainSVM(loss="softmax_margin", class_weight={"A": 3.0}).fit(X, y).score(X, y) == 1


def test_a_temperature_needs_labels_that_were_trained_on():
    X, y = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]], [["A", "B"], ["B"]]
    svm = ChainSVM().fit(X, y)
    for empty in ([], [[]]):
        with pytest.raises(ValueError, match="X has no positions"):
            svm.fit_temperature(empty, empty)
    with pytest.raises(
        ValueError, match=r"unknown label 'C'.*leave examples with other labels out"
    ):
        svm.fit_temperature(X, [["A", "C"], ["B"]])


def test_sentences_that_are_generators_are_to_be_lists():
    with pytest.raises(ValueError, match=r"\(generator\).*; pass \[list\(each\) for each in X\]"):
        ChainSVM().fit([(x for x in [{"w": "a"}])], [["A"]])


def test_scikit_learn_validates_on_lists_of_dicts_but_does_not_join_their_predictions():
    lengths = [1, 2, 3] * 4
    X = [[{"w": "ab"[j % 2]} for j in range(length)] for length in lengths]
    y = [["AB"[j % 2] for j in range(length)] for length in lengths]
    assert cross_val_score(ChainSVM(), X, y, cv=3).tolist() == [1.0] * 3
    assert GridSearchCV(ChainSVM(), {"C": [1.0, 100.0]}, cv=3).fit(X, y).best_score_ == 1.0
    with pytest.raises(ValueError, match="inhomogeneous"):
        cross_val_predict(ChainSVM(), X, y, cv=3)
