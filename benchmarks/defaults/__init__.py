"""Scripts that compare estimators at their defaults with the usual alternatives.

The defaults were chosen on one collection of data sets, by held-out score, and compared on another,
which nobody looked at before.
"""
