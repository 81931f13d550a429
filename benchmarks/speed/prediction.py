"""Prediction: milliseconds for one example at a time, and examples a second in batch.

Each estimator is compared with a usual alternative, if there is one, trained on the same data:
LinearSVC for classes, one for each label for sets of labels, CRFsuite for sequences of named
features, LightGBM for rankings, and UDPipe for labelled trees. UDPipe's parser has its default
network, trained for one epoch on few sentences, on which its speed does not depend. Estimators
without a rival predict the small examples of their problems, or iris. CPU time of one thread, the
least of several runs.

    python -m benchmarks speed/prediction    # files in STRUCTSVM_DATA; the rivals' packages
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.crfsuite import CRFSUITE, train
from benchmarks.experiment import Experiment
from benchmarks.label_sets._data import label_sets
from benchmarks.ranking._folds import fold
from benchmarks.ranking.mq2008 import lambdarank
from benchmarks.sequences.letters import letter_words
from benchmarks.store import Row
from benchmarks.treebank import Sentence, as_dicts, described, first_sentences, tagged
from structsvm import problems
from structsvm.problems import ChainSVM, DependencyParser, MulticlassSVM, MultiLabelSVM, RankingSVM
from structsvm.problems.decisions import GridPaths

#: Examples that are predicted one by one, at most, and runs of which the least time is taken.
SINGLE, RUNS = 100, 5
#: Sentences to learn tags from, and trees; for UDPipe, whose training is slow; and to parse.
TAGGED, PARSED, FEW, NEW = 1000, 300, 50, 200
#: The parameters of UDPipe's parser.
UDPIPE = "iterations=1;embedding_upostag=20;embedding_form=50;embedding_deprel=20;hidden_layer=200"
#: Functions that predict examples, by name, and the examples.
Data = tuple[dict[str, Callable[[Any], Any]], Any]


def digits() -> Data:
    X, y = load_digits(return_X_y=True)
    models = MulticlassSVM(), LinearSVC()
    return {type(model).__name__: model.fit(X, y).predict for model in models}, X


def yeast() -> Data:
    X, Y, known = label_sets("yeast")
    models = {"MultiLabelSVM": MultiLabelSVM("tree"), "LinearSVC": OneVsRestClassifier(LinearSVC())}
    return {name: m.fit(X[known], Y[known]).predict for name, m in models.items()}, X[~known]


def tags(describe: Callable[[list[str]], Any], every: bool) -> Data:
    sentences = first_sentences("train", TAGGED)
    X, y = [describe(s.words) for s in sentences], [s.tags for s in sentences]
    rival = train(zip(X, y, strict=True), "lbfgs", CRFSUITE["lbfgs"])
    model = ChainSVM(all_possible_states=every).fit(X, y)
    new = [describe(s.words) for s in first_sentences("test", None)]
    return {"ChainSVM": model.predict, "CRFsuite": rival.tags}, new


def words() -> Data:
    return {"ChainSVM": ChainSVM().fit(*letter_words(0)).predict}, letter_words(1)[0]


def trees() -> Data:
    X = tagged(known := first_sentences("train", PARSED))
    labelled = [list(zip(s.heads, s.relations, strict=True)) for s in known]
    return {
        "DependencyParser": DependencyParser().fit(X, [s.heads for s in known]).predict,
        "DependencyParser, with labels": DependencyParser().fit(X, labelled).predict,
        "UDPipe, with labels": udpipe(known[:FEW]),
    }, tagged(first_sentences("test", NEW))


def udpipe(known: list[Sentence]) -> Callable[[Any], Any]:
    """A function that parses sentences."""
    package = importlib.import_module("ufal.udpipe")

    def sentence(words: Any) -> Any:
        made = package.Sentence()
        for word, tag in words:
            made.addWord(word).upostag = tag
        return made

    examples = package.Sentences()
    for own, words in zip(known, tagged(known), strict=True):
        made = sentence(words)
        for j, (head, relation) in enumerate(zip(own.heads, own.relations, strict=True), start=1):
            made.setHead(j, head, relation)
        examples.append(made)
    arguments = examples, package.Sentences(), "none", "none", UDPIPE, package.ProcessingError()
    trained = package.Trainer.train("morphodita_parsito", *arguments)
    with tempfile.NamedTemporaryFile() as file:
        file.write(trained)
        file.flush()
        model = package.Model.load(file.name)

    def parse(words: Any) -> list[tuple[int, str]]:
        made = sentence(words)
        model.parse(made, model.DEFAULT)
        return [(word.head, word.deprel) for word in list(made.words)[1:]]

    return lambda X: list(map(parse, X))


def rankings() -> Data:
    known, _, new = fold(0)
    model = RankingSVM().fit(known.X, known.y, qid=known.qid)
    ends = new.sizes.cumsum()
    queries = [new.X[end - size : end] for size, end in zip(new.sizes, ends, strict=True)]
    rival = lambdarank(known)
    return {
        "RankingSVM": lambda X: list(map(model.predict, X)),
        "LightGBM": lambda X: list(map(rival, X)),
    }, queries


def small(model: Any, data: Callable[[], Any]) -> Data:
    X, *y = data()
    return {type(model).__name__: model.fit(X, *y).predict}, X


def iris(supervised: bool = False) -> Any:
    X, y = load_iris(return_X_y=True)
    return (X, y == 0) if supervised else (X,)


def sets() -> Any:
    """Sets of irises, and their partitions by class."""
    X, y = load_iris(return_X_y=True)
    return [X[i::10] for i in range(10)], [y[i::10] for i in range(10)]


def costs() -> Any:
    X, _ = load_iris(return_X_y=True)
    return X[:, :3], X


def timed(data: Data) -> list[Row]:
    """The times of each function, which take turns."""
    functions, X = data
    alone = [X[i : i + 1] for i in range(min(len(X), SINGLE))]
    runs = [
        [(seconds(f, alone) / len(alone), seconds(f, [X]) / len(X)) for f in functions.values()]
        for _ in range(RUNS)
    ]
    return [
        {"predictor": name, "ms for one": 1000 * one, "examples a second": 1 / each}
        for name, (one, each) in zip(functions, np.min(runs, axis=0).tolist(), strict=True)
    ]


def seconds(predict: Callable[[Any], Any], parts: Sequence[Any]) -> float:
    """The CPU time of calls."""
    started = time.process_time()
    for part in parts:
        predict(part)
    return time.process_time() - started


#: Estimators without a rival, with the examples of their problems.
SMALL = {
    "segments of sequences": (problems.SegmentSVM(max_length=10), problems.Segments.example_data),
    "matchings": (problems.AssignmentSVM(), problems.Assignment.example_data),
    "labels of graphs": (problems.GraphSVM(), problems.GraphLabelling.example_data),
    "decisions": (problems.DecisionFocusedRegressor(GridPaths(2, 2)), costs),
    "integer programs": (problems.IntegerProgramSVM(), problems.IntegerProgram.example_data),
    "iris, one class": (problems.MultivariateSVM(), partial(iris, True)),
    "classes in a taxonomy": (problems.TaxonomySVM(), problems.Taxonomy.example_data),
    "sets of irises, k-means": (problems.SupervisedKMeans(), sets),
    "sets of irises, partitions": (problems.CorrelationClustering(), sets),
    "iris, clusters by MMC": (problems.MMC(n_init=1), iris),
    "iris, clusters by CPM3C": (problems.CPM3C(3, n_init=1), iris),
    "iris, clusters by a bound": (problems.SDPMMC(), iris),
    "iris, Bayesian clusters": (problems.BayesianMMC(3, n_init=1), iris),
    "iris, clusters by a measure": (problems.MultivariateMMC(n_init=1), iris),
}

EXPERIMENTS = (
    Experiment(
        "prediction",
        ("examples", "predictor"),
        {
            "digits, 10 classes": digits,
            "yeast, 14 labels": yeast,
            "sentences, lists of names": partial(tags, described, True),
            "sentences, dicts, states that occur": partial(tags, as_dicts, False),
            "words, pixels": words,
            "sentences with tags": trees,
            "queries": rankings,
        }
        | {name: partial(small, *pair) for name, pair in SMALL.items()},
        timed,
    ),
)
