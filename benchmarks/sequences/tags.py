"""Parts of speech of English words: ChainSVM with its defaults, beside CRFsuite's four algorithms.

All get the same dicts of ten features for a word (benchmarks/treebank.py) and their own default
parameters, but L-BFGS stops after 100 iterations; nothing is chosen on the test part. Training, and
tagging the 25,094 words of the test part, are in CPU seconds, one thread: tagging from dicts, and
from what the library makes of them. The results also say how often a label is right that has some
probability: ``fit_temperature`` is given the dev part.

    python -m benchmarks sequences/tags    # needs the treebank in STRUCTSVM_DATA; python-crfsuite
"""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import cpu_seconds, one_thread, report
from benchmarks.speed.tagging import CRFSUITE
from benchmarks.store import Row
from benchmarks.treebank import as_dicts, first_sentences
from structsvm.problems import ChainSVM

RESULTS = "sequences/tags"
#: Ends of the ranges of probabilities.
ENDS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)

Data = dict[str, tuple[list[Any], list[Any]]]


def parts() -> Data:
    """Sentences as dicts of features, and their tags, of the three parts of the treebank."""
    found = {part: first_sentences(part, None) for part in ("train", "dev", "test")}
    return {
        part: ([as_dicts(s.words) for s in given], [s.tags for s in given])
        for part, given in found.items()
    }


def accuracy(found: list[Any], tags: list[Any]) -> float:
    """The percentage of words with the right tag."""
    return 100 * float(np.mean(np.concatenate(found) == np.concatenate(tags)))


def row_of(name: str, seconds: float, data: Data, tag: Callable[[Any], Any]) -> Row:
    """A row of the table; ``tag`` takes sentences as dicts."""
    row: Row = {"trainer": name, "training": seconds}
    for part in ("dev", "test"):
        row[part] = accuracy(tag(data[part][0]), data[part][1])
    row["tagging dicts"], _ = cpu_seconds(lambda: tag(data["test"][0]), 5)
    return row


def ours(data: Data) -> tuple[Row, ChainSVM]:
    start = time.process_time()
    svm = ChainSVM().fit(*data["train"])
    seconds = time.process_time() - start
    row = row_of("ChainSVM()", seconds, data, svm.predict)
    _, inputs = svm._given(data["test"][0], None)
    row["tagging"], _ = cpu_seconds(lambda: svm._decoded(inputs), 5)
    return row | {"certified gap": svm.result_.gap / svm.result_.primal}, svm


def crfsuite(data: Data, algorithm: str) -> Row:
    pycrfsuite = importlib.import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm, CRFSUITE[algorithm], verbose=False)
    for features, tags in zip(*data["train"], strict=True):
        trainer.append(features, tags)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        start = time.process_time()
        trainer.train(model)
        seconds = time.process_time() - start
        tagger = pycrfsuite.Tagger()
        tagger.open(model)

        def tag(sentences: Any) -> list[Any]:
            return [tagger.tag(features) for features in sentences]

        row = row_of(f"CRFsuite {algorithm}", seconds, data, tag)
        items = [pycrfsuite.ItemSequence(features) for features in data["test"][0]]
        row["tagging"], _ = cpu_seconds(lambda: tag(items), 5)
        tagger.close()
    return row


def calibration(svm: ChainSVM, data: Data) -> tuple[list[Row], list[Row]]:
    """Log loss by temperature, and the fraction of right labels by their probability."""
    svm.fit_temperature(*data["dev"])
    X, tags = data["test"]
    codes = np.searchsorted(svm.classes_, np.concatenate(tags))
    losses, shares = [], []
    for temperature in (1.0, svm.temperature_):
        p = np.concatenate(svm.predict_proba(X, temperature=temperature))
        own = p[np.arange(len(codes)), codes]
        losses.append({"temperature": temperature, "log loss": -float(np.log(own).mean())})
        top, right = p.max(axis=1), p.argmax(axis=1) == codes
        for low, high in pairwise(ENDS):
            some = (low < top) & (top <= high)
            if some.any():
                row: Row = {"temperature": temperature, "from": low, "to": high}
                row |= {"words": int(some.sum()), "probability": 100 * float(top[some].mean())}
                shares.append(row | {"right": 100 * float(right[some].mean())})
    return losses, shares


def main() -> None:
    data = parts()
    row, svm = ours(data)
    rows = [row]
    if importlib.util.find_spec("pycrfsuite"):
        rows += [crfsuite(data, algorithm) for algorithm in CRFSUITE]
    else:
        print("python-crfsuite is not installed: CRFsuite is left out")
    losses, shares = calibration(svm, data)
    tables = {"accuracy": rows, "log loss": losses, "right labels": shares}
    report(RESULTS, tables)


if __name__ == "__main__":
    with one_thread():
        main()
