"""Estimators: base classes, encodings of examples, and the estimators of any problem."""
