"""Data that the tests of this family share."""

import pytest
from sklearn.datasets import load_breast_cancer


@pytest.fixture(scope="module")
def cancer():
    """Standardised, malignant the positive class."""
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), 1 - y
