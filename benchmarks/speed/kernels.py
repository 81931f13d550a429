"""Times of fits and predictions with and without the functions in C.

A process for each, with STRUCTSVM_COMPILED in its environment. The data are the articles of the 20
newsgroups as TF-IDF vectors, sentences with the arcs of their words, and sentences as lists of
named features, of which some new ones are tagged one at a time. CPU seconds, one thread.

    python -m benchmarks speed/kernels    # files in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks.experiment import Experiment
from benchmarks.newsgroups import articles
from benchmarks.store import Row
from benchmarks.treebank import described, first_sentences, tagged
from structsvm.problems import ChainSVM, DependencyParser, MulticlassSVM

#: What is timed, without arguments.
Work = Callable[[], Any]


def classes() -> Work:
    X, y = articles()["train"]
    return partial(MulticlassSVM().fit, X, y)


def trees() -> Work:
    sentences = first_sentences("train", 300)
    return partial(DependencyParser().fit, tagged(sentences), [s.heads for s in sentences])


def tags() -> Work:
    known, new = (first_sentences(part, 1000) for part in ("train", "test"))
    svm = ChainSVM().fit([described(s.words) for s in known], [s.tags for s in known])
    return partial(one_by_one, svm, [[described(s.words)] for s in new])


def one_by_one(svm: ChainSVM, parts: Sequence[Any]) -> None:
    for part in parts:
        svm.predict(part)


WORK = {
    "fit of 11,314 articles, 20 classes": classes,
    "fit of the trees of 300 sentences": trees,
    "1,000 sentences tagged alone": tags,
}


def seconds(work: str, compiled: bool) -> Row:
    command = [sys.executable, "-m", "benchmarks.speed.kernels", work]
    environment = os.environ | {"STRUCTSVM_COMPILED": str(int(compiled))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {"CPU s": float(done.stdout)}


EXPERIMENTS = (
    Experiment(
        "with kernels and without",
        ("work", "kernels"),
        {name: partial(str, name) for name in WORK},
        {"no": partial(seconds, compiled=False), "yes": partial(seconds, compiled=True)},
    ),
)

if __name__ == "__main__":
    work = WORK[sys.argv[1]]()
    started = time.process_time()
    work()
    print(time.process_time() - started)
