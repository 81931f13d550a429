"""Problems and examples that the tests of multivariate measures share."""

from functools import cache

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from structsvm.problems import LabellingProblem, RocAreaProblem, TopKProblem

LABELLINGS = [LabellingProblem("f1"), LabellingProblem("error")]
RANKINGS = [RocAreaProblem(), TopKProblem(), TopKProblem(1), TopKProblem(4), TopKProblem(0.5)]
MEASURES = ["f1", "precision_at_k", "recall_at_k", "prbep", "roc_area", "error"]
each_measure = pytest.mark.parametrize("measure", MEASURES)


@cache
def cancer():
    """Standardised, malignant the positive class."""
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), 1 - y


def example_of(problem, rows, labels):
    """The input and the true output that a problem makes of rows and labels."""
    if isinstance(problem, LabellingProblem):
        return rows, labels
    return (rows, labels), np.zeros(len(labels))


@st.composite
def instances(draw, problems):
    """A problem, an example and w; small integers often, so that ties are frequent."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem, n, d = draw(st.sampled_from(problems)), draw(st.integers(5, 7)), 2
    labels = np.arange(n) < draw(st.integers(1, min(n - 1, 3)))
    rng.shuffle(labels)
    whole = draw(st.booleans())
    rows = rng.integers(-2, 3, (n, d)).astype(float) if whole else rng.normal(size=(n, d))
    w = rng.normal(size=d) * draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    x, y = example_of(problem, rows, labels)
    problem.initialize([x], [y])
    return problem, x, y, np.round(w) if whole else w
