"""Scripts that measure the estimators with their defaults beside what a user would take instead.

The defaults were chosen on one collection of data sets, by held-out score, and compared on another,
which nobody looked at before.
"""
