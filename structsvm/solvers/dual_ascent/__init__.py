"""Ascent of the dual by mini-batches: :class:`structsvm.DualCoordinateAscent`."""
