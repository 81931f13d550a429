"""Loading of a model: CPU milliseconds of one thread, the least of several, and the file's size.

    python -m benchmarks speed/loading    # files in STRUCTSVM_DATA

``structsvm.load`` checks what it reads; ``joblib.load`` unpickles it, and runs what a file says.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import joblib
from sklearn.datasets import load_digits, load_iris

import structsvm
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from benchmarks.treebank import described, first_sentences
from structsvm.problems import ChainSVM, MulticlassSVM

#: Sentences that the tagger is trained on, and loads of which the least time is taken.
SENTENCES, LOADS = 600, 30


def tagger() -> Any:
    known = first_sentences("train", SENTENCES)
    return ChainSVM().fit([described(s.words) for s in known], [s.tags for s in known])


def classes(data: Callable[..., Any]) -> Any:
    return MulticlassSVM().fit(*data(return_X_y=True))


def loaded(save: Callable[..., Any], load: Callable[..., Any], model: Any) -> Row:
    times = []
    with tempfile.TemporaryDirectory() as folder:
        save(model, path := Path(folder) / "model")
        for _ in range(LOADS):
            started = time.process_time()
            load(path)
            times.append(time.process_time() - started)
        return {"ms": 1000 * min(times), "kB": path.stat().st_size / 1000}


EXPERIMENTS = (
    Experiment(
        "loading",
        ("model", "library"),
        {
            "tagger of words": tagger,
            "digits": partial(classes, load_digits),
            "iris": partial(classes, load_iris),
        },
        {
            "structsvm": partial(loaded, structsvm.save, structsvm.load),
            "joblib": partial(loaded, joblib.dump, joblib.load),
        },
    ),
)
