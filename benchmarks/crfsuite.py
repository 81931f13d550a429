"""Taggers of CRFsuite with its default parameters; needs python-crfsuite."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def tagger(sequences: Iterable[tuple[Any, Any]], algorithm: str) -> Any:
    """Return what an algorithm of CRFsuite learns from pairs of items and labels."""
    pycrfsuite = importlib.import_module("pycrfsuite")
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    for items, labels in sequences:
        trainer.append(items, labels)
    found = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        found.open(model)
    return found
