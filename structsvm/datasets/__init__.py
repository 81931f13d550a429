"""Data sets: scikit-learn's digits, synthetic data, and optional files that the user supplies."""

from structsvm.datasets.builtin import digits, digits_pair, ringnorm, synth
from structsvm.datasets.decisions import shortest_path_costs
from structsvm.datasets.files import FOLDER_VARIABLE, load_file
from structsvm.datasets.plane import SHAPES, plane

__all__ = [
    "FOLDER_VARIABLE",
    "SHAPES",
    "digits",
    "digits_pair",
    "load_file",
    "plane",
    "ringnorm",
    "shortest_path_costs",
    "synth",
]
