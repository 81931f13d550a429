"""Labels and costs that the tests of classification share."""

import numpy as np

LABELS = [
    [0, 1],
    [0, 1, 2],
    [1, 2, 3],
    [-5, 0, 7, 8],
    [False, True],
    ["no", "yes"],
    ["été", "ß", "漢字", "a"],
    [0.5, 1.5, 2.5],
]
COST = np.array([[0, 1, 5], [2, 0, 0.5], [9, 1, 0.0]])
