"""DependencyParser: sentences, functions and matrices as inputs, labels, bad input."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from structsvm.problems import DependencyParser
from structsvm.problems.trees import features as arc_features
from structsvm.problems.trees.features import hashes, nodes_of

GRAMMAR = {"DET": ["the", "a"], "NOUN": ["cat", "dog", "sun", "man"], "VERB": ["sees", "likes"]}


#: Tags, heads and labels of sentences such as "the cat sees a dog".
PATTERNS = [
    ("NOUN VERB", [2, 0], "nsubj root"),
    ("DET NOUN VERB", [2, 3, 0], "det nsubj root"),
    ("NOUN VERB NOUN", [2, 0, 2], "nsubj root obj"),
    ("NOUN VERB DET NOUN", [2, 0, 4, 2], "nsubj root det obj"),
    ("DET NOUN VERB NOUN", [2, 3, 0, 3], "det nsubj root obj"),
    ("DET NOUN VERB DET NOUN", [2, 3, 0, 5, 3], "det nsubj root det obj"),
]


def drawn(n=30, labelled=False):
    """Sentences of the patterns, and their trees."""
    rng, X, Y = np.random.default_rng(0), [], []
    for k in rng.permutation(np.arange(n) % len(PATTERNS)):
        tags, heads, labels = PATTERNS[k]
        X.append([(str(rng.choice(GRAMMAR[tag])), tag) for tag in tags.split()])
        Y.append(list(zip(heads, labels.split(), strict=True)) if labelled else heads)
    return X, Y


def own_features(sentence, head, dependent):
    tag = "ROOT" if head == 0 else sentence[head - 1][1]
    tags = f"{tag} {sentence[dependent - 1][1]}"
    return [tags, f"{tags} {head < dependent}"]


def matrices(X, d=40):
    """Arc matrices with the same features."""
    names = {}
    found = []
    for sentence in X:
        m = len(sentence)
        x = np.zeros((m, m + 1, d))
        for j in range(1, m + 1):
            for i in {*range(m + 1)} - {j}:
                for name in own_features(sentence, i, j):
                    x[j - 1, i, names.setdefault(name, len(names))] = 1
        found.append(x)
    return found


# ---------------------------------------------------------------------- what it learns


@pytest.mark.parametrize("labelled", [False, True])
def test_a_grammar_is_learnt(labelled):
    X, Y = drawn(labelled=labelled)
    parser = DependencyParser().fit(X[:20], Y[:20])
    assert parser.score(X[20:], Y[20:]) == 1
    assert parser.verify(X[:20], Y[:20]).matches
    found, d = parser.predict(X[20:]), parser.problem_.n_features_
    assert type(found) is list and parser.predict([]) == []
    assert (found if labelled else [heads.tolist() for heads in found]) == Y[20:]
    assert parser.coef_.shape == ((4, d) if labelled else (d,))
    if not labelled:
        assert parser.classes_ is None
        return
    assert parser.classes_.tolist() == ["det", "nsubj", "obj", "root"]
    dets = [label == "det" for y in Y[20:] for _, label in y]
    wrong = [[(head, "det") for head, _ in y] for y in Y[20:]]
    assert parser.score(X[20:], wrong) == pytest.approx(np.mean(dets))


def test_functions_and_matrices_describe_arcs_too():
    X, Y = drawn(n=8)
    dense = matrices(X)
    rows = [sparse.csr_matrix(x.reshape(-1, x.shape[-1])) for x in dense]
    parser, primals = DependencyParser(features=own_features, rtol=1e-2), []
    for given in (X, dense, rows):
        primals.append(parser.fit(given, Y).result_.primal)
        assert parser.score(given, Y) == 1
        parser.set_params(features=None)
    np.testing.assert_allclose(primals, primals[0], rtol=2e-2)


def test_functions_may_return_numbers_strings_and_booleans():
    X, Y = drawn(n=10)

    def features(sentence, head, dependent):
        tag = sentence[dependent - 1][1]
        return {"tag": tag, "length": abs(head - dependent), "left": head > dependent}

    parser = DependencyParser(features=features).fit(X, Y)
    names = {"length", "left", "tag:DET", "tag:NOUN", "tag:VERB"}
    assert set(parser._encoding.describe._vocabulary.names) == names
    strange = [[("x", "INTJ"), ("y", "NOUN")]]
    assert len(parser.predict(strange)[0]) == 2  # a tag without a weight


def test_single_root_is_an_option():
    X, Y = drawn(n=10)
    Y = [[0] * len(y) for y in Y]
    with pytest.raises(ValueError, match=r"y\[0\] has several roots: words"):
        DependencyParser().fit(X, Y)
    parser = DependencyParser(single_root=False).fit(X, Y)
    assert parser.score(X, Y) == 1


# ---------------------------------------------------------------------- features


def test_features_of_training_trees_have_columns():
    X, Y = drawn()
    heads = np.concatenate(Y)
    described = arc_features.Described(X, heads)
    nodes = nodes_of(X)
    root = nodes.first[nodes.layout.owner]
    table, _, between = hashes(nodes, root + heads, root + nodes.layout.word, arc_features.N_HASHES)
    arcs = described(X)
    assert arcs.rows.shape == (nodes.layout.n_arcs, len({*table.ravel(), *between}))
    on_trees = arcs.rows[arcs.layout.from_root + heads]
    assert on_trees.nnz == table.size + len(between)  # none of theirs is missing
    assert np.all(np.diff(np.asarray(on_trees.sum(axis=0)).ravel()) <= 0)
    own = arcs.layout.from_root + arcs.layout.word
    assert arcs.rows[own].nnz == 0  # no word is its own head


def test_blocks_of_sentences_change_nothing(monkeypatch):
    X, Y = drawn()
    described = arc_features.Described(X, np.concatenate(Y))
    whole = described(X).rows
    for block in (1, 40):
        monkeypatch.setattr(arc_features, "BLOCK", block)
        rows = described(X).rows
        assert (rows != whole).nnz == 0
    monkeypatch.setattr(arc_features, "MANY", 1)
    assert described(X).rows.dtype == np.float32


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "x, message",
    [
        ([], "has no words; leave out sentences of length 0"),
        ("the cat", r"must hold a pair \(word, tag\).*got 'the cat'"),
        ([("the", "DET", "x"), ("cat", "NOUN")], "must hold a pair"),
        ([("the", 1), ("cat", 2)], "must hold a pair"),
        (np.zeros((2, 3, 4)), "must hold a pair"),
    ],
)
def test_bad_sentences_are_refused(x, message):
    X, Y = drawn(n=4)
    parser, bad = DependencyParser().fit(X, Y), [X[0], x, *X[2:]]
    for call in (parser.predict, lambda X: DependencyParser().fit(X, Y)):
        with pytest.raises(ValueError, match=rf"X\[1\] {message}"):
            call(bad)


def fit(*, labelled=False, y=None, **parameters):
    X, Y = drawn(n=3, labelled=labelled)
    return DependencyParser(**parameters).fit(X, Y if y is None else y)


def function(value):
    """Features of which that of one arc is this value."""
    first = len(drawn(n=3)[0][0])
    return lambda s, h, d: {"a": value if (len(s), h, d) == (first, 0, 2) else 1.0}


def no_label():
    _, Y = drawn(n=3, labelled=True)
    return [[(Y[0][0][0], np.nan), *Y[0][1:]], *Y[1:]]


FIRST, SECOND = (rf"features\(X\[0\], 0, {word}\)" for word in (1, 2))


test_bad_parameters_and_faults_of_the_function_are_named = refused(
    lambda parameters: fit(**parameters),
    ({"single_root": "yes"}, "single_root"),
    ({"features": "bigrams"}, "features must be callable"),
    ({"features": lambda *_: 1.0}, FIRST + " must return a list of names"),
    ({"features": lambda s, h: []}, FIRST + " raised TypeError: .* 2 posit"),
    ({"features": function(np.nan)}, SECOND + r"\['a'\] is NaN; features must be finite"),
    ({"features": function([1])}, SECOND + r"\['a'\] is of type list"),
    ({"features": lambda *_: []}, "no features: all its dicts are empty"),
    ({"all_possible_states": "some"}, "all_possible_states must be True, False or 'auto'"),
    ({"labelled": True, "y": no_label()}, r"the label of word 1 in y\[0\] is missing; label"),
    error=(ValueError, TypeError),
)


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_the_default_c_goes_with_the_scale_of_features(factor):
    X, Y = drawn(n=10)
    plain = [factor * x for x in matrices(X)]
    parser = DependencyParser().fit(plain, Y)
    true = [x[np.arange(len(y)), y] for x, y in zip(plain, Y, strict=True)]
    squares = np.square(np.concatenate(true)).sum(axis=1)
    assert parser.C_ == parser.result_.C == pytest.approx(len(X) / squares.mean())
    assert parser.score(plain, Y) == 1
    other = DependencyParser(loss="log_loss").fit(plain, Y)
    assert other.C_ == pytest.approx(10 * parser.C_)
    nothing = [0 * x for x in plain]
    with pytest.warns(UserWarning, match="w = 0"):
        assert DependencyParser().fit(nothing, Y).C_ == len(X)


def test_the_memory_of_long_sentences_is_said_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("structsvm.oracle.memory.available_memory", lambda: 24e9)
    message = r"a sentence of m words has m \(m \+ 1\) arcs, so 1 .* split"
    with pytest.raises(MemoryError, match=message):
        DependencyParser().fit([[("word", "NOUN")] * 6_000], [[*range(2, 6_001), 0]])
