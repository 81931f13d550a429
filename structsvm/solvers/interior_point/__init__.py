"""The interior-point method for few examples: :class:`structsvm.DualInteriorPoint`."""
