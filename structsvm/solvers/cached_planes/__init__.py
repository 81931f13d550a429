"""Cutting planes of single examples, kept for later passes.

The solver is :class:`structsvm.SmoothedCuttingPlane`.
"""
