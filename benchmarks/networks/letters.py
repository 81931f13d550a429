"""Handwritten words read by a network and a chain: the error of a letter over ten folds.

    python -m benchmarks networks/letters    # needs torch, and ocr_letters in STRUCTSVM_DATA

A fold is trained on and the nine others are predicted, as in benchmarks/sequences/letters.py. The
network and its training are those of docs/examples/handwriting.py, the same for all losses but for
the largest learning rate. That, and the temperature of the example, were chosen by the first table:
trained on four fifths of the words of the first fold, tested on the last fifth, two seeds. So no
test word of the first fold took part in the choice; for the other folds, words of the first are
among the test words.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.store import Row

RESULTS = "networks/letters"
#: Temperatures of the chain's loss, None for a softmax; learning rates; and seeds.
TEMPERATURES, RATES, SEEDS = (None, 0.0, 0.3, 1.0), (1e-3, 5e-3), 2
Words = tuple[list[Any], list[Any]]


def name(mu: float | None) -> str:
    if mu is None:
        return "network, softmax"
    return "network, chain, hinge" if mu == 0 else f"network, chain, mu = {mu:g}"


def wrong(mu: float | None, train: Words, test: Words, seed: int, rate: float) -> float:
    """The percentage of letters that a network reads wrong, trained with a loss."""
    import handwriting
    import torch

    torch.manual_seed(seed)
    reader = handwriting.LetterReader() if mu is None else handwriting.ChainReader(train[1], mu)
    return float(handwriting.error(handwriting.trained(reader, *train, rate), *test))


def main() -> None:
    import handwriting

    pixels, letters, fold = handwriting.words()

    def part(places: Any) -> Words:
        return [pixels[i] for i in places], [letters[i] for i in places]

    first = np.random.default_rng(0).permutation(np.flatnonzero(fold == 0))
    kept, held_out = part(first[: len(first) * 4 // 5]), part(first[len(first) * 4 // 5 :])
    folds = [(part(np.flatnonzero(fold == k)), part(np.flatnonzero(fold != k))) for k in range(10)]
    choice: list[Row] = []
    rows = [summary("ChainSVM()", folds, lambda train, test, k: (
        handwriting.error(handwriting.LinearReader(*train), *test)
    ))]  # fmt: skip
    for mu in TEMPERATURES:
        found = {
            rate: float(np.mean([wrong(mu, kept, held_out, s, rate) for s in range(SEEDS)]))
            for rate in RATES
        }
        best = min(RATES, key=found.__getitem__)
        choice.append({"loss": name(mu)} | {f"rate {rate:g}": found[rate] for rate in RATES})
        print(choice[-1], flush=True)

        def read(train: Words, test: Words, k: int, mu: Any = mu, rate: float = best) -> float:
            return wrong(mu, train, test, k, rate)

        rows.append(summary(name(mu), folds, read))
        print(rows[-1], flush=True)
    report(RESULTS, {"held-out words of fold 0, percent": choice, "error of a letter": rows})


def summary(trainer: str, folds: list[tuple[Words, Words]], read: Any) -> Row:
    start = time.process_time()
    errors = [read(train, test, k) for k, (train, test) in enumerate(folds)]
    seconds = (time.process_time() - start) / len(folds)
    return {
        "trainer": trainer, "error": float(np.mean(errors)), "deviation": float(np.std(errors)),
        "fold 0": errors[0], "CPU s a fold": seconds,
    }  # fmt: skip


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("torch is not installed: nothing is measured")
    else:
        sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
        import torch

        torch.set_num_threads(1)
        with one_thread():
            main()
