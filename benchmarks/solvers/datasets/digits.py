from benchopt import BaseDataset

from structsvm.datasets import digits
from structsvm.problems import Multiclass


class Dataset(BaseDataset):
    """scikit-learn's handwritten digits, 1,797 x 64."""

    name = "digits"
    parameters = {"C": [0.1, 1.0, 10.0, 100.0]}
    test_parameters = {"C": [0.1]}

    def get_data(self):
        X, y = digits()
        return {"problem": Multiclass(), "X": X, "y": y, "C": self.C}
