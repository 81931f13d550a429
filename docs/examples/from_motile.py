"""A tracking graph of motile as a program, and its weights learned by IntegerProgramSVM."""

import numpy as np
from motile.variables import EdgeSelected, NodeSelected

from structsvm.problems import IntegerProgramSVM, Program


def fit_weights(solver, graph, gt_attribute, regularizer_weight, **parameters):
    """Learn the weights of a motile solver from the annotation of its graph."""
    x = Program(-solver.features.to_ndarray(), solver.constraints)  # motile's weights are costs
    y = np.full(solver.num_variables, -1)
    for kind, attributes in ((NodeSelected, graph.nodes), (EdgeSelected, graph.edges)):
        for key, i in solver.get_variables(kind).items():
            gt = attributes[key].get(gt_attribute)
            y[i] = -1 if gt is None else gt
    C = solver.num_variables / regularizer_weight
    svm = IntegerProgramSVM(C=C, unknown="ignored", **parameters).fit([x], [y])
    solver.weights.from_ndarray(svm.w_)
    return svm
