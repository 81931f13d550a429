"""Explanations: what they are compared with, how they are shown, and what is refused."""

import sys

import numpy as np
import pytest
from cases.estimators import fitted
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from structsvm.problems import (
    MMC,
    ChainSVM,
    MulticlassSVM,
    MultivariateSVM,
    SupervisedKMeans,
    bio_transitions,
)
from structsvm.reasons import explain

X, y = load_iris(return_X_y=True, as_frame=True)
IRIS = MulticlassSVM().fit(X, y)
SENTENCES = [
    [{"word": "the"}, {"word": "dog"}, {"word": "barks"}],
    [{"word": "dogs"}, {"word": "bark"}],
    [{"word": "the"}, {"word": "bark"}],
]
TAGS = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"], ["DET", "NOUN"]]
TAGGER = ChainSVM().fit(SENTENCES, TAGS)
CHUNKER = ChainSVM(allowed_transitions=bio_transitions)
CHUNKER.fit(SENTENCES, [["B", "I", "O"], ["B", "O"], ["O", "B"]])


def test_words_of_a_sentence_have_names():
    found = TAGGER.explain(SENTENCES[0], instead={1: "VERB"})
    assert found.prediction.tolist() == TAGS[0]
    assert found.other[1] == "VERB"
    reasons = {(row.position, row.feature, row.label): row for row in found.rows}
    dog = reasons[1, "word:dog", "NOUN"]
    assert dog.value == pytest.approx(1)
    weights = TAGGER.coef_[TAGGER.classes_.tolist().index("NOUN")]
    assert dog.weight == pytest.approx(weights[TAGGER.feature_names_in_.tolist().index("word:dog")])
    assert reasons[1, "label before: DET", "NOUN"].contribution > 0
    assert np.isnan(reasons[1, "label before: DET", "NOUN"].change)


def test_the_best_output_with_a_part():
    problem, w = TAGGER.problem_, TAGGER.w_
    inputs = TAGGER._encoded(SENTENCES).X
    for slot, part in [(0, "VERB"), (1, "DET"), (2, "NOUN")]:
        found = explain(TAGGER, SENTENCES[0], instead={slot: part})
        outputs = [each for each in problem.outputs(inputs[0]) if each[slot] == part]
        scores = [problem.joint_feature(inputs[0], each) @ w for each in outputs]
        assert found.other.tolist() == outputs[int(np.argmax(scores))].tolist()


def test_an_output_given():
    found = TAGGER.explain(SENTENCES[1], instead=["VERB", "VERB"])
    assert found.other.tolist() == ["VERB", "VERB"]
    assert {row.position for row in found.rows} == {0, 1}


def test_a_row_of_a_table_in_units_and_names_of_its_columns():
    row = X.iloc[60]
    found = IRIS.explain(row, instead={0: 2})
    assert (found.prediction, found.other) == (1, 2)
    lengths = [each for each in found.rows if each.feature == "petal length (cm)"]
    assert {each.label for each in lengths} == {1, 2}
    assert all(each.value == pytest.approx(row["petal length (cm)"]) for each in lengths)
    scores = IRIS.decision_function(X.iloc[[60]])[0]
    assert found.margin == pytest.approx(scores[1] - scores[2])
    assert found.rows == IRIS.explain(X.iloc[[60]], instead={0: 2}).rows


def test_a_table_of_the_largest_rows():
    found = IRIS.explain(X.iloc[0])
    first, header, *rows = str(found).splitlines()
    assert first.startswith("0 instead of 1: margin ")
    assert header.split() == ["contribution", "feature", "label", "value", "change"]
    assert len(rows) == min(len(found.rows), 11)
    assert rows[0].startswith(f"{found.rows[0].contribution:+.4g}")
    assert "&#x27;" not in found._repr_html_() and "petal length" in found._repr_html_()
    frame = found.to_frame()
    assert list(frame.columns[:3]) == ["position", "feature", "label"]
    assert frame["contribution"].sum() == pytest.approx(found.margin)


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    found = IRIS.explain(X.iloc[0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        found.to_frame()


@pytest.mark.parametrize(
    ("model", "x", "instead", "message"),
    [
        (MulticlassSVM().fit(X.to_numpy(), y), X.to_numpy(), None, "explain takes one input"),
        (IRIS, X.iloc[:2], None, "explain takes one input"),
        (TAGGER, SENTENCES, None, "explain takes one input"),
        (TAGGER, SENTENCES[0], ["NOUN"], "instead in the form of"),
        (TAGGER, SENTENCES[0], ["NOUN", "NOUN", "ADJ"], "ADJ"),
        (TAGGER, SENTENCES[0], {3: "NOUN"}, "by its slot, from 0 to 2, .* got {3: 'NOUN'}"),
        (TAGGER, SENTENCES[0], {}, "by its slot, from 0 to 2"),
        (TAGGER, SENTENCES[0], {1: "ADJ"}, "a part such as .*; got {1: 'ADJ'}"),
        (TAGGER, SENTENCES[0], TAGS[0], "instead is the prediction itself"),
        (CHUNKER, SENTENCES[0], {0: "I"}, "no output of x has the part 'I' in slot 0"),
    ],
)
def test_what_is_refused(model, x, instead, message):
    with pytest.raises(ValueError, match=message):
        explain(model, x, instead=instead)


@pytest.mark.parametrize("model", [MultivariateSVM(), MMC(), LogisticRegression()], ids=str)
def test_estimators_of_no_examples_are_refused(model):
    with pytest.raises(ValueError, match=f"such as ChainSVM or .* got {type(model).__name__}"):
        explain(model, X.to_numpy()[0])


def test_an_estimator_without_parts_asks_for_another_output():
    model, sets = fitted("SupervisedKMeans")
    with pytest.raises(ValueError, match="instead"):
        model.explain(sets[0])
    with pytest.raises(NotFittedError):
        SupervisedKMeans().explain(sets[0])
    with pytest.raises(NotFittedError):
        explain(ChainSVM(), SENTENCES[0])
