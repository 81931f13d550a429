"""Handwritten words, and single precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.datasets import load_file


def letter_words(fold: int) -> tuple[list[Any], list[Any]]:
    """The words of one fold of the handwritten letters: 128 pixels per letter, and the letters."""
    data = load_file("ocr_letters")
    kept = data["fold"] == fold
    cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
    pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float64)
    return np.split(pixels, cuts), np.split(data["classes"][data["y"][kept]], cuts)


def single(X: Any) -> Any:
    """The inputs in single precision."""
    return X.astype(np.float32) if hasattr(X, "astype") else [x.astype(np.float32) for x in X]
