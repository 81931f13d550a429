"""The dual of few examples as one quadratic program: :class:`structsvm.DualInteriorPoint`."""
