"""Parts of speech of English words: ChainSVM by default, and CRFsuite's four algorithms.

All get the same dicts of ten features for a word (benchmarks/treebank.py) and their own default
parameters, but L-BFGS stops after 100 iterations; nothing is chosen on the test part. Training, and
tagging the dicts of the 25,094 words of the test part, are in CPU seconds, one thread. The results
also say how often a label is right that has some probability: ``fit_temperature`` is given the dev
part.

    python -m benchmarks sequences/tags    # needs the treebank in STRUCTSVM_DATA; python-crfsuite
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.crfsuite import CRFSUITE, train
from benchmarks.experiment import Experiment, cpu_seconds
from benchmarks.store import Row
from benchmarks.treebank import as_dicts, first_sentences, percent_right
from structsvm.problems import ChainSVM

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


def ours(data: Data) -> ChainSVM:
    return ChainSVM().fit(*data["train"])


def crfsuite(data: Data, algorithm: str) -> Any:
    return train(zip(*data["train"], strict=True), algorithm, CRFSUITE[algorithm])


def row(fit: Any, data: Data) -> Row:
    model, seconds = fit
    tag, seconds = (
        (model.predict, seconds) if isinstance(model, ChainSVM) else (model.tags, model.seconds)
    )
    row = {part: percent_right(tag(data[part][0]), data[part][1]) for part in ("dev", "test")}
    tagging, _ = cpu_seconds(partial(tag, data["test"][0]), 5)
    return {"training": seconds, **row, "tagging dicts": tagging}


def probabilities(svm: ChainSVM, data: Data) -> dict[float, tuple[Any, Any]]:
    """Return the probabilities of labels of the test part, and their codes, by temperature."""
    svm.fit_temperature(*data["dev"])
    X, tags = data["test"]
    codes = np.searchsorted(svm.classes_, np.concatenate(tags))
    return {
        temperature: (np.concatenate(svm.predict_proba(X, temperature=temperature)), codes)
        for temperature in (1.0, svm.temperature_)
    }


def losses(fits: Any, data: Data) -> list[Row]:
    """Log loss by temperature."""
    return [
        {"temperature": mu, "log loss": -float(np.log(p[np.arange(len(p)), codes]).mean())}
        for mu, (p, codes) in probabilities(fits["ChainSVM()"].found, data).items()
    ]


def shares(fits: Any, data: Data) -> list[Row]:
    """The fraction of right labels by their probability."""
    rows = []
    for mu, (p, codes) in probabilities(fits["ChainSVM()"].found, data).items():
        top, right = p.max(axis=1), p.argmax(axis=1) == codes
        for low, high in pairwise(ENDS):
            some = (low < top) & (top <= high)
            if some.any():
                row: Row = {"temperature": mu, "from": low, "to": high, "words": int(some.sum())}
                row["probability"] = 100 * float(top[some].mean())
                rows.append(row | {"right": 100 * float(right[some].mean())})
    return rows


OURS, DATA = {"ChainSVM()": ours}, {(): parts}
ALGORITHMS = {f"CRFsuite {name}": partial(crfsuite, algorithm=name) for name in CRFSUITE}
EXPERIMENTS = (
    Experiment("accuracy", ("trainer",), DATA, OURS | ALGORITHMS, row),
    Experiment("log loss", ("temperature",), DATA, OURS, losses, wide=True),
    Experiment("right labels", ("temperature", "from"), DATA, OURS, shares, wide=True),
)
