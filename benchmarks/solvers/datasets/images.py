from benchopt import BaseDataset

from structsvm.datasets import load_file
from structsvm.problems import Multiclass

ROWS = {"letter": (20_000, 15.0), "mnist": (10_000, 255.0)}


class Dataset(BaseDataset):
    """Letters (16 numbers) or MNIST's digits, of files in STRUCTSVM_DATA; features of 0 to 1."""

    name = "images"
    parameters = {"file": list(ROWS), "C": [0.01]}

    def get_data(self):
        data, (rows, scale) = load_file(self.file), ROWS[self.file]
        X, y = data["X"][:rows] / scale, data["y"][:rows].astype(int)
        return {"problem": Multiclass(), "X": X, "y": y, "C": self.C}
