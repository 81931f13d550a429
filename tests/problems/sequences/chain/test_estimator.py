"""ChainSVM: forms of data, weights for features as given, probabilities by name, and bad data."""

import functools
from itertools import product

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import sparse

from structsvm.data.containers import dense
from structsvm.datasets import load_file
from structsvm.problems import ChainSVM, bio_transitions

NAMES = np.array(["low", "mid", "top"])


def drawn(n=30, seed=0):
    """Walks on three labels, seen with noise."""
    rng = np.random.default_rng(seed)
    codes = [np.cumsum(rng.integers(2, size=m)) % 3 for m in rng.integers(1, 8, size=n)]
    X = [np.eye(3)[y] + 0.7 * rng.normal(size=(len(y), 3)) for y in codes]
    return X, [NAMES[y].tolist() for y in codes]


def as_dicts(X):
    return [[dict(zip("abc", row, strict=True)) for row in x.tolist()] for x in X]


def as_csr(X):
    return [sparse.csr_matrix(x) for x in X]


def as_table(X):
    """The rows of all sequences, and the sequence of each."""
    groups = np.repeat(np.arange(len(X)), [len(x) for x in X])
    return pd.DataFrame(np.concatenate(X), columns=list("abc")), groups


X, Y = drawn()
NEW, TRUE = drawn(seed=1)


@functools.cache
def fitted():
    return ChainSVM().fit(X, Y)


def test_all_forms_of_data_give_the_same_model():
    (table, groups), y = as_table(X), np.concatenate(Y)
    forms = [as_csr(X), as_dicts(X)]
    models = [fitted(), *(ChainSVM().fit(form, Y) for form in forms)]
    tables = [table, table.to_numpy(), table.to_dict("records")]
    models += [ChainSVM().fit(form, y, groups=groups) for form in tables]
    for model in models:
        np.testing.assert_allclose(model.coef_, fitted().coef_, atol=1e-3)
        assert model.C_ == 3 * len(X)
    for model, named in zip(models, [False, False, True, True, False, True], strict=True):
        names = getattr(model, "feature_names_in_", None)
        assert names.tolist() == list("abc") if named else names is None
    lists = fitted().predict(NEW)
    assert all(isinstance(y, list) and isinstance(y[0], str) for y in lists)
    assert models[2].predict(as_dicts(NEW)) == lists
    table, groups = as_table(NEW)
    order = np.argsort([i for x in NEW for i in range(len(x))], kind="stable")
    with pytest.warns(UserWarning, match="of 30 sequences have rows that are not together"):
        rows = models[3].predict(table.iloc[order], groups=groups[order])
    assert rows.tolist() == np.concatenate(lists)[order].tolist()


@pytest.mark.parametrize(
    "form, every", [(list, True), (as_dicts, False), (as_dicts, True), (as_csr, False)]
)
def test_the_weights_score_labellings_of_features_as_given(form, every):
    X, Y = drawn(seed=2)
    X = [x + np.array([0.0, 10.0, -20.0]) for x in X]
    svm = ChainSVM(all_possible_states=every).fit(form(X), Y)
    coef, names = dense(svm.coef_), svm.classes_
    for x in X[:8]:
        codes = np.array(list(product(range(3), repeat=len(x))))
        scores = (x @ coef.T)[np.arange(len(x)), codes].sum(axis=1)
        scores += svm.start_transitions_[codes[:, 0]] + svm.end_transitions_[codes[:, -1]]
        scores += svm.transitions_[codes[:, :-1], codes[:, 1:]].sum(axis=1)
        (labels, score), *_ = svm.predict_n_best(form([x]), 1)[0]
        assert score == pytest.approx(scores.max())
        assert labels == svm.predict(form([x]))[0] == names[codes[scores.argmax()]].tolist()


@pytest.mark.parametrize("factor, offset, form", [(1e-6, -20.0, list), (1e6, 0.0, as_csr)])
def test_the_units_of_the_features_do_not_matter(factor, offset, form):
    moved, new = (form([factor * (x + offset) for x in part]) for part in (X, NEW))
    other = ChainSVM().fit(moved, Y)
    assert other.predict(new) == fitted().predict(NEW)
    np.testing.assert_allclose(factor * other.coef_, fitted().coef_, atol=1e-6)


def test_a_constant_column_is_an_intercept():
    svm = ChainSVM().fit([np.ones((2, 1))] * 3, [["a", "b"], ["b", "b"], ["b", "b"]])
    assert svm.coef_[1, 0] > 0 and svm.scale_[0] == pytest.approx(1)
    with pytest.warns(UserWarning, match="w = 0"):
        assert ChainSVM().fit([0 * x for x in X], Y).scale_.tolist() == [1, 1, 1]


def test_top_features_are_those_of_largest_weight():
    svm = ChainSVM().fit(as_dicts(X), Y)
    top = svm.top_features(2)
    assert list(top) == NAMES.tolist()
    for row, label, expected in zip(svm.coef_, NAMES, "abc", strict=True):
        (name, weight), (_, second) = top[label]
        assert name == expected and weight == row.max() >= second
    assert fitted().top_features(1)["top"][0][0] == 2
    with pytest.raises(ValueError, match="n must be an integer >= 1"):
        fitted().predict_n_best(NEW, 0)


def test_marginals_are_the_probabilities_by_name_and_rows_of_a_table_have_them_too():
    lists, named = (
        of(NEW, temperature=0.5) for of in (fitted().predict_proba, fitted().predict_marginals)
    )
    for p, of_labels in zip(lists, named, strict=True):
        assert [dict(zip(NAMES.tolist(), row, strict=True)) for row in p.tolist()] == of_labels
    table, groups = as_table(NEW)
    rows = fitted().predict_proba(table.to_numpy(), groups=groups, temperature=0.5)
    np.testing.assert_allclose(rows, np.concatenate(lists), atol=1e-12)
    own = fitted().predict_marginals(table.to_numpy(), groups=groups, temperature=0.5)
    assert own[0] == named[0][0]


def test_forbidden_transitions_have_no_weight():
    Z = [["B" if label == "low" else "O" for label in y] for y in Y]
    Z[0][:3] = ["B", "I", "I"][: len(Z[0])]
    svm = ChainSVM(allowed_transitions=bio_transitions).fit(X, Z)
    inside, outside = svm.classes_.tolist().index("I"), svm.classes_.tolist().index("O")
    assert svm.transitions_[outside, inside] == svm.start_transitions_[inside] == -np.inf
    assert np.isfinite(svm.transitions_[inside, inside])
    assert ("O", "I") not in svm.transition_features_


def test_weights_of_positions_are_those_of_their_labels():
    weights = [np.where(np.array(y) == "top", 20.0, 1.0) for y in Y]
    by_position = ChainSVM(C=10.0).fit(X, Y, sample_weight=weights)
    by_label = ChainSVM(C=10.0, class_weight={"top": 20.0}).fit(X, Y)
    np.testing.assert_allclose(by_position.w_, by_label.w_, atol=1e-9)
    assert by_position.verify(X, Y, sample_weight=weights).matches
    assert not by_position.verify(X, Y).matches


def test_held_out_sequences_may_be_tables_and_have_labels_of_their_own():
    (table, groups), (new, others) = as_table(X), as_table(NEW)
    given = {"X_val": new, "y_val": np.concatenate(TRUE), "groups_val": others}
    svm = ChainSVM(early_stopping=True, n_iter_no_change=2)
    svm.fit(table, np.concatenate(Y), groups=groups, **given)
    with pytest.raises(ValueError, match="groups_val says the sequence of each row of X_val"):
        svm.fit(X, Y, groups_val=[0, 0])
    assert svm.validation_scores_
    held_out = svm.fit(X, Y).validation_indices_
    rare = [["other"] * len(y) if i == held_out[0] else y for i, y in enumerate(Y)]
    assert svm.fit(X, rare).classes_.tolist() == ["low", "mid", "other", "top"]


def test_a_prior_for_other_labels_and_other_units_scores_as_its_source():
    few = [["low" if label == "top" else label for label in y] for y in Y]
    source = ChainSVM().fit([x + 20 for x in X], few)
    kept = ChainSVM(C=1e-12).fit([2 * x - 30 for x in X], Y, w_prior=source)
    np.testing.assert_allclose(kept.coef_[:2], source.coef_, atol=1e-9)
    np.testing.assert_allclose(kept.transitions_[:2, :2], source.transitions_, atol=1e-9)
    np.testing.assert_allclose(kept.start_transitions_[:2], source.start_transitions_, atol=1e-9)
    means = np.mean(np.concatenate(X), axis=0) + 20
    np.testing.assert_allclose(kept.transitions_[2, :2], -source.coef_ @ means, atol=1e-3)
    np.testing.assert_allclose(kept.transitions_[:, 2], 0, atol=1e-9)


def test_a_warm_start_continues_the_same_labels_and_names():
    apart = [np.eye(2)] * 2, [["a", "b"]] * 2
    svm = ChainSVM(warm_start=True).fit(*apart)
    assert svm.fit(*apart).score(*apart) == 1
    message = "warm_start continues the last fit, whose features or"
    with pytest.raises(ValueError, match=message):
        svm.fit(apart[0], [["a", "c"]] * 2)
    words = [[{"u": 1}, {"v": 1}]] * 2
    named = ChainSVM(warm_start=True).fit(words, apart[1])
    with pytest.raises(ValueError, match=message):
        named.fit([[{"u": 1}, {"w": 1}]] * 2, apart[1])


test_bad_data_and_parameters_are_named = refused(
    lambda parameters, X=X, y=Y: ChainSVM(**parameters).fit(X, y),
    ({"class_weight": {"top": -1}}, r"class_weight\['top'\] must be a finite number >= 0; got -1"),
    ({"class_weight": dict.fromkeys(NAMES.tolist(), 0)}, "every label has the weight 0"),
    ({"class_weight": {"top": 3}, "loss": "log_loss"}, "class_weight would have no effect"),
    ({"all_possible_states": "some"}, "all_possible_states must be True, False or 'auto'"),
    ({}, [iter(X[0])], Y[:1], r"\(.*iterator\).*; pass \[list\(each\) for each in X\]"),
)


def words(fold):
    """Words of the handwritten letters in some folds."""
    try:
        data = load_file("ocr_letters")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    kept = np.isin(data["fold"], fold)
    cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
    pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float32)
    return np.split(pixels, cuts), np.split(data["y"][kept], cuts)


@pytest.mark.slow
def test_handwritten_letters():
    svm = ChainSVM().fit(*words([1]))
    others = [fold for fold in range(10) if fold != 1]
    assert 1 - svm.score(*words(others)) <= 0.213
