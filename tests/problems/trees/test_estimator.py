"""DependencyParser: sentences, functions and matrices as inputs, labels, bad input, real text."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.treebank import first_sentences, tagged
from structsvm import SmoothedLBFGS, Status
from structsvm.problems import DependencyParser, DependencyTree
from structsvm.problems.trees import features as arc_features
from structsvm.problems.trees.features import hashes, nodes_of

GRAMMAR = {"DET": ["the", "a"], "NOUN": ["cat", "dog", "sun", "man"], "VERB": ["sees", "likes"]}


def drawn(seed=0, n=30, labelled=False):
    """Sentences such as "the cat sees a dog now", and their trees."""
    rng = np.random.default_rng(seed)
    X, Y = [], []
    for _ in range(n):
        words, heads, labels = [], [], []

        def phrase(verb, label, words=words, heads=heads, labels=labels):
            start = len(words)
            if rng.random() < 0.6:
                words.append("DET")
                heads.append(start + 2)
                labels.append("det")
            words.append("NOUN")
            heads.append(verb)
            labels.append(label)

        phrase(-1, "nsubj")
        words.append("VERB")
        verb = len(words)
        heads.append(0)
        labels.append("root")
        heads[:] = [verb if head == -1 else head for head in heads]
        if rng.random() < 0.7:
            phrase(verb, "obj", words, heads, labels)
        X.append([(str(rng.choice(GRAMMAR[tag])), tag) for tag in words])
        Y.append(list(zip(heads, labels, strict=True)) if labelled else heads)
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
    assert parser.result_.status is Status.CONVERGED
    assert parser.result_.gap <= 0.05 * parser.result_.primal
    assert parser.verify(X[:20], Y[:20]).matches
    found = parser.predict(X[20:])
    assert type(found) is list and len(found) == 10
    assert parser.predict([]) == []
    if labelled:
        assert found == Y[20:]
        assert parser.classes_.tolist() == ["det", "nsubj", "obj", "root"]
        assert parser.coef_.shape == (4, parser.problem_.n_features_)
    else:
        assert [heads.tolist() for heads in found] == Y[20:]
        assert parser.classes_ is None
        assert parser.coef_.shape == (parser.problem_.n_features_,)


def test_the_score_is_the_fraction_of_words():
    X, Y = drawn()
    parser = DependencyParser(max_iter=1)
    with pytest.warns(UserWarning):
        parser.fit(X, Y)
    found = parser.predict(X)
    right = sum(int(np.sum(a == b)) for a, b in zip(found, Y, strict=True))
    assert parser.score(X, Y) == pytest.approx(right / sum(map(len, Y)))
    X, Y = drawn(labelled=True)
    parser = DependencyParser().fit(X, Y)
    wrong = [[(head, "det") for head, _ in y] for y in Y]
    dets = sum(label == "det" for y in Y for _, label in y)
    assert parser.score(X, wrong) == pytest.approx(dets / sum(map(len, Y)))


@pytest.mark.slow
def test_functions_and_matrices_describe_arcs_too():
    X, Y = drawn()
    by_function = DependencyParser(features=own_features, rtol=1e-3).fit(X, Y)
    dense = matrices(X)
    by_matrices = DependencyParser(rtol=1e-3).fit(dense, Y)
    rows = [sparse.csr_matrix(x.reshape(-1, x.shape[-1])) for x in dense]
    by_rows = DependencyParser(rtol=1e-3).fit(rows, Y)
    assert by_function.score(X, Y) == by_matrices.score(dense, Y) == by_rows.score(rows, Y) == 1
    assert by_function.result_.primal == pytest.approx(by_matrices.result_.primal, rel=3e-3)
    assert by_rows.result_.primal == pytest.approx(by_matrices.result_.primal, rel=3e-3)


def test_functions_may_return_numbers_strings_and_booleans():
    X, Y = drawn()

    def features(sentence, head, dependent):
        return {
            "tag": sentence[dependent - 1][1],
            "length": abs(head - dependent),
            "left": head > dependent,
        }

    parser = DependencyParser(features=features).fit(X, Y)
    names = {"length", "left", "tag:DET", "tag:NOUN", "tag:VERB"}
    assert set(parser._encoding.describe._vocabulary.names) == names
    strange = [[("x", "INTJ"), ("y", "NOUN")]]
    assert len(parser.predict(strange)[0]) == 2  # a tag without a weight


def test_single_root_is_an_option():
    X, Y = drawn()
    Y = [[0] * len(y) for y in Y]
    with pytest.raises(ValueError, match=r"y\[0\] has several roots: words"):
        DependencyParser().fit(X, Y)
    parser = DependencyParser(single_root=False).fit(X, Y)
    assert parser.score(X, Y) == 1


@pytest.mark.slow
def test_it_is_an_estimator():
    X, Y = drawn()
    parser = DependencyParser(C=10.0)
    assert clone(parser).get_params() == parser.get_params()
    with pytest.raises(NotFittedError):
        parser.predict(X)
    search = GridSearchCV(parser, {"C": [1.0, 30.0]}, cv=KFold(2)).fit(X, Y)
    assert search.best_score_ == 1
    Y[0] = [0, *[1] * (len(Y[0]) - 1)]  # which no grammar has
    parser = DependencyParser(features=own_features, warm_start=True).fit(X, Y)
    first = parser.n_iter_
    assert parser.fit(X, Y).n_iter_ < first


def test_early_stopping_holds_out_sentences():
    X, Y = drawn()
    parser = DependencyParser(early_stopping=True, n_iter_no_change=3).fit(X, Y)
    assert len(parser.validation_indices_) == 3
    assert parser.validation_scores_
    parser.verify(X, Y)
    given = DependencyParser(early_stopping=True, features=own_features)
    given.fit(X[:20], Y[:20], X_val=X[20:], y_val=Y[20:])
    assert given.validation_indices_ is None and given.validation_scores_


def test_jobs_change_nothing():
    X, Y = drawn(n=60)
    fits = []
    for jobs in (None, 2):
        arcs = DependencyTree()
        arcs.block_size = 10
        fits.append(SmoothedLBFGS().solve(arcs, matrices(X), Y, 10.0, n_jobs=jobs).w)
    np.testing.assert_array_equal(*fits)


@pytest.mark.slow
def test_english_is_parsed():
    try:
        train, test = first_sentences("train", 400), first_sentences("test", 200)
    except FileNotFoundError:
        pytest.skip("the treebank is not in the folder STRUCTSVM_DATA")
    parser = DependencyParser(C=10.0).fit(tagged(train), [s.heads for s in train])
    assert parser.result_.gap <= 0.05 * parser.result_.primal
    assert parser.score(tagged(test), [s.heads for s in test]) > 0.7


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "x, message",
    [
        ([], r"X\[1\] has no words; leave out sentences of length 0"),
        ("the cat", r"X\[1\] must hold a pair \(word, tag\).*got 'the cat'"),
        (["the", "cat"], r"X\[1\] must hold a pair \(word, tag\).*got 'the'"),
        ([("the", "DET", "x"), ("cat", "NOUN")], r"X\[1\] must hold a pair"),
        ([("the", 1), ("cat", 2)], r"X\[1\] must hold a pair"),
        (None, r"X\[1\] must hold a pair"),
        (7, r"X\[1\] must hold a pair"),
        (np.zeros((2, 3, 4)), r"X\[1\] must hold a pair"),
    ],
)
def test_bad_sentences_are_refused(x, message):
    X, Y = drawn()
    X[1] = x
    with pytest.raises(ValueError, match=message):
        DependencyParser().fit(X, Y)
    parser = DependencyParser().fit(X[2:], Y[2:])
    with pytest.raises(ValueError, match=message):
        parser.predict(X)


@pytest.mark.parametrize(
    "y, message",
    [
        ([2, 1], r"the heads in y\[1\] have a cycle: from words \[1, 2\]"),
        ([0, 0], r"y\[1\] has several roots: words \[1, 2\]"),
        ([0, 3], r"the head of word 2 in y\[1\] is 3; .* a word from 1 to 2"),
        ([0], r"y\[1\] must hold heads of 2 words"),
        ([0.0, 1.0], r"the heads in y\[1\] must be integers"),
        (["root", "x"], r"the heads in y\[1\] must be integers"),
    ],
)
def test_bad_trees_are_refused(y, message):
    X = [[("go", "VERB")], [("cats", "NOUN"), ("sleep", "VERB")]]
    for features in (None, own_features):
        with pytest.raises(ValueError, match=message):
            DependencyParser(features=features).fit(X, [[0], y])


def test_other_mistakes():
    X, Y = drawn()
    with pytest.raises(ValueError, match="X has 30 examples but y has 29"):
        DependencyParser().fit(X, Y[1:])
    with pytest.raises(ValueError, match="y must be a sequence of examples"):
        DependencyParser().fit(X)
    with pytest.raises(ValueError, match="X is empty"):
        DependencyParser().fit([], [])
    with pytest.raises(ValueError, match="single_root"):
        DependencyParser(single_root="yes").fit(X, Y)
    with pytest.raises(TypeError, match="features must be callable"):
        DependencyParser(features="bigrams").fit(X, Y)
    with pytest.raises(ValueError, match=r"features\(X\[0\], 0, 1\) must return a list of names"):
        DependencyParser(features=lambda *arc: 1.0).fit(X, Y)
    with pytest.raises(ValueError, match="C, if not 'auto' or 'cv', must be"):
        DependencyParser(C=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="all_possible_states must be True, False or 'auto'"):
        DependencyParser(all_possible_states="some").fit(X, Y)
    X, Y = drawn(labelled=True)
    with pytest.raises(ValueError, match=r"the label of word 1 in y\[0\] is missing; label"):
        DependencyParser().fit(X, [[(Y[0][0][0], np.nan), *Y[0][1:]], *Y[1:]])


@pytest.mark.parametrize("factor", [1e-4, 1.0, 1e4])
def test_the_default_c_goes_with_the_scale_of_features(factor):
    X, Y = drawn()
    plain = [factor * x for x in matrices(X)]
    parser = DependencyParser().fit(plain, Y)
    true = [x[np.arange(len(y)), y] for x, y in zip(plain, Y, strict=True)]
    squares = np.square(np.concatenate(true)).sum(axis=1)
    assert parser.C_ == parser.result_.C == pytest.approx(len(X) / squares.mean())
    assert parser.predict(plain)[0].tolist() == Y[0]
    assert parser.score(plain, Y) == 1
    assert DependencyParser(C=7.0).fit(plain, Y).C_ == 7
    other = DependencyParser(loss="log_loss").fit(plain, Y)
    assert other.C_ == pytest.approx(10 * parser.C_)
    nothing = [0 * x for x in plain]
    with pytest.warns(UserWarning, match="w = 0"):
        assert DependencyParser().fit(nothing, Y).C_ == len(X)


def test_labels_that_were_not_trained_on_count_as_wrong():
    X, Y = drawn(labelled=True)
    parser = DependencyParser().fit(X, Y)
    other = [[(head, "new" if label == "root" else label) for head, label in y] for y in Y]
    words, roots = sum(map(len, Y)), len(Y)
    with pytest.warns(UserWarning, match=f"{roots} of {words} labels were not trained on"):
        assert parser.score(X, other) == pytest.approx(1 - roots / words)


def test_faults_of_the_function_are_named():
    X, Y = drawn(n=3)

    def at(value):
        first = len(X[0])
        return lambda s, h, d: {"a": value if (len(s), h, d) == (first, 0, 2) else 1.0}

    call = r"features\(X\[0\], 0, 2\)"
    with pytest.raises(ValueError, match=call + r"\['a'\] is NaN; features must be finite"):
        DependencyParser(features=at(float("nan"))).fit(X, Y)
    with pytest.raises(ValueError, match=call + r"\['a'\] is of type list"):
        DependencyParser(features=at([1])).fit(X, Y)
    with pytest.raises(ValueError, match=r"features\(X\[0\], 0, 1\) raised TypeError: .* 2 posit"):
        DependencyParser(features=lambda sentence, head: []).fit(X, Y)
    with pytest.raises(ValueError, match="no features: all its dicts are empty"):
        DependencyParser(features=lambda s, h, d: []).fit(X, Y)


@pytest.mark.parametrize("m", [6_000, 100_000])
def test_the_memory_of_long_sentences_is_said_before_it_is_taken(m, monkeypatch):
    monkeypatch.setattr("structsvm.oracle.memory.available_memory", lambda: 24e9)
    sentence = [("word", "NOUN")] * m
    heads = [*range(2, m + 1), 0]
    with pytest.raises(
        MemoryError, match=r"a sentence of m words has m \(m \+ 1\) arcs, so 1 .* split"
    ):
        DependencyParser().fit([sentence], [heads])
