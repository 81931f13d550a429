"""Part-of-speech tagging of English text, beside CRFsuite where python-crfsuite is installed.

The data are the Universal Dependencies English Web Treebank with ten binary features for every
word (benchmarks/treebank.py). Every run has a process of its own; its CPU seconds are those of
training, one thread, and its memory is the most that the process held, with the data, before
training and at its end. C is that of the table for every sentence, structsvm's is n times that.
C = 0.5 has the best accuracy on the dev part. CRFsuite certifies nothing; its L-BFGS runs for 100
iterations, the others for their default number of epochs.

Measured when SmoothedLBFGS still made the first steps on mini-batches; now all its steps are on all
sentences.

    python -m benchmarks.speed.tagging    # needs the treebank in the folder STRUCTSVM_DATA
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.speed._memory import peak
from benchmarks.store import Row
from benchmarks.treebank import Sentence, described, first_sentences, matrices
from structsvm import choose_solver
from structsvm.problems import Chain

#: Relative gaps at which time and accuracy are noted.
GAPS = (0.1, 0.05, 0.02, 0.01)
#: Number of sentences, None for all, and C.
OURS = ((None, 0.1), (None, 0.5), (2000, 0.1), (2000, 0.5))
#: Algorithms of CRFsuite, with their parameters.
CRFSUITE: dict[str, dict[str, Any]] = {
    "lbfgs": {"max_iterations": 100},
    "averaged-perceptron": {},
    "passive-aggressive": {},
    "arow": {},
}


def main() -> None:
    rows = [row for n, C in OURS for row in _run("--ours", str(n or 0), str(C))]
    if importlib.util.find_spec("pycrfsuite"):
        for n in (None, 2000):
            for algorithm in CRFSUITE:
                rows += _run("--crfsuite", str(n or 0), algorithm)
    else:
        print("python-crfsuite is not installed: CRFsuite is left out")
    report("speed/tagging", {"CPU seconds, one thread, and accuracy in percent": rows})


def _run(*arguments: str) -> list[Row]:
    command = [sys.executable, "-m", "benchmarks.speed.tagging", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows: list[Row] = json.loads(done.stdout.splitlines()[-1])
    return rows


def train_ours(n: int | None, C: float) -> list[Row]:
    """A row for every gap; the last row belongs to the result."""
    X, Y, columns = matrices(first_sentences("train", n))
    before = peak()
    started, reached = time.process_time(), []

    def note(step: Any, w: Any) -> None:
        gap = step.gap / step.best_primal
        if len(reached) < len(GAPS) - 1 and gap <= GAPS[len(reached)]:
            reached.append((time.process_time() - started, gap, step.iteration, w))

    solver = choose_solver(Chain(), X, Y).solver.set_params(rtol=GAPS[-1])
    result = solver.solve(Chain(), X, Y, C * len(X), callback=note)
    seconds, memory = time.process_time() - started, peak()
    reached.append((seconds, result.gap / result.primal, result.iterations, result.w))
    problem = Chain()
    problem.initialize(X, Y)
    parts = {part: first_sentences(part, None) for part in ("dev", "test")}
    held_out = {part: matrices(found, columns)[:2] for part, found in parts.items()}
    rows = []
    for seconds, gap, passes, w in reached:
        row = {"sentences": len(X), "trainer": f"structsvm C={C:g}", "CPU s": seconds}
        row |= {"certified gap": gap, "passes": passes}
        for part, (inputs, tags) in held_out.items():
            row[part] = _accuracy(problem.task(inputs).decode(w), tags)
        rows.append(row | {"GB before": before, "peak GB": memory})
    return rows


def train_crfsuite(n: int | None, algorithm: str) -> list[Row]:
    """One row, of CRFsuite's implementation of an algorithm."""
    pycrfsuite = importlib.import_module("pycrfsuite")
    given = first_sentences("train", n)
    trainer = pycrfsuite.Trainer(algorithm, CRFSUITE[algorithm], verbose=False)
    for sentence in given:
        trainer.append(described(sentence.words), sentence.tags)
    before = peak()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        started = time.process_time()
        trainer.train(model)
        seconds, memory = time.process_time() - started, peak()
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        row: Row = {"sentences": len(given), "trainer": f"CRFsuite {algorithm}", "CPU s": seconds}
        for part in ("dev", "test"):
            found = first_sentences(part, None)
            row[part] = _accuracy(*_tagged(tagger, found))
        tagger.close()
    return [row | {"GB before": before, "peak GB": memory}]


def _tagged(tagger: Any, given: list[Sentence]) -> tuple[list[Any], list[Any]]:
    found = [tagger.tag(described(sentence.words)) for sentence in given]
    return found, [sentence.tags for sentence in given]


def _accuracy(found: Any, tags: Any) -> float:
    pairs = zip(found, tags, strict=True)
    right = sum(int(np.sum(np.asarray(a) == np.asarray(b))) for a, b in pairs)
    return 100 * right / sum(map(len, tags))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", nargs=2)
    parser.add_argument("--crfsuite", nargs=2)
    arguments = parser.parse_args()
    with one_thread():
        if arguments.ours:
            n, C = arguments.ours
            print(json.dumps(train_ours(int(n) or None, float(C))))
        elif arguments.crfsuite:
            n, algorithm = arguments.crfsuite
            print(json.dumps(train_crfsuite(int(n) or None, algorithm)))
        else:
            main()
