"""ChainSVM for CRFsuite's users: empty sequences, features in its forms, weights by name."""

import functools
from itertools import chain

import numpy as np
import pytest
from scipy import sparse

from structsvm.problems import ChainSVM

X = [[{"word": w} for w in text.split()] for text in ("the dog barks", "dogs bark", "the cat")]
Y = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "NOUN"]]
ROWS = [np.eye(3)[[0, 1, 2]], np.eye(3)[[1, 2]], np.eye(3)[[0, 1]]]


@functools.cache
def fitted(of_words=True):
    return ChainSVM(loss="log_loss").fit(X if of_words else ROWS, Y)


@pytest.mark.parametrize("model, known, empty", [(True, X[0], []), (False, ROWS[0], ROWS[0][:0])])
def test_empty_sequences_have_empty_labellings(model, known, empty):
    model = fitted(model)
    alone = model.predict([known])[0]
    assert model.predict([]) == model.predict_proba([]) == [] and model.predict([empty]) == [[]]
    assert model.predict([empty, known, empty]) == [[], alone, []]
    first, second = model.predict_proba([empty, known])
    assert first.shape == (0, len(model.classes_))
    np.testing.assert_array_equal(second, model.predict_proba([known])[0])
    assert model.predict_marginals([empty]) == [[]]
    assert model.predict_n_best([empty, known], 1)[0] == [([], 0.0)]
    assert model.predict_single(empty) == [] and model.predict_single(known) == alone
    assert model.predict_marginals_single(known) == model.predict_marginals([known])[0]
    assert model.score([empty, known], [[], Y[0]]) == model.score([known], Y[:1])
    assert list(model.predict([], groups=[])) == []


@pytest.mark.parametrize("every", [True, False])
def test_weights_by_name(every):
    svm = ChainSVM(all_possible_states=every).fit(X, Y)
    assert sparse.issparse(svm.coef_) != every
    coef = svm.coef_ if every else svm.coef_.toarray()
    found, names, labels = svm.state_features_, svm.feature_names_in_, svm.classes_.tolist()
    assert coef.shape == (len(labels), len(names))
    for c, label in enumerate(labels):
        for j, name in enumerate(names.tolist()):
            assert found.get((name, label), 0.0) == coef[c, j]
    assert all(found.values())
    assert svm.transition_features_ == {
        (labels[a], labels[b]): svm.transitions_[a, b]
        for a, b in zip(*np.nonzero(svm.transitions_), strict=True)
    }


def test_seen_states_have_the_weights_of_pairs_that_occur():
    svm = ChainSVM(all_possible_states=False).fit(X, Y)
    positions = zip(chain(*X), chain(*Y), strict=True)
    assert {*svm.state_features_} <= {(f"word:{d['word']}", label) for d, label in positions}
    assert len(svm.w_) < ChainSVM().fit(X, Y).w_.size and svm.verify(X, Y).matches
    dense = ChainSVM(all_possible_states=False).fit(ROWS, Y)
    assert isinstance(dense.coef_, np.ndarray)
    with pytest.raises(AttributeError, match="the columns have no names: X held matrices"):
        _ = dense.feature_names_in_


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
    position = {"a": np.float32(1), "b": np.int64(2), "c": np.bool_(True), "d": np.str_("x")}
    scalars = ChainSVM().fit([[position, {"a": np.float16(0.5)}]] * 2, y)
    assert scalars.feature_names_in_.tolist() == ["a", "b", "c", "d:x"]


def test_unknown_features_of_held_out_sequences_are_counted():
    new = [[{"word": w} for w in ("a", "b", "c")]]
    with pytest.warns(UserWarning, match="3 of 3 features of X are not among those trained on"):
        ChainSVM(early_stopping=True).fit(X * 3, Y * 3, X_val=new, y_val=Y[:1])


def test_the_memory_of_many_labels_is_said_before_it_is_taken():
    names = [f"label {j}" for j in range(60_000)]
    X = [[{"w": name} for name in names[i : i + 1000]] for i in range(0, len(names), 1000)]
    with pytest.raises(MemoryError, match=r"w has 3\d{9} entries .* fewer classes"):
        ChainSVM().fit(X, [names[i : i + 1000] for i in range(0, len(names), 1000)])


def test_weights_of_sequences_have_an_effect_where_those_of_positions_have_none():
    assert ChainSVM(loss="log_loss").fit(X, Y, sample_weight=[1, 2, 3]).score(X, Y) == 1
    svm = ChainSVM(loss="softmax_margin", class_weight={"DET": 3.0})
    assert svm.fit(X, Y).score(X, Y) == 1
    with pytest.raises(ValueError, match="a sample_weight of positions would have no effect"):
        ChainSVM(loss="log_loss").fit(X, Y, sample_weight=[[1, 2, 1], [1, 2], [1, 2]])


def held_out(X_val, y_val):
    return ChainSVM(early_stopping=True).fit(X * 3, Y * 3, X_val=X_val, y_val=y_val)


OF_HELD_OUT = "^in X_val and y_val: "
EMPTY = r"X\[1\] is empty; .*: leave empty sequences out"
NAN = [np.empty((0, 3)), np.array([[np.nan, 1.0, 0.0]])]
BAD = {
    r"y\[0\] must hold a label for each of the 0 rows": lambda: fitted().score(
        [[], X[0]], [["DET"], Y[0]]
    ),
    r"y\[1\] must hold a label for each of the 3 rows of X\[1\]": lambda: fitted().score(
        [[], X[0]], [[], Y[1]]
    ),
    "X has no positions to score": lambda: fitted().score([[]], [[]]),
    "X has no positions": lambda: fitted().fit_temperature([[]], [[]]),
    EMPTY: lambda: ChainSVM().fit([X[0], []], [Y[0], []]),
    OF_HELD_OUT + EMPTY: lambda: held_out([X[0], []], [Y[0], []]),
    OF_HELD_OUT + "unknown label 'ADV'; the classes are .*leave examples with other": lambda: (
        held_out(X[:1], [["DET", "NOUN", "ADV"]])
    ),
    r"unknown label 'ADV'.*leave examples with other labels": lambda: fitted().fit_temperature(
        X[:1], [["DET", "NOUN", "ADV"]]
    ),
    r"X\[1\], one sequence: X contains NaN": lambda: fitted(False).predict(NAN),
}


@pytest.mark.parametrize("message", BAD)
def test_messages_count_empty_sequences_and_name_those_held_out(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()
