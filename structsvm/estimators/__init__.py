"""Estimators: base classes, encodings of examples, and the estimators for any problem."""
