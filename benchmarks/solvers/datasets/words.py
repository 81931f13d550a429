import numpy as np
from benchopt import BaseDataset

from structsvm.datasets import load_file
from structsvm.problems import Chain


class Dataset(BaseDataset):
    """Handwritten words, 128 pixels for each letter, of ocr_letters in STRUCTSVM_DATA."""

    name = "words"
    parameters = {"fold": [1], "C": [0.1]}

    def get_data(self):
        data = load_file("ocr_letters")
        kept = data["fold"] == self.fold
        cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
        pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float64)
        letters = data["classes"][data["y"][kept]]
        X, y = np.split(pixels, cuts), np.split(letters, cuts)
        return {"problem": Chain(), "X": X, "y": y, "C": self.C}
