"""Models that an algorithm of CRFsuite learns; needs python-crfsuite."""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

#: Algorithms, with their parameters.
CRFSUITE: dict[str, dict[str, Any]] = {
    "lbfgs": {"max_iterations": 100},
    "averaged-perceptron": {},
    "passive-aggressive": {},
    "arow": {},
}


class Trained(NamedTuple):
    """A tagger, and the CPU seconds of its training."""

    tagger: Any
    seconds: float

    def tags(self, sequences: Iterable[Any]) -> list[Any]:
        return [self.tagger.tag(items) for items in sequences]


def train(
    sequences: Iterable[tuple[Any, Any]],
    algorithm: str,
    parameters: Mapping[str, Any] | None = None,
) -> Trained:
    """Learn from pairs of items and labels, by default with CRFsuite's default parameters."""
    pycrfsuite = importlib.import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm, dict(parameters or {}), verbose=False)
    for items, labels in sequences:
        trainer.append(items, labels)
    found = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        start = time.process_time()
        trainer.train(str(model))
        seconds = time.process_time() - start
        found.open(str(model))
        return Trained(found, seconds)


def tagger(sequences: Iterable[tuple[Any, Any]], algorithm: str) -> Any:
    """Return the tagger without the seconds."""
    return train(sequences, algorithm).tagger
