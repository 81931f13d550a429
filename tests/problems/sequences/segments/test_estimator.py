"""SegmentSVM: features of candidates by a function or in matrices, weights, C, and bad data."""

import functools

import numpy as np
import pytest
from refusals import refused

from structsvm.problems import SegmentSVM, segment_f1_score
from structsvm.problems.sequences.segments.data import every_segmentation

WORDS = ["a", "dog", "ran", "far", "to", "do", "good"]


def features(letters, start, stop):
    word = letters[start:stop]
    return {"known": word in WORDS, "length": stop - start, "first": word[0]}


def sentences(n=20, seed=0):
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(WORDS, size=rng.integers(1, 6)).tolist() for _ in range(n)]
    stops = [np.cumsum([len(word) for word in words]).tolist() for words in chosen]
    Y = [
        [(stop - len(word), stop, "long" if len(word) > 2 else "short") for word, stop in pairs]
        for pairs in (zip(w, s, strict=True) for w, s in zip(chosen, stops, strict=True))
    ]
    return ["".join(words) for words in chosen], Y


X, Y = sentences()
NEW, TRUE = sentences(seed=1)


@functools.cache
def fitted():
    return SegmentSVM(features, max_length=4).fit(X, Y)


def test_it_divides_letters_into_words():
    svm = fitted()
    assert svm.score(NEW, TRUE) == segment_f1_score(TRUE, svm.predict(NEW)) > 0.8
    assert svm.classes_.tolist() == ["long", "short"] and svm.transitions_.shape == (2, 2)
    assert svm.coef_.shape == (2, len(svm.feature_names_in_))
    assert svm.verify(X, Y).matches and svm.predict([]) == []


def test_the_weights_score_a_segmentation():
    svm = fitted()
    names, labels = svm.feature_names_in_.tolist(), svm.classes_.tolist()

    def row(letters, start, stop):
        found = features(letters, start, stop)
        texts = {f"{name}:{value}": 1.0 for name, value in found.items() if isinstance(value, str)}
        return np.array([(found | texts).get(name, 0.0) for name in names], dtype=float)

    def score(letters, segments):
        codes = [labels.index(label) for _, _, label in segments]
        rows = np.array([row(letters, a, b) for a, b, _ in segments])
        own = np.sum(svm.coef_[codes] * rows)
        return own + svm.transitions_[codes[:-1], codes[1:]].sum()

    short = [letters for letters in NEW if len(letters) <= 6]
    assert len(short) > 2
    for letters, best in zip(short, svm.predict(short), strict=True):
        every = every_segmentation(len(letters), 4, labels)
        assert score(letters, best) == pytest.approx(max(score(letters, z) for z in every))


def test_matrices_and_a_function_are_the_same():
    def same(letters, start, stop):
        return {"length": stop - start, "known": letters[start:stop] in WORDS}

    def matrix(letters):
        ends = [(stop - m, stop) for stop in range(1, len(letters) + 1) for m in range(1, 5)]
        return np.array([[*same(letters, max(0, a), b).values()] if a >= 0 else [0, 0]
                         for a, b in ends], dtype=float)  # fmt: skip

    by_matrix = SegmentSVM(max_length=4).fit([matrix(x) for x in X], Y)
    by_function = SegmentSVM(same, max_length=4).fit(X, Y)
    np.testing.assert_allclose(by_matrix.coef_, by_function.coef_, atol=1e-3)
    assert by_matrix.predict([matrix(x) for x in NEW]) == by_function.predict(NEW)


def levels(offset, n=12, seed=0):
    """Runs of three levels, far from 0, and as features the means of their columns."""
    rng, inputs, outputs = np.random.default_rng(seed), [], []
    for _ in range(n):
        codes = [code for code in rng.permutation(3) for _ in range(2)][: rng.integers(3, 6)]
        stops = np.cumsum(rng.integers(1, 4, size=len(codes)))
        rows = 2 * np.eye(3)[np.repeat(codes, np.diff(stops, prepend=0))]
        inputs.append(rows + 0.3 * rng.normal(size=rows.shape) + offset)
        starts = [0, *stops[:-1].tolist()]
        outputs.append(list(zip(starts, stops.tolist(), np.array(list("abc"))[codes], strict=True)))
    return inputs, outputs


def means(sequence, start, stop):
    return {f"m{i}": mean for i, mean in enumerate(sequence[start:stop].mean(axis=0))}


@pytest.mark.parametrize("scale", ["auto", pytest.param(None, marks=pytest.mark.slow)])
def test_columns_far_from_0_are_learned_from(scale):
    near, far = (
        SegmentSVM(means, max_length=3, scale=scale)
        .fit(*levels(offset))
        .score(*levels(offset, n=30, seed=1))
        for offset in (0.0, 100.0)
    )
    assert far > near - 0.05


def candidates(x):
    """The rows of the matrix of candidates: those that end at 1, at 2, and so on."""
    ends = [(max(0, b - m), b) for b in range(1, len(x) + 1) for m in (1, 2, 3)]
    return np.array([x[a:b].mean(axis=0) for a, b in ends])


@pytest.mark.parametrize("scale, by_function", [("auto", True), (None, False)])
def test_C_is_relative_to_what_a_position_changes(scale, by_function):
    inputs, outputs = levels(5.0, n=6)
    weights, total, changes = np.arange(1.0, 7), 0.0, 0.0
    given = inputs if by_function else list(map(candidates, inputs))
    svm = SegmentSVM(means if by_function else None, max_length=3, scale=scale)
    svm.fit(given, outputs, sample_weight=weights)
    for weight, x, y in zip(weights, inputs, outputs, strict=True):
        for a, b in ((a, b) for a, b, _ in y if b - a > 1):
            change = (x[a:b].mean(axis=0) - x[a + 1 : b].mean(axis=0)) / svm.scale_
            total, changes = total + weight, changes + weight * change @ change
    assert svm.C_ == pytest.approx(5 * weights.sum() * total / changes)


@pytest.mark.parametrize("length", [1, 3])
def test_C_is_relative_to_the_features_where_a_position_changes_nothing(length):
    """Segments of one position have no shorter rival; the means of others differ by rounding."""

    def mean(x, a, b):
        return {"mean": np.mean(x[a:b])}

    y = [[(0, length, "low"), (length, 2 * length, "high")]]
    svm = SegmentSVM(mean, max_length=4).fit([[0.1] * length + [0.7] * length], y)
    assert svm.C_ == pytest.approx(5)


def fit(X=X, Y=Y, features=features, **parameters):
    return SegmentSVM(features, **{"max_length": 4, **parameters}).fit(X, Y)


def at(place, value):
    """A function with this value at one candidate, and 1 at others."""
    return lambda x, a, b: {"a": value if (a, b) == place else 1}


DOG = {"X": ["dog"], "Y": [[(0, 3, "x")]]}
test_bad_data_are_named = refused(
    lambda parameters: fit(**parameters),
    ({"features": lambda *_: [1]}, r"features\(X\[0\], 0, 1\) must return a dict.*; got list"),
    (DOG | {"features": at((0, 2), [1])}, r"features\(X\[0\], 0, 2\)\['a'\] is of type list"),
    (DOG | {"features": at((1, 3), np.nan)}, r"\(X\[0\], 1, 3\)\['a'\] is NaN; features must be f"),
    ({"features": lambda *_: 1 / 0}, r"features\(X\[0\], 0, 1\) raised ZeroDivisionError"),
    ({"features": 3}, "features must be callable; got 3"),
    ({"max_length": 2000}, "max_length must be at most 1000"),
    ({"max_length": 0}, "max_length must be an integer"),
    ({"X": ["dog", ""], "Y": [*DOG["Y"], []]}, r"X\[1\] is empty"),
    ({"X": "dog"}, r"X must be a list of sequences; got the string 'dog': give \[X\]"),
    ({"X": [1], "Y": DOG["Y"]}, r"X\[0\] must be a sequence, such as a list of words"),
    (DOG | {"Y": [[(0, 3, None)]]}, r"y\[0\] has the segment \(0, 3, None\); every segment needs"),
    error=(ValueError, TypeError),
)
