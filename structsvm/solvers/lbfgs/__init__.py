"""L-BFGS on the smoothed objective: :class:`structsvm.SmoothedLBFGS`."""
