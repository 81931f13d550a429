"""ChainSVM on features of any size beside CRFsuite's L-BFGS: time, memory, accuracy, model size.

The tasks come from benchmarks/sequences/templates.py, beside drawn sentences with 100 labels. All
get the same dicts and their default parameters; ChainSVM also has other parameters, which the rows
name. CPU seconds are of training from the dicts, one thread; memory is what the process held at
most, in MB above the dicts; "to CRFsuite's" are the CPU seconds after which as many labels of the
test part were right as CRFsuite has at its end. For noun phrases F1 counts whole phrases. Every row
has a process of its own.

    python -m benchmarks sequences/scale    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import structsvm
from benchmarks.report import one_thread, report
from benchmarks.sequences.templates import TASKS, drawn
from benchmarks.speed._memory import forget_peak, peak_since, resident
from benchmarks.store import Row
from structsvm.problems import ChainSVM, bio_segments, segment_f1_score

RESULTS = "sequences/scale"
DRAWN = "100 labels, drawn"
#: Parameters of ChainSVM.
OURS: tuple[dict[str, Any], ...] = (
    {},
    {"rtol": 0.01},
    {"all_possible_states": False},
    {"loss": "log_loss"},
    {"loss": "log_loss", "all_possible_states": False},
)
#: C for each sentence of the tags, with features as they are given: as in benchmarks/speed/tagging.
TAGS_C = (0.1, 0.5)
#: Probabilities below this count as this.
LEAST = 1e-12

Data = tuple[list[Any], list[list[str]]]


def data(task: str, part: str) -> Data:
    return drawn(part) if task == DRAWN else TASKS[task].data(part)


def scores(found: list[list[str]], true: list[list[str]], task: str, part: str) -> Row:
    """The percentage of right labels, and for noun phrases F1."""
    right = np.concatenate(found) == np.concatenate(true)
    row: Row = {part: 100 * float(np.mean(right))}
    if task.startswith("noun") and part == "test":
        segments = ([bio_segments(y) for y in labels] for labels in (true, found))
        row["F1"] = 100 * segment_f1_score(*segments)
    return row


def trained(task: str, options: dict[str, Any], **more: Any) -> tuple[ChainSVM, Row]:
    X, Y = data(task, "train")
    if "C" in options:  # for features as they are given
        options["C"] *= len(X) * np.mean([len(features) for x in X for features in x])
    gc.collect()
    forget_peak()
    before, start = resident(), time.process_time()
    svm = ChainSVM(**options, **more).fit(X, Y)
    seconds, memory = time.process_time() - start, peak_since() - before
    gap = 100 * svm.result_.gap / svm.result_.primal
    return svm, {"CPU s": seconds, "MB": memory, "weights": len(svm.w_), "gap": gap}


def ours(task: str, options: dict[str, Any]) -> Row:
    svm, row = trained(task, options)
    for part in ("dev", "test"):
        X, Y = data(task, part)
        row |= scores(svm.predict(X), Y, task, part)
    if svm.loss == "log_loss":
        p, labels = np.concatenate(svm.predict_proba(X)), np.concatenate(Y)
        codes = np.minimum(np.searchsorted(svm.classes_, labels), len(svm.classes_) - 1)
        own = np.where(svm.classes_[codes] == labels, p[np.arange(len(codes)), codes], 0.0)
        row["log loss"] = -float(np.log(np.maximum(own, LEAST)).mean())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        structsvm.save(svm, path)
        return row | {"file MB": path.stat().st_size / 1e6}


def seconds_to(target: float, task: str, options: dict[str, Any]) -> Row:
    """The first time at which this percentage of the labels of the test part was right."""
    reached: list[Any] = []
    start = 0.0

    def note(step: Any, w: Any) -> None:
        reached.append((time.process_time() - start, w))

    X, Y = data(task, "train")
    start = time.process_time()
    svm = ChainSVM(**options, callback=note).fit(X, Y)
    X, Y = data(task, "test")
    inputs, true = svm._given(X, None)[1], np.concatenate(Y)
    for seconds, svm.w_ in reached:
        if 100 * float(np.mean(svm.classes_[svm._decoded(inputs)] == true)) >= target:
            return {"to CRFsuite's": float(seconds)}
    return {"to CRFsuite's": None}


def crfsuite(task: str) -> Row:
    pycrfsuite = importlib.import_module("pycrfsuite")
    X, Y = data(task, "train")
    gc.collect()
    forget_peak()
    before, start = resident(), time.process_time()
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    for features, labels in zip(X, Y, strict=True):
        trainer.append(features, labels)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        trainer.train(str(model))
        row: Row = {"CPU s": time.process_time() - start, "MB": peak_since() - before}
        tagger = pycrfsuite.Tagger()
        tagger.open(str(model))
        row["weights"] = len(tagger.info().state_features) + len(tagger.info().transitions)
        for part in ("dev", "test"):
            X, Y = data(task, part)
            row |= scores([tagger.tag(x) for x in X], Y, task, part)
        known, losses = set(tagger.labels()), []
        for x, labels in zip(X, Y, strict=True):
            tagger.set(x)
            for i, label in enumerate(labels):
                p = tagger.marginal(label, i) if label in known else 0.0
                losses.append(-float(np.log(max(p, LEAST))))
        row["log loss"] = float(np.mean(losses))
        return row | {"file MB": model.stat().st_size / 1e6}


def _run(*arguments: str) -> Row:
    command = [sys.executable, "-m", "benchmarks.sequences.scale", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def _named(options: dict[str, Any]) -> str:
    return f"ChainSVM({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def rows_of(task: str) -> list[Row]:
    target, rows = 0.0, []
    if importlib.util.find_spec("pycrfsuite"):
        row = _run("--crfsuite", task)
        rows.append({"task": task, "trainer": "CRFsuite lbfgs"} | row)
        target = row["test"]
        print(rows[-1], flush=True)
    more = [{"C": C, "rtol": 0.01} for C in TAGS_C] if task.startswith("tags") else []
    for options in (*OURS, *more):
        given = task, json.dumps(options)
        row = _run("--ours", *given)
        if target and "C" not in options and "rtol" not in options:
            row |= _run("--seconds-to", str(target), *given)
        rows.append({"task": task, "trainer": _named(options)} | row)
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    rows = [row for task in (*TASKS, DRAWN) for row in rows_of(task)]
    report(RESULTS, {"time, memory and accuracy": rows})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", nargs=2)
    parser.add_argument("--seconds-to", nargs=3)
    parser.add_argument("--crfsuite")
    arguments = parser.parse_args()
    with one_thread():
        if arguments.ours:
            task, options = arguments.ours
            print(json.dumps(ours(task, json.loads(options))))
        elif arguments.seconds_to:
            target, task, options = arguments.seconds_to
            print(json.dumps(seconds_to(float(target), task, json.loads(options))))
        elif arguments.crfsuite:
            print(json.dumps(crfsuite(arguments.crfsuite)))
        else:
            main()
