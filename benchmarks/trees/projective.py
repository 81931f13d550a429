"""Whether a parser of projective trees is better, by the fraction of trees that are projective.

Treebanks of Universal Dependencies in several languages: the first 1000 sentences of the train part
are learned from, or of the dev part where a folder lacks it, and the first 800 of the test part are
parsed. ``projective=True`` refuses other trees, so it learns from fewer. The rule of 'auto' was
chosen by these, with what True and False do on them.

    python -m benchmarks trees/projective FOLDER    # with files such as da_ddt-ud-test.conllu
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.store import Row
from benchmarks.treebank import Sentence, read, tagged
from structsvm.problems import DependencyParser
from structsvm.problems.trees.data import crossings

RESULTS = "trees/projective"
#: Sentences that are learned from and parsed, and words of a sentence, at most.
TRAIN, TEST, LONGEST = 1000, 800, 60


def some(path: Path, n: int) -> list[Sentence]:
    text = path.read_text(encoding="utf-8")
    return list(islice((s for s in read(text) if len(s.words) <= LONGEST), n))


def treebanks(folder: Path) -> Iterator[tuple[str, list[Sentence], list[Sentence]]]:
    """Yield name, training and test sentences of every treebank."""
    for path in sorted(folder.glob("*-ud-test.conllu")):
        name = path.name.removesuffix("-ud-test.conllu")
        train, dev = (folder / f"{name}-ud-{part}.conllu" for part in ("train", "dev"))
        yield name, some(train if train.exists() else dev, TRAIN), some(path, TEST)


def row(name: str, train: list[Sentence], test: list[Sentence]) -> Row:
    heads = [np.array(sentence.heads) for sentence in train]
    plain = np.array([not crossings(y).any() for y in heads])
    found: Row = {"treebank": name, "sentences": len(train), "projective": 100 * plain.mean()}
    true = [np.array(sentence.heads) for sentence in test]
    for projective in (False, True, "auto"):
        kept = [i for i in range(len(train)) if projective is not True or plain[i]]
        X = [tagged(train)[i] for i in kept]
        start = time.process_time()
        parser: Any = DependencyParser(projective=projective).fit(X, [heads[i] for i in kept])
        found[f"CPU s, {projective}"] = time.process_time() - start
        found[str(projective)] = 100 * parser.score(tagged(test), true)
    return found


def main() -> None:
    rows = []
    for treebank in treebanks(Path(sys.argv[1])):
        rows.append(row(*treebank))
        print(rows[-1], flush=True)
    rows.sort(key=lambda row: row["projective"])
    report(RESULTS, {"attachment in percent": rows})


if __name__ == "__main__":
    with one_thread():
        main()
