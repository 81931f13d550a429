"""Cutting planes by example, kept for all passes: :class:`structsvm.SmoothedCuttingPlane`."""
