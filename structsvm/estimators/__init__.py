"""Estimators in scikit-learn's manner: from data to a problem, a solver and a fitted model."""
