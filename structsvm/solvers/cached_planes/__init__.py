"""Cutting planes of single examples, which are kept in a cache for later passes.

The solver is :class:`structsvm.SmoothedCuttingPlane`.
"""
