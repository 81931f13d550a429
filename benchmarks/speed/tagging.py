"""Part-of-speech tagging of English text, compared with CRFsuite's L-BFGS.

The data are the Universal Dependencies English Web Treebank with ten binary features for every word
(benchmarks/treebank.py). CPU seconds are for training, with one thread; memory is the peak of the
process, with the data, before training and at its end. The table has C for each sentence;
structsvm's C is n times as large. C = 0.5 has the best accuracy on the dev part. CRFsuite certifies
nothing; it runs for 100 iterations.

Measured when SmoothedLBFGS still made the first steps on mini-batches; now all its steps are on all
sentences.

    python -m benchmarks speed/tagging    # the treebank in STRUCTSVM_DATA; python-crfsuite
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from benchmarks.crfsuite import CRFSUITE, train
from benchmarks.experiment import Experiment
from benchmarks.speed._memory import peak
from benchmarks.store import Row
from benchmarks.treebank import Sentence, described, first_sentences, matrices, percent_right
from structsvm import choose_solver
from structsvm.problems import Chain

#: Relative gaps at which time and accuracy are noted.
GAPS = (0.1, 0.05, 0.02, 0.01)
Sentences = list[Sentence]


def ours(sentences: Sentences, C: float) -> list[Row]:
    """A row for every gap; the last row belongs to the result."""
    X, Y, columns = matrices(sentences)
    before, started = peak(), time.process_time()
    reached: list[tuple[Row, Any]] = []

    def note(step: Any, w: Any) -> None:
        gap = step.gap / step.best_primal
        if len(reached) < len(GAPS) - 1 and gap <= GAPS[len(reached)]:
            add(gap, step.iteration, w)

    def add(gap: float, passes: int, w: Any) -> None:
        row: Row = {"gap": GAPS[len(reached)], "CPU s": time.process_time() - started}
        reached.append((row | {"certified gap": gap, "passes": passes}, w))

    solver = choose_solver(Chain(), X, Y).solver.set_params(rtol=GAPS[-1])
    result = solver.solve(Chain(), X, Y, C * len(X), callback=note)
    add(result.gap / result.primal, result.iterations, result.w)
    memory = {"GB before": before, "peak GB": peak()}
    problem = Chain()
    problem.initialize(X, Y)
    inputs, tags, _ = matrices(first_sentences("test", None), columns)
    task = problem.task(inputs)
    return [row | {"test": percent_right(task.decode(w), tags)} | memory for row, w in reached]


def crfsuite(sentences: Sentences) -> Row:
    before = peak()
    pairs = ((described(sentence.words), sentence.tags) for sentence in sentences)
    model = train(pairs, "lbfgs", CRFSUITE["lbfgs"])
    memory = {"GB before": before, "peak GB": peak()}
    test = first_sentences("test", None)
    found = model.tags(described(sentence.words) for sentence in test)
    right = percent_right(found, [sentence.tags for sentence in test])
    return {"gap": "-", "CPU s": model.seconds, "test": right} | memory


EXPERIMENTS = (
    Experiment(
        "CPU seconds, one thread, and accuracy in percent",
        ("sentences", "trainer", "gap"),
        {n: partial(first_sentences, "train", n) for n in (12_544, 2000)},
        {f"structsvm C={C:g}": partial(ours, C=C) for C in (0.1, 0.5)}
        | {"CRFsuite lbfgs": crfsuite},
        apart=True,
    ),
)
