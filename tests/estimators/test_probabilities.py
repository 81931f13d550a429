"""Probabilities of the five families: against enumeration, calibrated, and where there are none."""

import warnings

import numpy as np
import pytest
from cases.estimators import MODELS, WORDS, model_of
from scipy.special import softmax
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import log_loss

from structsvm.estimators.probabilities import HasProbabilities
from structsvm.problems import (
    Chain,
    ChainSVM,
    DependencyParser,
    MulticlassSVM,
    MultiLabelSVM,
    SegmentSVM,
)

SENTENCES = [
    [("the", "DET"), ("cat", "NOUN"), ("sleeps", "VERB")],
    [("go", "VERB")],
    [("cats", "NOUN"), ("sleep", "VERB")],
]
HEADS = [[2, 3, 0], [0], [2, 0]]
PAIRS = [[(2, "det"), (3, "subj"), (0, "root")], [(0, "root")], [(2, "subj"), (0, "root")]]


def distribution(svm, x, temperature):
    """All outputs of one encoded input, and their probabilities."""
    outputs = list(svm.problem_.outputs(x))
    scores = [
        float(np.squeeze(svm.problem_.joint_feature(x, y) @ svm.w_[:, None])) for y in outputs
    ]
    return outputs, softmax(np.array(scores) / temperature)


def of_chain(svm, X, T):
    data = svm._task(X, None)[1].X
    for x in (data[i] for i in range(len(data))):
        outputs, p = distribution(svm, x, T)
        yield np.array(
            [[p @ [y[t] == c for y in outputs] for c in svm.classes_] for t in range(x.shape[0])]
        )


def of_parser(svm, X, T):
    data = svm._encoded(X).X
    for i in range(len(data)):
        outputs, p = distribution(svm, data[i], T)
        m = len(outputs[0])
        found = np.zeros((m, m + 1, *(() if svm.classes_ is None else (len(svm.classes_),))))
        for tree, own in zip(outputs, p, strict=True):
            for j, arc in enumerate(tree):
                head, *label = arc if isinstance(arc, tuple) else (arc,)
                found[(j, head, *(np.flatnonzero(svm.classes_ == y)[0] for y in label))] += own
        yield found


def of_segments(svm, X, T):
    data = svm._encoded(X).X
    for i, x in enumerate(X):
        outputs, p = distribution(svm, data[i], T)
        found = np.zeros((len(x), svm.max_length, len(svm.classes_)))
        for segments, own in zip(outputs, p, strict=True):
            for start, stop, label in segments:
                found[stop - 1, stop - start - 1, svm.classes_.tolist().index(label)] += own
        yield found


def of_label_sets(svm, X, T):
    for row in svm._encoded(X).X:
        outputs, p = distribution(svm, row, T)
        yield p @ np.array(outputs)


def known(letters, start, stop):
    return {"known": letters[start:stop] in ("a", "dog", "ran"), "length": stop - start}


def fitted(name, loss):
    if name == "chain":
        X, y = Chain.example_data()
        return ChainSVM(loss=loss).fit(X, y), X[:5], y[:5], of_chain
    if name == "parser":
        return DependencyParser(loss=loss).fit(SENTENCES, HEADS), SENTENCES, HEADS, of_parser
    if name == "labelled parser":
        return DependencyParser(loss=loss).fit(SENTENCES, PAIRS), SENTENCES, PAIRS, of_parser
    if name == "segments":
        X = ["adog", "dogran", "ranadog"]
        y = [
            [(0, 1, "b"), (1, 4, "a")],
            [(0, 3, "a"), (3, 6, "b")],
            [(0, 3, "b"), (3, 4, "b"), (4, 7, "a")],
        ]
        return SegmentSVM(known, max_length=3, loss=loss).fit(X, y), X[:2], y[:2], of_segments
    X, y = make_multilabel_classification(40, 5, n_classes=3, random_state=0)
    return MultiLabelSVM(loss=loss, **OPTIONS[name]).fit(X, y), X[:6], y[:6], of_label_sets


OPTIONS = {
    "label sets": {},
    "label sets, tree": {"structure": "tree"},
    "label sets, F1": {"structure": "independent", "cost": "f1"},
}
PROBABLE = [name for name in MODELS if hasattr(type(model_of(name)[0]), "predict_proba")]
NAMES = ("chain", "parser", "labelled parser", "segments", *OPTIONS)


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
@pytest.mark.parametrize("name", NAMES)
def test_probabilities_are_those_of_all_outputs(name, loss):
    svm, X, _, enumerated = fitted(name, loss)
    for temperature in (0.7, 3.0):
        found = svm.predict_proba(X, temperature=temperature)
        for p, expected in zip(found, enumerated(svm, X, temperature), strict=True):
            np.testing.assert_allclose(p, expected, atol=1e-5)


def sums_of_segments(p):
    """The probability that a segment covers each position."""
    ends = p.sum(axis=2)
    return [
        sum(ends[t + d, m] for m in range(ends.shape[1]) for d in range(min(m + 1, len(p) - t)))
        for t in range(len(p))
    ]


#: The sums that must be 1, where these are not the sums of the rows.
SUMS = {SegmentSVM: sums_of_segments, MultiLabelSVM: lambda p: []}


def in_precision(X, dtype):
    """The same inputs, matrices in this precision."""
    if isinstance(X, np.ndarray):
        return X.astype(dtype)
    return [in_precision(x, dtype) if isinstance(x, np.ndarray) else x for x in X]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROBABLE)
def test_probabilities_sum_to_one_in_double_precision(name, dtype):
    svm, (X, *Y), options = model_of(name)
    X = in_precision(X, dtype)
    if "loss" in svm.get_params():
        svm.set_params(loss="log_loss")
    found = svm.fit(X, *Y, **options).predict_proba(X)
    for p in [found] if isinstance(found, np.ndarray) else found:
        assert p.dtype == np.float64 and p.min() >= 0 and p.max() <= 1
        sums = SUMS.get(type(svm), lambda p: p.reshape(len(p), -1).sum(axis=1))(p)
        np.testing.assert_allclose(sums, 1, rtol=0, atol=1e-12)


def test_others_take_the_probabilities_of_words():
    svm = ChainSVM(loss="log_loss").fit(*WORDS)
    labels, p = np.concatenate(WORDS[1]), np.concatenate(svm.predict_proba(WORDS[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert log_loss(labels, p) > 0
    for own in [position for x in svm.predict_marginals(WORDS[0]) for position in x]:
        assert np.random.default_rng(0).choice(list(own), p=list(own.values())) in svm.classes_


@pytest.mark.parametrize("name", PROBABLE)
def test_the_hinge_alone_has_no_probabilities(name):
    svm, (X, *Y), options = model_of(name)
    if not isinstance(svm, HasProbabilities):
        pytest.skip("it has no other loss")
    svm.set_params(loss="hinge").fit(X, *Y, **options)
    for method in {"predict_proba", "predict_marginals"} & {*dir(type(svm))}:
        with pytest.raises(AttributeError, match=r"not yet probabilities: call fit_temperature\("):
            getattr(svm, method)(X)


@pytest.mark.filterwarnings("ignore:fit_temperature found no best")
@pytest.mark.parametrize("name", NAMES)
def test_the_hinge_needs_a_temperature(name):
    svm, X, y, _ = fitted(name, "hinge")
    assert svm.fit_temperature(X, y) is svm and svm.temperature_ != 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svm.predict_proba(X)
        fitted(name, "log_loss")[0].predict_proba(X)
        fitted(name, "softmax_margin")[0].predict_proba(X)
    with pytest.raises(ValueError, match="temperature must be"):
        svm.predict_proba(X, temperature=0.0)


def test_classes_have_probabilities_once_they_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.array(["a", "b", "c"])[(X[:, :3] + rng.normal(size=(300, 3))).argmax(axis=1)]
    svm = MulticlassSVM().fit(X[:200], y[:200])
    assert not hasattr(svm, "predict_proba")
    assert "probability of every class" in MulticlassSVM.predict_proba.__doc__
    svm.fit_temperature(X[200:], y[200:])
    p = svm.predict_proba(X[200:])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.array_equal(svm.classes_[p.argmax(axis=1)], svm.predict(X[200:]))
    codes = np.searchsorted(svm.classes_, y[200:])

    def log_loss(p):
        return -np.log(p[np.arange(100), codes]).mean()

    scores = svm.decision_function(X[200:])
    for factor in (0.5, 2.0):
        other = softmax(scores / (factor * svm.temperature_), axis=1)
        assert log_loss(p) < log_loss(other)


def test_approximate_inference_has_no_probabilities():
    X, y = make_multilabel_classification(60, 5, n_classes=16, random_state=0)
    cycle = [(i, (i + 1) % 16) for i in range(16)]
    svm = MultiLabelSVM(structure=cycle, max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        svm.fit(X, y)
        with pytest.raises(ValueError, match="probabilities need exact inference"):
            svm.predict_proba(X, temperature=1.0)
    with pytest.raises(TypeError, match="loss='log_loss' needs a soft_oracle"):
        MultiLabelSVM(structure=cycle, loss="log_loss").fit(X, y)


def test_data_without_a_mistake_have_no_best_temperature():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
    X[:, 0] += np.where(y == "a", 10.0, -10.0)
    svm = MulticlassSVM().fit(X, y)
    with pytest.warns(UserWarning, match=r"no best temperature: .* 0.01 to 100, .* more data"):
        svm.fit_temperature(X, y)
    with pytest.warns(UserWarning, match="found no best temperature"):
        svm.fit_temperature(X, y[::-1])  # the less the scores count, the better
    y[0] = "b"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svm.fit_temperature(X, y)
